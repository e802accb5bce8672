/* The kinds of pictures: which are known, and how a chart becomes one. */
#ifndef PLOT_KINDS_H
#define PLOT_KINDS_H

#include "base/text/buffer.h"
#include "draw.h"

enum kind_flag {
    KIND_IS_BINARY = 1,   /* never written to a terminal */
    KIND_NEEDS_CAIRO = 2, /* libcairo draws it */
    KIND_IS_PAGE = 4      /* html.h */
};

struct kind {
    const char *name;
    const char *ending;
    unsigned flags;
    /* Appends the picture. 0, or -1 without memory. */
    int (*write)(const struct chart *chart, const struct page *page, struct buffer *out);
};

/* By its name; NULL if there is none. */
const struct kind *kind_named(const char *name);
/* By the ending of a file's name. */
const struct kind *kind_of_file(const char *file);
/* "svg, png or pdf": all, or those of files. */
#define KINDS_LIST_MAX 64
const char *kinds_list(char list[KINDS_LIST_MAX], bool of_files);
bool kind_is_built_in(const struct kind *kind);
/* Whether this build can draw it: 0, or -1 after a message. `what`: as the user asked for it. */
int kind_check(const struct kind *kind, const char *what);
/* When all pictures are drawn, or none will be. */
void kind_end(const struct kind *kind);

/* Pictures within the text of a terminal: sixels (DEC's, which many terminals know) and kitty's graphics. */

/* Appends an image of width * height pixels, 0xRRGGBB, with at most 256 colours: those used most, and for the rest the
 * nearest of them. 0, or -1 without memory. */
int sixel_put(struct buffer *out, const uint32_t *pixels, size_t width, size_t height);
/* Appends a PNG. 0, or -1 without memory. */
int kitty_put(struct buffer *out, const char *png, size_t length);

/* A chart in a page: drawn by the browser, with zoom and cursor, and as a picture where scripts do not run and on
 * paper. */

/* Bins of a curve on a page, if there are few curves. */
#define PAGE_BINS 2048
/* Appends the chart, once for each page, with the arm: 1.5 MB at most, whatever it shows. 0, or -1 without memory. */
int page_put_chart(struct buffer *page, const struct chart *chart, enum timestamp_zone zone);
/* Appends a picture of where the arm was at a stop, if that is known. */
void page_put_pose(struct buffer *page, const struct chart *chart, int64_t time, enum timestamp_zone zone);
/* Seconds from the chart's beginning: what the page's scripts count in. */
double page_seconds(const struct chart *chart, int64_t time);

#endif
