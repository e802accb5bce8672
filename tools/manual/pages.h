/* The pages of the manual, as text for a terminal of 80 columns, in the program itself: armtap help NAME. */
#ifndef MANUAL_PAGES_H
#define MANUAL_PAGES_H

#include <stddef.h>

struct page {
    const char *name; /* of a command or a topic; "armtap": the index */
    const char *summary;
    const unsigned char *packed; /* by gzip */
    size_t packed_length, length;
};

/* Made by embed; the last one has no name. */
extern const struct page pages[];

/* NULL if there is none. */
const struct page *page_find(const char *name);
/* The name that was probably meant, or NULL. */
const char *page_meant(const char *name);
/* On standard output, through a pager on a terminal. 0, or -1 after a message. */
int page_show(const struct page *page);

#endif
