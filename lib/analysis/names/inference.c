/* What the output says of a recipe: names for fields that are almost certain, and the evidence in words. */
#include "analysis/names/inference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"

/* Certainty from which on a name that is not given is worth telling. */
#define LIKELY 0.3
#define PACKAGES_MIN 8u
#define NAME_MAX 24
#define EVIDENCE_MAX 200
#define RTDE_HEADER 3u

struct armtap_inference {
    struct inference_sample sample;
    struct armtap_recipe *types; /* known from the reply to the set-up; NULL: none are */
    int error;
    bool finished;
    struct armtap_inferred result;
    struct armtap_inferred_field *fields;
    char (*names)[NAME_MAX];
    char (*evidence)[EVIDENCE_MAX];
};

struct armtap_inference *armtap_inference_new(void)
{
    return calloc(1, sizeof(struct armtap_inference));
}

void armtap_inference_free(struct armtap_inference *inference)
{
    if (!inference)
        return;
    armtap_inference_sample_clear(&inference->sample);
    armtap_recipe_release(inference->types);
    free(inference->fields);
    free(inference->names);
    free(inference->evidence);
    free(inference);
}

int armtap_inference_package(struct armtap_inference *inference, const uint8_t *content, size_t length)
{
    if (inference->finished)
        return ARMTAP_ERR_ARGUMENT;
    if (inference->error == ARMTAP_OK)
        inference->error = armtap_inference_sample_add(&inference->sample, content, length);
    return inference->error;
}

int armtap_inference_types(struct armtap_inference *inference, const struct armtap_recipe *recipe)
{
    if (inference->finished)
        return ARMTAP_ERR_ARGUMENT;
    armtap_recipe_release(inference->types);
    inference->types = armtap_recipe_hold(recipe);
    return ARMTAP_OK;
}

int armtap_inference_record(struct armtap_inference *inference, const struct armtap_record *record)
{
    if (record->protocol != ARMTAP_RTDE || record->missing_count > 0 || record->direction != ARMTAP_FROM_ROBOT ||
        record->frame_length < RTDE_HEADER)
        return ARMTAP_OK;
    return armtap_inference_package(inference, record->frame + RTDE_HEADER, record->frame_length - RTDE_HEADER);
}

const struct armtap_inferred *armtap_inference_result(const struct armtap_inference *inference)
{
    return inference->finished && inference->error == ARMTAP_OK ? &inference->result : NULL;
}

/* ---- evidence in words ------------------------------------------------------------------------------------------- */

static void put_evidence(char text[EVIDENCE_MAX], const char *words)
{
    size_t length = strlen(text);
    snprintf(text + length, EVIDENCE_MAX - length, "%s%s", length > 0 ? "; " : "", words);
}

static const struct {
    enum inference_role role;
    const char *words;
} role_words[] = {
    {ROLE_JOINTS, "a pose follows from it by the arm's kinematics"},
    {ROLE_POSE, "it follows from the joints by the arm's kinematics"},
    {ROLE_HAS_SPEED, "another vector is its derivative"},
    {ROLE_IS_SPEED, "it is the derivative of another vector"},
    {ROLE_HAS_LINEAR_SPEED, "another vector is the derivative of its position"},
    {ROLE_IS_LINEAR_SPEED, "it is the derivative of another vector's position"},
    {ROLE_CURRENT, "torques of another vector rise and fall with it"},
    {ROLE_MOMENT, "it rises and falls with currents of another vector"},
    {ROLE_TWIN, "another vector is nearly the same"},
};

/* What a vector is to others is evidence only of a name that has to do with it. */
static bool is_of(enum inference_group group, unsigned role)
{
    const bool is_load = group == GROUP_CURRENTS || group == GROUP_TARGET_CURRENT || group == GROUP_MOMENT;
    return group != GROUPS && is_load == ((role & (ROLE_CURRENT | ROLE_MOMENT)) != 0);
}

