#include "rtde_reply.h"

#include <stdlib.h>
#include <string.h>

#include "table/field.h"
#include "protocol/release.h"
#include "rtde_package.h"

#define NAMED_MAX 32       /* notes about single names, by set-up */
#define FREQUENCY_BYTES 8u /* before the names, from protocol 2 on */
#define SHOWN_BYTES 24u    /* of a reply that cannot be read */
#define PROPERTIES_SINCE "5.26.3 / 10.15.0"

/* ---- types and markers ---- */

static bool is_marker(const struct armtap_item *type)
{
    return armtap_item_is(type, "NOT_FOUND") || armtap_item_is(type, "IN_USE") || armtap_item_is(type, "NOT_SET");
}

static size_t known_types(const struct armtap_item *types)
{
    const char *at = types->text;
    struct armtap_item item;
    enum armtap_type type;
    unsigned elements;
    size_t known = 0;
    while (armtap_list_next(&at, types->text + types->length, &item))
        known += is_marker(&item) || armtap_type_find(item.text, item.length, &type, &elements);
    return known;
}

bool armtap_rtde_are_types(const char *types, size_t length)
{
    struct armtap_item list = {types, length};
    size_t count = armtap_list_count(types, length);
    return count > 0 && known_types(&list) == count;
}

/* ---- which type belongs to which name ---- */

static void skip_items(struct armtap_item *list, size_t count)
{
    const char *at = list->text, *end = list->text + list->length;
    struct armtap_item item;
    while (count-- > 0 && armtap_list_next(&at, end, &item))
        ;
    *list = (struct armtap_item){at, (size_t)(end - at)};
}

/* In protocol 1 the bytes of a frequency belong to the first name, and a comma among them ends one. */
static bool is_read_as_name(struct armtap_rtde_reply *reply, const struct armtap_rtde_request *request)
{
    struct armtap_item types = reply->types, first;
    skip_items(&types, request->frequency_commas);
    const char *at = types.text;
    if (reply->type_count != reply->name_count + request->frequency_commas ||
        !armtap_list_next(&at, types.text + types.length, &first) || !armtap_item_is(&first, "NOT_FOUND"))
        return false;
    reply->types = types;
    reply->cut = true;
    return true;
}

/* From protocol 2 on, the first eight letters of the names are read as a frequency. */
static bool is_read_as_frequency(struct armtap_rtde_reply *reply)
{
    const char *names = reply->names.text, *at = reply->types.text;
    struct armtap_item rest = {names + FREQUENCY_BYTES, reply->names.length - FREQUENCY_BYTES}, first;
    if (reply->names.length <= FREQUENCY_BYTES || reply->type_count == 0)
        return false;
    armtap_list_next(&at, reply->types.text + reply->types.length, &first);
    reply->taken = (struct armtap_item){names, FREQUENCY_BYTES};
    bool whole = names[FREQUENCY_BYTES - 1] == ',';
    bool refused = armtap_item_is(&first, "NOT_FOUND");
    if (armtap_list_count(rest.text, rest.length) != reply->type_count || (!whole && !refused) ||
        (whole && reply->type_count == reply->name_count))
        return false;
    reply->cut = !whole;
    while (!whole && rest.text > names && rest.text[-1] != ',') { /* the whole of the name that was cut */
        rest.text--;
        rest.length++;
    }
    reply->missed = (struct armtap_item){names, (size_t)(rest.text - names)};
    reply->names = rest;
    return true;
}

static struct armtap_text_key key_of(const struct armtap_rtde_reply *reply)
{
    return (struct armtap_text_key){.protocol = ARMTAP_RTDE,
                                    .piece = {reply->names.text, reply->types.text},
                                    .length = {reply->names.length, reply->types.length}};
}

/* Whether there is nothing to note about a reply, whoever gets it. */
static bool is_plain(const struct armtap_rtde_reply *reply, const struct armtap_recipe *recipe)
{
    bool is = reply->requested && !reply->strange && !reply->misread && !reply->refused && !recipe->open;
    for (size_t i = 0; is && i < recipe->count; i++)
        is = recipe->entries[i].field != NULL;
    return is;
}

/* Keeps the recipe of a reply for the other connections of the capture, if there is nothing to note about it. */
static int keep_layout(struct armtap_conn *conn, const struct armtap_rtde_reply *reply, struct armtap_recipe *recipe)
{
    struct armtap_text_key key = key_of(reply);
    return is_plain(reply, recipe) ? armtap_conn_keep_layout(conn, &key, recipe) : ARMTAP_OK;
}

