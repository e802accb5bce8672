/* After a recipe was set up, bytes of both directions are missing: they may hold another set-up of the same length and
 * id. The data after the gap is checked against the recipe as if it were guessed: if a field cannot be what its name
 * says, the recipe is given up; if there is no evidence for it, a note says so. A second pass knows the outcome at the
 * gap. */
#include "rtde_package.h"
#include "rtde_session.h"
#include "rtde_judge.h"

/* The recipe is checked only between these numbers of packages. */
#define JUDGED_LEAST 32
#define JUDGED_MOST 1024

static uint64_t bit_of(unsigned gap)
{
    return UINT64_C(1) << (gap < 64 ? gap - 1 : 63);
}

/* A set-up says what its bytes are; a guessed recipe is checked against its limits anyway. */
static bool is_set_up(const struct armtap_rtde *rtde)
{
    return rtde->outputs && !rtde->outputs->open && !rtde->outputs_guessed && !rtde->outputs_unnamed;
}

static size_t skip_of(const struct armtap_rtde *rtde)
{
    return rtde->protocol >= 2 ? 1 : 0;
}

/* Another value that advances with time does not contradict a recipe without a clock. */
static long clock_of(const struct armtap_rtde *rtde, const struct armtap_sample *sample)
{
    return rtde->clock_offset >= 0 ? armtap_rtde_find_clock(sample) : -1;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

static int give_up(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                   struct armtap_guess *guess, const char *against)
{
    armtap_rtde_take_outputs(rtde, NULL);
    rtde->missing_noted[ARMTAP_FROM_ROBOT] = true;
    guess->ruled_out = true;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_missing,
                             ARGS(arg_reason(ARMTAP_WORD_contradicted), arg_field(against)));
}

static int say_unsure(struct armtap_conn *conn, const struct armtap_frame *frame)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rtde_recipe_unsure, NO_ARGS);
}

/* ---- gaps ------------------------------------------------------------------------------------------------------ */

/* What contradicts the recipe in the sample, if it is still there. */
static const char *against_of(const struct armtap_rtde *rtde, const struct armtap_sample *sample)
{
    const char *against = NULL;
    if (sample)
        armtap_rtde_check(rtde->outputs, sample, skip_of(rtde), clock_of(rtde, sample), &against);
    return against;
}

/* What is known about the data after the last gap. */
static int tell_known(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *here,
                      struct armtap_guess *guess)
{
    uint64_t gap = rtde->doubt.gaps > 0 ? bit_of(rtde->doubt.gaps) : 0;
    if (!guess->client_lost)
        return ARMTAP_OK;
    if (guess->refuted & gap)
        return give_up(rtde, conn, here, guess, against_of(rtde, guess->sample));
    return guess->unsure & gap ? say_unsure(conn, here) : ARMTAP_OK;
}

/* Begins a new sample. */
static int begin_sample(struct armtap_rtde *rtde, struct armtap_conn *conn, struct armtap_guess *guess)
{
    size_t length = rtde->outputs->size + skip_of(rtde);
    int error = ARMTAP_OK;
    if (!guess->sample)
        error = armtap_conn_sample(conn, guess, length);
    rtde->doubt.judging = guess->sample && guess->sample->length == length;
    if (rtde->doubt.judging)
        armtap_sample_clear(guess->sample);
    return error;
}

int armtap_rtde_gap(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *here)
{
    struct armtap_rtde_doubt *doubt = &rtde->doubt;
    bool from_robot = here->direction == ARMTAP_FROM_ROBOT;
    struct armtap_guess *guess;
    doubt->gaps += from_robot;
    if (!is_set_up(rtde))
        return ARMTAP_OK;
    int error = armtap_conn_guess(conn, &guess);
    if (error != ARMTAP_OK)
        return error;
    guess->only_doubt |= !guess->sealed && !guess->sample && !guess->ruled_out;
    if (!from_robot && !guess->sealed) {
        guess->client_lost = true;
        return tell_known(rtde, conn, here, guess);
    }
    if (guess->sealed)
        return from_robot ? tell_known(rtde, conn, here, guess) : ARMTAP_OK;
    return from_robot ? begin_sample(rtde, conn, guess) : ARMTAP_OK;
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static int judge(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                 struct armtap_guess *guess)
{
    struct armtap_rtde_evidence evidence;
    uint64_t gap = bit_of(rtde->doubt.gaps);
    int error =
        armtap_rtde_judge(rtde->outputs, guess->sample, skip_of(rtde), clock_of(rtde, guess->sample), &evidence);
    if (error != ARMTAP_OK)
        return error;
    /* A set-up is worth more than what values are like: only what no robot sends refutes it. */
    bool is_sure = !evidence.contradicted && evidence.score >= armtap_rtde_needed(rtde->outputs->size);
    bool first = guess->unsure == 0;
    guess->refuted |= evidence.is_impossible ? gap : 0;
    guess->unsure |= !evidence.is_impossible && !is_sure && first ? gap : 0;
    rtde->doubt.judging &= !evidence.is_impossible;
    return evidence.is_impossible || first ? tell_known(rtde, conn, frame, guess) : ARMTAP_OK;
}

int armtap_rtde_doubt_data(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_guess *guess;
    if (!rtde->doubt.judging || !is_set_up(rtde))
        return ARMTAP_OK;
    bool has_id = rtde->outputs_id >= 0 && frame->length > ARMTAP_RTDE_HEADER;
    if (has_id && frame->bytes[ARMTAP_RTDE_HEADER] != rtde->outputs_id)
        return ARMTAP_OK; /* certainly of another recipe */
    int error = armtap_conn_guess(conn, &guess);
    if (error != ARMTAP_OK || !guess->sample || guess->sample->length != frame->length - ARMTAP_RTDE_HEADER)
        return error;
    armtap_sample_add(guess->sample, frame->bytes + ARMTAP_RTDE_HEADER, frame->where.time);
    uint64_t seen = guess->sample->seen;
    rtde->doubt.judging &= seen < JUDGED_MOST;
    return seen >= JUDGED_LEAST && (seen & (seen - 1)) == 0 ? judge(rtde, conn, frame, guess) : ARMTAP_OK;
}
