/* A file: a capture or a dump. */
#include "run.h"

#include <errno.h>

#include "base/os/names.h"
#include "base/process/message.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"

static enum capture_outcome outcome_of_errno(int error)
{
    return error == ENOMEM ? CAPTURE_NO_MEMORY : error == ESTALE ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
}

/* Called while there is nothing to read. */
static bool wait_on(void *user)
{
    struct run *run = user;
    run_turn(run);
    return !run->stopped && !run->ended;
}

/* A file that could not be read is no dump. */
void run_refuse_dump(struct run *run, struct capture *capture, const char *name)
{
    uint8_t byte;
    long got = capture_read(capture, &byte, 1);
    if (got < 0) {
        run_fail_input(run, (enum capture_outcome)got);
        return;
    }
    message_error("%s: a dump of a stream, without packets: nothing shows where it continues; join the parts of a dump "
                  "with cat",
                  reader_name(name));
    run->damaged = true;
}

struct capture *run_open_file(struct run *run, uint32_t file)
{
    const char *name = replay_file_name(run->source, file);
    struct input *input = inputs_at(run->source->inputs, run->source->archive ? 0 : file);
    bool is_missing = input && input_error(input) == ENOENT;
    if (is_missing && !run->source->quiet)
        run_report_missing(name, run->source->robot_command);
    const struct reader_wish wish = {.name = name,
                                     .input = input,
                                     .quiet = run->source->quiet || is_missing,
                                     .follows = run->source->follow && file + 1 == run->source->count,
                                     .on_wait = wait_on,
                                     .user = run};
    struct capture *capture = capture_open(&wish);
    run->totals->file = file;
    run->totals->file_time = ARMTAP_NO_TIME;
    if (!capture)
        run_fail_input(run, outcome_of_errno(errno));
    return capture;
}

void run_close_file(struct run *run, struct capture *capture)
{
    run->read_before += capture_position(capture);
    capture_close(capture);
}

void run_file(struct run *run, uint32_t file)
{
    const char *name = replay_file_name(run->source, file);
    struct capture *capture = run_open_file(run, file);
    if (!capture)
        return;
    if (capture_is_raw(capture) && (run->source->on_indexed || run->source->archive))
        run_refuse_dump(run, capture, name);
    else if (capture_is_raw(capture))
        run_raw(run, capture, file, name);
    else
        run_packets(run, capture, file);
    run_close_file(run, capture);
}