/* The same lists were read before, and fit each other. */
static bool takes_layout(struct armtap_rtde_reply *reply, struct armtap_conn *conn)
{
    struct armtap_text_key key = key_of(reply);
    reply->layout = armtap_conn_text_layout(conn, &key);
    if (!reply->layout)
        return false;
    reply->name_count = reply->type_count = reply->layout->count;
    return reply->requested = true;
}

struct armtap_rtde_reply armtap_rtde_read_reply(const struct armtap_rtde *rtde, struct armtap_conn *conn,
                                                const struct armtap_rtde_request *request,
                                                const struct armtap_rtde_package *package)
{
    struct armtap_rtde_reply reply = {
        .type = package->type, .types = {package->types, package->types_length}, .affordable = true};
    if (request) {
        reply.names = (struct armtap_item){request->names, request->names_length};
        reply.frequency = request->frequency;
    }
    bool is_outputs = package->type == ARMTAP_RTDE_SETUP_OUTPUTS;
    bool as_name = request && is_outputs && package->protocol < 2 && request->protocol >= 2;
    bool as_frequency = request && is_outputs && !as_name && rtde->protocol >= 2 && request->protocol < 2;
    if (request && !as_name && !as_frequency && takes_layout(&reply, conn))
        return reply;
    reply.type_count = armtap_list_count(package->types, package->types_length);
    if (!request)
        return reply;
    reply.name_count = armtap_list_count(request->names, request->names_length);
    if (as_name)
        reply.misread = is_read_as_name(&reply, request);
    else if (as_frequency)
        reply.misread = is_read_as_frequency(&reply);
    if (reply.misread) {
        reply.name_count = armtap_list_count(reply.names.text, reply.names.length);
        reply.type_count = armtap_list_count(reply.types.text, reply.types.length);
    }
    size_t known = known_types(&reply.types);
    reply.strange = reply.name_count != reply.type_count || (reply.type_count > 1 && known == 0);
    reply.requested = reply.name_count == reply.type_count;
    return reply;
}

/* ---- refused names ---- */

const char *armtap_rtde_set_up_of(enum armtap_rtde_type type)
{
    return type == ARMTAP_RTDE_SETUP_INPUTS    ? "input set-up"
           : type == ARMTAP_RTDE_SETUP_OUTPUTS ? "output set-up"
                                               : "property request";
}

/* Which release introduced a field, and which one the controller has. */
static void tell_release(struct armtap_line *line, const struct armtap_field *field, const char *version)
{
    const char *release = "", *series = armtap_release_series(version);
    size_t length = 0;
    bool own = armtap_release_of_series(field->since, version, &release, &length);
    enum armtap_release_fit fit = armtap_release_judge(field->since, version);
    if (field->since[0] == '\0') {
        armtap_line_string(line, ": UR does not say which release introduced it");
        armtap_line_format(line, version[0] ? "; the controller has %s" : "", version);
        return;
    }
    armtap_line_string(line, fit == ARMTAP_RELEASE_HAS ? ", although it was introduced in " : ": introduced in ");
    if (own)
        armtap_line_format(line, "%b", (const void *)release, length);
    else
        armtap_release_list(line, field->since);
    if (version[0] == '\0')
        armtap_line_string(line, "; the controller's release was not captured");
    else if (fit == ARMTAP_RELEASE_NEVER)
        armtap_line_format(line, ", never for %s; the controller has %s", series, version);
    else
        armtap_line_format(line, "%s the controller has %s", fit == ARMTAP_RELEASE_HAS ? " and" : ";", version);
}

/* Why a controller may not know a name: its release, its direction, or a slip. */
static int tell_reason(struct armtap_line *line, struct armtap_conn *conn, const struct armtap_frame *frame,
                       enum armtap_rtde_type type, const struct armtap_item *name)
{
    int error = ARMTAP_OK;
    bool has;
    enum armtap_field_direction wanted = type == ARMTAP_RTDE_SETUP_INPUTS ? ARMTAP_FIELD_INPUT : ARMTAP_FIELD_OUTPUT;
    const struct armtap_field *field = armtap_field_find(name->text, name->length);
    if (field && field->direction == ARMTAP_FIELD_LEGACY) {
        armtap_line_string(line, ": it is in legacy packets only");
    } else if (field && field->direction == ARMTAP_FIELD_PRIMARY) {
        armtap_line_string(line, ": it is in the primary interface only");
    } else if (field && !((unsigned)field->direction & (unsigned)wanted)) {
        armtap_line_string(line, wanted == ARMTAP_FIELD_INPUT ? ": it is an output, which only the controller writes"
                                                              : ": it is an input, which only clients write");
    } else if (field) {
        tell_release(line, field, armtap_conn_release(conn));
    } else {
        error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_spelling, armtap_field_count(), &has);
        field = has ? armtap_field_nearest(name->text, name->length, wanted) : NULL;
        armtap_line_format(line, field ? "; did you mean %s?" : ", nor to any release that armtap knows of",
                           field ? field->name : "");
    }
    return error;
}

