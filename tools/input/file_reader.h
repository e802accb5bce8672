/* The bytes of a file or of standard input, unpacked where they are gzip. The only file of the input that includes zlib
 * is file_reader.c. A reader is used by one thread at a time, and needs nothing of the rest of the program but
 * read_ahead, message and interrupt. */
#ifndef INPUT_FILE_READER_H
#define INPUT_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input_files.h"

struct reader;

struct reader_wish {
    const char *name;    /* "-" is standard input */
    struct input *input; /* the file of that name, if it was opened before; else NULL, and the reader opens it */
    unsigned threads;    /* with more than one gzip is inflated in a thread of its own, ahead of what is read */
    bool quiet;          /* problems were reported before */
    bool follows;        /* an ordinary file: at its end, wait for more until Ctrl-C */
    /* Called a few times a second while there is nothing to read, unless gzip is inflated in a thread of its own;
     * false: read no more. NULL: nobody cares. */
    bool (*on_wait)(void *user);
    void *user;
};

/* ms after Ctrl-C in which a pipe is still read: whoever writes into it got that too, and may have something left to
 * say. */
#define READER_GRACE 500

/* NULL after a message, unless `quiet`; NULL with errno ENOMEM, and without a message, where memory lacks. */
struct reader *reader_open(const struct reader_wish *wish);
void reader_close(struct reader *reader);
/* The first bytes without taking them: fewer than `length` (at most 16) only where the file has no more. */
size_t reader_peek(struct reader *reader, const uint8_t **bytes, size_t length);
/* Waits for at least one byte; 0 at the end, and at damage, after all that came before it. */
size_t reader_read(struct reader *reader, void *to, size_t room);
/* What was read makes no sense, and nothing more will be read: where the file has changed meanwhile, that is the
 * problem. */
void reader_give_up(struct reader *reader);
/* What is wrong with the file, with the place, once reader_read returned 0 for it, or it was given up; else NULL. */
const char *reader_problem(const struct reader *reader);
/* Whether an ordinary file was not read to its end because another program makes it longer, or because it is followed:
 * it may end in the middle of something, which is no damage. */
bool reader_is_growing(const struct reader *reader);
/* Whether the problem is a lack of memory, and no fault of the file. */
bool reader_lacked_memory(const struct reader *reader);
/* Whether the problem is that the file is no longer what an earlier reading of it found. */
bool reader_has_changed(const struct reader *reader);
/* Bytes of the file that were read so far, packed ones for gzip; for what is read ahead, up to what was asked for. */
uint64_t reader_position(const struct reader *reader);

/* "-" in words */
const char *reader_name(const char *name);
/* zlib's version */
const char *reader_library(void);

#endif
