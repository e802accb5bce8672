#define _POSIX_C_SOURCE 200809L
#include "legacy_layout.h"
#include "inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A packet is a length word, then cells. */
#define LENGTH_WORD 4
#define CELL 8

/* ---- which variables --------------------------------------------------------------------------------------------- */

static bool is_variable(const struct armtap_field *field)
{
    return (field->direction & ARMTAP_FIELD_OUTPUT) != 0;
}

static const struct armtap_field *field_at(const struct armtap_recipe *recipe, size_t i)
{
    const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
    return entry ? entry->field : NULL;
}

static bool has_field(const struct armtap_recipe *recipe, const struct armtap_field *field)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++)
        if (field_at(recipe, i) == field)
            return true;
    return false;
}

/* CB2's robot mode tells stops, later ones leave that to the safety mode. */
static const struct armtap_field *also_needed(const struct legacy_layout *layout)
{
    bool has_mode = has_field(layout->recipe, armtap_field_at(ARMTAP_ID_robot_mode));
    return has_mode && layout->generation == ARMTAP_GENERATION_CB2 ? armtap_field_at(ARMTAP_ID_safety_mode) : NULL;
}

static char *list_names(const struct legacy_layout *layout)
{
    const struct armtap_field *field, *also = also_needed(layout);
    size_t length = also ? strlen(also->name) + 2 : 1;
    for (size_t i = 0; (field = field_at(layout->recipe, i)); i++)
        length += strlen(field->name) + 1;
    char *names = malloc(length), *end = names;
    if (!names)
        return NULL;
    for (size_t i = 0; (field = field_at(layout->recipe, i)); i++)
        if (is_variable(field))
            end += sprintf(end, "%s%s", end == names ? "" : ",", field->name);
    if (also)
        sprintf(end, ",%s", also->name);
    return names;
}

/* A layout of CB2 is a prefix of that generation's longest. */
static enum armtap_generation generation_of(size_t size)
{
    size_t longest_cb2 = LENGTH_WORD + CELL * armtap_layout_columns(ARMTAP_GENERATION_CB2);
    return size <= longest_cb2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

bool legacy_layout_knows(size_t size, char list[LEGACY_LAYOUT_LIST])
{
    bool known = false;
    size_t length = 0, one;
    list[0] = '\0';
    for (size_t i = 0; (one = armtap_realtime_size_at(i)) > 0 && length < LEGACY_LAYOUT_LIST; i++) {
        known |= one == size;
        length += (size_t)snprintf(list + length, LEGACY_LAYOUT_LIST - length, "%s%zu", i == 0 ? "" : ", ", one);
    }
    return known;
}

int legacy_layout_begin(struct legacy_layout *layout, size_t size)
{
    *layout = (struct legacy_layout){.size = size, .generation = generation_of(size), .converted = armtap_state_new()};
    if (!layout->converted || armtap_recipe_realtime(size, &layout->recipe) != ARMTAP_OK)
        return -1;
    layout->names = list_names(layout);
    return layout->names ? 0 : -1;
}

void legacy_layout_end(struct legacy_layout *layout)
{
    armtap_recipe_release(layout->recipe);
    armtap_state_free(layout->converted);
    free(layout->names);
}

/* ---- what is lacking --------------------------------------------------------------------------------------------- */

static unsigned column_of(const struct legacy_layout *layout, const struct armtap_field *field)
{
    return layout->generation == ARMTAP_GENERATION_CB2 ? field->column_cb2 : field->column_cb3e;
}

void legacy_layout_lacks(const struct legacy_layout *layout, const struct armtap_recipe *received,
                         void (*on_lack)(void *user, const struct legacy_lack *lack), void *user)
{
    const struct armtap_field *field;
    for (size_t i = 0; (field = field_at(layout->recipe, i)); i++) {
        unsigned first = column_of(layout, field);
        struct legacy_lack lack = {field, first, first + field->count - 1U, is_variable(field)};
        if (!has_field(received, field))
            on_lack(user, &lack);
    }
}

unsigned legacy_layout_filled(const struct legacy_layout *layout, const struct armtap_recipe *received)
{
    const struct armtap_field *field;
    unsigned cells = 0;
    for (size_t i = 0; (field = field_at(layout->recipe, i)); i++)
        if (has_field(received, field))
            cells += field->count;
    return cells;
}

/* ---- CB2 --------------------------------------------------------------------------------------------------------- */

/* Modes that mean the same; those that are not here have no counterpart. A safety mode that stops the arm decides, and
 * the robot mode otherwise. Source: UR's tables of both generations (lib/table/enums.def). */
struct mode_row {
    int32_t mode, cb2;
};
static const struct mode_row safety_stops[] = {
    {3, 4},  /* PROTECTIVE_STOP: SECURITY_STOPPED */
    {5, 10}, /* SAFEGUARD_STOP */
    {6, 5},  /* SYSTEM_EMERGENCY_STOP: EMERGENCY_STOPPED */
    {7, 5},  /* ROBOT_EMERGENCY_STOP: EMERGENCY_STOPPED */
    {8, 6},  /* VIOLATION: FATAL_ERROR */
    {9, 6},  /* FAULT: FATAL_ERROR */
};
static const struct mode_row robot_modes[] = {
    {-1, -1}, /* NO_CONTROLLER */
    {0, 8},   /* DISCONNECTED: NOT_CONNECTED */
    {3, 7},   /* POWER_OFF: NO_POWER */
    {7, 0},   /* RUNNING */
};
/* Safety modes in which the robot mode decides: NORMAL, REDUCED. */
#define SAFETY_LAST_MOVING 2
/* Tool inputs: the first of two bits. */
#define TOOL_INPUT 16
#define TOOL_INPUT_CB2 8
#define STANDARD_INPUTS UINT64_C(0xFF)

static const struct mode_row *find_mode(const struct mode_row *rows, size_t count, int32_t mode)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].mode == mode)
            return &rows[i];
    return NULL;
}

