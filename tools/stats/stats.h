/* What armtap stats adds up, and how it prints that. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "analysis/armtap-analysis.h"
#include "base/text/buffer.h"
#include "export/rows/field_selection.h"
#include "input/replay/replay.h"

/* ---- adding up --------------------------------------------------------------------------------------------------- */

/* A value as it came. */
struct sample {
    enum armtap_type type; /* DOUBLE, INT64 or UINT64; STRING: a text; JSON: there is none */
    union {
        double f64;
        int64_t i64;
        uint64_t u64;
    };
};

struct extreme {
    struct sample value;
    struct armtap_where where; /* the packet with the record's last byte */
    struct armtap_where read;  /* as in the record */
};

/* A value of a mode. */
struct mode_sum {
    int64_t value;
    uint64_t records;
    int64_t ns; /* for which it held, as far as that is known */
};
#define MODES_MAX 64
#define KNOWN_MAX 64
#define CELL_TEXT_MAX 1000

enum cell_kind { CELL_NUMBER, CELL_MODE, CELL_BITS };

/* A field, or an element of a vector. */
struct cell {
    char *name;
    const struct armtap_field *field; /* NULL: the dictionary lacks it */
    const char *unit;
    int unit_length;
    enum cell_kind kind;
    uint64_t numbers; /* finite ones */
    uint64_t odd;     /* NaN, infinite */
    uint64_t texts;
    uint64_t changes; /* values that differ from the one before in their stream */
    /* The first number; the mean of the differences from it, and the sum of squared deviations (Welford): of a type in
     * which no square of a difference of doubles overflows. */
    long double origin, mean, squares;
    struct extreme least, most, first, last;
    struct buffer first_text, last_text; /* at most CELL_TEXT_MAX bytes */
    struct mode_sum *modes;
    size_t mode_count;
    struct time_span {
        int64_t from, to;
    } * known; /* when it is known which one held, as far as more may come of that time; apart */
    size_t known_count;
    uint64_t modes_left_out; /* records with further values */
    uint64_t made_by;        /* the plan that took it last */
};

/* The records of a robot's port, of all connections to it. */
struct robot_sums {
    struct armtap_stream stream; /* of the latest record */
    uint64_t streams, records;
    uint64_t opaque, guessed;      /* records without a recipe, or with a guessed one */
    uint64_t bytes_lost;           /* of its streams, in the direction of the records; set by sums_lost() */
    int64_t first_time, last_time; /* ARMTAP_NO_TIME without any */
    struct cell **cells;
    size_t cell_count;
    struct flow *flows; /* connections, those of the latest records */
    size_t flow_count;
    struct plan *plans; /* for the recipes of the latest records */
    size_t plan_count;
};

struct sums {
    struct selection selection; /* --fields */
    const struct labels *labels;
    struct robot_sums **robots;
    size_t robot_count;
    size_t cells;      /* of all of them */
    uint64_t turn;     /* counts records */
    uint64_t plans;    /* made so far */
    bool has_left_out; /* there are too many robots or cells */
};

/* Both 0, or -1 without memory. */
int sums_record(struct sums *sums, const struct armtap_record *record);
/* Data of a connection stops for a while, on purpose. */
void sums_pause(struct sums *sums, const struct armtap_stream *stream);
/* Adds what the capture lacks of a stream. */
void sums_lost(struct sums *sums, const struct armtap_stream *stream, enum armtap_direction direction);
/* Forgets all but what is asked for. */
void sums_clear(struct sums *sums);
/* NAN without a number. */
double cell_mean(const struct cell *cell);
/* The sample deviation; NAN with less than two numbers. */
double cell_deviation(const struct cell *cell);

/* ---- printing ---------------------------------------------------------------------------------------------------- */

struct report {
    const struct sums *sums;
    const struct replay_source *source;
    enum armtap_direction direction;
    enum timestamp_zone zone;
    bool is_whole; /* without --from and --to: what is missing is of the same time */
};
void report_text(const struct report *report);
void report_json(const struct report *report);

#endif
