/* The text of explain --hex: bytes in one of the forms in which programs print them. What could be read in two ways is
 * refused, with what would be clear. */
#ifndef EXPLAIN_HEX_TEXT_H
#define EXPLAIN_HEX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/buffer.h"

#define HEX_REMARK_MAX 200
#define HEX_BYTES_MOST ((size_t)4 * 1024 * 1024)

/* Begins as all zeros; the owner frees bytes.data. */
struct hex_text {
    struct buffer bytes;
    char remark[HEX_REMARK_MAX]; /* the form that was read; "" for digits alone */
};

/* Reads a text of any form. 0, or -1 after a message. */
int hex_text_read(struct hex_text *read, const char *text, size_t length);

/* ---- the forms: each says whether the text is one of its kind ---- */

enum hex_outcome {
    HEX_OTHER, /* not this form; nothing was kept */
    HEX_READ,
    HEX_REFUSED /* after a message */
};

/* Lines of an offset and bytes, as xxd, hexdump -C, od -tx1, tcpdump -x and Wireshark print them. */
enum hex_outcome hex_dump_read(struct hex_text *read, const char *text, size_t length);
/* Numbers between commas: arrays of C, Java, Go, lists of Python. */
enum hex_outcome hex_list_read(struct hex_text *read, const char *text, size_t length);
/* Text between quotes, with escapes: Python's bytes, strings of C. */
enum hex_outcome hex_quoted_read(struct hex_text *read, const char *text, size_t length);

/* ---- what the forms share ---- */

static inline bool hex_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline void hex_put(struct hex_text *read, unsigned byte)
{
    buffer_put(&read->bytes, (const char *)&(uint8_t){(uint8_t)byte}, 1);
}

/* Whether `text` shows these bytes as characters: the printable ones as they are, others as any one character, as dumps
 * do beside the bytes. Blanks at its end may lack. `dots`: a blank may be a dot, as tcpdump prints it. */
bool hex_shows(const char *text, size_t length, const uint8_t *bytes, size_t count, bool dots);

/* Whole packets given to explain --hex, as Wireshark copies them: the headers before the bytes of a TCP connection. */

#define HEX_FRAME_REMARK_MAX 240

struct hex_frame {
    size_t at, length; /* of what TCP carries */
    bool to_robot;     /* as the ports tell */
    char remark[HEX_FRAME_REMARK_MAX];
};

enum hex_frame_outcome {
    HEX_FRAME_NONE, /* the bytes are no packet with headers */
    HEX_FRAME_FOUND,
    HEX_FRAME_REFUSED /* a packet without bytes of TCP; after a message */
};
enum hex_frame_outcome hex_frame_find(const uint8_t *bytes, size_t length, struct hex_frame *frame);

#endif
