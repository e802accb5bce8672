#define _POSIX_C_SOURCE 200809L
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/sidecars/archive.h"
#include "base/process/message.h"
#include "base/process/privileges.h"
#include "base/process/sandbox.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"
#include "replay_run.h"
#include "input/robots/robot_capture.h"
#include "inside.h"

bool replay_is_repeatable(const struct replay_source *source)
{
    return !replay_is_endless(source) && !source->follow && inputs_are_ordinary(source->inputs, source->count);
}

const char *replay_file_name(const struct replay_source *source, uint32_t file)
{
    if (source->archive)
        return file < archive_count(source->archive) ? archive_name(source->archive, file) : NULL;
    return file < source->count ? source->names[file] : NULL;
}

bool replay_has_several_files(const struct replay_source *source)
{
    return source->archive ? archive_count(source->archive) > 1 : source->count > 1;
}

bool replay_is_endless(const struct replay_source *source)
{
    return source->interface || source->robots;
}

bool replay_asks_for_fields(const struct replay_source *source)
{
    for (size_t i = 0; source->robots && i < source->robots->count; i++)
        if (source->robots->robots[i].protocol != ARMTAP_RTDE)
            return false;
    return source->robots;
}

bool replay_is_live(const struct replay_source *source)
{
    return replay_is_endless(source) || source->follow || inputs_go_on(source->inputs, source->count);
}

/* ---- files and interfaces ---------------------------------------------------------------------------------------- */

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
    message_error("%s: a dump of a stream, without packets: nothing shows where it goes on; put the parts of a dump "
                  "together with cat",
                  reader_name(name));
    run->damaged = true;
}

