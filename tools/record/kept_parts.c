#define _XOPEN_SOURCE 700
#include "rotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "input/capture/capture.h"
#include "nanoseconds.h"

struct kept_part {
    struct kept_part *next;
    int64_t time; /* ns since the epoch, at which it begins; of this run's own: 0 */
    uint64_t size;
    struct file_status file; /* once it is ended */
    bool may_go, is_ended, is_earlier;
    char name[];
};

struct kept_parts {
    uint64_t keep, sum, deleted;
    struct kept_part *oldest, **newest;
};

struct kept_parts *kept_parts_new(uint64_t keep)
{
    struct kept_parts *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->keep = keep;
    kept->newest = &kept->oldest;
    return kept;
}

void kept_parts_free(struct kept_parts *kept)
{
    while (kept && kept->oldest) {
        struct kept_part *next = kept->oldest->next;
        free(kept->oldest);
        kept->oldest = next;
    }
    free(kept);
}

static struct kept_part *new_part(const char *name)
{
    size_t length = strlen(name) + 1;
    struct kept_part *part = calloc(1, sizeof *part + length);
    if (part)
        memcpy(part->name, name, length);
    return part;
}

static void append(struct kept_parts *kept, struct kept_part *part)
{
    *kept->newest = part;
    kept->newest = &part->next;
    kept->sum += part->size;
}

/* ---- what earlier runs left -------------------------------------------------------------------------------------- */

/* Whether another run writes it: such files are locked. */
static bool is_being_written(const char *name)
{
    int file = file_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    bool is = file >= 0 && file_lock(file, true) != 0 && errno == EWOULDBLOCK;
    if (file >= 0)
        close(file);
    return is;
}

/* When a recording begins: by its first packet, or by the file's own time if it has none. ARMTAP_NO_TIME if armtap did
 * not record it. */
static int64_t recorded_time(const char *name, const struct file_status *status)
{
    const struct reader_wish wish = {.name = name, .quiet = true};
    struct armtap_packet packet = {.size = sizeof packet};
    int64_t time = ARMTAP_NO_TIME;
    struct capture *capture = capture_open(&wish);
    if (!capture)
        return ARMTAP_NO_TIME;
    bool has_packet = !capture_is_raw(capture) && capture_next(capture, &packet) == CAPTURE_PACKET;
    if (capture_section(capture)->recording[0] != '\0')
        time = has_packet ? packet.where.time : status->written / SECOND * SECOND;
    capture_close(capture);
    return time;
}

/* 0, or -1 if memory runs out. */
static int take_earlier(struct kept_parts *kept, const char *name)
{
    struct file_status status;
    if (file_status_of_link(name, &status) != 0 || status.kind != FILE_IS_ORDINARY || is_being_written(name))
        return 0;
    int64_t time = recorded_time(name, &status);
    if (time == ARMTAP_NO_TIME)
        return 0;
    struct kept_part *part = new_part(name);
    if (!part)
        return -1;
    part->time = time;
    part->size = status.size;
    part->file = status;
    part->may_go = part->is_ended = part->is_earlier = true;
    append(kept, part);
    return 0;
}

static int find_all(struct kept_parts *kept, const char *pattern)
{
    glob_t found;
    int outcome = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (outcome == GLOB_NOMATCH)
        return 0;
    if (outcome == GLOB_NOSPACE)
        return -1;
    for (size_t i = 0; outcome == 0 && i < found.gl_pathc; i++)
        outcome = take_earlier(kept, found.gl_pathv[i]);
    globfree(&found);
    return outcome;
}

static int by_time(const void *one, const void *other)
{
    const struct kept_part *a = *(struct kept_part *const *)one, *b = *(struct kept_part *const *)other;
    return a->time != b->time ? (a->time < b->time ? -1 : 1) : strcmp(a->name, b->name);
}

/* The oldest first, and each once. */
static int sort(struct kept_parts *kept)
{
    size_t count = 0;
    for (const struct kept_part *part = kept->oldest; part; part = part->next)
        count++;
    struct kept_part **parts = calloc(count + 1, sizeof(struct kept_part *)), *part = kept->oldest;
    if (!parts)
        return -1;
    for (size_t i = 0; i < count; i++, part = part->next)
        parts[i] = part;
    qsort(parts, count, sizeof(struct kept_part *), by_time);
    kept->newest = &kept->oldest;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(parts[i]->name, parts[i - 1]->name) == 0) {
            kept->sum -= parts[i]->size;
            free(parts[i]);
            parts[i] = parts[i - 1];
            continue;
        }
        *kept->newest = parts[i];
        kept->newest = &parts[i]->next;
    }
    *kept->newest = NULL;
    free(parts);
    return 0;
}

