/* What a reading of captures leaves for a chart: the curves of each stream, where its data is missing, and what the
 * analysis found. */
#ifndef PLOT_PLOT_READING_H
#define PLOT_PLOT_READING_H

#include "by_connection.h"
#include "chart.h"
#include "series.h"

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
    int64_t first, last; /* least and greatest time of its records from the robot; ARMTAP_NO_TIME without one */
    uint64_t records;
    bool is_paused;
    bool is_closed;
    bool is_continued;  /* a later connection took its curves and gaps over, and goes on with them */
    double flowing;     /* s between records, without the times that are gaps */
    uint64_t intervals; /* that `flowing` is the sum of */
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
    int64_t from, to;    /* records outside are not taken */
    bool is_range_known; /* from and to are set */
    bool is_clock;       /* the records have no capture time: their times are the controller's clock */
    bool streams_left_out;
    size_t going_on; /* streams whose curves another one has now */
    size_t curves;   /* how many there may still be */
};

/* Reads the source; call plot_reading_free in any case. EXIT_DONE, or EXIT_FAILED after a message; totals.broken_off
 * says whether there is nothing to show then. */
enum exit_status plot_read(struct plot_reading *reading, const struct chart_wish *wish,
                           const struct replay_source *source);
void plot_reading_free(struct plot_reading *reading);

#endif
