#include "run.h"

#include "base/process/message.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"

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
        run_interface(run);
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
        armtap_comments_free(source->comments);
    *totals =
        (struct replay_totals){.first_time = ARMTAP_NO_TIME, .last_time = ARMTAP_NO_TIME, .file_time = ARMTAP_NO_TIME};
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
