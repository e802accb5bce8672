/* Which connection set up a robot's inputs, as far as was captured, until it ended: it explains why another connection
 * is refused them. */
#ifndef ANALYSIS_INPUT_HOLDERS_H
#define ANALYSIS_INPUT_HOLDERS_H

#include "armtap-analysis.h"
#include "by_connection.h"

#define INPUT_HOLDERS_TEXT 400

/* Starts as zeros. Of at most 256 connections at a time. */
struct input_holders {
    struct by_connection all; /* struct input_holder */
};

/* 0, or -1 if memory runs out. */
int armtap_input_holders_recipe(struct input_holders *holders, const struct armtap_recipe_event *event);
void armtap_input_holders_event(struct input_holders *holders, const struct armtap_event *event);
/* Writes what the note of a refused input says if its holder is known; false if it is not, or for another note. */
bool armtap_input_holders_text(const struct input_holders *holders, const struct armtap_note *note,
                               char text[INPUT_HOLDERS_TEXT]);
void armtap_input_holders_clear(struct input_holders *holders);

#endif
