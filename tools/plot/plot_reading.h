/* What a reading of captures leaves for a chart: the curves of each stream, where its data is missing, and what the
 * analysis found. */
#ifndef PLOT_PLOT_READING_H
#define PLOT_PLOT_READING_H

#include "by_connection.h"
#include "chart.h"
#include "figure/figure.h"
#include "armtap.h"

/* The curves of one stream: which of its fields are drawn, and their values as records bring them. */

#define SERIES_ELEMENTS 6

/* One panel's worth: the elements of a field. */
struct series {
    char *name;                       /* of the field, as in other output; owned */
    char *caption;                    /* owned */
    const struct armtap_field *field; /* NULL: not in the dictionary */
    size_t rank;                      /* panels are in this order */
    bool is_norm;                     /* one curve, the length of the vector */
    bool has[SERIES_ELEMENTS];        /* which elements are drawn */
    unsigned first, count;            /* elements of the field that are read */
    struct thinning points[SERIES_ELEMENTS];
    uint64_t values; /* records that had it */
};

/* What the user wants to see: NULL for the usual panels. */
struct series_wish {
    const char *fields;
    size_t bins;
};

struct series_plan;
/* Starts as zeros, but for `wish`. */
struct series_set {
    const struct series_wish *wish;
    struct series **all;
    size_t count;
    struct series_plan *plans; /* for the recipes seen last */
    size_t next_plan;
    size_t *curves; /* how many there may still be, of all streams */
    bool left_out;  /* there were more */
};

/* Adds a record's values at that time. 0, or -1 without memory. */
int series_take(struct series_set *set, const struct armtap_record *record, int64_t time);
/* The next values are not joined to those before. */
void series_break(struct series_set *set);
/* The first values from that time on are not joined to those before. */
void series_break_at(struct series_set *set, int64_t time);
/* Moves all values of a later set into this one, which has the same wish; lines between them are interrupted. 0, or -1
 * without memory. */
int series_join(struct series_set *set, struct series_set *later);
void series_free(struct series_set *set);

/* Bounds the memory: a curve of 2048 bins takes 80 kB. */
#define STREAMS_MAX 256
#define CURVES_MAX 256
/* With those whose curves a later one goes on with. */
#define CONNECTIONS_MAX 4096

/* One connection. */
struct read_stream {
    uint64_t connection;
    struct series_set series;
    struct thinning gaps;
    struct poses poses;  /* if the chart is to have a figure */
    int64_t first, last; /* least and greatest time of its records from the robot; ARMTAP_NO_TIME without one */
    uint64_t records;
    bool is_closed;
    int64_t after;       /* time of the last record of the one that it goes on with; ARMTAP_NO_TIME: none */
    bool has_gap_before; /* its first record comes behind a gap */
    bool is_continued;   /* a later connection took its curves and gaps over, and goes on with them */
    double flowing;      /* s between records, without the times that are gaps */
    uint64_t intervals;  /* that `flowing` is the sum of */
    /* Where a record came with a time long before the first: nothing is known between the two. from == to: nowhere. */
    struct unfilled {
        int64_t from, to;
    } unfilled;
    ptrdiff_t shown; /* in chart.streams; -1: it is not */
};

struct plot_reading {
    const struct replay_source *source;
    const struct chart_wish *wish;
    struct series_wish series_wish;
    struct armtap_diagnosis *found;
    struct missing_data *missing;
    struct by_connection streams; /* struct read_stream */
    struct replay_totals totals;
    struct timestamp_range range; /* records outside are not taken */
    bool is_range_known;
    bool is_clock; /* the records have no capture time: their times are the controller's clock */
    bool streams_left_out;
    bool has_stopped; /* a stop was found, whose poses are not kept yet */
    size_t going_on;  /* streams whose curves another one has now */
    size_t curves;    /* how many there may still be */
};

/* Reads the source; call plot_reading_free in any case. EXIT_DONE, or EXIT_FAILED after a message; totals.broken_off
 * says whether there is nothing to show then. */
enum exit_status plot_read(struct plot_reading *reading, const struct chart_wish *wish,
                           const struct replay_source *source);
void plot_reading_free(struct plot_reading *reading);

#endif
