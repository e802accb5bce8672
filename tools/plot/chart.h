/* What a picture shows, without how: curves in panels on one axis of time, strips of modes, gaps, stops. */
#ifndef PLOT_CHART_H
#define PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/numbers/timestamp.h"
#include "figure/figure.h"
#include "input/replay/replay.h"

/* A curve of any length in a bounded number of bins: of each, the first, smallest, largest and last value, so that a
 * picture with a column of pixels for each bin looks as if it had all points, with every spike. */

enum bin_flag {
    BIN_HAS_VALUES = 1,
    BIN_BREAKS = 2,        /* the line from the bin before does not reach this one */
    BIN_IS_GAP = 4,        /* data is missing in it */
    BIN_MAX_BEFORE_MIN = 8 /* the largest value came before the smallest one */
};

struct bin {
    double first, min, max, last;
    unsigned flags;
};

/* Adds a later bin to an earlier one. */
void bin_merge(struct bin *to, const struct bin *later);

/* Bins stand on a grid that is the same for every curve: their width is 2^shift ns, and each begins at a multiple of
 * it. When a time does not fit, the width doubles. */
struct thinning {
    struct bin *bins; /* owned */
    size_t count;     /* from the earliest to the latest time */
    size_t room;
    size_t limit;  /* of count; at least 2 */
    int64_t start; /* the first bin's number on the grid */
    unsigned shift;
    bool breaks; /* before the next value */
};

struct thinning thinning_make(size_t limit);
void thinning_free(struct thinning *thinning);
/* Adds a value; one that is not finite breaks the line. Times may come in any order. 0, or -1 without memory. */
int thinning_add(struct thinning *thinning, int64_t time, double value);
/* The line is interrupted before the next value. */
void thinning_break(struct thinning *thinning);
/* The line is interrupted before the first value that is not earlier. */
void thinning_break_at(struct thinning *thinning, int64_t time);
/* Data is missing between two times. 0, or -1 without memory. */
int thinning_gap(struct thinning *thinning, int64_t from, int64_t to);
/* Adds all of a later curve; the line between them is interrupted. 0, or -1 without memory. */
int thinning_join(struct thinning *thinning, const struct thinning *later);
/* When a bin begins; the one after the last: where they end. Within the limits of int64_t. */
int64_t thinning_time(const struct thinning *thinning, size_t bin);

struct chart_curve {
    char *name;      /* "base", "x"; of a scalar its field; owned */
    unsigned colour; /* the number of the joint, axis or element: the same in every panel */
    struct thinning points;
};

/* Values of one unit from one stream: of chart_stream's kind. */
struct chart_panel {
    char *caption; /* owned */
    char *unit;    /* "" if there is none; owned */
    struct chart_curve *curves;
    size_t count;
    size_t stream; /* in chart.streams */
};

/* Since when a mode holds. */
struct chart_band {
    int64_t from, to;
    int64_t value;
    const char *name; /* NULL: the value has no name */
    bool is_unknown;  /* there were more changes than are kept */
    unsigned colour;  /* another one for each value of the field, in order of appearance */
};
struct chart_strip {
    char *caption; /* the field; owned */
    struct chart_band *bands;
    size_t count;
    size_t stream;
};

struct chart_stop {
    int64_t time;
    uint64_t packet;
    const char *file; /* NULL unless there are several */
    char *text;       /* owned */
};

/* A connection, and those that followed it with the same robot's port: a client that connects again. */
struct chart_stream {
    char *numbers; /* as `armtap info` numbers them: "0", "0, 2"; owned */
    char *title;   /* "stream 0: rtde, 10.0.0.2:30004"; owned */
    struct thinning gaps;
    unsigned first; /* the number of the first connection */
    int64_t from, to;
    uint64_t records;
};

struct chart {
    char *title; /* the robot; owned */
    char *robot; /* an address of it; "": a raw dump; owned */
    int64_t from, to;
    bool is_partial; /* there are other robots, more streams, curves, modes or stops than are shown, or unread data */
    bool is_clock;   /* times are the controller's clock: the capture has none */
    struct chart_panel *panels;
    size_t panel_count;
    struct chart_strip *strips;
    size_t strip_count;
    struct chart_stop *stops;
    size_t stop_count;
    uint64_t stops_left_out; /* which were not kept one by one */
    struct chart_stream *streams;
    size_t stream_count;
    struct figure figure;
    size_t figure_stream; /* in streams: whose records its poses are */
};

struct chart_wish {
    const char *fields; /* names, elements and patterns, separated by commas; NULL: the usual panels */
    bool has_stream;
    unsigned stream;
    bool has_connection; /* the stream's, for a second reading where the first had no room for it */
    uint64_t connection;
    struct timestamp from, to;
    const struct armtap_note_kind *around; /* NULL: all of the range */
    int64_t reach;                         /* ns around the first such finding */
    enum timestamp_zone zone;
    bool is_for_page; /* without anything to show the chart is NULL, and that is no failure; no warnings */
    bool has_figure;  /* with the arm itself */
    size_t bins;      /* of a curve: twice the picture's columns, so that no column lacks its own */
};

/* Reads the source. EXIT_DONE, or EXIT_FAILED after a message; then *chart is NULL, unless the source was damaged after
 * something that can be shown. The caller frees *chart with chart_free. */
enum exit_status chart_collect(const struct chart_wish *wish, const struct replay_source *source, struct chart **chart);
void chart_free(struct chart *chart);
/* Whether an address is that of the robot that is shown. */
bool chart_has_robot(const struct chart *chart, const char *address);

#endif
