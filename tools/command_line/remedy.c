#include "shared_text.h"

#include <stdio.h>
#include <string.h>

void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup)
{
    if (offers->count < sizeof offers->places / sizeof *offers->places && armtap_recipe_count(setup->accepted) > 0)
        offers->places[offers->count++] = setup->where;
}

bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct armtap_where *where)
{
    const char *run = kind->command;
    if (*run == '\0' || (where->packet == 0 && strstr(run, "PACKET")))
        return false;
    if (!strstr(run, "--accepted"))
        return true;
    for (size_t i = 0; i < offers->count; i++)
        if (offers->places[i].file == where->file && offers->places[i].packet == where->packet)
            return true;
    return false;
}

static void put_offer(struct remedy *remedy, const struct armtap_note_kind *kind, const char *end)
{
    snprintf(remedy->advice, sizeof remedy->advice, "%s%s%s, %s", kind->remedy, *kind->remedy ? "; " : "", kind->offer,
             end);
}

void remedy_whole(char to[REMEDY_MAX], const struct armtap_note_kind *kind)
{
    snprintf(to, REMEDY_MAX, "%s%s%s%s%s", kind->remedy, *kind->remedy && *kind->command ? "; " : "", kind->offer,
             *kind->command ? ", run: " : "", kind->command);
}

void remedy_find(struct remedy *remedy, const struct armtap_note_kind *kind, const struct replay_source *source,
                 const struct remedy_offers *offers, const struct armtap_where *where)
{
    *remedy = (struct remedy){.command = ""};
    if (!remedy_is_offered(offers, kind, where))
        snprintf(remedy->advice, sizeof remedy->advice, "%s", kind->remedy);
    else if (shell_command(remedy->command, kind->command, source, where))
        put_offer(remedy, kind, "run: ");
    else
        put_offer(remedy, kind,
                  shell_can_name(source) ? "run, with FILE replaced by the names of all captures:"
                                         : "run, with this input saved as FILE:");
}

static bool are_all_cut(const struct armtap_streams *streams)
{
    uint64_t gaps = armtap_streams_rest(streams)->gaps, cut = 0;
    for (size_t i = 0; i < armtap_streams_count(streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(streams, i)->stream;
        gaps += stream->gaps;
        cut += stream->gaps_cut;
    }
    return gaps > 0 && cut == gaps;
}

void remedy_find_cut(struct remedy *remedy, const struct armtap_note_kind *kind, const struct armtap_streams *streams)
{
    static const char advice[] = "the snapshot length of the capture cut the packets: capture with tcpdump -s 0";
    if (strcmp(kind->id, "stream.gap") != 0 || !are_all_cut(streams))
        return;
    *remedy = (struct remedy){.command = ""};
    snprintf(remedy->advice, sizeof remedy->advice, "%s", advice);
}

void remedy_print(struct text_wrap *wrap, const struct remedy *remedy)
{
    text_wrap_words(wrap, remedy->advice);
    if (remedy->command[0]) {
        text_wrap_end(wrap);
        wrap->indent += 2;
        text_wrap_command(wrap, remedy->command);
    }
    text_wrap_end(wrap);
}