static bool refuse(char reason[LEGACY_LAYOUT_REASON], enum armtap_field_id id, int32_t value)
{
    const struct armtap_field *field = armtap_field_at(id);
    const char *name = armtap_enum_name(field, value, ARMTAP_GENERATION_CB3E);
    snprintf(reason, LEGACY_LAYOUT_REASON, "CB2 has no %s like %s (%" PRId32 ")", field->name, name ? name : "this",
             value);
    return false;
}

static bool convert_robot_mode(struct armtap_state *state, char reason[LEGACY_LAYOUT_REASON])
{
    if (!armtap_set_has(&state->known, ARMTAP_ID_robot_mode) || !armtap_set_has(&state->known, ARMTAP_ID_safety_mode)) {
        snprintf(reason, LEGACY_LAYOUT_REASON,
                 "CB2's robot mode is not known, because this robot lacks robot_mode or safety_mode");
        return false;
    }
    const struct mode_row *row =
        find_mode(safety_stops, sizeof safety_stops / sizeof *safety_stops, state->safety_mode);
    if (!row && state->safety_mode > SAFETY_LAST_MOVING)
        return refuse(reason, ARMTAP_ID_safety_mode, state->safety_mode);
    if (!row)
        row = find_mode(robot_modes, sizeof robot_modes / sizeof *robot_modes, state->robot_mode);
    if (!row)
        return refuse(reason, ARMTAP_ID_robot_mode, state->robot_mode);
    state->robot_mode = row->cb2;
    return true;
}

/* Joint modes have the same numbers but for some that were given new meanings. */
static bool check_joint_modes(const struct armtap_state *state, char reason[LEGACY_LAYOUT_REASON])
{
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_joint_mode);
    for (unsigned i = 0; i < field->count && armtap_set_has(&state->known, ARMTAP_ID_joint_mode); i++) {
        const char *cb2 = armtap_enum_name(field, state->joint_mode[i], ARMTAP_GENERATION_CB2);
        const char *later = armtap_enum_name(field, state->joint_mode[i], ARMTAP_GENERATION_CB3E);
        if (!cb2 || !later || strcmp(cb2, later) != 0)
            return refuse(reason, ARMTAP_ID_joint_mode, state->joint_mode[i]);
    }
    return true;
}

/* CB2's tool inputs follow the standard ones; it has no configurable inputs between them. */
static void convert_inputs(struct armtap_state *state)
{
    uint64_t bits = state->actual_digital_input_bits;
    state->actual_digital_input_bits = (bits & STANDARD_INPUTS) | (bits >> TOOL_INPUT & 3) << TOOL_INPUT_CB2;
}

bool legacy_layout_make(const struct legacy_layout *layout, const struct armtap_state *state, uint8_t *packet,
                        char reason[LEGACY_LAYOUT_REASON])
{
    if (layout->generation == ARMTAP_GENERATION_CB2) {
        armtap_state_copy(layout->converted, state);
        if (also_needed(layout) && !convert_robot_mode(layout->converted, reason))
            return false;
        if (!check_joint_modes(layout->converted, reason))
            return false;
        convert_inputs(layout->converted);
        state = layout->converted;
    }
    return armtap_encode_realtime(state, layout->size, packet) == ARMTAP_OK;
}
