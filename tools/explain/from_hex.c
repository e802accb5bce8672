/* armtap explain --hex: bytes without a capture. What they are is told by their content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "base/message.h"

#define TEXT_MOST (4 * 1024 * 1024)

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

int explain_hex_next(const struct explain_hex *hex, size_t at, struct subject *subject)
{
    char doubt[PIECE_REMARK_MAX];
    struct armtap_subject *message = &subject->message;
    *subject = (struct subject){.message = {.size = sizeof *message,
                                            .protocol = hex->protocol,
                                            .direction = hex->to_robot ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT,
                                            .bytes = hex->bytes + at,
                                            .length = hex->length - at,
                                            .recipe = hex->recipe}};
    int error = armtap_identify(message, hex->to_robot, doubt, sizeof doubt);
    subject->skipped = error == ARMTAP_ERR_NOT_OURS;
    if (subject->skipped && doubt[0] != '\0')
        snprintf(subject->doubt, sizeof subject->doubt, "not known: %.180s; --raw %s decodes it all the same", doubt,
                 armtap_protocol_name(message->protocol));
    if (subject->skipped)
        message->protocol = hex->protocol;
    if (error == ARMTAP_OK || subject->skipped)
        return 0;
    message_error("--hex: %s", armtap_strerror(error));
    return -1;
}