/* Whether an input is one of the registers that are left to RTDE clients and URCaps: a fieldbus claims the lower ones,
 * and inputs that are no registers. */
static bool is_left_to_clients(const struct armtap_item *name)
{
    static const struct {
        const char *family;
        unsigned from;
    } registers[] = {{"input_int_register_", 24}, {"input_double_register_", 24}, {"input_bit_register_", 64}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        size_t at = strlen(registers[i].family);
        unsigned number = 0;
        if (name->length <= at || memcmp(name->text, registers[i].family, at) != 0)
            continue;
        for (; at < name->length && name->text[at] >= '0' && name->text[at] <= '9' && number < 1000; at++)
            number = 10 * number + (unsigned)(name->text[at] - '0');
        return at == name->length && number >= registers[i].from;
    }
    return false;
}

static int note_in_use(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_item *name)
{
    const struct armtap_field *field = armtap_field_find(name->text, name->length);
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_rtde_field_in_use,
        ARGS(field ? arg_field(field->name) : arg_quoted_name(name->text, name->length),
             arg_case(is_left_to_clients(name) ? ARMTAP_WORD_unknown : ARMTAP_WORD_client_or_fieldbus)));
}

void armtap_rtde_tell_properties_release(struct armtap_line *line, struct armtap_conn *conn)
{
    const char *version = armtap_conn_release(conn);
    enum armtap_release_fit fit = armtap_release_judge(PROPERTIES_SINCE, version);
    if (fit != ARMTAP_RELEASE_OLDER && fit != ARMTAP_RELEASE_NEVER)
        return;
    armtap_line_string(line, "; controllers have properties since ");
    armtap_release_list(line, PROPERTIES_SINCE);
    armtap_line_format(line, ", this one has %s", version);
}

/* A property that a reply has no value for: `type` says why. */
static int note_property(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_item *name,
                         const struct armtap_item *type)
{
    struct armtap_line line;
    bool is_unknown = armtap_item_is(type, "NOT_FOUND");
    armtap_line_begin(&line);
    armtap_line_format(&line, "%b: ", (const void *)name->text, name->length);
    armtap_line_format(&line,
                       is_unknown ? "the controller does not know this property (%b)"
                                  : "the controller has no value for this property (%b)",
                       (const void *)type->text, type->length);
    if (is_unknown)
        armtap_rtde_tell_properties_release(&line, conn);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_property_missing, "%s", line.text);
}

/* `named`: the name was captured. */
static int note_marker(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_rtde_type set_up,
                       bool named, const struct armtap_item *name, const struct armtap_item *type)
{
    struct armtap_line line;
    int error = ARMTAP_OK;
    if (set_up == ARMTAP_RTDE_PROPERTIES)
        return note_property(conn, frame, name, type);
    if (armtap_item_is(type, "IN_USE"))
        return note_in_use(conn, frame, name);
    if (armtap_item_is(type, "NOT_SET"))
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_field_not_found, "%b has no value on this controller",
                               (const void *)name->text, name->length);
    armtap_line_begin(&line);
    armtap_line_format(&line, "%b is not known to this controller", (const void *)name->text, name->length);
    if (named)
        error = tell_reason(&line, conn, frame, set_up, name);
    return error == ARMTAP_OK ? armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_field_not_found, "%s", line.text) : error;
}

/* ---- faults of the whole reply ---- */

