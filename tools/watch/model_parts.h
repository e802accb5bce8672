/* What the files of the model share; for them alone. */
#ifndef WATCH_MODEL_PARTS_H
#define WATCH_MODEL_PARTS_H

#include "base/terminal/word_wrap.h"
#include "diagnose/diagnosis.h"
#include "model.h"
#include "analysis/inside.h"

/* How data of a connection arrives, as the analysis judges it. */
struct meter {
    uint64_t connection;
    struct armtap_rates *rates;
};

/* Findings that incidents are found from. */
enum { KEPT_FINDINGS = 300, KEPT_STREAMS = 64 };

struct model {
    const struct replay_source *source;
    struct watch_scene scene;
    struct watch_robot *recent; /* of the last record */
    uint64_t recent_connection;
    int64_t refreshed;
    bool has_failed; /* memory ran out */
    bool is_stopped;

    struct armtap_rates_shared *shared;
    struct meter *meters;
    size_t meter_count;

    struct diagnosis diagnosis; /* what is said once all was read */
    struct armtap_finding kept[KEPT_FINDINGS];
    size_t kept_count;
    uint64_t order;
    struct armtap_stream streams[KEPT_STREAMS]; /* that findings name, as last seen */
    size_t stream_count;
    bool is_judged; /* nothing was found since */
};

/* ---- model.c ---- */

struct watch_robot *model_robot(struct model *model, const struct armtap_stream *stream, unsigned arm);

/* ---- meters.c: each call is of a sink's callback ---- */

void meters_record(struct model *model, const struct armtap_record *record);
void meters_recipe(struct model *model, const struct armtap_recipe_event *event);
void meters_event(struct model *model, const struct armtap_event *event);
void meters_note(struct model *model, const struct armtap_note *note);
void meters_close(struct model *model, const struct armtap_stream *stream);
/* Puts the totals into the robots' streams. */
void meters_refresh(struct model *model);
void meters_free(struct model *model);

/* ---- found.c ---- */

/* 0, or -1 if memory runs out. */
int judge_begin(struct model *model, enum timestamp_zone zone);
void judge_free(struct model *model);
/* Finds the incidents of what was found so far, if something new was. */
void judge_so_far(struct model *model);

#endif
