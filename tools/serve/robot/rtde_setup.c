/* RTDE's set-ups of outputs and inputs, and what clients write. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtde_peer.h"

#define NS 1e9
#define LIST_MAX 350u /* bytes of names in a line */
#define SPAN_MAX (2 * MOMENT_MAX + 16)

/* Comma separated names, one at a time, without the blanks around them; what follows the last comma may be none. */
struct names {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static struct names names_of(const struct armtap_rtde_package *request)
{
    struct names names = {request->names, request->names + request->names_length};
    while (names.end > names.at && (is_blank(names.end[-1]) || names.end[-1] == ','))
        names.end--;
    return names;
}

static bool next_name(struct names *names, const char **name, size_t *length)
{
    if (names->at >= names->end)
        return false;
    const char *comma = memchr(names->at, ',', (size_t)(names->end - names->at));
    *name = names->at;
    *length = (size_t)((comma ? comma : names->end) - names->at);
    names->at += *length + 1;
    for (; *length > 0 && is_blank(**name); ++*name)
        --*length;
    while (*length > 0 && is_blank((*name)[*length - 1]))
        --*length;
    return true;
}

static size_t count_names(struct names names)
{
    const char *name;
    size_t length, count = 0;
    while (next_name(&names, &name, &length))
        count++;
    return count;
}

/* The types of a reply, and the names that are refused. */
struct answer {
    struct buffer types;
    struct buffer refused;
};

static void answer_name(struct answer *answer, const char *type, const char *name, size_t length)
{
    if (answer->types.length > 0)
        buffer_char(&answer->types, ',');
    buffer_string(&answer->types, type);
    if (!name)
        return;
    if (answer->refused.length > 0)
        buffer_string(&answer->refused, ", ");
    buffer_put(&answer->refused, name, length);
}

static void answer_free(struct answer *answer)
{
    free(answer->types.data);
    free(answer->refused.data);
}

static void send_types(const struct rtde_peer *peer, enum armtap_rtde_type type, unsigned id,
                       const struct answer *answer, struct buffer *out)
{
    struct armtap_rtde_package reply = {.size = sizeof(struct armtap_rtde_package),
                                        .type = type,
                                        .has_id = type == ARMTAP_RTDE_SETUP_INPUTS || peer->protocol >= 2,
                                        .id = id,
                                        .types = answer->types.data ? answer->types.data : "",
                                        .types_length = answer->types.length};
    out->failed = out->failed || answer->types.failed;
    rtde_send(peer, &reply, out);
}

static int shown(const struct buffer *text)
{
    return text->length < 300 ? (int)text->length : 300;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

/* The controller sends every n-th of its cycles, n rounded down; 1 to its own rate is allowed. */
static void set_rate(struct rtde_peer *peer, double frequency)
{
    double own = NS / (double)peer->server->options.cycle;
    peer->every = 1;
    if (peer->protocol < 2)
        return;
    if (!(frequency > 0) || !isfinite(frequency))
        rtde_say(peer, "requests %g Hz: gets the recorded rate, %.5g Hz", frequency, own);
    else if (frequency > own * 1.001)
        rtde_say(peer, "requests %g Hz: the recorded rate is %.5g Hz", frequency, own);
    else
        peer->every = (unsigned)fmin(fmax(own / frequency * 1.001, 1), 1e6);
}

static const struct variable *output_named(const struct rtde_server *server, const char *name, size_t length)
{
    return rtde_is_listed(&server->options.hidden, name, length)
               ? NULL
               : variables_find(server->options.variables, name, length);
}

/* Finds the variables; returns how many there are none for. */
static size_t find_outputs(struct rtde_peer *peer, struct names names)
{
    const char *name;
    size_t length, lacking = 0;
    peer->output_count = peer->output_size = 0;
    while (peer->output_count < RTDE_NAMES_MAX && next_name(&names, &name, &length)) {
        const struct variable *variable = output_named(peer->server, name, length);
        lacking += !variable;
        peer->output_size += variable ? variable->size : 0;
        peer->outputs[peer->output_count++] = variable;
    }
    return lacking;
}

/* What is filled, or what clients write, is always there. */
static bool can_be_apart(const struct rtde_peer *peer, size_t i)
{
    const struct variable *variable = peer->outputs[i];
    return variable && variable->recorded && !variable->fill;
}

static void span_text(const struct rtde_peer *peer, const struct variable *variable, char text[SPAN_MAX])
{
    const struct rtde_server_options *options = &peer->server->options;
    char begin[MOMENT_MAX], end[MOMENT_MAX];
    int64_t first, last;
    text[0] = '\0';
    if (!presence_span(options->presence, variable, &first, &last))
        return;
    moment_text(&options->moments, first, begin);
    moment_text(&options->moments, last, end);
    snprintf(text, SPAN_MAX, " from %s to %s", begin, end);
}

/* Beside one that is recorded at that moment. */
static void say_apart(struct rtde_peer *peer, size_t i, const bool *apart)
{
    char own[SPAN_MAX], others[SPAN_MAX];
    size_t other = 0;
    while (other < peer->output_count && (apart[other] || !can_be_apart(peer, other)))
        other++;
    span_text(peer, peer->outputs[i], own);
    if (other == peer->output_count || peer->server->options.holds) {
        rtde_say(peer, "output setup refused, NOT_FOUND: %s: recorded%s, which is not played", peer->outputs[i]->name,
                 own);
        return;
    }
    span_text(peer, peer->outputs[other], others);
    rtde_say(peer,
             "output setup refused, NOT_FOUND: %s: recorded%s, but never at the same time as all others, such as "
             "%s,%s; --gaps hold repeats last values, --fill NAME=VALUE sets a value",
             peer->outputs[i]->name, own, peer->outputs[other]->name, others);
}

/* Marks those that are not recorded at the moment at which the most are; returns how many. */
static size_t find_apart(const struct rtde_peer *peer, bool apart[RTDE_NAMES_MAX])
{
    const struct rtde_server_options *options = &peer->server->options;
    const struct variable *recorded[RTDE_NAMES_MAX];
    bool lacks[RTDE_NAMES_MAX];
    struct presence_wish wish = {
        .variables = recorded, .from = options->from, .to = options->to, .holds = options->holds};
    size_t next = 0;
    for (size_t i = 0; i < peer->output_count; i++)
        if (can_be_apart(peer, i))
            recorded[wish.count++] = peer->outputs[i];
    size_t count = options->presence ? presence_together(options->presence, &wish, lacks) : 0;
    for (size_t i = 0; i < peer->output_count; i++)
        apart[i] = can_be_apart(peer, i) && count > 0 && lacks[next++];
    return count;
}

static void answer_outputs(const struct rtde_peer *peer, struct names names, const bool *apart, struct answer *answer)
{
    const char *name;
    size_t length;
    for (size_t i = 0; i < peer->output_count && next_name(&names, &name, &length); i++) {
        const struct variable *variable = peer->outputs[i];
        answer_name(answer, variable && !apart[i] ? armtap_type_name(variable->type, variable->count) : "NOT_FOUND",
                    variable ? NULL : name, length);
    }
}

/* All of the names, in as many lines as they need. */
static void say_not_found(struct rtde_peer *peer, const struct buffer *names)
{
    for (size_t at = 0; at < names->length;) {
        size_t length = names->length - at;
        if (length > LIST_MAX)
            for (length = LIST_MAX; length > 0 && names->data[at + length - 1] != ' ';)
                length--;
        length = length > 0 ? length : LIST_MAX;
        bool ends = at + length == names->length;
        rtde_say(peer, "output setup refused, NOT_FOUND: %.*s%s", (int)length, names->data + at,
                 ends ? "; armtap info --json lists what the capture has, --fill NAME=VALUE sets a value" : "");
        at += length;
    }
}

static void say_refused(struct rtde_peer *peer, const struct answer *answer, const bool *apart)
{
    say_not_found(peer, &answer->refused);
    for (size_t i = 0; i < peer->output_count; i++)
        if (apart[i])
            say_apart(peer, i, apart);
    if (peer->output_count == 0)
        rtde_say(peer, "output setup refused: it has no names");
    else if (peer->output_count == RTDE_NAMES_MAX || peer->output_size > RTDE_PACKAGE_MAX - 4)
        rtde_say(peer, "output setup refused: it is too long");
}

/* False if memory runs out. */
static bool prepare_outputs(struct rtde_peer *peer, size_t count)
{
    size_t room = count < RTDE_NAMES_MAX ? count : RTDE_NAMES_MAX;
    const struct rtde_server_options *options = &peer->server->options;
    peer->has_outputs = peer->is_started = false;
    field_watch_end(&peer->watch);
    free(peer->outputs);
    peer->outputs = calloc(room + 1, sizeof(const struct variable *));
    peer->watch = (struct field_watch){.variables = peer->outputs,
                                       .count = room,
                                       .lacking = "no packages during that time (--fill or --gaps hold)",
                                       .moments = options->moments,
                                       .lines = peer->watch.lines};
    return peer->outputs && field_watch_begin(&peer->watch) == 0;
}

void rtde_set_up_outputs(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out)
{
    struct names names = names_of(request);
    struct answer answer = {0};
    bool apart[RTDE_NAMES_MAX];
    size_t count = count_names(names);
    if (!prepare_outputs(peer, count)) {
        out->failed = true;
        return;
    }
    size_t lacking = find_outputs(peer, names) + find_apart(peer, apart);
    peer->has_outputs =
        count > 0 && lacking == 0 && peer->output_count == count && peer->output_size <= RTDE_PACKAGE_MAX - 4;
    answer_outputs(peer, names, apart, &answer);
    send_types(peer, ARMTAP_RTDE_SETUP_OUTPUTS, peer->has_outputs, &answer, out);
    if (peer->has_outputs) {
        set_rate(peer, request->frequency);
        rtde_say(peer, "sets up %zu outputs, %zu bytes at %.5g Hz", count, peer->output_size,
                 NS / (double)peer->server->options.cycle / peer->every);
    } else {
        say_refused(peer, &answer, apart);
    }
    answer_free(&answer);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static const struct armtap_field *input_named(const struct rtde_server *server, const char *name, size_t length)
{
    const struct armtap_field *field = armtap_field_find(name, length);
    bool is_input = field && (field->direction == ARMTAP_FIELD_INPUT || field->direction == ARMTAP_FIELD_BOTH);
    return is_input && !rtde_is_listed(&server->options.hidden, name, length) ? field : NULL;
}

static bool is_held(const struct rtde_peer *peer, const struct armtap_field *field)
{
    const struct rtde_peer *holder = peer->server->holder[field->id];
    return (holder && holder != peer) ||
           rtde_is_listed(&peer->server->options.in_use, field->name, strlen(field->name));
}

/* Of the configurable outputs, older protocols carry 8 bits. */
static enum armtap_type type_of_input(const struct rtde_peer *peer, const struct armtap_field *field)
{
    bool short_one =
        field->id == ARMTAP_ID_configurable_digital_output || field->id == ARMTAP_ID_configurable_digital_output_mask;
    return short_one && peer->protocol < 3 ? ARMTAP_UINT8 : field->type;
}

static void choose_inputs(struct rtde_peer *peer, struct names names, struct input_recipe *recipe,
                          struct answer *answer)
{
    const char *name;
    size_t length;
    while (next_name(&names, &name, &length) && recipe->count < RTDE_NAMES_MAX) {
        const struct armtap_field *field = input_named(peer->server, name, length);
        if (!field || is_held(peer, field)) {
            answer_name(answer, field ? "IN_USE" : "NOT_FOUND", name, length);
            continue;
        }
        enum armtap_type type = type_of_input(peer, field);
        size_t size = armtap_type_width(type) * field->count;
        answer_name(answer, armtap_type_name(type, field->count), NULL, 0);
        recipe->fields[recipe->count++] = (struct input_field){field, recipe->size, size};
        recipe->size += size;
    }
}

static unsigned free_id(const struct rtde_peer *peer)
{
    for (unsigned id = 1; id <= RTDE_INPUTS_MAX; id++)
        if (!peer->inputs[id])
            return id;
    return 0;
}

void rtde_set_up_inputs(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out)
{
    struct names names = names_of(request);
    struct answer answer = {0};
    size_t count = count_names(names);
    unsigned id = free_id(peer);
    size_t room = count < RTDE_NAMES_MAX ? count : RTDE_NAMES_MAX;
    struct input_recipe *recipe = calloc(1, sizeof *recipe + room * sizeof *recipe->fields);
    if (!recipe) {
        out->failed = true;
        return;
    }
    choose_inputs(peer, names, recipe, &answer);
    bool accepted = id > 0 && count > 0 && recipe->count == count;
    send_types(peer, ARMTAP_RTDE_SETUP_INPUTS, accepted ? id : 0, &answer, out);
    if (accepted)
        rtde_say(peer, "sets up %zu inputs as recipe %u: %.*s", count, id,
                 (int)(request->names_length < 300 ? request->names_length : 300), request->names);
    else if (answer.refused.length > 0)
        rtde_say(peer, "input setup refused: %.*s", shown(&answer.refused), answer.refused.data);
    else
        rtde_say(peer, "input setup refused: %s", count == 0 ? "it has no names" : "too many");
    for (size_t i = 0; accepted && i < recipe->count; i++)
        peer->server->holder[recipe->fields[i].field->id] = peer;
    if (accepted)
        peer->inputs[id] = recipe;
    else
        free(recipe);
    answer_free(&answer);
}

void rtde_release_inputs(struct rtde_peer *peer)
{
    for (size_t id = 0; id < ARMTAP_FIELD_COUNT; id++)
        if (peer->server->holder[id] == peer)
            peer->server->holder[id] = NULL;
}

/* ---- what clients write ------------------------------------------------------------------------------------------ */

static void write_variable(struct rtde_server *server, const struct variable *variable, const uint8_t *bytes,
                           size_t size)
{
    if (!variable || variable->size != size)
        return;
    memcpy(server->written + variable->offset, bytes, size);
    server->is_written[variable->index] = true;
}

/* Whether the recipe leaves the speed slider alone: its mask is there and 0. */
static bool is_masked(const struct input_recipe *recipe, const uint8_t *values)
{
    static const uint8_t none[4] = {0};
    for (size_t i = 0; i < recipe->count; i++)
        if (recipe->fields[i].field->id == ARMTAP_ID_speed_slider_mask)
            return memcmp(values + recipe->fields[i].offset, none, sizeof none) == 0;
    return false;
}

static void write_values(struct rtde_server *server, const struct input_recipe *recipe, const uint8_t *values)
{
    const struct variables *variables = server->options.variables;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct input_field *input = &recipe->fields[i];
        size_t id = input->field->id;
        if (id == ARMTAP_ID_speed_slider_fraction && is_masked(recipe, values))
            continue;
        if (id == ARMTAP_ID_speed_slider_fraction)
            id = ARMTAP_ID_target_speed_fraction;
        write_variable(server, variables_of_field(variables, id), values + input->offset, input->size);
    }
}

void rtde_take_inputs(struct rtde_peer *peer, const uint8_t *payload, size_t length)
{
    unsigned id = length > 0 ? payload[0] : 0;
    struct input_recipe *recipe = peer->inputs[id];
    if (!recipe || recipe->size != length - 1) {
        rtde_say(peer, "writes %zu bytes for input recipe %u: %s", length, id,
                 recipe ? "not the recipe's length" : "not set up");
        return;
    }
    if (!recipe->was_used)
        rtde_say(peer, "writes inputs by recipe %u", id);
    recipe->was_used = true;
    write_values(peer->server, recipe, payload + 1);
}
