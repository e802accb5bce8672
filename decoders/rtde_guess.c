/* Finds the recipe of data whose handshake was not captured. In this order: the request, if only its reply is missing;
 * one learned from another connection of the robot, then that of a well-known client, if the data gives enough
 * evidence. Packages are sampled, and judged each time their number has doubled. A second pass judges the sample of the
 * first, so it knows the recipe from the first package on. */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "rtde_package.h"
#include "rtde_session.h"
#include "rtde_judge.h"

/* No judgement before this many packages. */
#define JUDGED_LEAST 32
/* Names that a note lists. */
#define LISTED_MOST 6

/* ---- adopting -------------------------------------------------------------------------------------------------- */

/* Stores the limits for checking later packages. */
static int keep_limits(struct armtap_rtde *rtde)
{
    size_t count = armtap_rtde_limits(rtde->outputs, NULL);
    free(rtde->limits);
    rtde->limits = calloc(count + 1, sizeof *rtde->limits);
    if (!rtde->limits)
        return ARMTAP_ERR_MEMORY;
    rtde->limit_count = armtap_rtde_limits(rtde->outputs, rtde->limits);
    rtde->outputs_inferred = true;
    return ARMTAP_OK;
}

/* Names supported only by their position, as far as a note lists them. Returns how many there are.
 */
static unsigned list_unsupported(const struct armtap_recipe *recipe, const struct armtap_set *supported,
                                 struct armtap_line *names)
{
    unsigned count = 0;
    armtap_line_begin(names);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_field *field = recipe->entries[i].field;
        if (!field || armtap_set_has(supported, field->id))
            continue;
        if (++count <= LISTED_MOST)
            armtap_line_name(names, field->name);
    }
    return count;
}

static unsigned names_of(const struct armtap_recipe *recipe)
{
    unsigned count = 0;
    for (size_t i = 0; i < recipe->count; i++)
        count += recipe->entries[i].field != NULL;
    return count;
}

/* Keeps what the reply alone says. */
static void take_guess(struct armtap_rtde *rtde, struct armtap_recipe *recipe)
{
    struct armtap_recipe *typed = rtde->typed ? armtap_recipe_hold(rtde->typed) : NULL;
    int id = rtde->outputs_id;
    armtap_rtde_take_outputs(rtde, recipe);
    armtap_rtde_put(rtde, &rtde->typed, typed);
    if (typed)
        rtde->outputs_id = id;
}

static int tell_judged(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                       const struct armtap_guess_evidence *reason)
{
    struct armtap_line names;
    unsigned unsupported = list_unsupported(recipe, reason->supported, &names);
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_rtde_recipe_guessed,
        ARGS(arg_fields(recipe->count),
             arg_reason(reason->types_captured ? ARMTAP_WORD_types_captured : ARMTAP_WORD_none),
             arg_source(reason->source), arg_unsure_fields(unsupported), arg_named_fields(names_of(recipe)),
             arg_names(&names), unsupported > LISTED_MOST ? arg_more(unsupported - LISTED_MOST) : arg_none(true),
             arg_points(reason->score), arg_points_needed(reason->needed), arg_evidence(reason->reasons)));
}

/* The names of a request need no evidence. */
static const struct armtap_guess_evidence no_reply = {
    .source = "the request, after which no reply of the controller was captured", .reasons = ""};
static const struct armtap_guess_evidence unreadable_reply = {
    .source = "the request; the controller's reply cannot be read", .reasons = ""};

