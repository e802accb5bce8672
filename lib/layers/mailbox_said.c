#include "mailbox_command.h"

#include <string.h>

#define INTEGER_REGISTER 1u
#define PROGRESS_REGISTER 2u

/* Bits of safety_status_bits, and values of runtime_state. */
enum { BIT_PROTECTIVE = 2, BIT_SYSTEM_EMERGENCY = 5, BIT_ROBOT_EMERGENCY, BIT_EMERGENCY, BIT_VIOLATION, BIT_FAULT };
enum { RUNTIME_STOPPING = 0, RUNTIME_STOPPED = 1, RUNTIME_PLAYING = 2 };

bool armtap_said_before(const struct armtap_where *one, const struct armtap_where *other)
{
    if (one->file == other->file)
        return one->packet < other->packet;
    bool has_times = one->time != ARMTAP_NO_TIME && other->time != ARMTAP_NO_TIME && one->time != other->time;
    return has_times ? one->time < other->time : one->file < other->file; /* files may be of the same time */
}

/* ---- a package --------------------------------------------------------------------------------------------------- */

static const char *cause_in(const struct armtap_record *record)
{
    const struct armtap_state *state = record->state;
    if (armtap_set_has(record->updated, ARMTAP_ID_safety_status_bits)) {
        uint32_t bits = state->safety_status_bits;
        if (bits & (1u << BIT_FAULT | 1u << BIT_VIOLATION))
            return "fault";
        if (bits & (1u << BIT_EMERGENCY | 1u << BIT_ROBOT_EMERGENCY | 1u << BIT_SYSTEM_EMERGENCY))
            return "emergency";
        if (bits & 1u << BIT_PROTECTIVE)
            return "protective";
    }
    bool has_ended = armtap_set_has(record->updated, ARMTAP_ID_runtime_state) &&
                     (state->runtime_state == RUNTIME_STOPPED || state->runtime_state == RUNTIME_STOPPING);
    return has_ended ? "program-stopped" : NULL;
}

static void read_stops(struct armtap_said *said, const struct armtap_record *record)
{
    bool has_runtime = armtap_set_has(record->updated, ARMTAP_ID_runtime_state);
    said->shows_stops = has_runtime || armtap_set_has(record->updated, ARMTAP_ID_safety_status_bits);
    said->is_paused = has_runtime && record->state->runtime_state > RUNTIME_PLAYING;
    said->cause = cause_in(record);
}

static bool read_integer(int32_t *integer, unsigned number, const struct armtap_record *record)
{
    bool has = armtap_set_has(record->updated, ARMTAP_ID_output_int_register + number);
    *integer = has ? record->state->output_int_register[number] : 0;
    return has;
}

/* Up to 1.5.1 the script wrote its progress without the offset. */
static void read_results(struct armtap_said_results *results, unsigned offset, const struct armtap_record *record)
{
    results->has_integer = read_integer(&results->integer, offset + INTEGER_REGISTER, record);
    results->has_progress = read_integer(&results->progress, offset + PROGRESS_REGISTER, record) ||
                            read_integer(&results->progress, PROGRESS_REGISTER, record);
    for (unsigned i = 0; i < ARMTAP_SAID_DOUBLES; i++)
        if (armtap_set_has(record->updated, ARMTAP_ID_output_double_register + offset + i)) {
            results->doubles[i] = record->state->output_double_register[offset + i];
            results->has_doubles |= 1u << i;
        }
}

void armtap_said_read(struct armtap_said *said, unsigned offset, const struct armtap_record *record)
{
    memset(said, 0, sizeof *said);
    said->where = record->where;
    said->shows_state = read_integer(&said->state, offset, record);
    read_stops(said, record);
    read_results(&said->results, offset, record);
}

/* ---- a queue ----------------------------------------------------------------------------------------------------- */

static bool is_same(const struct armtap_said *one, const struct armtap_said *other)
{
    return one->client_bytes == other->client_bytes && one->shows_state == other->shows_state &&
           one->shows_stops == other->shows_stops && one->is_paused == other->is_paused && one->state == other->state &&
           one->cause == other->cause;
}

bool armtap_said_keep(struct armtap_said_queue *queue, const struct armtap_said *said)
{
    bool is_after = queue->has_gap || queue->has_dropped;
    if (queue->count > 0 && !is_after && is_same(&queue->kept[queue->count - 1], said))
        return false;
    if (queue->count == ARMTAP_SAID_KEPT) {
        queue->has_gap = armtap_said_has_gap(queue);
        armtap_said_drop(queue);
    }
    struct armtap_said *to = &queue->kept[queue->count++];
    *to = *said;
    to->is_after_gap = queue->has_gap;
    to->is_after_rest = queue->has_dropped;
    queue->has_gap = queue->has_dropped = false;
    return true;
}

bool armtap_said_next(struct armtap_said_queue *queue, const struct armtap_where *before, struct armtap_said *said)
{
    struct armtap_said *oldest = &queue->kept[0];
    if (queue->count == 0 || (before && !armtap_said_before(&oldest->where, before)))
        return false;
    *said = *oldest;
    queue->count--;
    memmove(oldest, oldest + 1, queue->count * sizeof *oldest);
    return true;
}

bool armtap_said_has_gap(const struct armtap_said_queue *queue)
{
    bool has = queue->has_gap;
    for (unsigned i = 0; i < queue->count; i++)
        has = has || queue->kept[i].is_after_gap;
    return has;
}

void armtap_said_drop(struct armtap_said_queue *queue)
{
    queue->count = 0;
    queue->has_dropped = true;
}
