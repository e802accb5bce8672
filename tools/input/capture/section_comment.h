/* The comment with which armtap marks a capture that it recorded from sockets: written into the section header of a
 * pcapng file, and read back from there. */
#ifndef INPUT_SECTION_COMMENT_H
#define INPUT_SECTION_COMMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_ID 16 /* hexadecimal digits */
#define SECTION_COMMENT_MAX 160

struct section_comment {
    bool from_socket;                 /* the bytes came out of sockets: nothing is known about packets on the network */
    char recording[RECORDING_ID + 1]; /* the same in all parts of a recording; "": it has no parts */
    uint32_t part;                    /* from 1 */
    uint32_t repeated;                /* so many packets at its beginning repeat what earlier parts have */
};

/* "armtap 1.0.0: from a socket; recording 0123456789abcdef, part 2; its first 9 packets repeat the handshake", and a
 * NUL. Returns the length. */
size_t section_comment_write(char to[SECTION_COMMENT_MAX], const struct section_comment *comment);
/* Reads `length` bytes, which may be any text. All zeros if armtap did not write it. */
struct section_comment section_comment_read(const char *text, size_t length);
/* Whether `next` is the part right after `before`. */
bool section_comment_follows(const struct section_comment *before, const struct section_comment *next);

#endif