static int adopt(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                 const struct armtap_recipe *recipe, int protocol, const struct armtap_guess_evidence *reason)
{
    int id = protocol >= 2 ? frame->bytes[ARMTAP_RTDE_HEADER] : 0;
    bool has;
    int error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, recipe->count, &has);
    if (error != ARMTAP_OK || !has)
        return error;
    if (rtde->protocol != protocol)
        armtap_rtde_read_as(rtde, conn, protocol);
    take_guess(rtde, armtap_recipe_hold(recipe));
    rtde->outputs_guessed = true;
    if (reason->supported)
        error = tell_judged(conn, frame, recipe, reason);
    else
        error = armtap_conn_raise(
            conn, frame, ARMTAP_NOTE_rtde_recipe_guessed,
            ARGS(arg_fields(recipe->count),
                 arg_reason(reason == &unreadable_reply ? ARMTAP_WORD_unreadable_reply : ARMTAP_WORD_no_reply)));
    if (error != ARMTAP_OK)
        return error;
    return armtap_conn_guessed_recipe(conn, frame, id, recipe, reason);
}

/* Adopts a recipe, with the support of each name in the sample. */
static int adopt_judged(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_recipe *recipe, int protocol, const struct armtap_sample *sample,
                        const struct armtap_guess_evidence *reason)
{
    struct armtap_set supported = {{0}};
    struct armtap_guess_evidence whole = *reason;
    whole.supported = &supported;
    if (rtde->outputs && armtap_recipe_same(rtde->outputs, recipe))
        return ARMTAP_OK;
    int error = armtap_rtde_supported(recipe, sample, protocol >= 2 ? 1 : 0, rtde->sampled_clock, &supported);
    return error == ARMTAP_OK ? adopt(rtde, conn, frame, recipe, protocol, &whole) : error;
}

/* Its recipe, as far as the table knows the types; made once, however much data there is. */
static int try_names(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                     struct armtap_rtde_request *request)
{
    struct armtap_item names = {request->names, request->names_length};
    struct armtap_recipe *recipe = NULL;
    bool may;
    if (request->tried)
        return ARMTAP_OK;
    request->tried = true;
    size_t count = armtap_list_count(request->names, request->names_length);
    int error = armtap_rtde_may_make(conn, frame, count, request->names_length, &may);
    if (error == ARMTAP_OK && may)
        error = armtap_recipe_from_lists(&names, NULL, &recipe);
    if (error == ARMTAP_OK)
        armtap_rtde_put(rtde, &request->recipe, recipe);
    return error;
}

/* Only the reply is missing: the names are known, and the table gives their types. */
static int try_request(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_rtde_request *request = NULL;
    size_t length = frame->length - ARMTAP_RTDE_HEADER;
    for (struct armtap_rtde_request *next = rtde->requests; next; next = next->next)
        if (next->type == ARMTAP_RTDE_SETUP_OUTPUTS)
            request = next; /* the last one is in force */
    if (!request || request->unfit_length == length)
        return ARMTAP_OK;
    int error = try_names(rtde, conn, frame, request);
    const struct armtap_recipe *recipe = request->recipe;
    if (error != ARMTAP_OK || !recipe)
        return error;
    request->unfit_length = length;
    bool has_id = rtde->protocol != 1 && length == recipe->size + 1, has_none = length == recipe->size;
    if (!recipe->open && (has_id || (has_none && rtde->protocol <= 1)))
        error = adopt(rtde, conn, frame, recipe,
                      !has_id          ? 1
                      : rtde->protocol ? rtde->protocol
                                       : 2,
                      request->answered ? &unreadable_reply : &no_reply);
    return error;
}

/* Whether a set-up of inputs must stand for its reply: there are no replies, or this one is overdue. */
static bool has_no_reply(const struct armtap_rtde *rtde, const struct armtap_rtde_request *request, int64_t now)
{
    return request->type == ARMTAP_RTDE_SETUP_INPUTS && !request->answered && !request->is_set_up &&
           (!rtde->in_step[ARMTAP_FROM_ROBOT] || request->missed || armtap_rtde_is_overdue(request, now));
}

