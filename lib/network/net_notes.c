/* What a net tells of a capture apart from its connections: notes, packets that cannot be read, fragments, traffic that
 * no decoder reads. */
#include "net.h"

#include <string.h>

#define NOTES_A_KIND 64 /* notes of one kind */
#define ARGUMENTS_MOST 8

void armtap_net_host_text(const struct armtap_address *address, char text[64])
{
    armtap_address_text(address, 0, text);
    text[strlen(text) - 2] = '\0'; /* the port */
}

bool armtap_packet_hosts(const struct armtap_packet *packet, char from[64], char to[64])
{
    struct armtap_segment segment;
    const char *fault;
    if (!packet || !from || !to || (packet->captured && !packet->data) ||
        armtap_link_parse(packet, &segment, &fault) != ARMTAP_LINK_TCP)
        return false;
    armtap_net_host_text(&segment.source, from);
    armtap_net_host_text(&segment.target, to);
    return true;
}

int armtap_net_note(struct armtap_net *net, enum armtap_note_code code, const struct armtap_segment *segment,
                    const struct armtap_arguments *arguments)
{
    struct armtap_argument all[ARGUMENTS_MOST];
    char from[64] = "", to[64] = "";
    size_t count = arguments->count;
    if (!net->sink.on_note || net->notes[code] == NOTES_A_KIND)
        return 0;
    if (segment->source.version) {
        armtap_net_host_text(&segment->source, from);
        armtap_net_host_text(&segment->target, to);
    }
    memcpy(all, arguments->all, count * sizeof *all);
    all[count++] = arg_from_host(from);
    all[count++] = arg_to_host(to);
    all[count++] = arg_is_last(++net->notes[code] == NOTES_A_KIND);
    struct armtap_line line;
    struct armtap_note about = {
        .kind = armtap_note_at(code), .where = net->pool.now, .text = line.text, .arguments = {all, count}};
    armtap_note_say(&line, code, &about.arguments);
    return net->sink.on_note(net->user, &about) ? ARMTAP_ERR_STOPPED : 0;
}

static void count_unread(struct armtap_net *net, const char *what)
{
    size_t i = 0;
    while (i < ARMTAP_UNREAD_KINDS && net->unread[i].what && strcmp(net->unread[i].what, what) != 0)
        i++;
    if (i == ARMTAP_UNREAD_KINDS)
        return;
    net->unread[i].what = what;
    net->unread[i].packets++;
}

bool armtap_net_unread(const struct armtap_net *net, size_t index, struct armtap_unread *unread)
{
    if (!net || !unread || index >= ARMTAP_UNREAD_KINDS || !net->unread[index].what)
        return false;
    *unread = net->unread[index];
    return true;
}

int armtap_net_note_unread(struct armtap_net *net, enum armtap_link_result result, const struct armtap_segment *segment,
                           const char *fault)
{
    switch (result) {
    case ARMTAP_LINK_BAD:
        return armtap_net_note(net, ARMTAP_NOTE_ip_bad_header, segment, ARGS(arg_fault(fault)));
    case ARMTAP_LINK_CUT:
        return armtap_net_note(net, ARMTAP_NOTE_capture_truncated, segment, ARGS(arg_case(ARMTAP_WORD_headers)));
    default:
        if (segment->unread)
            count_unread(net, segment->unread);
        return 0;
    }
}

int armtap_net_note_unfinished(struct armtap_net *net, const struct armtap_unfinished_datagram *unfinished)
{
    struct armtap_segment ends = {.source = unfinished->source, .target = unfinished->target};
    if (!unfinished->source.version || !unfinished->may_be_tcp)
        return 0;
    struct armtap_where now = net->pool.now;
    net->pool.now = unfinished->where;
    int error = armtap_net_note(
        net, ARMTAP_NOTE_ip_fragment, &ends,
        ARGS(arg_bytes(unfinished->bytes), unfinished->length > 0 ? arg_bytes_of(unfinished->length) : arg_none(true)));
    net->pool.now = now;
    return error;
}

int armtap_net_note_refused(struct armtap_net *net, enum armtap_fragment_outcome outcome,
                            const struct armtap_segment *segment)
{
    if (outcome == ARMTAP_FRAGMENT_OVERLAPS)
        return armtap_net_note(net, ARMTAP_NOTE_input_hostile, segment, ARGS(arg_case(ARMTAP_WORD_fragments_overlap)));
    if (outcome == ARMTAP_FRAGMENT_BAD)
        return armtap_net_note(net, ARMTAP_NOTE_ip_bad_header, segment, ARGS(arg_case(ARMTAP_WORD_fragments)));
    return 0;
}

int armtap_net_tell_traffic(struct armtap_net *net)
{
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        for (struct armtap_flow *flow = net->flows.class[i].oldest; flow; flow = flow->newer)
            if (!flow->decoded)
                armtap_traffics_add(&net->traffics, &flow->traffic);
    for (size_t i = 0; i < net->traffics.count && net->sink.on_traffic; i++) {
        const struct armtap_traffic_count *count = &net->traffics.all[i];
        struct armtap_traffic traffic = {.port = count->port,
                                         .name = armtap_traffic_name(count->port),
                                         .packets = count->packets,
                                         .bytes = count->bytes};
        armtap_net_host_text(&count->robot, traffic.robot);
        if (net->sink.on_traffic(net->user, &traffic))
            return ARMTAP_ERR_STOPPED;
    }
    return 0;
}
