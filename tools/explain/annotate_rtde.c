/* RTDE packages for people: the layouts of UR's guide, as armtap_rtde_parse takes them apart. */
#include "annotate.h"

#include <stdio.h>
#include <string.h>

#define HEADER 3
#define HERTZ_MOST 10000

static const struct {
    enum armtap_rtde_type type;
    const char *name; /* as the guide calls it */
} packages[] = {
    {ARMTAP_RTDE_VERSION, "REQUEST_PROTOCOL_VERSION"},
    {ARMTAP_RTDE_CONTROLLER_VERSION, "GET_URCONTROL_VERSION"},
    {ARMTAP_RTDE_TEXT, "TEXT_MESSAGE"},
    {ARMTAP_RTDE_DATA, "DATA_PACKAGE"},
    {ARMTAP_RTDE_SETUP_OUTPUTS, "CONTROL_PACKAGE_SETUP_OUTPUTS"},
    {ARMTAP_RTDE_SETUP_INPUTS, "CONTROL_PACKAGE_SETUP_INPUTS"},
    {ARMTAP_RTDE_START, "CONTROL_PACKAGE_START"},
    {ARMTAP_RTDE_PAUSE, "CONTROL_PACKAGE_PAUSE"},
    {ARMTAP_RTDE_PROPERTIES, "READ_PROPERTIES"},
};

static const char *name_of(uint8_t type)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (packages[i].type == (enum armtap_rtde_type)type)
            return packages[i].name;
    return NULL;
}

/* ---- which layout ---------------------------------------------------------------------------------------------- */

/* Only letters, digits and what separates them; types have no small letters. */
static bool is_list(const char *text, size_t length, bool small)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool known = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("_, ", c)) ||
                     (small && ((c >= 'a' && c <= 'z') || c == '.' || c == '\0'));
        if (!known)
            return false;
    }
    return true;
}

static bool content_fits(const struct armtap_rtde_package *package)
{
    if (package->type == ARMTAP_RTDE_VERSION && package->direction == ARMTAP_TO_ROBOT)
        return package->version >= 1 && package->version <= 16;
    if (package->type == ARMTAP_RTDE_TEXT)
        return package->level <= 8;
    return package->accepted <= 1 && is_list(package->names, package->names_length, true) &&
           is_list(package->types, package->types_length, false);
}

/* Whether an output set-up reads well as one of protocol 2, where no handshake told: it begins with a frequency, its
 * reply with an id, which counts from 1. In protocol 1 both are letters. */
static bool reads_as_2(const struct armtap_rtde_package *package)
{
    if (package->type != ARMTAP_RTDE_SETUP_OUTPUTS || package->protocol < 2)
        return true;
    return package->direction == ARMTAP_TO_ROBOT ? package->frequency >= 0 && package->frequency <= HERTZ_MOST
                                                 : package->id < 'A' || package->id > 'Z';
}

bool annotate_rtde_fits(const uint8_t *bytes, size_t length, bool direction_known, enum armtap_direction *direction,
                        int *protocol)
{
    static const enum armtap_direction directions[] = {ARMTAP_FROM_ROBOT, ARMTAP_TO_ROBOT};
    const int protocols[] = {*protocol == 0 ? 2 : *protocol, *protocol == 0 || *protocol >= 2 ? 1 : 2};
    struct armtap_rtde_package package;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            if (direction_known && directions[i] != *direction)
                continue;
            if (armtap_rtde_parse(bytes, length, directions[i], protocols[k], &package) != ARMTAP_OK ||
                !content_fits(&package) || (*protocol == 0 && !reads_as_2(&package)))
                continue;
            *direction = directions[i];
            *protocol = protocols[k];
            return true;
        }
    return false;
}

/* ---- pieces ---------------------------------------------------------------------------------------------------- */

struct taker {
    const struct subject *subject;
    struct pieces *pieces;
    size_t at;
};

