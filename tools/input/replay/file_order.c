#include "run.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"
#include "base/process/message.h"
#include "input/capture/capture.h"
#include "base/os/interrupt.h"
#include "input/files/input_files.h"
#include "inside.h"

struct dated {
    char *name;
    int64_t first; /* ns; INT64_MAX: unknown */
    size_t given;
};

/* 0, or -1 if memory runs out. Problems are reported when the file is read. */
static int find_first(struct dated *dated)
{
    const struct reader_wish wish = {.name = dated->name, .quiet = true};
    struct armtap_packet packet = {.size = sizeof packet};
    struct capture *capture = capture_open(&wish);
    dated->first = INT64_MAX;
    if (!capture)
        return errno == ENOMEM ? -1 : 0;
    enum capture_outcome outcome = capture_is_raw(capture) ? CAPTURE_END : capture_next(capture, &packet);
    if (outcome == CAPTURE_PACKET && packet.where.time != ARMTAP_NO_TIME)
        dated->first = packet.where.time;
    capture_close(capture);
    return outcome == CAPTURE_NO_MEMORY ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    const struct dated *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->given > other->given) - (one->given < other->given);
}

static int check_names(char *const *names, size_t count)
{
    struct file_status status;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "-") != 0 && (file_status(names[i], &status) != 0 || status.kind == FILE_IS_ORDINARY))
            continue;
        message_error("--sort reads the beginning of each file first, which is not possible with %s: name ordinary "
                      "files",
                      reader_name(names[i]));
        return -1;
    }
    return 0;
}

int file_order_sort(char **names, size_t count)
{
    if (check_names(names, count) != 0)
        return -1;
    struct dated *all = calloc(count + 1, sizeof *all);
    int outcome = all ? 0 : -1;
    for (size_t i = 0; i < count && outcome == 0; i++) {
        all[i] = (struct dated){.name = names[i], .given = i};
        outcome = find_first(&all[i]);
    }
    if (outcome != 0)
        message_no_memory();
    else
        qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count && outcome == 0; i++)
        names[i] = all[i].name;
    free(all);
    return outcome;
}

/* Whether a capture that shows no packets could not be read; else it is a dump. */
static bool is_unreadable(struct capture *capture)
{
    uint8_t byte;
    return capture_is_raw(capture) && capture_read(capture, &byte, 1) < 0;
}

/* Finds the first packet of a file that is later than a time; *when becomes ARMTAP_NO_TIME without one. */
static int find_later(struct file_turns *turns, const struct replay_source *source, uint32_t file, int64_t than,
                      int64_t *when)
{
    const struct reader_wish wish = {
        .name = source->names[file], .input = inputs_at(source->inputs, file), .quiet = true};
    enum capture_outcome outcome = CAPTURE_END;
    struct armtap_packet packet = {.size = sizeof packet};
    struct capture *capture = capture_open(&wish);
    *when = ARMTAP_NO_TIME;
    if (!capture && errno == ENOMEM)
        return -1;
    if (!capture || is_unreadable(capture))
        turns->unread = source->names[file];
    while (capture && *when == ARMTAP_NO_TIME && !capture_is_raw(capture) && !interrupt_asked() &&
           (outcome = capture_next(capture, &packet)) == CAPTURE_PACKET)
        if (packet.where.time != ARMTAP_NO_TIME && packet.where.time > than)
            *when = packet.where.time;
    if (outcome < CAPTURE_END)
        turns->unread = source->names[file];
    capture_close(capture);
    return outcome == CAPTURE_NO_MEMORY ? -1 : 0;
}

static int find_last(const struct replay_source *source, uint32_t file, int64_t *last)
{
    const struct reader_wish wish = {
        .name = source->names[file], .input = inputs_at(source->inputs, file), .quiet = true};
    enum capture_outcome outcome = CAPTURE_END;
    struct armtap_packet packet = {.size = sizeof packet};
    struct capture *capture = capture_open(&wish);
    if (!capture)
        return errno == ENOMEM ? -1 : 0;
    while (!capture_is_raw(capture) && !interrupt_asked() &&
           (outcome = capture_next(capture, &packet)) == CAPTURE_PACKET)
        if (packet.where.time > *last)
            *last = packet.where.time;
    capture_close(capture);
    return outcome == CAPTURE_NO_MEMORY ? -1 : 0;
}

int replay_count_back(const struct replay_source *source, struct timestamp *from, struct timestamp *to)
{
    int64_t last = ARMTAP_NO_TIME;
    int outcome = 0;
    if (!from->from_end && !to->from_end)
        return 0;
    if (!replay_is_repeatable(source)) {
        message_error("%s: times before the end need a capture that can be read twice; store it in a file first",
                      from->from_end ? "--from" : "--to");
        return -1;
    }
    for (uint32_t i = 0; i < source->count && outcome == 0; i++)
        outcome = find_last(source, i, &last);
    if (outcome != 0)
        message_no_memory();
    timestamp_count_back(from, last);
    timestamp_count_back(to, last);
    return outcome;
}

