/* Whose rows a file of a folder holds: of which connection in which capture, and how many. A file that is there already
 * is only replaced by rows of the same connection, of at least as much of its capture. */
#ifndef EXPORT_PROVENANCE_H
#define EXPORT_PROVENANCE_H

#include "armtap.h"
#include "base/text/buffer.h"

struct provenance {
    const char *capture; /* as the user named it; NULL: an interface or a robot */
    uint32_t file;       /* its index */
    uint64_t connection;
    char client[64];
    struct armtap_beginning beginning; /* of the connection in that capture */
    uint64_t first_row;                /* packet of the capture that carried the end of the first row; 0: none did */
    uint64_t rows;
    bool is_guessed; /* the recipe of a row was guessed */
};

/* Of a file whose first row is this one, read from that file of the captures. */
struct provenance provenance_of(const struct armtap_record *record, const char *capture, uint32_t file);
/* Counts a row of the file. */
void provenance_add(struct provenance *provenance, const struct armtap_record *record);

/* Appends the capture's name: without its folder, and without the ending of a compression. "stdin", "live". */
void provenance_put_capture(const char *capture, struct buffer *out);

/* Whether the file of that name may be replaced by these rows, or is not there: 0, or -1 after a message that names
 * both. */
int provenance_check(const struct provenance *provenance, const char *name);

/* The notes of a Parquet file that provenance_check() reads. */
enum provenance_note {
    PROVENANCE_CAPTURE,
    PROVENANCE_CLIENT,
    PROVENANCE_FIRST_TIME,  /* ns since the epoch, of the connection's first packet in the capture */
    PROVENANCE_FIRST_BYTES, /* number of the first bytes that the sum is of */
    PROVENANCE_FIRST_SUM,   /* FNV-1a in hexadecimal */
    PROVENANCE_FIRST_ROW,
    PROVENANCE_GUESSED,
    PROVENANCE_NOTES
};
const char *provenance_key(enum provenance_note note);
/* Appends the value; nothing if there is none. */
void provenance_put(const struct provenance *provenance, enum provenance_note note, struct buffer *out);

#endif