struct capture *run_open_file(struct run *run, uint32_t file)
{
    const char *name = replay_file_name(run->source, file);
    const struct reader_wish wish = {.name = name,
                                     .input = inputs_at(run->source->inputs, run->source->archive ? 0 : file),
                                     .quiet = run->source->quiet,
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

static size_t add_port(char *filter, size_t length, size_t room, const struct armtap_port *port)
{
    int more = snprintf(filter + length, room - length, "%stcp port %u", length == 0 ? "" : " or ", port->port);
    return length + (more > 0 && (size_t)more < room - length ? (size_t)more : 0);
}

/* "Destination unreachable", in IPv4 and IPv6, and fragments, of which only the first has ports. */
static const char others[] = " or icmp[0] == 3 or (ip6 proto 58 and ip6[40] == 1) or (ip proto 6 and ip[6:2] & 0x1fff "
                             "!= 0) or (ip6[6] == 44 and ip6[40] == 6)";

/* A capture filter for the telemetry ports, for the ICMP errors sent in a robot's place, and for fragments. The caller
 * frees it; NULL if memory runs out. */
static char *telemetry_filter(const struct replay_source *source)
{
    struct armtap_port port;
    size_t known = 0, length = 0;
    while (armtap_port_at(known, &port))
        known++;
    size_t room = (known + source->port_count) * sizeof " or tcp port 65535" + sizeof others;
    char *filter = calloc(1, room);
    if (!filter)
        return NULL;
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        length = add_port(filter, length, room, &port);
    for (size_t i = 0; i < source->port_count; i++)
        length = add_port(filter, length, room, &source->ports[i]);
    snprintf(filter + length, room - length, "%s", others);
    return filter;
}

struct capture *replay_open_interface(const struct replay_source *source)
{
    char *made = source->filter ? NULL : telemetry_filter(source);
    const char *filter = made ? made : source->filter;
    if (!filter) {
        message_no_memory();
        return NULL;
    }
    struct capture *live = capture_open_live(source->interface, filter, made != NULL);
    int error = errno;
    free(made);
    if (!live && error == ENOMEM)
        message_no_memory();
    if (!live || (privileges_drop() == 0 && sandbox_enter() == 0))
        return live;
    capture_close(live);
    return NULL;
}

void replay_close_interface(struct capture *live)
{
    capture_close(live);
}

static void run_live(struct run *run)
{
    message_show_times();
    drops_begin(&run->drops, run_clock_time());
    run_packets(run, run->source->live, 0);
}

/* ---- all sources ------------------------------------------------------------------------------------------------- */

static struct armtap_net_options net_options(const struct replay_source *source, struct armtap_knowledge *knowledge)
{
    return (struct armtap_net_options){.size = sizeof(struct armtap_net_options),
                                       .ports = source->ports,
                                       .port_count = source->port_count,
                                       .recipe = source->recipe,
                                       .knowledge = knowledge,
                                       .no_guess = source->no_guess};
}

static void run_files(struct run *run)
{
    struct file_turns turns;
    if (file_turns_find(&turns, run->source) != 0) {
        run_check(run, ARMTAP_ERR_MEMORY);
        return;
    }
    run->by_time = turns.count > 0;
    if (run->by_time)
        run_by_time(run, &turns);
    else
        for (uint32_t i = 0; i < run->source->count && !run->stopped && !run->ended; i++)
            run_file(run, i);
    file_turns_free(&turns);
    if (!turns.unread || run->damaged || run->stopped)
        return;
    message_error("%s: its times could not be read, so the files may have been read in a wrong order: run the command "
                  "again",
                  reader_name(turns.unread));
    run->damaged = true;
}

static void run_all(struct run *run)
{
    const struct armtap_net_options options = net_options(run->source, run->source->knowledge);
    int outcome = armtap_net_new(&options, &run->sink, &run->stop, &run->net);
    if (outcome == ARMTAP_OK)
        outcome = armtap_net_brief(run->net);
    run_check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    if (run->source->interface)
        run_live(run);
    else if (run->source->robots)
        run_robots(run);
    else if (run->source->archive)
        run_archive(run);
    else
        run_files(run);
    if (!run->stopped && !(run->source->archive && run->ended))
        run_check(run, armtap_net_finish(run->net));
    for (size_t i = 0; i < REPLAY_UNREAD_KINDS && armtap_net_unread(run->net, i, &run->totals->unread[i]); i++)
        ;
    armtap_net_free(run->net);
}

static void begin_run(struct run *run, const struct replay_source *source, const struct armtap_sink *sink, void *user,
                      struct replay_totals *totals)
{
    *run = (struct run){.source = source,
                        .stop = {.source = source, .sink = sink, .user = user},
                        .ending = {.wish = source->archive || source->on_indexed ? NULL : source->end},
                        .totals = totals,
                        .before = {.time = ARMTAP_NO_TIME}};
    run->sink = replay_stop_wrap(&run->stop);
    if (source->comments)
        comments_free(source->comments);
    *totals = (struct replay_totals){.first_time = ARMTAP_NO_TIME, .file_time = ARMTAP_NO_TIME};
    progress_begin(&run->progress, source->progress && !replay_is_endless(source) && !source->follow,
                   replay_is_endless(source) ? 0 : inputs_length(source->inputs, source->count));
}

static enum exit_status end_run(struct run *run)
{
    progress_hide(&run->progress);
    return run->damaged || run->totals->broken_off ? EXIT_FAILED : EXIT_DONE;
}

enum exit_status replay(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                        struct replay_totals *totals)
{
    struct run run;
    begin_run(&run, source, sink, user, totals);
    run_all(&run);
    return end_run(&run);
}

static enum exit_status worse(enum exit_status one, enum exit_status other)
{
    return one > other ? one : other;
}

/* Empties the sink for another reading. */
static bool has_forgotten(int (*forget)(void *user), void *user, struct replay_totals *totals)
{
    if (forget(user) == 0)
        return true;
    message_no_memory();
    totals->broken_off = true;
    return false;
}

enum exit_status replay_learning(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                                 int (*forget)(void *user), struct replay_totals *totals)
{
    struct replay_source again = *source;
    enum exit_status status = replay(source, sink, user, totals);
    if (totals->broken_off || !armtap_knowledge_has_guesses(source->knowledge) || !replay_is_repeatable(source))
        return status;
    armtap_knowledge_seal(source->knowledge);
    again.quiet = source->quiet || status == EXIT_FAILED;
    return has_forgotten(forget, user, totals) ? worse(status, replay(&again, sink, user, totals)) : EXIT_FAILED;
}
