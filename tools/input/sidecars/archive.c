#define _POSIX_C_SOURCE 200809L
#include "sidecar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "input/files/file_reader.h"

struct part {
    char *path;    /* of its sidecar; NULL: it has none */
    char *capture; /* name without a folder */
    char *after;   /* the capture that was indexed before it; NULL: none was */
    char *name;    /* with the folder of the capture that is read */
    uint64_t packets;
    int64_t first_time, last_time;
    size_t before, head; /* the indices of `after`, and of the first of those that were indexed together; NONE */
    size_t rank;         /* how many lie between */
    int64_t head_time;
    const char *head_capture;
};

#define NONE SIZE_MAX

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

static bool is_sidecar(const char *name)
{
    size_t length = strlen(name), ending = strlen(SIDECAR_ENDING);
    return length > ending && name[0] != '.' && strcmp(name + length - ending, SIDECAR_ENDING) == 0;
}

/* Takes path and capture, which may be NULL. */
static int add_capture(struct archive *archive, size_t at, char *path, char *capture, int64_t first_time)
{
    if (!capture || !MAKE_ROOM(archive->parts, archive->count)) {
        free(path);
        free(capture);
        return message_no_memory();
    }
    struct part *parts = archive->parts;
    memmove(parts + at + 1, parts + at, (archive->count - at) * sizeof *parts);
    parts[at] = (struct part){.path = path, .capture = capture, .first_time = first_time};
    archive->count++;
    return 0;
}

/* A sidecar is named after its capture. */
static bool is_own(const char *path, const char *capture)
{
    const char *name = path_base(path);
    size_t length = strlen(capture);
    return strncmp(name, capture, length) == 0 && strcmp(name + length, SIDECAR_ENDING) == 0;
}

/* Adds the sidecar, of which only the head stays; takes the path. */
static int add_head(struct archive *archive, char *path, struct sidecar *sidecar)
{
    if (!is_own(path, sidecar->capture)) {
        message_error("%s: the sidecar of another capture, %s; write it anew with armtap index", path,
                      sidecar->capture);
        free(path);
        return -1;
    }
    if (add_capture(archive, archive->count, path, sidecar->capture, sidecar->first_time) != 0) {
        sidecar->capture = NULL;
        return -1;
    }
    struct part *part = &archive->parts[archive->count - 1];
    part->after = sidecar->after;
    part->packets = sidecar->packets;
    part->last_time = sidecar->last_time;
    sidecar->capture = sidecar->after = NULL;
    return 0;
}