static int note_misread(const struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_rtde_reply *reply)
{
    struct armtap_line line;
    const char *at = reply->names.text;
    struct armtap_item first = {"", 0};
    armtap_list_next(&at, reply->names.text + reply->names.length, &first);
    armtap_line_begin(&line);
    if (rtde->protocol >= 2) {
        armtap_line_format(&line, "protocol %u is in force, but the set-up has the form of protocol 1",
                           (uint64_t)rtde->protocol);
        armtap_line_format(&line, ": the controller took its first 8 bytes, \"%b\", for the frequency",
                           (const void *)reply->taken.text, reply->taken.length);
        armtap_line_format(&line, reply->cut ? " and the names begin within %b" : " and the names begin with %b",
                           (const void *)first.text, first.length);
    } else {
        armtap_line_string(&line, "the set-up begins with a frequency, as from protocol 2 on, but ");
        if (rtde->refused_version > 0)
            armtap_line_format(&line, "protocol %u was refused", (uint64_t)rtde->refused_version);
        else
            armtap_line_string(&line, armtap_conn_stream(conn)->midstream ? "the reply is protocol 1's"
                                                                          : "no protocol was negotiated");
        armtap_line_format(&line, ": the controller took its 8 bytes for a part of the first name, %b",
                           (const void *)first.text, first.length);
    }
    return armtap_conn_say(
        conn, frame, rtde->protocol >= 2 ? ARMTAP_NOTE_rtde_frequency_missing : ARMTAP_NOTE_rtde_version_not_negotiated,
        "%s", line.text);
}

void armtap_rtde_show_bytes(struct armtap_line *line, const struct armtap_frame *frame)
{
    static const char digits[] = "0123456789abcdef";
    size_t shown = frame->length < SHOWN_BYTES ? frame->length : SHOWN_BYTES;
    for (size_t i = 0; i < shown; i++) {
        char text[4] = {' ', digits[frame->bytes[i] >> 4], digits[frame->bytes[i] & 15], '\0'};
        armtap_line_string(line, text);
    }
    armtap_line_string(line, shown < frame->length ? " ..." : "");
}

static int note_strange(struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_rtde_reply *reply)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    if (reply->name_count != reply->type_count)
        armtap_line_format(&line,
                           "the reply to the %s has %u type%s for %u name%s:", armtap_rtde_set_up_of(reply->type),
                           (uint64_t)reply->type_count, reply->type_count == 1 ? "" : "s", (uint64_t)reply->name_count,
                           reply->name_count == 1 ? "" : "s");
    else
        armtap_line_format(&line, "the reply to the %s has no type that is known:", armtap_rtde_set_up_of(reply->type));
    armtap_rtde_show_bytes(&line, frame);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_setup_bad, "%s", line.text);
}

/* What stands for a name that is not known. */
static const char *nameless_of(const struct armtap_rtde_reply *reply)
{
    if (reply->type == ARMTAP_RTDE_PROPERTIES)
        return reply->strange ? "a property that cannot be told" : "a property whose name was not captured before";
    return reply->strange ? "a field that cannot be told" : "a field whose name was not captured before";
}

static int note_refusals(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_rtde_reply *reply)
{
    const char *name_at = reply->names.text, *type_at = reply->types.text;
    struct armtap_item type;
    unsigned named = 0;
    int error = ARMTAP_OK;
    for (size_t i = 0; armtap_list_next(&type_at, reply->types.text + reply->types.length, &type); i++) {
        const char *nameless = nameless_of(reply);
        struct armtap_item name = {nameless, strlen(nameless)};
        if (reply->requested)
            armtap_list_next(&name_at, reply->names.text + reply->names.length, &name);
        if (!is_marker(&type))
            continue;
        reply->refused = true;
        if ((i > 0 || !reply->cut) && named++ < NAMED_MAX && error == ARMTAP_OK)
            error = note_marker(conn, frame, reply->type, reply->requested, &name, &type);
    }
    return error;
}

static bool refuses(const struct armtap_rtde_reply *reply)
{
    const char *at = reply->types.text;
    struct armtap_item type;
    while (armtap_list_next(&at, reply->types.text + reply->types.length, &type))
        if (is_marker(&type))
            return true;
    return false;
}

/* On the network a refused set-up is noted at once; of a socket's bytes the program that read them is the client, which
 * leaves out what the controller lacks. */
static bool may_be_mended(const struct armtap_conn *conn, const struct armtap_rtde_reply *reply)
{
    return armtap_conn_stream(conn)->origin == ARMTAP_ORIGIN_SOCKET && reply->type == ARMTAP_RTDE_SETUP_OUTPUTS &&
           reply->requested && !reply->strange && !reply->misread;
}

static int hold(struct armtap_rtde *rtde, const struct armtap_frame *frame, struct armtap_rtde_reply *reply)
{
    char *lists = malloc(reply->names.length + reply->types.length + 1);
    if (!lists)
        return ARMTAP_ERR_MEMORY;
    memcpy(lists, reply->names.text, reply->names.length);
    memcpy(lists + reply->names.length, reply->types.text, reply->types.length);
    rtde->held.lists = lists;
    rtde->held.names_length = reply->names.length;
    rtde->held.types_length = reply->types.length;
    rtde->held.offset = frame->offset;
    rtde->held.where = frame->where;
    reply->refused = true;
    return ARMTAP_OK;
}