int kept_parts_find(struct kept_parts *kept, const char *pattern, const char *robot)
{
    char name[PART_GLOB_MAX];
    if (kept->keep == 0)
        return 0;
    for (unsigned digits = 0; digits <= PART_NAME_DIGITS_MAX; digits += digits == 0 ? PART_NAME_DIGITS : 1) {
        enum part_glob_outcome outcome = part_name_glob(name, pattern, robot, digits);
        if (outcome == PART_GLOB_UNSURE) {
            message_warning(
                "-o %s: only numbers in a name show whether an earlier run made it (%%Y %%m %%d %%H %%M %%S "
                "%%j): --keep counts only the files of this run",
                pattern);
            return 0;
        }
        if (outcome == PART_GLOB_OK && find_all(kept, name) != 0)
            return message_no_memory();
    }
    return sort(kept) == 0 ? 0 : message_no_memory();
}

/* ---- this run's -------------------------------------------------------------------------------------------------- */

struct kept_part *kept_parts_begin(struct kept_parts *kept, const char *name, bool may_go)
{
    struct kept_part *part = new_part(name);
    if (!part)
        return NULL;
    part->may_go = may_go;
    append(kept, part);
    return part;
}

void kept_parts_grow(struct kept_parts *kept, struct kept_part *part, uint64_t size)
{
    kept->sum += size - part->size;
    part->size = size;
}

void kept_parts_end(struct kept_parts *kept, struct kept_part *part)
{
    (void)kept;
    part->is_ended = part->may_go && file_status_of_link(part->name, &part->file) == 0;
}

/* ---- deleting ---------------------------------------------------------------------------------------------------- */

/* Where the oldest is that may go; NULL: none may. */
static struct kept_part *const *find_oldest(const struct kept_parts *kept)
{
    struct kept_part *const *at = &kept->oldest;
    while (*at && !((*at)->may_go && (*at)->is_ended))
        at = &(*at)->next;
    return *at ? at : NULL;
}

const char *kept_parts_oldest(const struct kept_parts *kept)
{
    struct kept_part *const *at = kept->keep > 0 ? find_oldest(kept) : NULL;
    return at ? (*at)->name : NULL;
}

static void delete_file(struct kept_parts *kept, const struct kept_part *part)
{
    struct file_status status;
    bool is_there = file_status_of_link(part->name, &status) == 0;
    if (is_there && !file_may_be_same(&status, &part->file))
        message_warning("%s: is not the file that was recorded; it stays", part->name);
    else if (is_there && part->is_earlier && is_being_written(part->name))
        message_warning("%s: another run writes it; it stays", part->name);
    else if (is_there && path_remove(part->name) != 0 && errno != ENOENT)
        message_warning("%s: cannot be deleted: %s", part->name, strerror(errno));
    else if (is_there)
        kept->deleted++;
}

bool kept_parts_delete_oldest(struct kept_parts *kept)
{
    struct kept_part **at = kept->keep > 0 ? (struct kept_part **)find_oldest(kept) : NULL;
    if (!at)
        return false;
    struct kept_part *part = *at;
    delete_file(kept, part);
    *at = part->next;
    if (kept->newest == &part->next)
        kept->newest = at;
    kept->sum -= part->size;
    free(part);
    return true;
}

void kept_parts_make_room(struct kept_parts *kept)
{
    while (kept->keep > 0 && kept->sum > kept->keep && kept_parts_delete_oldest(kept))
        ;
}

/* ---- last words -------------------------------------------------------------------------------------------------- */

void kept_parts_list(const struct kept_parts *kept)
{
    for (const struct kept_part *part = kept->oldest; part; part = part->next) {
        char size[AMOUNT_MAX];
        amount_text(size, part->size);
        if (!part->is_earlier)
            message_info("%s: %s", strcmp(part->name, "-") == 0 ? "standard output" : part->name, size);
    }
}

uint64_t kept_parts_deleted(const struct kept_parts *kept)
{
    return kept->deleted;
}