static int set_up_as_asked(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           struct armtap_rtde_request *request, unsigned id)
{
    struct armtap_recipe *recipe = armtap_recipe_hold(request->recipe);
    request->is_set_up = recipe->assumed = true;
    int error = armtap_rtde_put_inputs(rtde, conn, frame, recipe, (uint8_t)id);
    if (error != ARMTAP_OK || rtde->inputs->by_id[id] != request->recipe)
        return error;
    error =
        armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_types_assumed, ARGS(arg_fields(recipe->count), arg_recipe(id)));
    return error == ARMTAP_OK ? armtap_conn_recipe(conn, frame, ARMTAP_TO_ROBOT, (int)id, 0, ARMTAP_GUESSED, recipe)
                              : error;
}

/* The controller numbers input recipes from 1 in the order of their set-ups. In protocol 1 data may have no id. */
int armtap_rtde_assume_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t length = frame->length - ARMTAP_RTDE_HEADER;
    unsigned number = 0;
    int error = ARMTAP_OK;
    if (length == 0 || !armtap_conn_may_guess(conn))
        return ARMTAP_OK;
    for (struct armtap_rtde_request *next = rtde->requests; next && error == ARMTAP_OK; next = next->next) {
        number += next->type == ARMTAP_RTDE_SETUP_INPUTS;
        if (number == 0 || number >= ARMTAP_RTDE_INPUT_IDS || !has_no_reply(rtde, next, frame->where.time))
            continue;
        error = try_names(rtde, conn, frame, next);
        const struct armtap_recipe *recipe = next->recipe;
        if (error != ARMTAP_OK || !recipe || recipe->open)
            continue;
        bool has_id = length == recipe->size + 1 && frame->bytes[ARMTAP_RTDE_HEADER] == number;
        if (has_id || (length == recipe->size && rtde->protocol <= 1))
            return set_up_as_asked(rtde, conn, frame, next, number);
    }
    return error;
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

/* All packages begin with the same non-zero byte: a recipe id. */
static bool may_have_id(const struct armtap_sample *sample)
{
    uint8_t id = armtap_sample_at(sample, 0)[0];
    for (unsigned i = 1; i < sample->count; i++)
        if (armtap_sample_at(sample, i)[0] != id)
            return false;
    return id != 0;
}

/* Found recipes, and the protocol that their data has. */
static int adopt_found(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                       const struct armtap_sample *sample, const struct armtap_rtde_found *found, int protocol)
{
    struct armtap_guess_evidence reason = {.source = found->source.text,
                                           .score = found->score,
                                           .needed = armtap_rtde_needed(found->recipe->size),
                                           .reasons = found->reasons.text,
                                           .types_captured = rtde->typed != NULL};
    return adopt_judged(rtde, conn, frame, found->recipe, protocol, sample, &reason);
}

/* Whether the data could follow a handshake's recipe, by protocol and id. */
static bool may_be_learned(const struct armtap_rtde *rtde, const struct armtap_frame *frame,
                           const struct armtap_learned *learned)
{
    bool has_id = learned->protocol >= 2;
    if (rtde->protocol != 0 && has_id != (rtde->protocol >= 2))
        return false;
    return !has_id || frame->bytes[ARMTAP_RTDE_HEADER] == learned->recipe_id;
}

/* From handshakes of the same robot: another client may have set up another recipe of that length, so it needs as much
 * evidence as a well-known client's. */
static int judge_learned(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_sample *sample, bool *named)
{
    const struct armtap_learned *learned;
    struct armtap_rtde_found found;
    int protocol = 0, error = ARMTAP_OK;
    struct armtap_rtde_verdict verdict;
    armtap_rtde_found_begin(&found);
    for (size_t i = 0; error == ARMTAP_OK && (learned = armtap_conn_learned(conn, i)); i++) {
        bool has_id = learned->protocol >= 2;
        if (!may_be_learned(rtde, frame, learned) || (found.recipe && has_id != (protocol >= 2)))
            continue;
        error = armtap_rtde_consider(&found, armtap_recipe_hold(learned->recipe),
                                     "the handshake of another connection of this robot", rtde->typed, sample,
                                     has_id ? 1 : 0, rtde->sampled_clock, &verdict);
        protocol = found.recipe && protocol == 0 ? learned->protocol : protocol;
    }
    *named = found.recipe != NULL;
    if (found.recipe && error == ARMTAP_OK)
        error = adopt_found(rtde, conn, frame, sample, &found, protocol);
    armtap_recipe_release(found.recipe);
    return error;
}