int armtap_rtde_note_held(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    if (!rtde->held.lists)
        return ARMTAP_OK;
    struct armtap_rtde_held held = rtde->held;
    struct armtap_frame frame = armtap_place(ARMTAP_FROM_ROBOT, held.offset, held.where);
    struct armtap_rtde_reply reply = {.type = ARMTAP_RTDE_SETUP_OUTPUTS,
                                      .names = {held.lists, held.names_length},
                                      .types = {held.lists + held.names_length, held.types_length},
                                      .requested = true};
    int error = note_refusals(conn, &frame, &reply);
    free(held.lists);
    rtde->held.lists = NULL;
    return error;
}

/* What a set-up of outputs says about the one refused before: accepted, it mends that. */
static int settle_held(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_rtde_reply *reply,
                       bool refused)
{
    if (!may_be_mended(conn, reply) || refused)
        return armtap_rtde_note_held(rtde, conn);
    free(rtde->held.lists);
    rtde->held.lists = NULL;
    return ARMTAP_OK;
}

int armtap_rtde_note_reply(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           struct armtap_rtde_reply *reply)
{
    bool refused = !reply->layout && refuses(reply);
    int error = reply->type == ARMTAP_RTDE_SETUP_OUTPUTS ? settle_held(rtde, conn, reply, refused) : ARMTAP_OK;
    if (error == ARMTAP_OK && refused && may_be_mended(conn, reply))
        return hold(rtde, frame, reply);
    if (error == ARMTAP_OK && reply->misread)
        error = note_misread(rtde, conn, frame, reply);
    if (error == ARMTAP_OK && reply->strange)
        error = note_strange(conn, frame, reply);
    return error == ARMTAP_OK && !reply->layout ? note_refusals(conn, frame, reply) : error;
}

/* The text of a note about `count` fields of unknown type. */
static const char *what_strangers_get(const struct armtap_recipe *recipe, size_t count)
{
    if (count == 1)
        return "it gets what the other fields leave of a data package's length";
    if (recipe->alike)
        return "the fields of that type get equal shares of what the others leave of a data package's length";
    return "other fields have other types that are not known either: together they get what the rest leaves of a data "
           "package's length";
}

static int note_stranger(struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_recipe_entry *entry, const struct armtap_item *type)
{
    size_t length = strlen(entry->name);
    const struct armtap_field *known = armtap_field_find(entry->name, length);
    const char *is = known ? armtap_type_name(known->type, known->count) : NULL;
    if (!is)
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_field_unknown,
                               "%b (%b) is not in the table; delivered under its own name", (const void *)entry->name,
                               length, (const void *)type->text, type->length);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_field_unknown,
                           "%b comes as %b, but the table has it as %s; delivered under its own name",
                           (const void *)entry->name, length, (const void *)type->text, type->length, is);
}

int armtap_rtde_note_strangers(struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_rtde_reply *reply, const struct armtap_recipe *recipe)
{
    const char *type_at = reply->types.text;
    struct armtap_item type;
    const char *gets = what_strangers_get(recipe, reply->type_count - known_types(&reply->types));
    unsigned named = 0;
    int error = ARMTAP_OK;
    for (size_t i = 0; i < recipe->count && named < NAMED_MAX && error == ARMTAP_OK; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (!armtap_list_next(&type_at, reply->types.text + reply->types.length, &type))
            break;
        if (entry->type == ARMTAP_BYTES) {
            named++;
            error = armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_type_unknown,
                                    "%b is of type %b, which is not known: %s", (const void *)entry->name,
                                    strlen(entry->name), (const void *)type.text, type.length, gets);
        } else if (!entry->field && entry->offset != SIZE_MAX && reply->requested) {
            named++;
            error = note_stranger(conn, frame, entry, &type);
        }
    }
    return error;
}

int armtap_rtde_recipe_of(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_rtde_reply *reply,
                          struct armtap_recipe **recipe)
{
    int error = reply->layout
                    ? armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, reply->type_count, &reply->affordable)
                    : armtap_rtde_may_make(conn, frame, reply->type_count, reply->names.length, &reply->affordable);
    if (error != ARMTAP_OK || !reply->affordable)
        return error;
    if (reply->layout) {
        *recipe = armtap_recipe_hold(reply->layout);
        return ARMTAP_OK;
    }
    error = armtap_recipe_from_lists(reply->requested ? &reply->names : NULL, &reply->types, recipe);
    return error == ARMTAP_OK ? keep_layout(conn, reply, *recipe) : error;
}