static void put_roles(char text[EVIDENCE_MAX], const struct inference_relations *relations,
                      const struct tiling_piece *piece, enum inference_group group)
{
    for (size_t i = 0; i < sizeof role_words / sizeof *role_words && piece->count == 6; i++)
        if (relations->roles[piece->offset] & role_words[i].role && piece->type == ARMTAP_DOUBLE &&
            is_of(group, role_words[i].role))
            put_evidence(text, role_words[i].words);
    if (piece->count == 3 && relations->roles[piece->offset] & ROLE_HAS_SPEED_3)
        put_evidence(text, "another vector is its derivative");
    if (piece->count == 3 && relations->roles[piece->offset] & ROLE_IS_SPEED_3)
        put_evidence(text, "it is the derivative of another vector");
    if (piece->offset == relations->clock && piece->type == ARMTAP_DOUBLE) {
        char words[64];
        snprintf(words, sizeof words, "keeps time in steps of %lld ms", (long long)(relations->step * 1000 + 0.5));
        put_evidence(text, words);
    }
}

static void put_range(char text[EVIDENCE_MAX], const struct inference_columns *columns,
                      const struct tiling_piece *piece)
{
    double least = INFINITY, most = -INFINITY;
    struct armtap_line words;
    for (unsigned i = 0; i < piece->count && piece->type == ARMTAP_DOUBLE; i++) {
        const struct column *column = armtap_inference_column(columns, piece->offset + 8 * i);
        least = column ? fmin(least, column->least) : least;
        most = column ? fmax(most, column->most) : most;
    }
    if (least > most)
        return;
    armtap_line_begin(&words);
    armtap_line_string(&words, least == most ? "always " : "values from ");
    armtap_line_decimal(&words, least, 3);
    if (least < most) {
        armtap_line_string(&words, " to ");
        armtap_line_decimal(&words, most, 3);
    }
    put_evidence(text, words.text);
}

static int64_t integer_at(const struct inference_columns *columns, const struct tiling_piece *piece, unsigned row,
                          unsigned element)
{
    unsigned width = piece->size / piece->count;
    uint64_t bits =
        armtap_inference_integer(armtap_inference_bytes(columns, row, piece->offset + width * element), width);
    return piece->type == ARMTAP_INT32 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
}

static void put_integers(char text[EVIDENCE_MAX], const struct inference_columns *columns,
                         const struct tiling_piece *piece)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    char words[80];
    for (unsigned row = 0; row < columns->sample->count; row++)
        for (unsigned i = 0; i < piece->count; i++) {
            int64_t value = integer_at(columns, piece, row, i);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    if (least == most)
        snprintf(words, sizeof words, "always %" PRId64, least);
    else
        snprintf(words, sizeof words, "values from %" PRId64 " to %" PRId64, least, most);
    put_evidence(text, words);
}

/* Bytes count without the recipe id. */
static void put_copy(char text[EVIDENCE_MAX], size_t offset)
{
    char words[80];
    snprintf(words, sizeof words, "the same, bit by bit, from byte %zu on: a copy, or what was copied", offset);
    put_evidence(text, words);
}