/* Whether data of that protocol may have led to the sample. */
static bool may_be_of(const struct armtap_rtde *rtde, const struct armtap_sample *sample, int protocol)
{
    return protocol == 2 ? rtde->protocol != 1 && may_have_id(sample) : rtde->protocol <= 1;
}

static int judge_known(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                       const struct armtap_sample *sample, struct armtap_rtde_candidates *candidates,
                       struct armtap_rtde_not_taken *not_taken, bool *named)
{
    for (int protocol = 2; protocol >= 1 && !*named; protocol--) {
        struct armtap_rtde_found found;
        if (!may_be_of(rtde, sample, protocol))
            continue;
        int error = armtap_rtde_find_known(rtde->typed, sample, protocol == 2 ? 1 : 0, rtde->sampled_clock, &found,
                                           candidates, not_taken);
        if (error != ARMTAP_OK)
            return error;
        *named = found.recipe != NULL;
        if (found.recipe)
            error = adopt_found(rtde, conn, frame, sample, &found,
                                protocol == 2 && rtde->protocol ? rtde->protocol : protocol);
        armtap_recipe_release(found.recipe);
        if (error != ARMTAP_OK)
            return error;
    }
    return ARMTAP_OK;
}

/* Reports the remaining candidates if they have changed. */
static int tell_candidates(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           const struct armtap_rtde_candidates *left)
{
    struct armtap_rtde_candidates *told = &rtde->candidates;
    if (left->count == told->count && memcmp(left->rows, told->rows, left->count) == 0)
        return ARMTAP_OK;
    *told = *left;
    const struct armtap_known_recipe *recipes[ARMTAP_RTDE_CANDIDATES] = {NULL};
    for (size_t i = 0; i < told->count; i++)
        recipes[i] = armtap_known_recipe_at(told->rows[i]);
    return armtap_conn_candidates(conn, frame, recipes, told->count);
}

static void drop_not_taken(struct armtap_rtde *rtde)
{
    free(rtde->not_taken);
    rtde->not_taken = NULL;
}

/* Keeps what the last judgement did not take: the data may still show more. */
static int keep_not_taken(struct armtap_rtde *rtde, const struct armtap_frame *frame,
                          const struct armtap_rtde_not_taken *not_taken)
{
    drop_not_taken(rtde);
    if (not_taken->count == 0)
        return ARMTAP_OK;
    rtde->not_taken = malloc(sizeof *rtde->not_taken);
    if (!rtde->not_taken)
        return ARMTAP_ERR_MEMORY;
    *rtde->not_taken = *not_taken;
    rtde->judged_offset = frame->offset;
    rtde->judged_where = frame->where;
    return ARMTAP_OK;
}

int armtap_rtde_note_not_taken(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    struct armtap_rtde_not_taken *not_taken = rtde->not_taken;
    struct armtap_frame judged = armtap_place(ARMTAP_FROM_ROBOT, rtde->judged_offset, rtde->judged_where);
    int error = ARMTAP_OK;
    rtde->not_taken = NULL;
    for (unsigned i = 0; not_taken && i < not_taken->count && error == ARMTAP_OK; i++) {
        const char *against = not_taken->rows[i].against, *rival = not_taken->rows[i].rival;
        const bool has_points = !against && not_taken->packages == 0;
        const bool is_last = i + 1 == not_taken->count && not_taken->more > 0;
        error = armtap_conn_raise(
            conn, &judged, ARMTAP_NOTE_rtde_recipe_not_taken,
            ARGS(arg_recipe_name(not_taken->rows[i].known->name), arg_source(not_taken->rows[i].known->client),
                 against ? arg_field(against) : arg_none(true), rival ? arg_field_fits(rival) : arg_none(true),
                 has_points ? arg_points(not_taken->rows[i].score) : arg_none(true),
                 has_points ? arg_points_needed(not_taken->rows[i].needed) : arg_none(true),
                 not_taken->packages > 0 ? arg_packages((double)not_taken->packages) : arg_none(true),
                 is_last ? arg_more(not_taken->more) : arg_none(true)));
    }
    free(not_taken);
    return error;
}