static int add_sidecar(struct archive *archive, const char *name)
{
    struct sidecar sidecar;
    char *path = joined(archive->folder, name);
    int outcome = -1;
    if (!path)
        return message_no_memory();
    if (sidecar_read_head(path, &sidecar) == 0)
        outcome = add_head(archive, path, &sidecar);
    else
        free(path);
    sidecar_free(&sidecar);
    return outcome;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int in_time(const void *a, const void *b)
{
    const struct part *one = a, *other = b;
    if (one->first_time != other->first_time)
        return one->first_time < other->first_time ? -1 : 1;
    return strcmp(one->capture, other->capture);
}

/* By the times of the first packets; captures without any go first. Those that were indexed together stay together. */
static int in_order(const void *a, const void *b)
{
    const struct part *one = a, *other = b;
    if (one->head_time != other->head_time)
        return one->head_time < other->head_time ? -1 : 1;
    int difference = strcmp(one->head_capture, other->head_capture);
    if (difference != 0)
        return difference;
    return one->rank != other->rank ? (one->rank > other->rank) - (one->rank < other->rank)
                                    : strcmp(one->capture, other->capture);
}

/* The index of the capture that was indexed before this one: most likely the one before it. */
static size_t before_of(const struct archive *archive, size_t i)
{
    const struct part *parts = archive->parts;
    if (!parts[i].after)
        return NONE;
    if (i > 0 && strcmp(parts[i - 1].capture, parts[i].after) == 0)
        return i - 1;
    for (size_t k = 0; k < archive->count; k++)
        if (strcmp(parts[k].capture, parts[i].after) == 0)
            return k;
    return NONE;
}

/* Finds the head of each capture whose predecessor's is known; returns whether there was one. */
static bool find_heads(const struct archive *archive)
{
    struct part *parts = archive->parts;
    bool found = false;
    for (size_t i = 0; i < archive->count; i++) {
        size_t before = parts[i].before;
        if (parts[i].head != NONE || before == NONE || parts[before].head == NONE)
            continue;
        parts[i].head = parts[before].head;
        parts[i].rank = parts[before].rank + 1;
        found = true;
    }
    return found;
}

static void sort(struct archive *archive)
{
    struct part *parts = archive->parts;
    qsort(parts, archive->count, sizeof *parts, in_time);
    for (size_t i = 0; i < archive->count; i++) {
        parts[i].before = before_of(archive, i);
        parts[i].head = parts[i].before == NONE ? i : NONE;
    }
    while (find_heads(archive))
        ;
    for (size_t i = 0; i < archive->count; i++) {
        const struct part *head = &parts[parts[i].head != NONE ? parts[i].head : i];
        parts[i].head_time = head->first_time;
        parts[i].head_capture = head->capture;
    }
    qsort(parts, archive->count, sizeof *parts, in_order);
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
        sort(archive);
    return outcome;
}

/* Whether it lies among captures that were indexed together, but not with it. */
static bool lies_among(const struct part *part, const struct part *before)
{
    return !part->after && before->after && part->first_time != ARMTAP_NO_TIME &&
           before->first_time != ARMTAP_NO_TIME && part->first_time < before->first_time;
}

/* Captures that were indexed together follow each other. */
static int check_order(const struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) {
        const struct part *part = &archive->parts[i], *before = i > 0 ? part - 1 : NULL;
        if (before && lies_among(part, before)) {
            message_error("%s: %s begins before %s, which was indexed after %s: give each archive a folder of its own, "
                          "or index all captures together",
                          archive->folder, part->capture, before->capture, before->after);
            return -1;
        }
        if (!part->after || strcmp(part->after, before ? before->capture : "") == 0)
            continue;
        message_error("%s: %s was indexed after %s, but comes after %s: a sidecar is missing, or there are captures of "
                      "two archives; index them again, each archive into a folder of its own",
                      archive->folder, part->capture, part->after, before ? before->capture : "nothing");
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
    while (i < archive->count && strcmp(path_base(archive->parts[i].path), name) != 0)
        i++;
    return i;
}

static int place_in_folder(struct archive *archive)
{
    archive->current = find_capture(archive, path_base(archive->name));
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
    size_t before = find_sidecar(archive, sidecar), own = find_capture(archive, path_base(archive->name));
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
    return add_capture(archive, archive->current, NULL, strdup(path_base(archive->name)), ARMTAP_NO_TIME);
}

/* Captures of an archive lie in one folder, as far as is known. */
static int name_captures(struct archive *archive)
{
    size_t folder = (size_t)(path_base(archive->name) - archive->name);
    for (size_t i = 0; i < archive->count; i++) {
        struct part *part = &archive->parts[i];
        size_t room = folder + strlen(part->capture) + 1;
        part->name = malloc(room);
        if (!part->name)
            return message_no_memory();
        snprintf(part->name, room, "%.*s%s", (int)folder, archive->name, part->capture);
    }
    return 0;
}

struct archive *archive_open(const char *after, const char *capture)
{
    struct file_status file;
    struct archive *archive = calloc(1, sizeof *archive);
    bool is_file = file_status(after, &file) == 0 && file.kind != FILE_IS_FOLDER;
    if (archive)
        archive->folder = is_file ? path_folder(after) : strdup(after);
    if (!archive || !archive->folder) {
        message_no_memory();
        free(archive);
        return NULL;
    }
    archive->name = capture;
    if (read_folder(archive) == 0 && check_order(archive) == 0 &&
        (is_file ? place_after(archive, path_base(after)) : place_in_folder(archive)) == 0 &&
        name_captures(archive) == 0)
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

bool archive_current_is(const struct archive *archive, uint64_t packets, int64_t first_time, int64_t last_time)
{
    const struct part *part = &archive->parts[archive->current];
    return !part->path || (part->packets == packets && part->first_time == first_time && part->last_time == last_time);
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

bool archive_has_file(const struct archive *archive, const char *name)
{
    struct file_status file, own;
    if (file_status(name, &file) != 0)
        return false;
    for (size_t i = 0; i < archive->count; i++)
        if (archive->parts[i].path && file_status(archive->parts[i].path, &own) == 0 && file_is_same(&own, &file))
            return true;
    return false;
}

int archive_load(const struct archive *archive, size_t i, struct sidecar *sidecar)
{
    return sidecar_read(archive->parts[i].path, sidecar);
}
