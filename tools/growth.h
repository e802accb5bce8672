/* Waits for a file to grow. */
#ifndef GROWTH_H
#define GROWTH_H

#include <stdbool.h>
#include <stdint.h>

struct growth;

/* Of the open file of that name, which must outlive it. NULL without memory. */
struct growth *growth_new(const char *name, int file);
/* NULL is fine. */
void growth_free(struct growth *growth);
/* Returns when the file may have grown, after a signal, and otherwise soon. */
void growth_wait(struct growth *growth);
/* Whether the file is shorter now. */
bool growth_is_cut(const struct growth *growth, uint64_t length);
/* Warns, once, if the name stands for another file now, or for none: what is written to that one is not seen. */
void growth_watch_name(struct growth *growth);

#endif
