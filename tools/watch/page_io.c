/* Inputs and outputs by the names that they have in UR's programs. */
#include <inttypes.h>
#include <math.h>

#include "diagnose/diagnosis.h"
#include "pages.h"

static const struct lamps lamps_cb3[] = {
    {"digital_in", false, 0, 8}, {"config_in", false, 8, 8}, {"tool_in", false, 16, 2}, {"digital_out", true, 0, 8},
    {"config_out", true, 8, 8},  {"tool_out", true, 16, 2},  {NULL, false, 0, 0},
};
static const struct lamps lamps_cb2[] = {
    {"digital_in", false, 0, 8}, {"tool_in", false, 8, 2}, {"digital_out", true, 0, 8},
    {"tool_out", true, 8, 2},    {NULL, false, 0, 0},
};

const struct lamps *lamps_at(enum armtap_generation generation, size_t i)
{
    const struct lamps *all = generation == ARMTAP_GENERATION_CB2 ? lamps_cb2 : lamps_cb3;
    return all[i].name ? &all[i] : NULL;
}

const struct lamps *lamps_of(enum armtap_generation generation, bool is_output, unsigned bit)
{
    const struct lamps *lamps;
    for (size_t i = 0; (lamps = lamps_at(generation, i)); i++)
        if (lamps->is_output == is_output && bit - lamps->first < lamps->count)
            return lamps;
    return NULL;
}

bool lamps_known(const struct watch_robot *robot, bool is_output)
{
    return robot_has(robot, is_output ? ARMTAP_ID_actual_digital_output_bits : ARMTAP_ID_actual_digital_input_bits);
}

void pen_edge(struct pen *pen, const struct body *body, const struct edge *edge)
{
    char clock[CELL_MAX];
    const struct lamps *lamps = lamps_of(body->robot->generation, edge->is_output, edge->bit);
    if (lamps)
        pen_say(pen, "%s[%u]", lamps->name, edge->bit - lamps->first);
    else
        pen_say(pen, "%s bit %u", edge->is_output ? "output" : "input", edge->bit);
    pen_say(pen, " %s at %s", edge->level ? "on" : "off", cell_clock(clock, edge->time, body->view->zone));
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void draw_lamp(struct body *body, struct pen *pen, const struct lamps *lamps, unsigned i)
{
    const struct watch_robot *robot = body->robot;
    const struct edge *edge = &robot->edges[lamps->is_output][lamps->first + i];
    uint64_t bits =
        lamps->is_output ? robot->state->actual_digital_output_bits : robot->state->actual_digital_input_bits;
    char clock[CELL_MAX];
    pen_say(pen, "%-11s %u ", lamps->name, i);
    pen_lamp(pen, body->view->is_ascii, bits >> (lamps->first + i) & 1, true);
    if (edge->time != ARMTAP_NO_TIME)
        pen_say(pen, "  %s", cell_clock(clock, edge->time, body->view->zone));
}

/* The i-th lamp of the inputs or outputs; false beyond the last. */
static bool find_lamp(enum armtap_generation generation, bool is_output, unsigned i, const struct lamps **group,
                      unsigned *place)
{
    for (size_t k = 0; (*group = lamps_at(generation, k)); k++) {
        if ((*group)->is_output != is_output)
            continue;
        *place = i;
        if (i < (*group)->count)
            return true;
        i -= (*group)->count;
    }
    return false;
}

/* Values of analog inputs and outputs, as far as they are known. */
static const enum armtap_field_id analog[] = {
    ARMTAP_ID_standard_analog_input0,  ARMTAP_ID_standard_analog_input1, ARMTAP_ID_standard_analog_output0,
    ARMTAP_ID_standard_analog_output1, ARMTAP_ID_tool_analog_input0,     ARMTAP_ID_tool_analog_input1,
};

static void draw_analog(struct body *body)
{
    struct pen pen = {.sheet = NULL};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof analog / sizeof *analog; i++) {
        if (!robot_has(body->robot, analog[i]))
            continue;
        if (count++ % 2 == 0)
            pen = body_line(body);
        pen_to(&pen, count % 2 == 0 ? 41 : 1);
        pen_say(&pen, "%-24s", armtap_field_at(analog[i])->name);
        pen_number(&pen, style_of(body, analog[i], 0), 9, 3, robot_number(body->robot, analog[i], 0));
    }
}

void page_io(struct body *body)
{
    enum armtap_generation generation = body->robot->generation;
    const struct lamps *lamps;
    unsigned place;
    body_heading(body, "input          last edge               output         last edge");
    if (!lamps_known(body->robot, false) && !lamps_known(body->robot, true)) {
        struct pen pen = body_line(body);
        pen_styled(&pen, dim, "not in the data");
    }
    for (unsigned i = 0; i < WATCH_BITS; i++) {
        bool has_in = lamps_known(body->robot, false) && find_lamp(generation, false, i, &lamps, &place);
        const struct lamps *out;
        unsigned out_place;
        bool has_out = lamps_known(body->robot, true) && find_lamp(generation, true, i, &out, &out_place);
        if (!has_in && !has_out)
            break;
        if (body->view->scroll > 0 && (int)i < body->view->scroll)
            continue;
        struct pen pen = body_line(body);
        if (has_in)
            draw_lamp(body, &pen, lamps, place);
        pen_to(&pen, 40);
        if (has_out)
            draw_lamp(body, &pen, out, out_place);
    }
    draw_analog(body);
}
