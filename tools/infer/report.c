#include "infer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/json_writer.h"
#include "command_line/shared_text.h"
#include "base/process/message.h"

#define MM 1000

/* ---- what is known of the arm ------------------------------------------------------------------------------------ */

/* Without a sign where it would be printed as 0. */
static double rounded(double value, double scale)
{
    return floor(value * scale + 0.5) / scale + 0.0;
}

static void print_arm(const struct armtap_inferred *inferred)
{
    const struct armtap_kinematics_result *kinematics = &inferred->kinematics;
    const double *tool = kinematics->tool;
    char names[MODEL_NAMES_MAX];
    if (!inferred->moved)
        printf("# Nothing here moves like an arm: only types can be inferred. Capture while the robot moves to get "
               "names.\n");
    if (kinematics->outcome == ARMTAP_KINEMATICS_MODEL) {
        printf("# The poses match the joint angles of a %s, to %.2f mm; ", model_names(names, kinematics),
               kinematics->residual * MM);
        if (isfinite(kinematics->next))
            printf("the next best model to %.1f mm.\n", kinematics->next * MM);
        else
            printf("no other model is near.\n");
        printf("# Its tool is at %.1f %.1f %.1f mm from the flange, turned by %.4f %.4f %.4f rad%s.\n",
               rounded(tool[0] * MM, 10), rounded(tool[1] * MM, 10), rounded(tool[2] * MM, 10), rounded(tool[3], 1e4),
               rounded(tool[4], 1e4), rounded(tool[5], 1e4), kinematics->tools > 1 ? ", after a change" : "");
    } else if (kinematics->outcome == ARMTAP_KINEMATICS_UNLISTED) {
        printf("# The poses match the joint angles of an arm, but of no model that armtap knows.\n");
    }
}

/* ---- as a recipe ------------------------------------------------------------------------------------------------- */

static void print_head(const struct armtap_inferred *inferred, const struct armtap_stream_summary *summary)
{
    printf("# Inferred by armtap from %" PRIu64 " packages of stream %u%s%s; a guess, except for what is proven.\n",
           inferred->packages, summary->number, summary->stream->robot[0] != '\0' ? ", " : "", summary->stream->robot);
    printf("# %zu bytes of values, ", inferred->size);
    if (inferred->recipe_id < 0)
        printf("no recipe id: protocol 1.\n");
    else
        printf("recipe id %d: protocol 2 or 3.\n", inferred->recipe_id);
    if (inferred->typed)
        printf("# The types are known from the controller's reply to the setup; only the names are inferred.\n");
    print_arm(inferred);
    printf("# %zu of %zu names are almost certain; field_N is the value at byte N, of the type shown.\n",
           inferred->named, inferred->count);
}

void infer_print_recipe(const struct armtap_inferred *inferred, const struct armtap_stream_summary *summary)
{
    print_head(inferred, summary);
    for (size_t i = 0; i < inferred->count; i++) {
        const struct armtap_inferred_field *field = &inferred->fields[i];
        printf("%s %s # ", field->name, armtap_type_name(field->type, field->count));
        if (field->field)
            printf("%.3f; ", field->certainty);
        else if (field->likeliest[0] != '\0')
            printf("maybe %s, %.2f; ", field->likeliest, field->certainty);
        if (field->type_certainty < 0.9)
            printf("type %.2f; ", field->type_certainty);
        printf("%s\n", field->evidence[0] != '\0' ? field->evidence : "its place");
    }
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

/* In thousandths. */
static void put_thousandths(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_decimal(json, (int64_t)floor(value * 1000 + 0.5), 3);
}

static void put_arm(struct json *json, const struct armtap_kinematics_result *kinematics)
{
    bool known = kinematics->outcome == ARMTAP_KINEMATICS_MODEL;
    json_key(json, "models");
    model_names_json(json, kinematics);
    json_key(json, "residual_mm");
    if (known)
        json_decimal(json, (int64_t)floor(kinematics->residual * 1e6 + 0.5), 3);
    else
        json_null(json);
    json_key(json, "tool");
    if (!known) {
        json_null(json);
        return;
    }
    json_array(json, false);
    for (size_t i = 0; i < 6; i++)
        json_double(json, rounded(kinematics->tool[i], 1e6));
    json_close(json);
}

static void put_field(struct json *json, const struct armtap_inferred_field *field)
{
    json_object(json, false);
    json_member_text(json, "name", field->name);
    json_member_text(json, "type", armtap_type_name(field->type, field->count));
    json_member_unsigned(json, "offset", field->offset);
    json_member_bool(json, "named", field->field != NULL);
    put_thousandths(json, "certainty", field->certainty);
    put_thousandths(json, "type_certainty", field->type_certainty);
    json_member_text_or_null(json, "likeliest", field->field ? field->name : field->likeliest);
    json_member_text(json, "evidence", field->evidence);
    json_close(json);
}

void infer_print_json(const struct armtap_inferred *inferred, const struct armtap_stream_summary *summary)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_unsigned(&json, "stream", summary->number);
    json_member_unsigned(&json, "packages", inferred->packages);
    json_member_unsigned(&json, "other_packages", inferred->other_packages);
    json_member_unsigned(&json, "size", inferred->size);
    json_key(&json, "recipe_id");
    if (inferred->recipe_id < 0)
        json_null(&json);
    else
        json_signed(&json, inferred->recipe_id);
    json_member_bool(&json, "moved", inferred->moved);
    json_member_text_or_null(&json, "order", inferred->order);
    put_arm(&json, &inferred->kinematics);
    json_member_array(&json, "fields", true);
    for (size_t i = 0; i < inferred->count; i++)
        put_field(&json, &inferred->fields[i]);
    json_end(&json);
}

/* ---- beside the handshake ---------------------------------------------------------------------------------------- */

static const struct armtap_recipe_entry *entry_at(const struct armtap_recipe *recipe, size_t offset)
{
    const struct armtap_recipe_entry *entry;
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++)
        if (entry->offset == offset)
            return entry;
    return NULL;
}

void infer_compare(const struct armtap_inferred *inferred, const struct armtap_recipe *recipe)
{
    size_t right = 0, typed = 0;
    for (size_t i = 0; i < inferred->count; i++) {
        const struct armtap_inferred_field *field = &inferred->fields[i];
        const struct armtap_recipe_entry *entry = entry_at(recipe, field->offset);
        bool same = entry && strcmp(entry->name, field->name) == 0;
        typed += entry && entry->type == field->type && entry->count == field->count;
        right += field->field && same;
        if (field->field && !same)
            message_warning("%s at byte %zu is wrong: the handshake says %s", field->name, field->offset,
                            entry ? entry->name : "that no field begins there");
    }
    message_info("the handshake has %zu fields: %zu have the right type and place, %zu of %zu names given are right",
                 armtap_recipe_count(recipe), typed, right, inferred->named);
}