static void take_number(struct taker *taker, size_t length, const char *field)
{
    pieces_add_number(taker->pieces, taker->at, length, field,
                      annotate_integer(taker->subject->bytes + taker->at, length));
    taker->at += length;
}

static void take_answer(struct taker *taker)
{
    bool accepted = taker->subject->bytes[taker->at] != 0;
    struct piece *piece = pieces_add(taker->pieces, taker->at, 1, "accepted");
    piece->kind = PIECE_NUMBER;
    piece->number[number_unsigned(taker->subject->bytes[taker->at], piece->number)] = '\0';
    snprintf(piece->remark, PIECE_REMARK_MAX, accepted ? "yes" : "refused");
    taker->at++;
}

static void take_text(struct taker *taker, size_t length, const char *field)
{
    if (length > 0)
        piece_set_text(pieces_add(taker->pieces, taker->at, length, field),
                       (const char *)taker->subject->bytes + taker->at, length);
    taker->at += length;
}

/* A text behind its length. */
static void take_counted(struct taker *taker, const char *count, const char *field)
{
    size_t length = taker->subject->bytes[taker->at];
    take_number(taker, 1, count);
    take_text(taker, length, field);
}

static void take_frequency(struct taker *taker, double hertz)
{
    struct piece *piece = pieces_add(taker->pieces, taker->at, 8, "frequency");
    piece_set_double(piece, hertz);
    snprintf(piece->unit, sizeof piece->unit, "Hz");
    if (taker->subject->version == 1)
        snprintf(piece->remark, PIECE_REMARK_MAX, "as from protocol 2 on, which no reply has accepted");
    taker->at += 8;
}

static bool is_padding(char c)
{
    return c == ' ' || c == '\0' || c == '\t' || c == '\r' || c == '\n';
}

/* Names or types, each with the comma behind it. A type is told whose it is where the set-up succeeded. */
static void take_list(struct taker *taker, size_t length, const char *of)
{
    const char *text = (const char *)taker->subject->bytes;
    const struct armtap_recipe *made = of[0] == 't' ? taker->subject->set_up : NULL;
    size_t end = taker->at + length;
    for (size_t i = 0; taker->at < end; i++) {
        const char *comma = memchr(text + taker->at, ',', end - taker->at);
        size_t stop = comma ? (size_t)(comma - text) : end, first = taker->at, last = stop;
        char field[PIECE_FIELD_MAX];
        while (first < last && is_padding(text[first]))
            first++;
        while (last > first && is_padding(text[last - 1]))
            last--;
        const struct armtap_recipe_entry *entry = made ? armtap_recipe_at(made, i) : NULL;
        if (entry)
            snprintf(field, sizeof field, "%s of %.60s", of, entry->name);
        else
            snprintf(field, sizeof field, "%s %zu", of, i + 1);
        size_t next = comma ? stop + 1 : end;
        struct piece *piece = pieces_add(taker->pieces, taker->at, next - taker->at, field);
        piece_set_text(piece, text + first, last - first);
        if (last - first == 9 && memcmp(text + first, "NOT_FOUND", 9) == 0)
            snprintf(piece->remark, PIECE_REMARK_MAX, "the controller does not know it");
        if (last - first == 6 && memcmp(text + first, "IN_USE", 6) == 0)
            snprintf(piece->remark, PIECE_REMARK_MAX, "another client holds it");
        taker->at = next;
    }
}

static void take_message(struct taker *taker, const struct armtap_rtde_package *package)
{
    static const char *const levels[] = {"exception", "error", "warning", "info"};
    bool is_old = package->protocol < 2 && package->direction == ARMTAP_FROM_ROBOT;
    if (!is_old) {
        take_counted(taker, "text length", "text");
        take_counted(taker, "source length", "source");
    }
    take_number(taker, 1, "level");
    if (package->level < sizeof levels / sizeof *levels && !taker->pieces->failed)
        snprintf(taker->pieces->piece[taker->pieces->count - 1].remark, PIECE_REMARK_MAX, "%s", levels[package->level]);
    if (is_old)
        take_text(taker, package->text_length, "text");
}

