/* What set-ups leave: the recipes of both directions. */
#include "rtde_session.h"

#include <stdlib.h>
#include <string.h>

#include "rtde_package.h"
#include "rtde_reply.h"

int armtap_rtde_open(void *context)
{
    struct armtap_rtde *rtde = context;
    rtde->requests_end = &rtde->requests;
    rtde->clock_offset = rtde->sampled_clock = rtde->outputs_id = -1;
    return ARMTAP_OK;
}

void armtap_rtde_close(void *context)
{
    struct armtap_rtde *rtde = context;
    armtap_rtde_forget_requests(rtde);
    free(rtde->held.lists);
    free(rtde->limits);
    free(rtde->not_taken);
    armtap_rtde_put(rtde, &rtde->outputs, NULL);
    armtap_rtde_put(rtde, &rtde->typed, NULL);
    for (size_t i = 0; rtde->inputs && i < ARMTAP_RTDE_INPUT_IDS; i++)
        armtap_rtde_put(rtde, &rtde->inputs->by_id[i], NULL);
    free(rtde->inputs);
}

/* ---- replies to set-ups ---- */

/* The layout of the data that follows this reply; NULL if it was refused or cannot be read. */
static int make_recipe(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                       struct armtap_rtde_reply *reply, struct armtap_recipe **recipe)
{
    *recipe = NULL;
    int error = armtap_rtde_note_reply(rtde, conn, frame, reply);
    if (error == ARMTAP_OK && (reply->refused || reply->missed.length > 0) && reply->requested)
        error = armtap_rtde_tell_refused(conn, frame, reply);
    if (error != ARMTAP_OK || reply->refused || (reply->strange && reply->requested))
        return error;
    error = armtap_rtde_recipe_of(conn, frame, reply, recipe);
    if (error == ARMTAP_OK && *recipe && !reply->layout)
        error = armtap_rtde_note_strangers(conn, frame, reply, *recipe);
    if (error != ARMTAP_OK) {
        armtap_recipe_release(*recipe);
        *recipe = NULL;
    }
    return error;
}

static int note_varying(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                        size_t length)
{
    size_t i = 0;
    while (recipe->entries[i].type != ARMTAP_BYTES)
        i++;
    const char *name = recipe->entries[i].name;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_type_unknown,
                             ARGS(arg_case(ARMTAP_WORD_varying), arg_bytes_known(recipe->size), arg_bytes(length),
                                  arg_quoted_name(name, strlen(name))));
}

/* The length of data gives only the total size of several fields of unknown types. */
static int note_shared(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe)
{
    const char *first = NULL, *last = NULL;
    uint64_t count = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        if (recipe->entries[i].type != ARMTAP_BYTES)
            continue;
        count++;
        last = recipe->entries[i].name;
        first = first ? first : last;
    }
    if (count == 0)
        return ARMTAP_OK;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_type_unknown,
                             ARGS(arg_case(ARMTAP_WORD_not_separated), arg_fields(count), arg_bytes(recipe->common),
                                  arg_quoted_name(first, strlen(first)), arg_quoted_last(last, strlen(last))));
}

int armtap_rtde_size_unknown(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                             struct armtap_recipe **place, size_t length)
{
    struct armtap_recipe *recipe = *place, *other = NULL;
    bool outputs = frame->direction == ARMTAP_FROM_ROBOT;
    bool has_id = (!outputs || rtde->protocol >= 2) && frame->length > ARMTAP_RTDE_HEADER;
    int id = has_id ? frame->bytes[ARMTAP_RTDE_HEADER] : 0;
    int error = ARMTAP_OK;
    if (recipe->replied && recipe->size != length) {
        error = note_varying(conn, frame, recipe, length);
        other = armtap_recipe_hold(recipe->replied);
        other->unsized = true;
    } else if (recipe->open && !recipe->unsized) {
        error = armtap_recipe_of_length(recipe, length, &other);
        recipe->unsized = !other;
        if (other && other->common > 0)
            error = note_shared(conn, frame, other);
    }
    if (!other)
        return error;
    armtap_rtde_put(rtde, place, other);
    if (outputs)
        rtde->clock_offset = armtap_rtde_clock_offset(other);
    if (outputs && error == ARMTAP_OK && !other->open && !rtde->outputs_guessed && !rtde->outputs_unnamed)
        error = armtap_conn_teach(conn, frame, other, rtde->protocol, id);
    if (error != ARMTAP_OK)
        return error;
    return armtap_conn_recipe(conn, frame, frame->direction, id, outputs ? rtde->frequency : 0,
                              outputs && rtde->outputs_guessed ? ARMTAP_GUESSED : 0, other);
}

/* Takes the names of the recipe that the user gave, if only the types were captured and both have the same ones. */
static struct armtap_recipe *name_by_given(struct armtap_conn *conn, struct armtap_recipe *recipe, bool *named)
{
    const struct armtap_recipe *given = armtap_conn_given_recipe(conn);
    bool same = given && given->count == recipe->count && given->size == recipe->size;
    for (size_t i = 0; same && i < recipe->count; i++)
        same = given->entries[i].offset == recipe->entries[i].offset &&
               given->entries[i].wire_size == recipe->entries[i].wire_size;
    *named = same;
    if (!same)
        return recipe;
    armtap_recipe_release(recipe);
    return armtap_recipe_hold(given);
}

