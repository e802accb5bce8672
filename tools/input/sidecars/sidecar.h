/* What a capture leaves behind for the captures after it, as JSON in a file beside them: FILE.armtap.json. */
#ifndef INPUT_SIDECAR_H
#define INPUT_SIDECAR_H

#include <stdio.h>

#include "armtap.h"
#include "input/capture/section_comment.h"
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

/* Writes one; 0, or -1 with errno. `digest` holds its packets. */
int sidecar_write(FILE *file, const struct sidecar *sidecar, const struct armtap_digest *digest);
/* Reads one; 0, or -1 after a message. Free it in both cases. */
int sidecar_read(const char *path, struct sidecar *sidecar);
/* The same without packets: reads the beginning of the file only. */
int sidecar_read_head(const char *path, struct sidecar *sidecar);
void sidecar_free(struct sidecar *sidecar);

#endif
