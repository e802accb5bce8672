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

enum armtap_word armtap_rtde_set_up_of(enum armtap_rtde_type type)
{
    return type == ARMTAP_RTDE_SETUP_INPUTS    ? ARMTAP_WORD_inputs
           : type == ARMTAP_RTDE_SETUP_OUTPUTS ? ARMTAP_WORD_outputs
                                               : ARMTAP_WORD_properties;
}

/* A name that a reply refuses. */
struct refused {
    struct armtap_item name, type;
    enum armtap_word doubt; /* why its name is not known; none: it is */
};

static struct armtap_argument name_of(const struct refused *refused)
{
    const struct armtap_item *name = &refused->name;
    const struct armtap_field *field = refused->doubt ? NULL : armtap_field_find(name->text, name->length);
    return refused->doubt ? arg_none(true) : field ? arg_field(field->name) : arg_quoted_name(name->text, name->length);
}

/* Why a controller may not know a name: its release, its direction, or a slip. */
struct unknown_field {
    enum armtap_word reason;
    const char *meant; /* what the name should perhaps be */
    struct armtap_line since;
};

/* Which release introduced a field, and which one the controller has. */
static void judge_release(struct unknown_field *unknown, const struct armtap_field *field, const char *version)
{
    const char *release = "";
    size_t length = 0;
    enum armtap_release_fit fit = armtap_release_judge(field->since, version);
    unknown->reason = field->since[0] == '\0'       ? ARMTAP_WORD_release_unsaid
                      : fit == ARMTAP_RELEASE_HAS   ? ARMTAP_WORD_release_has_it
                      : fit == ARMTAP_RELEASE_NEVER ? ARMTAP_WORD_release_never
                                                    : ARMTAP_WORD_release_older;
    if (armtap_release_of_series(field->since, version, &release, &length))
        armtap_line_span(&unknown->since, release, length);
    else
        armtap_release_list(&unknown->since, field->since);
}

static int judge_name(struct unknown_field *unknown, struct armtap_conn *conn, const struct armtap_frame *frame,
                      enum armtap_rtde_type type, const struct armtap_item *name)
{
    int error = ARMTAP_OK;
    bool has;
    enum armtap_field_direction wanted = type == ARMTAP_RTDE_SETUP_INPUTS ? ARMTAP_FIELD_INPUT : ARMTAP_FIELD_OUTPUT;
    const struct armtap_field *field = armtap_field_find(name->text, name->length);
    if (field && field->direction == ARMTAP_FIELD_LEGACY) {
        unknown->reason = ARMTAP_WORD_legacy_only;
    } else if (field && field->direction == ARMTAP_FIELD_PRIMARY) {
        unknown->reason = ARMTAP_WORD_primary_only;
    } else if (field && !((unsigned)field->direction & (unsigned)wanted)) {
        unknown->reason = wanted == ARMTAP_FIELD_INPUT ? ARMTAP_WORD_is_output : ARMTAP_WORD_is_input;
    } else if (field) {
        judge_release(unknown, field, armtap_conn_release(conn));
    } else {
        error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_spelling, armtap_field_count(), &has);
        field = has ? armtap_field_nearest(name->text, name->length, wanted) : NULL;
        unknown->reason = field ? ARMTAP_WORD_misspelt : ARMTAP_WORD_never_heard_of;
        unknown->meant = field ? field->name : NULL;
    }
    return error;
}

static int note_not_found(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_rtde_type set_up,
                          const struct refused *refused)
{
    struct unknown_field unknown = {.reason = ARMTAP_WORD_none};
    const char *release = armtap_conn_release(conn);
    armtap_line_begin(&unknown.since);
    int error = refused->doubt ? ARMTAP_OK : judge_name(&unknown, conn, frame, set_up, &refused->name);
    bool is_of_release = unknown.reason == ARMTAP_WORD_release_unsaid || unknown.since.length > 0;
    if (error != ARMTAP_OK)
        return error;
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_rtde_field_not_found,
        ARGS(name_of(refused), arg_doubt(refused->doubt), arg_reason(unknown.reason),
             arg_release_since(unknown.since.text),
             arg_series(unknown.reason == ARMTAP_WORD_release_never ? armtap_release_series(release) : NULL),
             arg_release(is_of_release ? release : NULL), arg_field_meant(unknown.meant)));
}

