/* The bytes of a file or of standard input, unpacked if they are packed, also several times over. One thread at a time
 * may use a reader. */
#ifndef INPUT_FILE_READER_H
#define INPUT_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/unpacker.h"
#include "input_files.h"

struct reader;

struct reader_wish {
    const char *name;    /* "-" is standard input */
    struct input *input; /* the file of that name if it is open already; NULL: the reader opens it */
    bool quiet;          /* problems were reported before */
    bool follows;        /* for an ordinary file: at its end, wait for more until Ctrl-C */
    /* Called a few times a second while there is nothing to read; false: stop reading. May be NULL. */
    bool (*on_wait)(void *user);
    void *user;
};

/* How many times over a file may be packed. */
#define READER_LAYERS UNPACKING_LAYERS

/* ms after Ctrl-C during which a pipe is still read: its writer got the signal too, and may still have output. */
#define READER_GRACE 500

/* NULL after a message, unless `quiet`. If memory runs out: NULL with errno ENOMEM, and no message. */
struct reader *reader_open(const struct reader_wish *wish);
void reader_close(struct reader *reader);
#define READER_PEEK UNPACKING_PEEK
/* The first bytes, without consuming them: at least `length` (at most READER_PEEK), or fewer if the file is shorter. */
size_t reader_peek(struct reader *reader, const uint8_t **bytes, size_t length);
/* The same, as many as there are now of a pipe or a file that is followed, and else READER_PEEK. */
size_t reader_look(struct reader *reader, const uint8_t **bytes);
/* Waits for at least one byte; 0 at the end, or at damage once everything before it was read. */
size_t reader_read(struct reader *reader, void *to, size_t room);
/* Call when the bytes make no sense and reading stops: if the file has changed meanwhile, that becomes the problem. */
void reader_give_up(struct reader *reader);
/* What is wrong with the file, and where, once reader_read returned 0 or the reader was given up; else NULL. */
const char *reader_problem(const struct reader *reader);
/* Whether an ordinary file may go on after what was read, because another program extends it or it is followed: ending
 * in the middle of a packet is then not damage. */
bool reader_is_growing(const struct reader *reader);
/* Whether the problem is a lack of memory. */
bool reader_lacked_memory(const struct reader *reader);
/* Whether the problem is that the file differs from what an earlier reading found. */
bool reader_has_changed(const struct reader *reader);
/* Bytes of the file read so far, packed ones. */
uint64_t reader_position(const struct reader *reader);

/* "zlib version 1.2.13", of the libraries that armtap packs nothing with, and zlib; NULL behind the last. */
const char *reader_library(size_t index, char text[64]);

/* The name for messages: "standard input" for "-". */
const char *reader_name(const char *name);

#endif
