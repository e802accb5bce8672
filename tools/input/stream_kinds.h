/* Streams that are alike, such as those of a client that connected 3,000 times: what is the same of all of them can be
 * said once. */
#ifndef TOOLS_INPUT_STREAM_KINDS_H
#define TOOLS_INPUT_STREAM_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/armtap-analysis.h"

/* So many streams alike are told one by one. */
#define STREAM_KIND_FEW 10

/* A stream among others. */
struct stream_member {
    const struct armtap_stream_summary *summary;
    double rate;     /* Hz; 0: unknown, or of too few records */
    double duration; /* s; 0: unknown */
    uint64_t mark;   /* what else tells it from others, made by stream_mark_add */
};

/* Neighbours in `members`, in the order of their numbers where they are of one robot and client. */
struct stream_group {
    size_t from, count;
    uint32_t first, last; /* the lowest and the highest number of a stream */
};

struct stream_kinds {
    struct stream_member *members;
    /* Alike but for robot and client; and of these, the streams of one client at one port of a robot, or of several
     * clients where they are many. Both in the order of first numbers; a few streams alike are groups of one. */
    struct stream_group *kinds, *rows;
    size_t kind_count, row_count;
};

/* Adds something to what tells a stream from others. */
uint64_t stream_mark_add(uint64_t mark, uint64_t what);
/* `measure` sets what is in a member besides its summary. False if memory runs out; free the kinds in any case. */
bool stream_kinds_find(struct stream_kinds *kinds, const struct armtap_streams *streams,
                       void (*measure)(const void *user, struct stream_member *member), const void *user);
void stream_kinds_free(struct stream_kinds *kinds);

/* Of how many robots' ports. */
size_t stream_group_robots(const struct stream_kinds *kinds, const struct stream_group *group);

#define STREAM_GROUP_MAX 72
/* "17", or "0-2999" of those that lie between others or are all of them. Returns `to`. */
const char *stream_group_numbers(char to[STREAM_GROUP_MAX], const struct stream_group *group);
/* "10.0.0.9:40001", "10.0.0.9 (2999)" or "several (2999)"; `name` takes the place of the first one's address, unless
 * that is what it is. Returns `to`. */
const char *stream_group_client(char to[STREAM_GROUP_MAX], const struct stream_kinds *kinds,
                                const struct stream_group *group, const char *name);

#endif
