/* The bytes of a file or of standard input, unpacked where they are gzip. The only file that includes zlib is reader.c.
 * A reader is used by one thread at a time, and needs nothing of the rest of the program but ahead, message and
 * interrupt. */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader;

/* "-" is standard input. With more than one of `threads` gzip is inflated in a thread of its own, ahead of what is
 * read. NULL after a message, with `quiet` without one; NULL with errno ENOMEM, and without a message, where memory
 * lacks. */
struct reader *reader_open(const char *name, bool quiet, unsigned threads);
void reader_close(struct reader *reader);
/* The first bytes without taking them: fewer than `length` (at most 16) only where the file has no more. */
size_t reader_peek(struct reader *reader, const uint8_t **bytes, size_t length);
/* Waits for at least one byte; 0 at the end, and at damage, after all that came before it. */
size_t reader_read(struct reader *reader, void *to, size_t room);
/* What is wrong with the file, with the place, once reader_read returned 0 for it; else NULL. */
const char *reader_problem(const struct reader *reader);
/* Whether that is a lack of memory, and no fault of the file. */
bool reader_lacked_memory(const struct reader *reader);
/* Bytes of the file that were read so far, packed ones for gzip; for what is read ahead, up to what was asked for. */
uint64_t reader_position(const struct reader *reader);

/* "-" in words */
const char *reader_name(const char *name);
/* zlib's version */
const char *reader_library(void);

#endif