/* Inputs of which RTDE clients and URCaps have the upper ones: a fieldbus claims the lower ones, and every input except
 * registers. */
static const struct shared_inputs {
    const char *family; /* the beginning of their names, before "_" and the number */
    unsigned from;
    const char *instead;
} shared_inputs[] = {{"input_int_register", 24, "registers 24 to 47"},
                     {"input_double_register", 24, "registers 24 to 47"},
                     {"input_bit_register", 64, "bits 64 to 127"}};

/* The row of an input; NULL if it is no register. */
static const struct shared_inputs *shared_inputs_of(const struct armtap_item *name)
{
    for (size_t i = 0; i < sizeof shared_inputs / sizeof *shared_inputs; i++) {
        size_t length = strlen(shared_inputs[i].family);
        if (name->length > length && memcmp(name->text, shared_inputs[i].family, length) == 0)
            return &shared_inputs[i];
    }
    return NULL;
}

static bool is_left_to_clients(const struct armtap_item *name, const struct shared_inputs *inputs)
{
    size_t at = inputs ? strlen(inputs->family) + 1 : 0;
    unsigned number = 0;
    if (!inputs || name->length <= at || name->text[at - 1] != '_')
        return false;
    for (; at < name->length && name->text[at] >= '0' && name->text[at] <= '9' && number < 1000; at++)
        number = 10 * number + (unsigned)(name->text[at] - '0');
    return at == name->length && number >= inputs->from;
}

static int note_in_use(struct armtap_conn *conn, const struct armtap_frame *frame, const struct refused *refused)
{
    const struct shared_inputs *inputs = shared_inputs_of(&refused->name);
    bool is_left = is_left_to_clients(&refused->name, inputs);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_field_in_use,
                             ARGS(name_of(refused), arg_doubt(refused->doubt),
                                  arg_case(is_left ? ARMTAP_WORD_unknown : ARMTAP_WORD_client_or_fieldbus),
                                  arg_is_left_to_clients(is_left),
                                  arg_instead(inputs && !is_left ? inputs->instead : NULL)));
}

const char *armtap_rtde_properties_lacking(struct armtap_line *since, struct armtap_conn *conn)
{
    const char *version = armtap_conn_release(conn);
    enum armtap_release_fit fit = armtap_release_judge(PROPERTIES_SINCE, version);
    armtap_line_begin(since);
    if (fit != ARMTAP_RELEASE_OLDER && fit != ARMTAP_RELEASE_NEVER)
        return "";
    armtap_release_list(since, PROPERTIES_SINCE);
    return version;
}

/* A property that a reply has no value for: its type says why. */
static int note_property(struct armtap_conn *conn, const struct armtap_frame *frame, const struct refused *refused)
{
    struct armtap_line since;
    const struct armtap_item *name = &refused->name, *type = &refused->type;
    bool is_unknown = armtap_item_is(type, "NOT_FOUND");
    const char *release = armtap_rtde_properties_lacking(&since, conn);
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_rtde_property_missing,
        ARGS(refused->doubt ? arg_doubt(refused->doubt) : arg_quoted_name(name->text, name->length),
             arg_reason(is_unknown ? ARMTAP_WORD_none : ARMTAP_WORD_no_value),
             arg_quoted_type(type->text, type->length), arg_release_since(is_unknown ? since.text : ""),
             arg_release(is_unknown ? release : "")));
}

static int note_marker(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_rtde_type set_up,
                       const struct refused *refused)
{
    if (set_up == ARMTAP_RTDE_PROPERTIES)
        return note_property(conn, frame, refused);
    if (armtap_item_is(&refused->type, "IN_USE"))
        return note_in_use(conn, frame, refused);
    if (armtap_item_is(&refused->type, "NOT_SET"))
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_field_not_found,
                                 ARGS(name_of(refused), arg_doubt(refused->doubt), arg_reason(ARMTAP_WORD_no_value)));
    return note_not_found(conn, frame, set_up, refused);
}

/* ---- faults of the whole reply ---- */

