/* A chart in a page: drawn by the browser, with zoom and cursor, and as a picture where scripts do not run and on
 * paper. */
#ifndef PLOT_PAGE_H
#define PLOT_PAGE_H

#include "base/text/buffer.h"
#include "chart.h"

/* Bins of a curve on a page, if there are few curves. */
#define PAGE_BINS 2048
/* Appends the chart, once for each page: 1.4 MB at most, whatever it shows. 0, or -1 without memory. */
int page_put_chart(struct buffer *page, const struct chart *chart, enum timestamp_zone zone);
/* Seconds from the chart's beginning: what the page's scripts count in. */
double page_seconds(const struct chart *chart, int64_t time);

#endif