static int by_time(const void *a, const void *b)
{
    const struct file_turn *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->file > other->file) - (one->file < other->file);
}

/* Whether each file begins after those before it, as given. */
static bool are_in_order(const struct file_turns *turns)
{
    for (size_t i = 1; i < turns->count; i++)
        if (turns->turns[i].first < turns->turns[i - 1].first)
            return false;
    return true;
}

/* Whether a file goes on after the next one, by time, began: rotated files in a wrong order do not, and stay in that.
 */
static int do_overlap(struct file_turns *turns, const struct replay_source *source, bool *overlap)
{
    int64_t when;
    *overlap = false;
    for (size_t i = 0; i + 1 < turns->count && !*overlap; i++) {
        if (find_later(turns, source, turns->turns[i].file, turns->turns[i + 1].first, &when) != 0)
            return -1;
        *overlap = when != ARMTAP_NO_TIME;
    }
    return 0;
}

/* False: a file has no time, or memory ran out. */
static bool find_all(struct file_turns *turns, const struct replay_source *source, int *error)
{
    for (uint32_t i = 0; i < turns->count; i++) {
        turns->turns[i].file = i;
        *error = find_later(turns, source, i, INT64_MIN, &turns->turns[i].first);
        if (*error != 0 || turns->turns[i].first == ARMTAP_NO_TIME)
            return false;
    }
    return true;
}

/* ---- files that hold one direction ------------------------------------------------------------------------------- */

enum { PAIRS_MAX = 64, LOOKED_AT = 1000 }; /* pairs of hosts, and packets of a file, that tell who answers whom */

/* Who sends to whom, in which file. */
struct pairs {
    struct pair {
        uint32_t file;
        char from[64], to[64];
    } pair[PAIRS_MAX];
    size_t count;
    bool answered_in_file;    /* one file holds both directions */
    bool answered_by_another; /* a file holds the answers to another */
};

static void add_pair(struct pairs *pairs, uint32_t file, const struct armtap_packet *packet)
{
    struct pair new = {.file = file};
    bool known = pairs->count == PAIRS_MAX;
    if (!armtap_packet_hosts(packet, new.from, new.to))
        return;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->pair[i];
        if (strcmp(pair->from, new.to) == 0 && strcmp(pair->to, new.from) == 0)
            *(pair->file == file ? &pairs->answered_in_file : &pairs->answered_by_another) = true;
        known = known || (pair->file == file && strcmp(pair->from, new.from) == 0 && strcmp(pair->to, new.to) == 0);
    }
    if (!known)
        pairs->pair[pairs->count++] = new;
}

/* Those of a file's beginning. */
static int add_file(struct file_turns *turns, struct pairs *pairs, const struct replay_source *source, uint32_t file)
{
    const struct reader_wish wish = {
        .name = source->names[file], .input = inputs_at(source->inputs, file), .quiet = true};
    struct armtap_packet packet = {.size = sizeof packet};
    enum capture_outcome outcome = CAPTURE_END;
    struct capture *capture = capture_open(&wish);
    if (!capture && errno == ENOMEM)
        return -1;
    for (unsigned i = 0; capture && !capture_is_raw(capture) && i < LOOKED_AT && !pairs->answered_in_file &&
                         (outcome = capture_next(capture, &packet)) == CAPTURE_PACKET;
         i++)
        add_pair(pairs, file, &packet);
    if (!capture || capture_is_raw(capture) || outcome < CAPTURE_END)
        turns->unread = source->names[file];
    capture_close(capture);
    return outcome == CAPTURE_NO_MEMORY ? -1 : 0;
}

/* Whether each file holds one direction, and one of them the answers to another. */
static int are_halves(struct file_turns *turns, const struct replay_source *source, bool *halves)
{
    struct pairs *pairs = calloc(1, sizeof *pairs);
    int error = pairs ? 0 : -1;
    for (uint32_t i = 0; i < turns->count && error == 0 && !pairs->answered_in_file; i++)
        error = add_file(turns, pairs, source, i);
    *halves = pairs && !pairs->answered_in_file && pairs->answered_by_another;
    free(pairs);
    return error;
}

int file_turns_find(struct file_turns *turns, const struct replay_source *source)
{
    *turns = (struct file_turns){0};
    if (source->count < 2 || source->archive || source->on_indexed || !replay_is_repeatable(source))
        return 0;
    turns->turns = calloc(source->count, sizeof *turns->turns);
    if (!turns->turns)
        return -1;
    turns->count = source->count;
    int error = 0;
    bool side_by_side = find_all(turns, source, &error);
    if (side_by_side && !are_in_order(turns)) {
        qsort(turns->turns, turns->count, sizeof *turns->turns, by_time);
        error = do_overlap(turns, source, &side_by_side);
    }
    if (side_by_side && error == 0 && source->in_turn)
        error = are_halves(turns, source, &side_by_side);
    if (error != 0 || !side_by_side)
        file_turns_free(turns);
    return error;
}

void file_turns_free(struct file_turns *turns)
{
    free(turns->turns);
    turns->turns = NULL;
    turns->count = 0;
}
