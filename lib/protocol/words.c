/* Facts as sentences. A sentence of findings.def is text with places:
 *
 *   {duration_s}                 an argument
 *   {offset_mm:1}                a number with that many decimals
 *   {type:x}                     a number of things in hexadecimal
 *   {count?1=record|*=records}   by what the argument says, a text of its own; * is anything else, - is an absent
 * argument
 *   [, since packet {packet}]    only if all arguments in it are there
 *
 * Texts may hold further places. */
#include "fact.h"

#define NAME_MAX_LENGTH 40 /* of an argument, with its NUL */
#define HEXADECIMAL (unsigned)('x' - '0')

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct writing {
    struct armtap_line *line;
    const struct armtap_arguments *arguments;
    const struct armtap_clock_face *face;
    bool is_incomplete; /* an argument was absent */
};

static void put_argument(struct writing *writing, const struct armtap_argument *argument, unsigned digits)
{
    struct armtap_line *line = writing->line;
    switch (armtap_argument_kind(argument)->type) {
    case ARMTAP_NUMBER:
        armtap_line_decimal(line, argument->value.number, digits);
        break;
    case ARMTAP_COUNT:
        if (digits == HEXADECIMAL)
            armtap_line_hex(line, argument->value.count);
        else
            armtap_line_unsigned(line, argument->value.count);
        break;
    case ARMTAP_TIME:
        if (writing->face && writing->face->put_time)
            writing->face->put_time(line, argument->value.integer, writing->face->zone);
        else
            armtap_line_signed(line, argument->value.integer / 1000000000);
        break;
    case ARMTAP_INTEGER:
        armtap_line_signed(line, argument->value.integer);
        break;
    case ARMTAP_FLAG:
        break;
    case ARMTAP_WORD:
        armtap_line_string(line, armtap_argument_text(argument));
        break;
    case ARMTAP_NAMES:
        for (const char *all = argument->value.text, *at = all; at < all + argument->length; at += strlen(at) + 1)
            armtap_line_format(line, at > all ? ", %b" : "%b", (const void *)at, strlen(at));
        break;
    case ARMTAP_TEXT:
    case ARMTAP_QUOTED:
        armtap_line_span(line, argument->value.text, argument->length);
        break;
    }
}

static const char *put_until(struct writing *writing, const char *at, const char *ends, bool is_shown);

/* Whether the argument says what the key of an alternative does. */
static bool is_said(const struct armtap_argument *argument, const char *key, size_t length)
{
    struct armtap_line said;
    struct writing writing = {.line = &said};
    if (length == 1 && *key == '-')
        return !argument;
    if (!argument || (length == 1 && *key == '*'))
        return argument != NULL;
    armtap_line_begin(&said);
    put_argument(&writing, argument, armtap_argument_kind(argument)->digits);
    return said.length == length && memcmp(said.text, key, length) == 0;
}

/* Behind the question mark: the first alternative that fits. */
static const char *put_alternatives(struct writing *writing, const struct armtap_argument *argument, const char *at,
                                    bool is_shown)
{
    bool is_done = false;
    while (*at != '\0' && *at != '}') {
        size_t length = strcspn(at, "=");
        bool fits = !is_done && is_said(argument, at, length);
        is_done = is_done || fits;
        at = put_until(writing, at + length + (at[length] == '='), "|}", is_shown && fits);
        at += *at == '|';
    }
    return at;
}

/* Behind an opening brace. */
static const char *put_place(struct writing *writing, const char *at, bool is_shown)
{
    char name[NAME_MAX_LENGTH] = "";
    size_t length = strcspn(at, ":?}");
    memcpy(name, at, length < sizeof name ? length : 0);
    const struct armtap_argument *argument = armtap_argument_find(writing->arguments, name);
    unsigned digits = armtap_argument_kind(argument)->digits;
    at += length;
    if (*at == '?') {
        writing->is_incomplete = writing->is_incomplete || !argument;
        at = put_alternatives(writing, argument, at + 1, is_shown);
        return at + (*at == '}');
    }
    if (*at == ':')
        digits = (unsigned)(at[1] - '0');
    writing->is_incomplete = writing->is_incomplete || !argument;
    if (argument && is_shown)
        put_argument(writing, argument, digits);
    at += strcspn(at, "}");
    return at + (*at == '}');
}

/* Behind an opening bracket. */
static const char *put_optional(struct writing *writing, const char *at, bool is_shown)
{
    bool before = writing->is_incomplete;
    writing->is_incomplete = false;
    const char *end = put_until(writing, at, "]", false);
    if (is_shown && !writing->is_incomplete)
        put_until(writing, at, "]", true);
    writing->is_incomplete = before;
    return end + (*end == ']');
}

/* Writes up to one of the signs in `ends`, or only goes there. Returns where that is. */
static const char *put_until(struct writing *writing, const char *at, const char *ends, bool is_shown)
{
    while (*at != '\0' && !strchr(ends, *at)) {
        size_t length = 1 + strcspn(at + 1, "{[]}|");
        if (*at == '{') {
            at = put_place(writing, at + 1, is_shown);
        } else if (*at == '[') {
            at = put_optional(writing, at + 1, is_shown);
        } else {
            if (is_shown)
                armtap_line_piece(writing->line, at, length);
            at += length;
        }
    }
    return at;
}

void armtap_line_sentence(struct armtap_line *line, const char *sentence, const struct armtap_arguments *arguments,
                          const struct armtap_clock_face *face)
{
    struct writing writing = {line, arguments, face, false};
    put_until(&writing, sentence, "", true);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *sentence;
    enum armtap_argument_id measure;
} kinds[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, side, measure, sentence, ...) {sentence, ARMTAP_ARGUMENT_##measure},
#define FINDING NOTE
#define HEARD NOTE
#include "findings.def"
};

const char *armtap_note_sentence(enum armtap_note_code code)
{
    return (size_t)code < ARMTAP_NOTE_COUNT ? kinds[code].sentence : "";
}

enum armtap_argument_id armtap_note_measure(enum armtap_note_code code)
{
    return (size_t)code < ARMTAP_NOTE_COUNT ? kinds[code].measure : ARMTAP_ARGUMENT_none;
}
