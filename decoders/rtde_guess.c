/* The recipe of data whose handshake was not captured. In this order: the request, where only its reply is missing; one
 * learned from another connection of the robot; the default recipes of well-known clients that fit the length and whose
 * values stay plausible. Where several fit, only what they agree on gets its name. */
#include <stdlib.h>
#include <string.h>

#include "../lib/bytes.h"
#include "rtde_package.h"
#include "rtde_session.h"

static const struct armtap_known_recipe known[] = {
#define KNOWN(name, client, size, fields) {name, client, size, fields},
#include "rtde_known.def"
#undef KNOWN
};
#define KNOWN_COUNT (sizeof known / sizeof known[0])
_Static_assert(KNOWN_COUNT <= ARMTAP_GUESS_BITS, "struct armtap_guess lacks bits");

const struct armtap_known_recipe *armtap_known_recipe_at(size_t i)
{
    return i < KNOWN_COUNT ? &known[i] : NULL;
}

/* ---- plausible values ---- */

struct range {
    const char *unit;
    double least, most;
};
/* By unit, wide enough for any robot that works; what has no row may hold anything finite and not absurd. */
static const struct range ranges[] = {
    {"s", 0, 1e9},     {"rad", -100, 100},    {"rad/s", -100, 100},      {"A", -500, 500},     {"mA", -1e5, 1e5},
    {"Nm", -1e5, 1e5}, {"m, rad", -100, 100}, {"m/s, rad/s", -1e3, 1e3}, {"N, Nm", -1e6, 1e6}, {"degC", -60, 250},
    {"ms", 0, 1e4},    {"m/s^2", -1e4, 1e4},  {"ratio", -1, 100},        {"kg m/s", 0, 1e5},   {"V", -1e3, 1e3},
    {"m", -1e3, 1e3},  {"kg", -1, 1e4},       {"enum", -1, 300},         {"line", 0, 1e7},
};
#define ABSURD 1e15
#define TINY 1e-100

static bool number_fits(const struct armtap_field *field, double number)
{
    double size = number < 0 ? -number : number;
    if (!(size < ABSURD) || (size != 0 && size < TINY))
        return false;
    for (size_t i = 0; field && i < sizeof ranges / sizeof ranges[0]; i++)
        if (strcmp(ranges[i].unit, field->unit) == 0)
            return number >= ranges[i].least && number <= ranges[i].most;
    return true;
}

static bool value_fits(const struct armtap_value *value)
{
    for (unsigned k = 0; k < value->count; k++) {
        if (value->type == ARMTAP_DOUBLE && !number_fits(value->field, value->f64[k]))
            return false;
        bool is_enum = value->field && strcmp(value->field->unit, "enum") == 0;
        if (is_enum && value->type == ARMTAP_INT32 && !number_fits(value->field, (double)value->i64[k]))
            return false;
        if (is_enum && value->type == ARMTAP_UINT32 && !number_fits(value->field, (double)value->u64[k]))
            return false;
        if (value->type == ARMTAP_UINT64 && value->u64[k] >> 53)
            return false;
    }
    return value->present;
}

static bool values_fit(const struct armtap_recipe *recipe, const uint8_t *values, size_t length)
{
    struct armtap_value value;
    for (size_t i = 0; i < recipe->count; i++) {
        armtap_recipe_read(recipe, i, values, length, &value);
        if (!value_fits(&value))
            return false;
        if (recipe->entries[i].type == ARMTAP_BOOL && values[recipe->entries[i].offset] > 1)
            return false;
    }
    return true;
}

/* ---- candidates ---- */

/* The protocol in which values of that size make a payload of that length; 0: none that is possible here. */
static int protocol_for(const struct armtap_rtde *rtde, const uint8_t *payload, size_t length, size_t size)
{
    bool first = rtde->protocol <= 1, second = rtde->protocol != 1;
    if (second && length == size + 1 && payload[0] != 0)
        return rtde->protocol ? rtde->protocol : 2;
    return first && length == size ? 1 : 0;
}

static bool bit_is_set(const struct armtap_guess *guess, size_t i)
{
    return guess->fits[i / 64] >> (i % 64) & 1;
}

