/* What a file is that is neither a capture nor a dump of a stream. */
#ifndef INPUT_FILE_KIND_H
#define INPUT_FILE_KIND_H

#include <stddef.h>
#include <stdint.h>

struct file_kind {
    const char *name;   /* "a zip archive" */
    const char *remedy; /* "unpack it: unzip FILE"; "": none */
};

/* NULL if nothing in its first bytes shows that; READER_PEEK of them are enough. */
const struct file_kind *file_kind_of(const uint8_t *first, size_t length);
/* Says so on standard error, with what to do. */
void file_kind_report(const struct file_kind *kind, const char *file);
/* What these first bytes of a file that holds no telemetry look like: "text", "JSON"; NULL if like nothing. */
const char *file_kind_guess(const uint8_t *first, size_t length);

#endif
