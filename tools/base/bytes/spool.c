#define _POSIX_C_SOURCE 200809L
#include "spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/os/names.h"
#include "base/text/buffer.h"
#include "base/process/message.h"

struct spool {
    char *folder;
    size_t in_memory;
    int file;       /* -1: none yet */
    uint64_t begin; /* place of the first byte in memory: those before it are in the file */
    struct buffer bytes;
};

struct spool *spool_new(const char *folder, size_t in_memory)
{
    struct spool *spool = calloc(1, sizeof *spool);
    if (!spool)
        return NULL;
    *spool = (struct spool){.folder = strdup(folder), .in_memory = in_memory, .file = -1};
    if (spool->folder)
        return spool;
    free(spool);
    return NULL;
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->file >= 0)
        close(spool->file);
    free(spool->folder);
    free(spool->bytes.data);
    free(spool);
}

static int failed(const struct spool *spool, int error)
{
    bool is_full = error == ENOSPC || error == EDQUOT;
    message_error("%s: cannot write a temporary file there: %s; %sname another place: with -o, or with TMPDIR for "
                  "standard output",
                  spool->folder, strerror(error), is_full ? "free some space, or " : "");
    return -1;
}

static int open_file(struct spool *spool)
{
    spool->file = file_open_nameless(spool->folder);
    return spool->file >= 0 ? 0 : failed(spool, errno);
}

static int write_all(struct spool *spool)
{
    size_t done = 0;
    if (spool->file < 0 && open_file(spool) != 0)
        return -1;
    while (done < spool->bytes.length) {
        ssize_t written =
            pwrite(spool->file, spool->bytes.data + done, spool->bytes.length - done, (off_t)(spool->begin + done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return failed(spool, errno);
        done += (size_t)written;
    }
    spool->begin += done;
    spool->bytes.length = 0;
    return 0;
}

int spool_put(struct spool *spool, const void *bytes, size_t length, uint64_t *place)
{
    if (spool->bytes.length > 0 && spool->bytes.length + length > spool->in_memory && write_all(spool) != 0)
        return -1;
    *place = spool->begin + spool->bytes.length;
    buffer_put(&spool->bytes, bytes, length);
    if (!spool->bytes.failed)
        return 0;
    return message_no_memory();
}

int spool_get(struct spool *spool, uint64_t place, void *bytes, size_t length)
{
    size_t done = 0;
    if (place >= spool->begin) {
        memcpy(bytes, spool->bytes.data + (place - spool->begin), length);
        return 0;
    }
    while (done < length) {
        ssize_t got = pread(spool->file, (char *)bytes + done, length - done, (off_t)(place + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return failed(spool, got < 0 ? errno : EIO);
        done += (size_t)got;
    }
    return 0;
}