/* No recipe can be told from this connection's data. */
static int rule_out(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                    struct armtap_guess *guess)
{
    static const struct armtap_rtde_candidates none;
    bool was_inferred = rtde->outputs_inferred;
    guess->ruled_out = true;
    if (rtde->not_taken && rtde->not_taken->packages > 0)
        drop_not_taken(rtde); /* they have several lengths */
    if (was_inferred)
        take_guess(rtde, rtde->typed ? armtap_recipe_hold(rtde->typed) : NULL);
    rtde->outputs_unnamed |= was_inferred && rtde->typed;
    int error = tell_candidates(rtde, conn, frame, &none);
    if (error != ARMTAP_OK || !was_inferred || !rtde->typed)
        return error;
    return armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, rtde->outputs_id < 0 ? 0 : rtde->outputs_id,
                              rtde->frequency, 0, rtde->typed);
}

static int judge(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                 struct armtap_guess *guess)
{
    struct armtap_rtde_candidates left = {.count = 0};
    struct armtap_rtde_not_taken not_taken = {.count = 0};
    bool named = false;
    int error = ARMTAP_OK;
    rtde->judged = true;
    rtde->sampled_clock = armtap_rtde_find_clock(guess->sample);
    rtde->sampled_length = guess->sample->length;
    if (!armtap_conn_may_guess(conn))
        return ARMTAP_OK;
    error = judge_learned(rtde, conn, frame, guess->sample, &named);
    if (error == ARMTAP_OK && !named)
        error = judge_known(rtde, conn, frame, guess->sample, &left, &not_taken, &named);
    if (named)
        not_taken.count = 0;
    if (error == ARMTAP_OK)
        error = keep_not_taken(rtde, frame, &not_taken);
    if (error == ARMTAP_OK && guess->sealed)
        error = armtap_rtde_note_not_taken(rtde, conn);
    if (error == ARMTAP_OK && named && rtde->outputs && !rtde->outputs_inferred)
        error = keep_limits(rtde);
    else if (error == ARMTAP_OK && !named && rtde->outputs_inferred)
        error = rule_out(rtde, conn, frame, guess);
    if (named || guess->ruled_out)
        left.count = 0;
    return error == ARMTAP_OK ? tell_candidates(rtde, conn, frame, &left) : error;
}

/* ---- package by package ---------------------------------------------------------------------------------------- */

static int take_sample(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_guess *guess)
{
    guess->only_doubt = false;
    int error = guess->sample ? ARMTAP_OK : armtap_conn_sample(conn, guess, frame->length - ARMTAP_RTDE_HEADER);
    if (error == ARMTAP_OK && guess->sample)
        armtap_sample_add(guess->sample, frame->bytes + ARMTAP_RTDE_HEADER, frame->where.time);
    return error;
}

/* A first pass judges as data comes, a second one judges what the first one saw. */
static bool is_due(const struct armtap_rtde *rtde, const struct armtap_guess *guess)
{
    uint64_t seen = guess->sample->seen;
    return seen >= JUDGED_LEAST && (guess->sealed ? !rtde->judged : (seen & (seen - 1)) == 0);
}

