/* The remainder of a partly refused set-up. */
#include <stdlib.h>
#include <string.h>

#include "table/field.h"
#include "rtde_reply.h"

/* Two lists under construction, of names and their types, and those refused. */
struct parts {
    char *text;          /* room for both lists */
    char *names, *types; /* where the next item goes */
    struct armtap_refused *refused;
    size_t count;
};

static void append(char **at, const char *text, size_t length)
{
    memcpy(*at, text, length);
    (*at)[length] = ',';
    *at += length + 1;
}

static void refuse(struct parts *parts, const struct armtap_item *name, enum armtap_refusal why)
{
    parts->refused[parts->count++] = (struct armtap_refused){name->text, name->length, why};
}

/* A name that the controller misread gets the table's type. */
static void take_misread(struct parts *parts, const struct armtap_item *name)
{
    const struct armtap_field *field = armtap_field_find(name->text, name->length);
    refuse(parts, name, ARMTAP_REFUSAL_MISREAD);
    if (!field || !(field->direction & ARMTAP_FIELD_OUTPUT))
        return;
    const char *type = armtap_type_name(field->type, field->count);
    append(&parts->names, name->text, name->length);
    append(&parts->types, type, strlen(type));
}

static void take(struct parts *parts, const struct armtap_item *name, const struct armtap_item *type)
{
    if (armtap_item_is(type, "NOT_FOUND")) {
        refuse(parts, name, ARMTAP_REFUSAL_NOT_FOUND);
    } else if (armtap_item_is(type, "IN_USE")) {
        refuse(parts, name, ARMTAP_REFUSAL_IN_USE);
    } else if (armtap_item_is(type, "NOT_SET")) {
        refuse(parts, name, ARMTAP_REFUSAL_NOT_SET);
    } else {
        append(&parts->names, name->text, name->length);
        append(&parts->types, type->text, type->length);
    }
}

static void sort_out(struct parts *parts, const struct armtap_rtde_reply *reply)
{
    const char *name_at = reply->names.text, *type_at = reply->types.text, *missed_at = reply->missed.text;
    struct armtap_item name, type;
    while (reply->missed.length > 0 && armtap_list_next(&missed_at, reply->missed.text + reply->missed.length, &name))
        take_misread(parts, &name);
    for (size_t i = 0; armtap_list_next(&name_at, reply->names.text + reply->names.length, &name) &&
                       armtap_list_next(&type_at, reply->types.text + reply->types.length, &type);
         i++)
        if (i == 0 && reply->cut)
            take_misread(parts, &name);
        else
            take(parts, &name, &type);
}

int armtap_rtde_tell_refused(struct armtap_conn *conn, const struct armtap_frame *frame,
                             const struct armtap_rtde_reply *reply)
{
    enum { LONGEST_TYPE = 16 };
    size_t missed = reply->missed.length > 0 ? armtap_list_count(reply->missed.text, reply->missed.length) : 0;
    size_t names_room = reply->missed.length + reply->names.length + 2;
    size_t types_room = reply->types.length + (missed + 1) * LONGEST_TYPE;
    struct armtap_recipe *accepted = NULL;
    if (!armtap_conn_hears_refusals(conn))
        return ARMTAP_OK;
    struct parts parts = {.text = malloc(names_room + types_room),
                          .refused = calloc(missed + reply->name_count + 1, sizeof *parts.refused)};
    parts.names = parts.text;
    parts.types = parts.text ? parts.text + names_room : NULL;
    int error = parts.text && parts.refused ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
    if (error == ARMTAP_OK) {
        sort_out(&parts, reply);
        struct armtap_item names = {parts.text, (size_t)(parts.names - parts.text)};
        struct armtap_item types = {parts.text + names_room, (size_t)(parts.types - parts.text) - names_room};
        error = armtap_recipe_from_lists(&names, &types, &accepted);
    }
    if (error == ARMTAP_OK) {
        bool inputs = reply->type == ARMTAP_RTDE_SETUP_INPUTS;
        struct armtap_refused_setup setup = {.direction = inputs ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT,
                                             .frequency = reply->frequency,
                                             .accepted = accepted,
                                             .refused = parts.refused,
                                             .refused_count = parts.count,
                                             .version = armtap_conn_stream(conn)->version};
        error = armtap_conn_refused(conn, frame, &setup);
    }
    armtap_recipe_release(accepted);
    free(parts.refused);
    free(parts.text);
    return error;
}
