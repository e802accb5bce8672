/* A run: why it ends, and whose turn it is meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <time.h>

#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "input/files/file_reader.h"
#include "analysis/inside.h"

#define PROGRESS_TURN 512

void run_stop(struct run *run, int outcome)
{
    if (run->stopped)
        return;
    run->stopped = true;
    if (outcome == ARMTAP_ERR_STOPPED && run->stop.why == REPLAY_HAS_ENOUGH)
        return;
    run->totals->broken_off = true;
    if (outcome == ARMTAP_ERR_STOPPED && run->stop.why == REPLAY_GAVE_UP)
        return;
    if (outcome == ARMTAP_ERR_STOPPED || outcome == ARMTAP_ERR_MEMORY)
        message_no_memory();
    else
        message_error("%s", armtap_strerror(outcome));
}

void run_check(struct run *run, int outcome)
{
    if (outcome != ARMTAP_OK && outcome != ARMTAP_ERR_UNSUPPORTED)
        run_stop(run, outcome);
}

void run_fail_input(struct run *run, enum capture_outcome outcome)
{
    if (outcome == CAPTURE_NO_MEMORY)
        run_stop(run, ARMTAP_ERR_MEMORY);
    else
        run->damaged = true;
    if (outcome == CAPTURE_CHANGED)
        run->stopped = run->totals->broken_off = true;
}

void run_advance(struct run *run, const struct capture *capture)
{
    if (run->turns++ % PROGRESS_TURN == 0)
        progress_update(&run->progress, run->read_before + capture_position(capture));
}

/* Ctrl-C ends a source that never ends by itself, once its pending input is used; it breaks off all others. */
static void obey_interrupt(struct run *run)
{
    const struct replay_source *source = run->source;
    if (replay_is_endless(source))
        return;
    if (!replay_is_live(source))
        run->stopped = run->totals->broken_off = run->totals->interrupted = true;
    else if (source->follow || interrupt_asked_before(READER_GRACE))
        run->ended = true;
}

void run_turn(struct run *run)
{
    if (interrupt_asked())
        obey_interrupt(run);
    if (!run->source->on_turn || run->stopped)
        return;
    run->stop.why = run->source->on_turn(run->stop.user, run->totals);
    if (run->stop.why != REPLAY_GO_ON)
        run_stop(run, ARMTAP_ERR_STOPPED);
}

void run_note_dropped(struct run *run, enum armtap_note_code code, const struct armtap_where *where,
                      const struct armtap_arguments *arguments)
{
    const struct armtap_clock_face face = {armtap_line_time, NULL};
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_sentence(&line, armtap_note_sentence(code), arguments, &face);
    struct armtap_note note = {
        .kind = armtap_note_at(code), .where = *where, .text = line.text, .arguments = *arguments};
    if (run->sink.on_note && run->sink.on_note(&run->stop, &note) != 0)
        run_stop(run, ARMTAP_ERR_STOPPED);
}

int64_t run_clock_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