static int note_misread(const struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_rtde_reply *reply)
{
    const char *at = reply->names.text;
    struct armtap_item first = {"", 0};
    armtap_list_next(&at, reply->names.text + reply->names.length, &first);
    if (rtde->protocol >= 2)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_frequency_missing,
                                 ARGS(arg_version((uint64_t)rtde->protocol),
                                      arg_quoted(reply->taken.text, reply->taken.length), arg_is_cut(reply->cut),
                                      arg_quoted_name(first.text, first.length)));
    bool is_refused = rtde->refused_version > 0;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_version_not_negotiated,
                             ARGS(arg_reason(is_refused                            ? ARMTAP_WORD_refused
                                             : armtap_conn_stream(conn)->midstream ? ARMTAP_WORD_protocol_1
                                                                                   : ARMTAP_WORD_not_negotiated),
                                  is_refused ? arg_version((uint64_t)rtde->refused_version) : arg_none(true),
                                  arg_quoted_name(first.text, first.length)));
}

void armtap_rtde_show_bytes(struct armtap_line *line, const struct armtap_frame *frame)
{
    static const char digits[] = "0123456789abcdef";
    size_t shown = frame->length < SHOWN_BYTES ? frame->length : SHOWN_BYTES;
    armtap_line_begin(line);
    for (size_t i = 0; i < shown; i++) {
        char text[4] = {' ', digits[frame->bytes[i] >> 4], digits[frame->bytes[i] & 15], '\0'};
        armtap_line_string(line, text + (i == 0));
    }
    armtap_line_string(line, shown < frame->length ? " ..." : "");
}

static int note_strange(struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_rtde_reply *reply)
{
    struct armtap_line hex;
    bool is_other_count = reply->name_count != reply->type_count;
    armtap_rtde_show_bytes(&hex, frame);
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_setup_bad,
                             ARGS(arg_request(armtap_rtde_set_up_of(reply->type)),
                                  arg_reason(is_other_count ? ARMTAP_WORD_other_count : ARMTAP_WORD_no_known_type),
                                  arg_types(reply->type_count), arg_fields(reply->name_count), arg_hex(hex.text)));
}

static int note_refusals(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_rtde_reply *reply)
{
    const char *name_at = reply->names.text, *type_at = reply->types.text;
    struct refused refused = {.name = {"", 0},
                              .doubt = reply->requested ? ARMTAP_WORD_none
                                       : reply->strange ? ARMTAP_WORD_name_unsure
                                                        : ARMTAP_WORD_name_missing};
    unsigned named = 0;
    int error = ARMTAP_OK;
    for (size_t i = 0; armtap_list_next(&type_at, reply->types.text + reply->types.length, &refused.type); i++) {
        if (reply->requested)
            armtap_list_next(&name_at, reply->names.text + reply->names.length, &refused.name);
        if (!is_marker(&refused.type))
            continue;
        reply->refused = true;
        if ((i > 0 || !reply->cut) && named++ < NAMED_MAX && error == ARMTAP_OK)
            error = note_marker(conn, frame, reply->type, &refused);
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

/* What becomes of `count` fields of unknown type. */
static enum armtap_word what_strangers_get(const struct armtap_recipe *recipe, size_t count)
{
    return count == 1 ? ARMTAP_WORD_only_one : recipe->alike ? ARMTAP_WORD_alike : ARMTAP_WORD_various;
}

static int note_stranger(struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_recipe_entry *entry, const struct armtap_item *type)
{
    size_t length = strlen(entry->name);
    const struct armtap_field *known = armtap_field_find(entry->name, length);
    const char *is = known ? armtap_type_name(known->type, known->count) : NULL;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_field_unknown,
                             ARGS(is ? arg_field(known->name) : arg_quoted_name(entry->name, length),
                                  arg_quoted_type(type->text, type->length), arg_type_known(is)));
}

int armtap_rtde_note_strangers(struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_rtde_reply *reply, const struct armtap_recipe *recipe)
{
    const char *type_at = reply->types.text;
    struct armtap_item type;
    enum armtap_word gets = what_strangers_get(recipe, reply->type_count - known_types(&reply->types));
    unsigned named = 0;
    int error = ARMTAP_OK;
    for (size_t i = 0; i < recipe->count && named < NAMED_MAX && error == ARMTAP_OK; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        if (!armtap_list_next(&type_at, reply->types.text + reply->types.length, &type))
            break;
        if (entry->type == ARMTAP_BYTES) {
            named++;
            error = armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_type_unknown,
                                      ARGS(arg_quoted_name(entry->name, strlen(entry->name)),
                                           arg_quoted_type(type.text, type.length), arg_case(gets)));
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
