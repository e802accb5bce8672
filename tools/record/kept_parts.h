/* The files of a recording: those that this run writes, and those that earlier runs of the same pattern left. With a
 * limit on all together the oldest are deleted. */
#ifndef RECORD_KEPT_PARTS_H
#define RECORD_KEPT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_parts;
struct kept_part;

/* `keep`: bytes of all together; 0: no matter how many, and nothing is ever deleted. NULL if memory runs out. */
struct kept_parts *kept_parts_new(uint64_t keep);
/* Accepts NULL. */
void kept_parts_free(struct kept_parts *kept);

/* Before this run writes any: adds what earlier runs left, if there is a limit. Only whole names that the pattern makes
 * for this robot count, of ordinary files that armtap recorded and no other run is writing. 0, or -1 after a message.
 */
int kept_parts_find(struct kept_parts *kept, const char *pattern, const char *robot);
/* A file that is being written. `may_go`: it may be deleted once it is ended. NULL if memory runs out. */
struct kept_part *kept_parts_begin(struct kept_parts *kept, const char *name, bool may_go);
void kept_parts_grow(struct kept_parts *kept, struct kept_part *part, uint64_t size);
void kept_parts_end(struct kept_parts *kept, struct kept_part *part);

/* Deletes the oldest ones until all together fit. */
void kept_parts_make_room(struct kept_parts *kept);
/* The one to be deleted next; NULL: none may be. */
const char *kept_parts_oldest(const struct kept_parts *kept);
/* Deletes it; false if there is none. A file that was replaced by another meanwhile is forgotten instead. */
bool kept_parts_delete_oldest(struct kept_parts *kept);

/* Names each file that this run wrote and that is still there, with its size, in lines of its own. */
void kept_parts_list(const struct kept_parts *kept);
/* How many were deleted. */
uint64_t kept_parts_deleted(const struct kept_parts *kept);

#endif