/* Too few packages for a judgement, so far or, in a second pass, in all. */
static int wait_for_more(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_guess *guess)
{
    struct armtap_rtde_not_taken not_taken = {.packages = guess->sample->seen};
    if (rtde->judged || rtde->typed || !armtap_conn_may_guess(conn))
        return ARMTAP_OK;
    rtde->judged = guess->sealed;
    for (int protocol = 2; protocol >= 1; protocol--)
        if (may_be_of(rtde, guess->sample, protocol))
            armtap_rtde_list_known(guess->sample, protocol == 2 ? 1 : 0, &not_taken);
    int error = keep_not_taken(rtde, frame, &not_taken);
    return error == ARMTAP_OK && guess->sealed ? armtap_rtde_note_not_taken(rtde, conn) : error;
}

/* What the first pass ruled out, it judged before: a second one says what spoke against it. */
static int judge_ruled_out(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           const struct armtap_sample *sample)
{
    struct armtap_rtde_not_taken not_taken = {.count = 0};
    struct armtap_rtde_candidates left = {.count = 0};
    struct armtap_rtde_found found;
    int error = ARMTAP_OK;
    rtde->judged = true;
    if (sample->seen < JUDGED_LEAST || !armtap_conn_may_guess(conn))
        return ARMTAP_OK;
    for (int protocol = 2; protocol >= 1 && error == ARMTAP_OK; protocol--) {
        if (!may_be_of(rtde, sample, protocol))
            continue;
        error = armtap_rtde_find_known(rtde->typed, sample, protocol == 2 ? 1 : 0, armtap_rtde_find_clock(sample),
                                       &found, &left, &not_taken);
        armtap_recipe_release(found.recipe);
    }
    if (error == ARMTAP_OK)
        error = keep_not_taken(rtde, frame, &not_taken);
    return error == ARMTAP_OK ? armtap_rtde_note_not_taken(rtde, conn) : error;
}

/* Whether the package has the recipe's length in the current protocol, which a late version reply may have changed,
 * and keeps the limits. */
static bool keeps_to_guess(const struct armtap_rtde *rtde, const struct armtap_frame *frame)
{
    size_t skip = rtde->protocol >= 2 ? 1 : 0;
    const uint8_t *values = frame->bytes + ARMTAP_RTDE_HEADER + skip;
    return frame->length == ARMTAP_RTDE_HEADER + skip + rtde->outputs->size &&
           armtap_rtde_within(rtde->limits, rtde->limit_count, values);
}

static int infer(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_guess *guess;
    int error = armtap_conn_guess(conn, &guess);
    if (error == ARMTAP_OK && guess->ruled_out && guess->sealed && guess->sample && !rtde->judged)
        return judge_ruled_out(rtde, conn, frame, guess->sample);
    if (error != ARMTAP_OK || guess->ruled_out)
        return error;
    bool has_other_length = guess->sample && guess->sample->length != frame->length - ARMTAP_RTDE_HEADER;
    if (has_other_length || (rtde->outputs_inferred && !keeps_to_guess(rtde, frame)))
        return rule_out(rtde, conn, frame, guess);
    error = guess->sealed ? ARMTAP_OK : take_sample(conn, frame, guess);
    if (error != ARMTAP_OK || !guess->sample)
        return error;
    if (guess->sample->seen < JUDGED_LEAST)
        return wait_for_more(rtde, conn, frame, guess);
    return is_due(rtde, guess) ? judge(rtde, conn, frame, guess) : ARMTAP_OK;
}

int armtap_rtde_guess(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    int error = ARMTAP_OK;
    if (frame->length <= ARMTAP_RTDE_HEADER || rtde->outputs_refused)
        return ARMTAP_OK;
    if (!rtde->outputs && armtap_conn_may_guess(conn))
        error = try_request(rtde, conn, frame);
    return error == ARMTAP_OK && (!rtde->outputs || rtde->outputs_inferred || rtde->typed) ? infer(rtde, conn, frame)
                                                                                           : error;
}
