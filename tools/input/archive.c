#define _POSIX_C_SOURCE 200809L
#include "archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "file_reader.h"

struct part {
    char *path;    /* of its sidecar; NULL: it has none */
    char *capture; /* name without a folder */
    char *after;   /* the capture that was indexed before it; NULL: none was */
    char *name;    /* with the folder of the capture that is read */
    int64_t first_time;
};

struct archive {
    char *folder;
    const char *name; /* of the capture that is read, as given */
    struct part *parts;
    size_t count, current;
};

static void archive_forget(struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        free(archive->parts[i].path);
        free(archive->parts[i].capture);
        free(archive->parts[i].after);
        free(archive->parts[i].name);
    }
    free(archive->parts);
    free(archive->folder);
    free(archive);
}

void archive_free(struct archive *archive)
{
    if (archive)
        archive_forget(archive);
}

/* ---- the sidecars of a folder ------------------------------------------------------------------------------------ */

static char *joined(const char *folder, const char *name)
{
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path)
        snprintf(path, length, "%s/%s", folder, name);
    return path;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_sidecar(const char *name)
{
    size_t length = strlen(name), ending = strlen(SIDECAR_ENDING);
    return length > ending && name[0] != '.' && strcmp(name + length - ending, SIDECAR_ENDING) == 0;
}

/* Takes path and capture, which may be NULL. */
static int add(struct archive *archive, size_t at, char *path, char *capture, int64_t first_time)
{
    struct part *parts = capture ? realloc(archive->parts, (archive->count + 1) * sizeof *parts) : NULL;
    if (!parts) {
        free(path);
        free(capture);
        message_no_memory();
        return -1;
    }
    archive->parts = parts;
    memmove(parts + at + 1, parts + at, (archive->count - at) * sizeof *parts);
    parts[at] = (struct part){path, capture, NULL, NULL, first_time};
    archive->count++;
    return 0;
}

static int add_sidecar(struct archive *archive, const char *name)
{
    struct sidecar sidecar;
    char *path = joined(archive->folder, name);
    if (!path) {
        message_no_memory();
        return -1;
    }
    if (sidecar_read(path, &sidecar) != 0) {
        sidecar_free(&sidecar);
        free(path);
        return -1;
    }
    int outcome = add(archive, archive->count, path, sidecar.capture, sidecar.first_time);
    sidecar.capture = NULL;
    if (outcome == 0) {
        archive->parts[archive->count - 1].after = sidecar.after;
        sidecar.after = NULL;
    }
    sidecar_free(&sidecar);
    return outcome;
}

/* By the times of their first packets; captures without any go first. */
static int in_time(const void *a, const void *b)
{
    const struct part *one = a, *other = b;
    if (one->first_time != other->first_time)
        return one->first_time < other->first_time ? -1 : 1;
    return strcmp(one->capture, other->capture);
}

static int read_folder(struct archive *archive)
{
    DIR *folder = opendir(archive->folder);
    struct dirent *entry;
    int outcome = 0;
    if (!folder) {
        message_error("--after %s: %s; give the folder or the sidecar that armtap index wrote", archive->folder,
                      strerror(errno));
        return -1;
    }
    while (outcome == 0 && (entry = readdir(folder)))
        if (is_sidecar(entry->d_name))
            outcome = add_sidecar(archive, entry->d_name);
    closedir(folder);
    if (outcome == 0 && archive->count > 0)
        qsort(archive->parts, archive->count, sizeof *archive->parts, in_time);
    return outcome;
}

/* Captures that were indexed together follow each other. */
static int check_order(const struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        const char *after = archive->parts[i].after, *before = i > 0 ? archive->parts[i - 1].capture : "nothing";
        if (!after || strcmp(after, before) == 0)
            continue;
        message_error("%s: %s was indexed after %s, but by the times of their packets it comes after %s: a sidecar is "
                      "missing, or the captures were not given in order of time; index them again, with --sort",
                      archive->folder, archive->parts[i].capture, after, before);
        return -1;
    }
    return 0;
}

/* ---- the capture that is read ------------------------------------------------------------------------------------ */