int armtap_rtde_set_up_outputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_rtde_package *package)
{
    struct armtap_rtde_request *request = armtap_rtde_answered(rtde, ARMTAP_RTDE_SETUP_OUTPUTS);
    struct armtap_rtde_reply reply = armtap_rtde_read_reply(rtde, conn, request, package);
    struct armtap_recipe *recipe;
    bool named = false;
    int error = make_recipe(rtde, conn, frame, &reply, &recipe);
    armtap_recipe_release(reply.layout);
    armtap_rtde_free_request(rtde, request);
    rtde->bad_reply[ARMTAP_FROM_ROBOT] = (struct armtap_rtde_bad){reply.strange, reply.refused, frame->where.packet};
    if (error != ARMTAP_OK) {
        armtap_recipe_release(recipe);
        return error;
    }
    if (recipe && !reply.requested)
        recipe = name_by_given(conn, recipe, &named);
    armtap_rtde_take_outputs(rtde, recipe);
    rtde->outputs_unnamed = recipe && !reply.requested && !named;
    if (rtde->outputs_unnamed && !recipe->open)
        armtap_rtde_put(rtde, &rtde->typed, armtap_recipe_hold(recipe));
    rtde->outputs_refused = reply.refused;
    rtde->missing_noted[ARMTAP_FROM_ROBOT] = !reply.affordable; /* already noted */
    if (!recipe)
        return ARMTAP_OK;
    rtde->frequency = reply.frequency;
    rtde->outputs_id = package->has_id && rtde->protocol >= 2 ? (int)package->id : -1;
    if (reply.requested && !recipe->open)
        error = armtap_conn_teach(conn, frame, recipe, rtde->protocol, (int)package->id);
    if (error != ARMTAP_OK)
        return error;
    return armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, (int)package->id, reply.frequency, 0, recipe);
}

/* An input recipe was replaced: what no other has is no longer known. */
static void forget_inputs(const struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    struct armtap_set in_force = {{0}};
    for (size_t i = 0; i < ARMTAP_RTDE_INPUT_IDS; i++)
        armtap_recipe_add_fields(rtde->inputs->by_id[i], &in_force);
    armtap_conn_keep_known(conn, ARMTAP_TO_ROBOT, 1, &in_force);
}

int armtap_rtde_put_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           struct armtap_recipe *recipe, uint8_t id)
{
    if (!rtde->inputs && !(rtde->inputs = calloc(1, sizeof *rtde->inputs))) {
        armtap_recipe_release(recipe);
        return ARMTAP_ERR_MEMORY;
    }
    struct armtap_recipe **place = &rtde->inputs->by_id[id];
    bool is_replaced = *place != NULL;
    size_t replaced = *place ? (*place)->count : 0;
    if (rtde->input_entries - replaced + recipe->count > ARMTAP_LIMIT_inputs) {
        armtap_recipe_release(recipe);
        return armtap_conn_limit(conn, frame, ARMTAP_BUDGET_inputs);
    }
    rtde->input_entries += recipe->count - replaced;
    armtap_rtde_put(rtde, place, recipe);
    armtap_rtde_inputs_sort(rtde->inputs, id);
    if (is_replaced)
        forget_inputs(rtde, conn);
    return ARMTAP_OK;
}

int armtap_rtde_set_up_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                              const struct armtap_rtde_package *package)
{
    struct armtap_rtde_request *request = armtap_rtde_answered(rtde, ARMTAP_RTDE_SETUP_INPUTS);
    struct armtap_rtde_reply reply = armtap_rtde_read_reply(rtde, conn, request, package);
    struct armtap_recipe *recipe;
    int error = make_recipe(rtde, conn, frame, &reply, &recipe);
    armtap_recipe_release(reply.layout);
    armtap_rtde_free_request(rtde, request);
    rtde->bad_reply[ARMTAP_TO_ROBOT] = (struct armtap_rtde_bad){reply.strange, reply.refused, frame->where.packet};
    if (error != ARMTAP_OK)
        armtap_recipe_release(recipe);
    if (error != ARMTAP_OK || !recipe)
        return error;
    error = armtap_rtde_put_inputs(rtde, conn, frame, recipe, (uint8_t)package->id);
    if (error != ARMTAP_OK || rtde->inputs->by_id[package->id] != recipe)
        return error;
    return armtap_conn_recipe(conn, frame, ARMTAP_TO_ROBOT, (int)package->id, 0, 0, recipe);
}

int armtap_rtde_unreadable(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    enum armtap_rtde_type type = (enum armtap_rtde_type)frame->bytes[2];
    struct armtap_line hex;
    if (type == ARMTAP_RTDE_PROPERTIES)
        return armtap_rtde_unreadable_properties(rtde, conn, frame);
    armtap_rtde_answered_badly(rtde, type);
    if (type == ARMTAP_RTDE_SETUP_OUTPUTS) {
        armtap_rtde_take_outputs(rtde, NULL);
        rtde->outputs_refused = false;
    }
    rtde->bad_reply[type == ARMTAP_RTDE_SETUP_INPUTS ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT] =
        (struct armtap_rtde_bad){true, false, frame->where.packet};
    armtap_rtde_show_bytes(&hex, frame);
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_rtde_setup_bad,
        ARGS(arg_request(armtap_rtde_set_up_of(type)), arg_reason(ARMTAP_WORD_unreadable), arg_hex(hex.text)));
}