static void clear_bit(struct armtap_guess *guess, size_t i)
{
    guess->fits[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Strikes out what does not fit this package; the result tells whether anything was. */
static int strike_out(const struct armtap_rtde *rtde, struct armtap_guess *guess, const struct armtap_frame *frame,
                      bool *changed)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    size_t length = frame->length - ARMTAP_RTDE_HEADER;
    *changed = false;
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        struct armtap_recipe *recipe;
        if (!bit_is_set(guess, i))
            continue;
        int protocol = protocol_for(rtde, payload, length, known[i].size);
        bool fits = false;
        if (protocol > 0) {
            int error = armtap_recipe_rtde(known[i].fields, NULL, &recipe);
            if (error != ARMTAP_OK)
                return error;
            size_t skip = protocol >= 2 ? 1 : 0;
            fits = values_fit(recipe, payload + skip, length - skip);
            armtap_recipe_release(recipe);
        }
        *changed |= !fits;
        if (!fits)
            clear_bit(guess, i);
    }
    return ARMTAP_OK;
}

/* Text under construction; grows. */
struct list {
    char *text;
    size_t length, room;
};

static int list_add(struct list *list, const char *item)
{
    size_t length = strlen(item);
    if (list->length + length + 2 > list->room) {
        size_t room = 2 * (list->length + length + 2) + 512;
        char *text = realloc(list->text, room);
        if (!text)
            return ARMTAP_ERR_MEMORY;
        list->text = text;
        list->room = room;
    }
    memcpy(list->text + list->length, item, length);
    list->length += length;
    memcpy(list->text + list->length, ",", 2);
    list->length++;
    return ARMTAP_OK;
}

/* The entry of a recipe that begins at an offset; NULL where none does. */
static const struct armtap_recipe_entry *entry_from(const struct armtap_recipe *recipe, size_t offset)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (recipe->entries[i].offset == offset)
            return &recipe->entries[i];
    return NULL;
}

/* What two recipes of one size agree on: common entries under their names, entries of one type without, and single
 * bytes where even their borders differ. */
static int agree(const struct armtap_recipe *a, const struct armtap_recipe *b, struct armtap_recipe **both)
{
    struct list names = {NULL, 0, 0}, types = {NULL, 0, 0};
    int error = ARMTAP_OK;
    for (size_t at = 0; at < a->size && error == ARMTAP_OK;) {
        const struct armtap_recipe_entry *x = entry_from(a, at), *y = entry_from(b, at);
        bool same_type = x && y && x->type == y->type && x->count == y->count;
        bool same_name = same_type && strcmp(x->name, y->name) == 0;
        error = list_add(&names, same_name ? x->name : "");
        if (error == ARMTAP_OK)
            error = list_add(&types, same_type ? armtap_type_name(x->type, x->count) : "UINT8");
        at += same_type ? x->wire_size : 1;
    }
    struct armtap_item name_list = {names.text, names.length}, type_list = {types.text, types.length};
    if (error == ARMTAP_OK)
        error = armtap_recipe_from_lists(&name_list, &type_list, both);
    free(names.text);
    free(types.text);
    return error;
}

/* The recipe that all candidates agree on; NULL without one. Protocol 2 goes first where both are left. */
static int join_candidates(const struct armtap_rtde *rtde, const struct armtap_guess *guess,
                           const struct armtap_frame *frame, struct armtap_recipe **joined, int *protocol,
                           struct armtap_line *clients)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    size_t length = frame->length - ARMTAP_RTDE_HEADER;
    uint64_t count = 0;
    *joined = NULL;
    for (int wanted = 2; wanted >= 1 && !*joined; wanted--)
        for (size_t i = 0; i < KNOWN_COUNT; i++) {
            int fits = bit_is_set(guess, i) ? protocol_for(rtde, payload, length, known[i].size) : 0;
            struct armtap_recipe *next, *both = NULL;
            if (fits == 0 || (fits >= 2) != (wanted == 2))
                continue;
            int error = armtap_recipe_rtde(known[i].fields, NULL, &next);
            if (error == ARMTAP_OK && *joined)
                error = agree(*joined, next, &both);
            if (*joined)
                armtap_recipe_release(next);
            if (error != ARMTAP_OK)
                return error;
            armtap_recipe_release(*joined);
            *joined = both ? both : next;
            *protocol = fits;
            if (count++ > 0)
                armtap_line_string(clients, "; ");
            armtap_line_string(clients, known[i].client);
        }
    return ARMTAP_OK;
}

/* ---- adopting ---- */

