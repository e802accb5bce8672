/* What a capture leaves behind for the captures after it, as JSON in a file beside them: FILE.armtap.json. */
#ifndef INPUT_SIDECAR_H
#define INPUT_SIDECAR_H

#include "armtap.h"
#include "base/text/buffer.h"
#include "capture/comments.h"
#include "inside.h"

#define SIDECAR_ENDING ".armtap.json"
#define SIDECAR_VERSION 2
/* No sidecar is longer; its packets take less than three quarters of that. */
#define SIDECAR_MAX ((size_t)32 << 20)
#define SIDECAR_PACKETS_MAX ((size_t)16 << 20)

struct sidecar {
    char *capture; /* the file's name, without its folder */
    char *after;   /* that of the capture that was indexed before it; NULL: none was */
    uint64_t packets;
    int64_t first_time, last_time; /* of its packets; ARMTAP_NO_TIME without any */
    struct section_comment section;
    struct armtap_kept *kept; /* files are 0 */
    size_t kept_count;
    uint8_t *bytes; /* that `kept` points to */
};

/* Writes one to an empty text. `digest` holds its packets. */
void sidecar_write(struct buffer *text, const struct sidecar *sidecar, const struct armtap_digest *digest);
/* Reads one; 0, or -1 after a message. Free it in both cases. */
int sidecar_read(const char *path, struct sidecar *sidecar);
/* The same without packets: reads the beginning of the file only. */
int sidecar_read_head(const char *path, struct sidecar *sidecar);
void sidecar_free(struct sidecar *sidecar);

/* Captures that were indexed (armtap index): the sidecars of a folder, in order, stand for the captures before
 * and after the one that is read. */

struct archive;

/* `after` is a folder of sidecars, or the sidecar of the capture before this one. NULL after a message. */
struct archive *archive_open(const char *after, const char *capture);
void archive_free(struct archive *archive);
size_t archive_count(const struct archive *archive);
/* The index of the capture that is read; the others are known by their sidecars. */
size_t archive_current(const struct archive *archive);
/* Whether that one has a sidecar, too. */
bool archive_current_is_indexed(const struct archive *archive);
/* Whether it has as many packets, from and to the same times, as when it was indexed; true without a sidecar. */
bool archive_current_is(const struct archive *archive, uint64_t packets, int64_t first_time, int64_t last_time);
/* The name of the i-th capture, for output: as given for the one that is read, in its folder for the others. */
const char *archive_name(const struct archive *archive, size_t i);
/* When the first packet of all was captured. */
int64_t archive_first_time(const struct archive *archive);
const char *archive_folder(const struct archive *archive);
/* Whether the file of that name is one of the sidecars, under any name. */
bool archive_has_file(const struct archive *archive, const char *name);
/* Reads the i-th sidecar; 0, or -1 after a message. */
int archive_load(const struct archive *archive, size_t i, struct sidecar *sidecar);

#endif
