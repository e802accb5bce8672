/* A robot's stream as a diagnosis sees it, made by hand: data every 8 ms, skipped packages, a protective stop, a gap, a
 * refused client, the end. */
#ifndef ARMTAP_TEST_ANALYSIS_SCENE_H
#define ARMTAP_TEST_ANALYSIS_SCENE_H

#include "analysis/armtap-analysis.h"

struct analysis_scene {
    struct armtap_stream stream;
    struct armtap_state *state;
    struct armtap_set updated;
    struct armtap_arm arm;
    struct armtap_record record;
    struct armtap_recipe *recipe;
    struct armtap_diagnosis *diagnosis;
    const struct armtap_sink *sink;
    double clock;
};
/* Packet numbers. */
enum { SCENE_SKIP = 101, SCENE_STOP = 121, SCENE_RECORDS = 200 };

/* Makes state and recipe, which are not the diagnosis's. */
void scene_prepare(struct analysis_scene *scene);
void scene_clear(struct analysis_scene *scene);
/* Gives it a diagnosis. */
int scene_begin(struct analysis_scene *scene, const struct armtap_diagnosis_options *options);
/* The next record, `packages` packages after the last one. */
int scene_record(struct analysis_scene *scene, unsigned packages);
int scene_event(struct analysis_scene *scene, enum armtap_event_type type, uint64_t a);
int scene_refused(struct analysis_scene *scene);
/* The whole scene, including its end. */
int scene_play(struct analysis_scene *scene, const struct armtap_diagnosis_options *options);

#endif