static size_t find_capture(const struct archive *archive, const char *capture)
{
    size_t i = 0;
    while (i < archive->count && strcmp(archive->parts[i].capture, capture) != 0)
        i++;
    return i;
}

static size_t find_sidecar(const struct archive *archive, const char *name)
{
    size_t i = 0;
    while (i < archive->count && strcmp(base_of(archive->parts[i].path), name) != 0)
        i++;
    return i;
}

static int place_in_folder(struct archive *archive)
{
    archive->current = find_capture(archive, base_of(archive->name));
    if (archive->current < archive->count)
        return 0;
    message_error("%s: %s has no sidecar of that capture; write it with armtap index -o %s %s",
                  reader_name(archive->name), archive->folder, archive->folder, archive->name);
    return -1;
}

/* The capture after that of a sidecar may not be indexed yet; read from a pipe, it has no name. */
static int place_after(struct archive *archive, const char *sidecar)
{
    bool has_name = strcmp(archive->name, "-") != 0;
    size_t before = find_sidecar(archive, sidecar), own = find_capture(archive, base_of(archive->name));
    if (before == archive->count) {
        message_error("--after %s/%s: not a sidecar: its name must end in %s", archive->folder, sidecar,
                      SIDECAR_ENDING);
        return -1;
    }
    archive->current = before + 1;
    if (has_name && own < archive->count && own != archive->current) {
        message_error("--after %s/%s: %s does not come next; %s does", archive->folder, sidecar, archive->name,
                      archive->current < archive->count ? archive->parts[archive->current].capture : "nothing");
        return -1;
    }
    if (has_name ? own < archive->count : archive->current < archive->count)
        return 0;
    return add(archive, archive->current, NULL, strdup(base_of(archive->name)), ARMTAP_NO_TIME);
}

static char *folder_of(const char *path)
{
    const char *base = base_of(path);
    size_t length = base == path ? 0 : (size_t)(base - path) - 1;
    return base == path ? strdup(".") : strndup(path, length > 0 ? length : 1);
}

/* Captures of an archive lie in one folder, as far as is known. */
static int name_captures(struct archive *archive)
{
    size_t folder = (size_t)(base_of(archive->name) - archive->name);
    for (size_t i = 0; i < archive->count; i++) {
        struct part *part = &archive->parts[i];
        size_t room = folder + strlen(part->capture) + 1;
        part->name = malloc(room);
        if (!part->name) {
            message_no_memory();
            return -1;
        }
        snprintf(part->name, room, "%.*s%s", (int)folder, archive->name, part->capture);
    }
    return 0;
}

struct archive *archive_open(const char *after, const char *capture)
{
    struct stat file;
    struct archive *archive = calloc(1, sizeof *archive);
    bool is_file = stat(after, &file) == 0 && !S_ISDIR(file.st_mode);
    if (archive)
        archive->folder = is_file ? folder_of(after) : strdup(after);
    if (!archive || !archive->folder) {
        message_no_memory();
        free(archive);
        return NULL;
    }
    archive->name = capture;
    if (read_folder(archive) == 0 && check_order(archive) == 0 &&
        (is_file ? place_after(archive, base_of(after)) : place_in_folder(archive)) == 0 && name_captures(archive) == 0)
        return archive;
    archive_forget(archive);
    return NULL;
}

/* ---- what it says ------------------------------------------------------------------------------------------------ */

size_t archive_count(const struct archive *archive)
{
    return archive->count;
}

size_t archive_current(const struct archive *archive)
{
    return archive->current;
}

bool archive_current_is_indexed(const struct archive *archive)
{
    return archive->parts[archive->current].path != NULL;
}

const char *archive_name(const struct archive *archive, size_t i)
{
    return i == archive->current ? archive->name : archive->parts[i].name;
}

int64_t archive_first_time(const struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++)
        if (archive->parts[i].first_time != ARMTAP_NO_TIME)
            return archive->parts[i].first_time;
    return ARMTAP_NO_TIME;
}

const char *archive_folder(const struct archive *archive)
{
    return archive->folder;
}

int archive_load(const struct archive *archive, size_t i, struct sidecar *sidecar)
{
    return sidecar_read(archive->parts[i].path, sidecar);
}
