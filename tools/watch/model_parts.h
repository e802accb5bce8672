/* What the files of the model share; for them alone. */
#ifndef WATCH_MODEL_PARTS_H
#define WATCH_MODEL_PARTS_H

#include "base/terminal/word_wrap.h"
#include "diagnose/diagnosis.h"
#include "model.h"
#include "analysis/inside.h"

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

    struct diagnosis diagnosis; /* what is said once all was read */
    struct armtap_finding kept[KEPT_FINDINGS];
    size_t kept_count;
    uint64_t order;
    struct armtap_stream streams[KEPT_STREAMS]; /* that findings name, as last seen */
    size_t stream_count;
    bool is_judged; /* nothing was found since */
};

/* ---- found.c ---- */

/* 0, or -1 if memory runs out. */
int judge_begin(struct model *model, enum timestamp_zone zone);
void judge_free(struct model *model);
/* Puts rates, jitter and skips so far into the robots' streams. */
void take_rates(struct model *model);
/* Finds the incidents of what was found so far, if something new was. */
void judge_so_far(struct model *model);

#endif
