/* armtap explain --hex: bytes without a capture. What they are is told by their content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "base/message.h"

#define TEXT_MOST (4 * 1024 * 1024)
#define SMALLEST 12u
#define LARGEST 4096u
#define LENGTH_WORD 4
#define LARGEST_CB2_SIZE 812
#define HEADER 3

/* ---- digits ---------------------------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* What may stand between bytes: blanks, line ends, marks, and "0x" or "\x" before one. */
static size_t skip_marks(const char *text, size_t length, size_t at)
{
    while (at < length) {
        if (strchr(" \t\r\n:,;-", text[at]) && text[at] != '\0')
            at++;
        else if (at + 1 < length && (text[at] == '0' || text[at] == '\\') && (text[at + 1] | 0x20) == 'x')
            at += 2;
        else
            break;
    }
    return at;
}

static int parse_digits(const char *text, size_t length, uint8_t *bytes, size_t *count)
{
    *count = 0;
    for (size_t at = skip_marks(text, length, 0); at < length; at = skip_marks(text, length, at)) {
        int high = digit_of(text[at]), low = at + 1 < length ? digit_of(text[at + 1]) : -1;
        if (high < 0)
            message_error("--hex: '%c' at character %zu is no hexadecimal digit; give the bytes alone, as xxd -p does",
                          text[at], at + 1);
        else if (low < 0)
            message_error("--hex: the byte at character %zu has one digit; each has two", at + 1);
        if (high < 0 || low < 0)
            return -1;
        bytes[(*count)++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    if (*count > 0)
        return 0;
    message_error("--hex: there is no byte in it; give some, as in --hex '00 04 56 01'");
    return -1;
}

static char *read_input(size_t *length)
{
    char *text = malloc(TEXT_MOST + 1);
    *length = text ? fread(text, 1, TEXT_MOST + 1, stdin) : 0;
    if (text && !ferror(stdin) && *length <= TEXT_MOST)
        return text;
    if (!text)
        message_no_memory();
    else if (ferror(stdin))
        message_error("standard input: cannot be read: %s", strerror(errno));
    else
        message_error("--hex: standard input is longer than messages are; give one, or a few");
    free(text);
    return NULL;
}

int explain_hex_read(const char *text, uint8_t **bytes, size_t *length)
{
    size_t text_length = strlen(text), count = 0;
    char *input = NULL;
    if (strcmp(text, "-") == 0 && !(text = input = read_input(&text_length)))
        return -1;
    *bytes = malloc(text_length / 2 + 1);
    if (!*bytes)
        message_no_memory();
    int outcome = *bytes ? parse_digits(text, text_length, *bytes, &count) : -1;
    *length = count;
    free(input);
    if (outcome != 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return outcome;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

static bool is_printable(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((bytes[i] < ' ' || bytes[i] > '~') && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return false;
    return length > 0;
}

static bool is_packet(const uint8_t *bytes, size_t length)
{
    uint64_t size = length < LENGTH_WORD ? 0 : annotate_integer(bytes, LENGTH_WORD);
    return size >= SMALLEST && size <= LARGEST;
}

/* A header of a known type whose message is here, or begins here and is cut. */
static bool is_package(const uint8_t *bytes, size_t length)
{
    size_t size = length < HEADER ? 0 : (size_t)annotate_integer(bytes, 2);
    return size >= HEADER && bytes[2] != '\0' && strchr("VvMUOISPR", bytes[2]);
}

#define CLOCK_LEAST 1e-6
#define CLOCK_MOST 1e9
#define CELL 8
#define CELL_LEAST 1e-30 /* of what is not 0: a robot's numbers are of everyday size */
#define CELL_MOST 1e9

static double cell_at(const uint8_t *bytes)
{
    uint64_t bits = annotate_integer(bytes, CELL);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Whether what would be a realtime packet holds what one holds; otherwise `doubt` becomes what speaks against it. A few
 * cells may be odd: digital bits are, as raw integers. */
static bool holds_packet(const uint8_t *bytes, size_t length, char doubt[PIECE_REMARK_MAX])
{
    static const char except[] = "--raw realtime decodes it all the same";
    size_t size = (size_t)annotate_integer(bytes, LENGTH_WORD), end = size < length ? size : length;
    size_t odd = 0, count = 0;
    uint8_t first[CELL] = {0}; /* cut, it says enough */
    memcpy(first, bytes + LENGTH_WORD, end < LENGTH_WORD + CELL ? end - LENGTH_WORD : CELL);
    double clock = cell_at(first);
    if (clock != 0 && !(clock >= CLOCK_LEAST && clock <= CLOCK_MOST)) {
        snprintf(doubt, PIECE_REMARK_MAX,
                 "not known: begins like a realtime packet of %zu bytes, but its clock would be %g s; %s", size, clock,
                 except);
        return false;
    }
    for (size_t at = LENGTH_WORD + CELL; at + CELL <= end; at += CELL, count++) {
        double cell = cell_at(bytes + at), magnitude = cell < 0 ? -cell : cell;
        odd += cell != 0 && !(magnitude >= CELL_LEAST && magnitude <= CELL_MOST);
    }
    if (odd <= 2 + count / 10)
        return true;
    snprintf(doubt, PIECE_REMARK_MAX,
             "not known: begins like a realtime packet of %zu bytes, but %zu of its %zu cells are far from any number "
             "of a robot; %s",
             size, odd, count, except);
    return false;
}

/* Whether a whole package that is no data holds what its type says. */
static bool holds_package(const uint8_t *bytes, size_t length, bool to_robot, char doubt[PIECE_REMARK_MAX])
{
    size_t size = (size_t)annotate_integer(bytes, 2);
    enum armtap_direction direction = ARMTAP_TO_ROBOT;
    int protocol = 0;
    if (bytes[2] == ARMTAP_RTDE_DATA || size > length ||
        annotate_rtde_fits(bytes, size, to_robot, &direction, &protocol))
        return true;
    snprintf(doubt, PIECE_REMARK_MAX,
             "not known: begins like an RTDE package of %zu bytes and type \"%c\", but what follows is not what such a "
             "package holds; --raw rtde decodes it all the same",
             size, bytes[2]);
    return false;
}

static enum armtap_protocol tell(const struct explain_hex *hex, const uint8_t *bytes, size_t length,
                                 char doubt[PIECE_REMARK_MAX])
{
    if (hex->protocol != ARMTAP_PROTOCOL_NONE)
        return hex->protocol;
    if (is_packet(bytes, length))
        return holds_packet(bytes, length, doubt) ? ARMTAP_REALTIME : ARMTAP_PROTOCOL_NONE;
    /* No line of URScript begins so. */
    if (is_printable(bytes, length) && length > 1 && bytes[0] == '[' && bytes[1] >= '0' && bytes[1] <= '9')
        return ARMTAP_AUBO;
    /* Letters would make packages of 8 KB and more. */
    if (is_printable(bytes, length))
        return ARMTAP_REALTIME;
    bool is_rtde = is_package(bytes, length) && holds_package(bytes, length, hex->to_robot, doubt);
    return is_rtde ? ARMTAP_RTDE : ARMTAP_PROTOCOL_NONE;
}

static int take_packet(struct subject *subject, struct armtap_recipe **layout)
{
    size_t size = (size_t)annotate_integer(subject->bytes, LENGTH_WORD);
    int error = armtap_recipe_realtime(size, layout);
    if (error != ARMTAP_OK) {
        message_error("--hex: %s", armtap_strerror(error));
        return -1;
    }
    subject->direction = ARMTAP_FROM_ROBOT;
    subject->generation = size <= LARGEST_CB2_SIZE ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
    subject->version = (int)size;
    subject->recipe = *layout;
    subject->values_at = LENGTH_WORD;
    subject->length = size < subject->length ? size : subject->length;
    return 0;
}

/* The recipe's length tells whether an id stands before the values: protocol 1 has none from the robot. */
static void take_recipe(const struct explain_hex *hex, struct subject *subject)
{
    size_t payload = subject->length - HEADER;
    if (!hex->recipe || payload == 0 || armtap_recipe_protocol(hex->recipe) != ARMTAP_RTDE)
        return;
    bool has_id = payload != armtap_recipe_size(hex->recipe);
    subject->recipe = hex->recipe;
    subject->values_at = HEADER + (has_id ? 1 : 0);
    subject->version = has_id ? 2 : 1;
}

static void take_package(const struct explain_hex *hex, struct subject *subject)
{
    size_t size = (size_t)annotate_integer(subject->bytes, 2);
    subject->length = size < subject->length ? size : subject->length;
    subject->generation = ARMTAP_GENERATION_CB3E;
    if (subject->bytes[2] == ARMTAP_RTDE_DATA) {
        take_recipe(hex, subject);
        return;
    }
    annotate_rtde_fits(subject->bytes, subject->length, hex->to_robot, &subject->direction, &subject->version);
    bool is_layout_told = subject->bytes[2] == ARMTAP_RTDE_SETUP_OUTPUTS;
    subject->version = is_layout_told ? subject->version : 0;
}

static void take_line(struct subject *subject)
{
    const uint8_t *end = memchr(subject->bytes, '\n', subject->length);
    subject->direction = ARMTAP_TO_ROBOT;
    subject->length = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
}

static void take_text(const struct explain_hex *hex, struct subject *subject)
{
    if (annotate_aubo_to_robot(subject->bytes, subject->length))
        subject->direction = ARMTAP_TO_ROBOT;
    subject->length = annotate_aubo_length(subject->bytes, subject->length);
    subject->generation = ARMTAP_GENERATION_AUBO;
    if (hex->recipe && armtap_recipe_protocol(hex->recipe) == ARMTAP_AUBO)
        subject->recipe = hex->recipe;
}

int explain_hex_next(const struct explain_hex *hex, size_t at, struct subject *subject, struct armtap_recipe **layout)
{
    const uint8_t *bytes = hex->bytes + at;
    size_t length = hex->length - at;
    *layout = NULL;
    size_t primary = hex->protocol == ARMTAP_PROTOCOL_NONE ? annotate_primary_length(bytes, length) : 0;
    *subject = (struct subject){.bytes = bytes, .length = length};
    if (primary > 0) {
        subject->primary = true;
        subject->length = primary;
        subject->direction = ARMTAP_FROM_ROBOT;
        return 0;
    }
    subject->protocol = tell(hex, bytes, length, subject->doubt);
    subject->direction = hex->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    if (subject->protocol == ARMTAP_REALTIME && !hex->to_robot && is_packet(bytes, length))
        return take_packet(subject, layout);
    if (subject->protocol == ARMTAP_REALTIME && (hex->to_robot || is_printable(bytes, length)))
        take_line(subject);
    else if (subject->protocol == ARMTAP_AUBO)
        take_text(hex, subject);
    else if (subject->protocol == ARMTAP_RTDE && length >= HEADER && annotate_integer(bytes, 2) >= HEADER)
        take_package(hex, subject);
    else
        subject->skipped = true;
    return 0;
}