/* Why it may be the other one of target and actual, or why it is not. */
static void put_side(char text[EVIDENCE_MAX], const struct inference_side *side)
{
    char words[96];
    if (!side->other)
        return;
    snprintf(words, sizeof words, "%s%s%s%s", side->is_proven ? "" : "or ", side->is_proven ? "" : side->other,
             side->is_proven ? "" : ": ", side->words);
    put_evidence(text, words);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static void put_field(struct armtap_inference *inference, const struct inference_reading *reading, size_t i)
{
    const struct tiling_piece *piece = &reading->tiling.pieces[i];
    const struct inference_field *likeliest = &reading->tiling.field[piece->field];
    const size_t begin = inference->result.recipe_id >= 0 ? 1 : 0;
    struct armtap_inferred_field *field = &inference->fields[i];
    const struct inference_verdict verdict =
        armtap_inference_judge(reading, i, inference->result.order[0] != '\0', inference->result.moved);
    const bool certain = verdict.is_given;
    snprintf(inference->names[i], NAME_MAX, "field_%zu", piece->offset - begin);
    *field = (struct armtap_inferred_field){.name = certain ? likeliest->name : inference->names[i],
                                            .field = certain ? likeliest->field : NULL,
                                            .type = piece->type,
                                            .count = piece->count,
                                            .offset = piece->offset - begin,
                                            .certainty = verdict.certainty,
                                            .type_certainty = piece->type_certainty,
                                            .likeliest = !certain && piece->certainty >= LIKELY ? likeliest->name : "",
                                            .evidence = inference->evidence[i]};
    if (verdict.copy != SIZE_MAX)
        put_copy(inference->evidence[i], verdict.copy - begin);
    if (inference->result.moved && piece->certainty >= LIKELY)
        put_side(inference->evidence[i], &verdict.side);
    if (verdict.is_alone && inference->result.moved)
        put_evidence(inference->evidence[i], "nothing else shows that this is an arm's");
    put_roles(inference->evidence[i], &reading->relations, piece, likeliest->group);
    if (piece->type == ARMTAP_DOUBLE)
        put_range(inference->evidence[i], &reading->columns, piece);
    else
        put_integers(inference->evidence[i], &reading->columns, piece);
}

/* A recipe has a name once: of two pieces with the same name, neither is certain. */
static void drop_repeated(struct armtap_inference *inference)
{
    struct armtap_inferred_field *fields = inference->fields;
    for (size_t i = 0; i < inference->result.count; i++)
        for (size_t k = i + 1; k < inference->result.count && fields[i].field; k++)
            if (fields[k].field == fields[i].field) {
                fields[k].likeliest = fields[i].likeliest = fields[k].field->name;
                fields[k].field = fields[i].field = NULL;
                fields[k].name = inference->names[k];
                fields[i].name = inference->names[i];
            }
    for (size_t i = 0; i < inference->result.count; i++)
        inference->result.named += fields[i].field != NULL;
}

static int put_result(struct armtap_inference *inference, const struct inference_reading *reading)
{
    const struct inference_tiling *tiling = &reading->tiling;
    const struct inference_sample *sample = &inference->sample;
    bool with_id = tiling->with_id > 0.5;
    inference->fields = calloc(tiling->count + 1, sizeof *inference->fields);
    inference->names = calloc(tiling->count + 1, sizeof *inference->names);
    inference->evidence = calloc(tiling->count + 1, sizeof *inference->evidence);
    if (!inference->fields || !inference->names || !inference->evidence)
        return ARMTAP_ERR_MEMORY;
    inference->result = (struct armtap_inferred){.fields = inference->fields,
                                                 .count = tiling->count,
                                                 .size = sample->length - (with_id ? 1 : 0),
                                                 .typed = reading->tiling.typed,
                                                 .recipe_id = with_id ? sample->bytes[0] : -1,
                                                 .packages = sample->seen,
                                                 .other_packages = sample->others,
                                                 .moved = reading->relations.moved,
                                                 .order = tiling->order[ORDER_GUIDE] > 0.9      ? "guide"
                                                          : tiling->order[ORDER_ALPHABET] > 0.9 ? "alphabet"
                                                                                                : "",
                                                 .kinematics = reading->kinematics};
    for (size_t i = 0; i < tiling->count; i++)
        put_field(inference, reading, i);
    drop_repeated(inference);
    return ARMTAP_OK;
}

int armtap_inference_finish(struct armtap_inference *inference)
{
    struct inference_reading reading = {.columns = {.sample = NULL}};
    struct inference_view view;
    if (inference->finished || inference->error != ARMTAP_OK)
        return inference->error;
    inference->finished = true;
    if (inference->sample.seen < PACKAGES_MIN || inference->sample.length == 0)
        return inference->error = ARMTAP_ERR_NOT_READY;
    armtap_inference_sample_settle(&inference->sample);
    armtap_inference_sample_view(&inference->sample, &view);
    int error = armtap_inference_columns_read(&reading.columns, &view, NULL);
    if (error == ARMTAP_OK)
        error = armtap_inference_relations_find(&reading.relations, &reading.columns, armtap_inference_find_poses,
                                                &reading.kinematics);
    if (error == ARMTAP_OK)
        error = armtap_inference_tile(&reading.tiling, inference->types, &reading.columns, &reading.relations);
    if (error == ARMTAP_OK)
        armtap_inference_settle(&reading);
    if (error == ARMTAP_OK)
        error = put_result(inference, &reading);
    armtap_inference_tiling_clear(&reading.tiling);
    armtap_inference_relations_clear(&reading.relations);
    armtap_inference_columns_clear(&reading.columns);
    return inference->error = error;
}
