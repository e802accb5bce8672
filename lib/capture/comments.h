/* Comments in captures: armtap's own mark, and those that people wrote. */
#ifndef ARMTAP_COMMENTS_H
#define ARMTAP_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap.h"

/* The comment with which armtap marks a capture that it recorded from sockets: written into the section header of a
 * pcapng file, and read back from there. */

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
size_t armtap_section_comment_write(char to[SECTION_COMMENT_MAX], const struct section_comment *comment);
/* Reads `length` bytes, which may be any text. All zeros if armtap did not write it. */
struct section_comment armtap_section_comment_read(const char *text, size_t length);
/* Whether `next` is the part right after `before`. */
bool armtap_section_comment_follows(const struct section_comment *before, const struct section_comment *next);

/* The comments that people wrote into captures: bounded, since anybody may have written them. */

/* What a comment is about. */
enum comment_about { COMMENT_SECTION, COMMENT_INTERFACE, COMMENT_PACKET };

#define COMMENTS_MAX 100
#define COMMENT_BYTES 1000

struct capture_comment {
    enum comment_about about;
    size_t interface; /* in its section */
    uint32_t file;
    uint64_t packet; /* 0: the comment is not about a packet */
    int64_t time;    /* the packet's; ARMTAP_NO_TIME if unknown */
    bool is_cut;     /* it was longer */
    char *text;      /* not checked: it may have any bytes but NUL */
};

/* Starts as zeros. */
struct capture_comments {
    struct capture_comment *list;
    size_t count;
    uint64_t left_out; /* beyond COMMENTS_MAX */
};

/* Copies the text. False without memory. */
bool armtap_comments_add(struct capture_comments *comments, const struct capture_comment *comment, const char *text,
                         size_t length);
/* Adds those of a file, which gets this number. False without memory. */
bool armtap_comments_append(struct capture_comments *comments, const struct capture_comments *of_file, uint32_t file);
/* Leaves zeros. */
void armtap_comments_free(struct capture_comments *comments);

#endif
