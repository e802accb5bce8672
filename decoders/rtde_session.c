#include "rtde_session.h"

void armtap_rtde_read_as(struct armtap_rtde *rtde, struct armtap_conn *conn, int protocol)
{
    rtde->protocol = protocol;
    armtap_conn_version(conn, protocol >= 2 ? 0 : protocol, ARMTAP_GENERATION_CB3E);
}

void armtap_rtde_put(struct armtap_rtde *rtde, struct armtap_recipe **place, struct armtap_recipe *recipe)
{
    struct armtap_recipe *before = *place;
    if (recipe && recipe->is_shared)
        recipe->users++;
    else if (recipe)
        rtde->recipe_bytes += recipe->bytes;
    if (before && before->is_shared)
        before->users--;
    else if (before)
        rtde->recipe_bytes -= before->bytes;
    armtap_recipe_release(before);
    *place = recipe;
}

int armtap_rtde_may_make(struct armtap_conn *conn, const struct armtap_frame *frame, size_t fields, size_t name_bytes,
                         bool *may)
{
    int error = armtap_conn_may_keep(conn, frame, armtap_recipe_bytes(fields, name_bytes), may);
    return error == ARMTAP_OK && *may ? armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, fields, may) : error;
}

long armtap_rtde_clock_offset(const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (recipe->entries[i].field && recipe->entries[i].field->id == ARMTAP_ID_timestamp)
            return (long)recipe->entries[i].offset;
    return -1;
}

void armtap_rtde_take_outputs(struct armtap_rtde *rtde, struct armtap_recipe *recipe)
{
    armtap_rtde_put(rtde, &rtde->outputs, recipe);
    armtap_rtde_put(rtde, &rtde->typed, NULL);
    rtde->outputs_unnamed = rtde->outputs_guessed = rtde->outputs_inferred = false;
    rtde->outputs_id = -1;
    rtde->clock_offset = recipe ? armtap_rtde_clock_offset(recipe) : -1;
    rtde->missing_noted[ARMTAP_FROM_ROBOT] = false;
    rtde->doubt.judging = false;
    rtde->candidates.count = 0;
}