static int adopt(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                 const struct armtap_recipe *recipe, int protocol, const char *source)
{
    int id = protocol >= 2 ? frame->bytes[ARMTAP_RTDE_HEADER] : 0;
    rtde->protocol = protocol;
    armtap_rtde_take_outputs(rtde, armtap_recipe_hold(recipe));
    rtde->outputs_guessed = true;
    armtap_conn_version(conn, protocol, ARMTAP_GENERATION_CB3E);
    int error = armtap_conn_say(conn, frame, ARMTAP_NOTE_rtde_recipe_guessed, "%u fields, taken from %s",
                                (uint64_t)recipe->count, source);
    if (error != ARMTAP_OK)
        return error;
    return armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, id, 0, ARMTAP_GUESSED, recipe);
}

/* Only the reply is missing: the names are known, and their types from the table. */
static int try_request(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    struct armtap_rtde_request *request = rtde->requests;
    struct armtap_recipe *recipe;
    while (request && request->type != ARMTAP_RTDE_SETUP_OUTPUTS)
        request = request->next;
    if (!request)
        return ARMTAP_OK;
    struct armtap_item names = {request->names, request->names_length};
    int error = armtap_recipe_from_lists(&names, NULL, &recipe);
    if (error != ARMTAP_OK)
        return error;
    int protocol = recipe->open ? 0 : protocol_for(rtde, payload, frame->length - ARMTAP_RTDE_HEADER, recipe->size);
    if (protocol > 0)
        error = adopt(rtde, conn, frame, recipe, protocol, "the request; the controller's reply was not captured");
    armtap_recipe_release(recipe);
    return error;
}

static int try_learned(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    const struct armtap_learned *learned;
    for (size_t i = 0; (learned = armtap_conn_learned(conn, i)); i++) {
        int protocol = protocol_for(rtde, payload, frame->length - ARMTAP_RTDE_HEADER, learned->recipe->size);
        bool same_form = (protocol >= 2) == (learned->protocol >= 2) && protocol > 0;
        if (!same_form || (protocol >= 2 && payload[0] != learned->recipe_id))
            continue;
        return adopt(rtde, conn, frame, learned->recipe, learned->protocol,
                     "the handshake of another connection of this robot");
    }
    return ARMTAP_OK;
}

static int try_known(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_guess *guess;
    struct armtap_recipe *joined = NULL;
    struct armtap_line clients;
    int protocol = 0;
    bool changed;
    int error = armtap_conn_guess(conn, &guess);
    if (error != ARMTAP_OK)
        return error;
    if (!guess->begun) {
        guess->begun = true;
        memset(guess->fits, 0xff, sizeof guess->fits);
    }
    error = guess->closed ? ARMTAP_OK : strike_out(rtde, guess, frame, &changed);
    armtap_line_begin(&clients);
    if (error == ARMTAP_OK)
        error = join_candidates(rtde, guess, frame, &joined, &protocol, &clients);
    if (error == ARMTAP_OK && joined)
        error = adopt(rtde, conn, frame, joined, protocol, clients.text);
    rtde->outputs_known = joined != NULL;
    armtap_recipe_release(joined);
    return error;
}

int armtap_rtde_guess(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    int error = ARMTAP_OK;
    if (frame->length <= ARMTAP_RTDE_HEADER || rtde->outputs_refused)
        return ARMTAP_OK;
    error = try_request(rtde, conn, frame);
    if (error == ARMTAP_OK && !rtde->outputs)
        error = try_learned(rtde, conn, frame);
    if (error == ARMTAP_OK && !rtde->outputs)
        error = try_known(rtde, conn, frame);
    return error;
}

int armtap_rtde_check_guess(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_guess *guess = NULL;
    const uint8_t *payload = frame->bytes + ARMTAP_RTDE_HEADER;
    size_t length = frame->length - ARMTAP_RTDE_HEADER, skip = rtde->protocol >= 2 ? 1 : 0;
    bool changed;
    int error = rtde->outputs_known ? armtap_conn_guess(conn, &guess) : ARMTAP_OK;
    if (error != ARMTAP_OK || !guess || guess->closed)
        return error;
    if (length == rtde->outputs->size + skip && values_fit(rtde->outputs, payload + skip, length - skip)) {
        bool named = true;
        for (size_t i = 0; i < rtde->outputs->count; i++)
            named &= rtde->outputs->entries[i].field != NULL;
        if (named)
            return ARMTAP_OK;
    }
    error = strike_out(rtde, guess, frame, &changed);
    if (error != ARMTAP_OK || !changed)
        return error;
    armtap_rtde_take_outputs(rtde, NULL);
    return armtap_rtde_guess(rtde, conn, frame);
}