static void take_release(struct taker *taker, const struct armtap_rtde_package *package)
{
    static const char *const names[] = {"major", "minor", "bugfix", "build"};
    for (unsigned i = 0; i < package->release_count; i++)
        take_number(taker, 4, names[i]);
}

static void take_set_up(struct taker *taker, const struct armtap_rtde_package *package)
{
    if (package->direction == ARMTAP_FROM_ROBOT) {
        if (package->has_id)
            take_number(taker, 1, "recipe id");
        take_list(taker, package->types_length, "type");
        return;
    }
    if (package->type == ARMTAP_RTDE_SETUP_OUTPUTS && package->protocol >= 2)
        take_frequency(taker, package->frequency);
    take_list(taker, package->names_length, "name");
}

static void take_values(struct taker *taker, size_t length)
{
    const struct subject *subject = taker->subject;
    if (subject->recipe)
        annotate_values(subject, subject->recipe, taker->at, length, taker->pieces);
    taker->at += length;
}

/* With a recipe, where the values begin tells whether there is an id; without one the protocol does. */
static void take_data(struct taker *taker)
{
    const struct subject *subject = taker->subject;
    bool has_id =
        subject->recipe ? subject->values_at > HEADER : subject->version >= 2 || subject->direction == ARMTAP_TO_ROBOT;
    if (has_id && subject->length > HEADER)
        take_number(taker, 1, "recipe id");
    take_values(taker, subject->length - taker->at);
}

static void take_payload(struct taker *taker, const struct armtap_rtde_package *package)
{
    bool from_robot = package->direction == ARMTAP_FROM_ROBOT;
    switch (package->type) {
    case ARMTAP_RTDE_VERSION:
        if (from_robot)
            take_answer(taker);
        else
            take_number(taker, 2, "protocol");
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        take_release(taker, package);
        break;
    case ARMTAP_RTDE_TEXT:
        take_message(taker, package);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        take_set_up(taker, package);
        break;
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        if (from_robot)
            take_answer(taker);
        break;
    case ARMTAP_RTDE_PROPERTIES:
        if (from_robot) {
            take_number(taker, 2, "types length");
            take_list(taker, package->types_length, "type");
            take_values(taker, package->values_length);
        } else {
            take_list(taker, package->names_length, "name");
        }
        break;
    default:
        take_data(taker);
    }
}

const char *annotate_rtde(const struct subject *subject, struct pieces *pieces)
{
    struct armtap_rtde_package package;
    struct taker taker = {subject, pieces, 0};
    enum armtap_direction direction = subject->direction;
    int protocol = subject->version;
    if (subject->length < HEADER)
        return "package, cut";
    const char *name = name_of(subject->bytes[2]);
    size_t whole = (size_t)annotate_integer(subject->bytes, 2);
    take_number(&taker, 2, "size");
    annotate_size(pieces, whole, subject->length);
    struct piece *type = pieces_add(pieces, 2, 1, "type");
    if (subject->bytes[2] > ' ' && subject->bytes[2] <= '~')
        piece_set_text(type, (const char *)subject->bytes + 2, 1);
    if (!name)
        snprintf(type->remark, PIECE_REMARK_MAX, "not a type of RTDE");
    taker.at = HEADER;
    if (subject->bytes[2] == ARMTAP_RTDE_DATA)
        take_data(&taker);
    else if (name && annotate_rtde_fits(subject->bytes, subject->length, true, &direction, &protocol) &&
             armtap_rtde_parse(subject->bytes, subject->length, direction, protocol, &package) == ARMTAP_OK)
        take_payload(&taker, &package);
    return name ? name : "package of an unknown type";
}
