/* armtap watch: robots at a glance. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/names.h"
#include "base/process/message.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "command_line/shared_text.h"
#include "analysis/inside.h"
#include "pages.h"
#include "screen.h"
#include "watch.h"

/* ns: of a robot the data of which the page of --once is made; and for how long that waits for its first record. */
#define ONCE_SPAN SECOND
#define ONCE_PATIENCE (5 * SECOND)

static int read_speed(const struct option_row *row, const char *value, void *place)
{
    struct watch *watch = place;
    char *end;
    watch->view.speed = strcmp(value, "max") == 0 ? 0 : strtod(value, &end);
    if (strcmp(value, "max") != 0 &&
        (end == value || *end != '\0' || !(watch->view.speed >= 0.001) || watch->view.speed > 1000))
        return option_refuse(row, value, "max, or a number from 0.001 to 1000");
    return 0;
}

static int read_page(const struct option_row *row, const char *value, void *place)
{
    struct watch *watch = place;
    for (enum page page = 0; page < PAGES; page++) {
        if (strcmp(page_title(page), value) != 0)
            continue;
        watch->view.page = page;
        return 0;
    }
    return option_refuse(row, value, row->words);
}

#define OPTIONS_STRUCT struct watch
static const struct option_row rows[] = {
#define OPTIONS_WATCH
#include "command_line/options.def"
};

static int prepare(void *user)
{
    struct watch *watch = user;
    watch->options.request.with_primary = !watch->no_primary;
    return 0;
}

static const struct option_usage usage = {
    .command = "watch",
    .arguments = "[CAPTURE... | ROBOT...]",
    .summary = "Shows robots on a page that is redrawn while data comes: modes, joints, tool, inputs and outputs, how "
               "the data arrives, findings, incidents and a verdict. A capture is played at its pace. Without a "
               "terminal, prints the page once.",
    .rows = rows,
    .prepare = prepare,
    .groups = GROUPS_watch,
    .examples = "  armtap watch rtde://10.0.0.2\n  armtap watch --speed 0.1 --from +12s robot.pcapng\n"
                "  armtap watch --once --to 12:00:01.3 robot.pcapng\n"
                "  armtap watch --json rtde://10.0.0.2 | jq .safety\n"};

int64_t watch_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The range of a capture is known once its first packet is. */
static void find_range(struct watch *watch)
{
    if (!watch->is_range_known)
        watch->range = timestamp_range(&watch->from, &watch->to, watch->totals.first_time, watch->options.zone);
    watch->is_range_known = true;
}

static void stop_at(struct watch *watch, int64_t time)
{
    model_advance(watch->model, time);
    model_stop(watch->model);
    watch->is_stopped = true;
}

static void on_packet(void *user, const struct armtap_packet *packet)
{
    struct watch *watch = user;
    int64_t time = packet->where.time;
    if (watch->view.is_live || watch->is_stopped || time == ARMTAP_NO_TIME)
        return;
    find_range(watch);
    if (time > watch->range.to)
        stop_at(watch, watch->range.to);
    else if (watch->screen)
        watch_screen_play(watch, time);
    else
        model_advance(watch->model, time);
}

/* Whether a robot gave enough for the page of --once. */
static bool is_enough(const struct watch *watch, int64_t now)
{
    const struct watch_scene *scene = model_scene(watch->model);
    int64_t first = ARMTAP_NO_TIME;
    for (size_t i = 0; i < scene->robot_count; i++)
        if (scene->robots[i]->first != ARMTAP_NO_TIME)
            first = scene->robots[i]->first;
    return first != ARMTAP_NO_TIME ? now - first > ONCE_SPAN : now - watch->begun > ONCE_PATIENCE;
}

static enum replay_answer on_turn(void *user, const struct replay_totals *totals)
{
    struct watch *watch = user;
    (void)totals;
    if (watch->is_stopped || watch->is_quitting)
        return REPLAY_HAS_ENOUGH;
    if (watch->view.is_live)
        model_advance(watch->model, watch_clock());
    int64_t now = model_scene(watch->model)->now;
    if (watch->once && watch->view.is_live && is_enough(watch, now))
        return REPLAY_HAS_ENOUGH;
    if (watch->screen)
        watch_screen_turn(watch);
    else if (watch->json && !watch->once && now >= watch->range.from)
        watch_json_turn(watch);
    return REPLAY_GO_ON;
}

static int forward_record(void *user, const struct armtap_record *record)
{
    return model_sink.on_record(((struct watch *)user)->model, record);
}

#define FORWARD(member, type)                                                                                          \
    static int forward_##member(void *user, const struct type *what)                                                   \
    {                                                                                                                  \
        return model_sink.on_##member(((struct watch *)user)->model, what);                                            \
    }
FORWARD(recipe, armtap_recipe_event)
FORWARD(note, armtap_note)
FORWARD(event, armtap_event)
FORWARD(message, armtap_message)
FORWARD(command, armtap_command)
#undef FORWARD

static int forward_wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    return model_sink.wants(((struct watch *)user)->model, stream, direction);
}

static void read_source(struct watch *watch)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = forward_record,
                                     .on_recipe = forward_recipe,
                                     .on_note = forward_note,
                                     .on_event = forward_event,
                                     .on_message = forward_message,
                                     .on_command = forward_command,
                                     .wants = forward_wants};
    struct replay_source source = watch->options.source;
    source.knowledge = watch->knowledge;
    source.on_packet = on_packet;
    source.on_turn = on_turn;
    source.progress = !watch->json && !watch->screen;
    watch->begun = watch_clock();
    watch->status = replay(&source, &sink, watch, &watch->totals);
}

/* Judges what was read. 0, or -1 if nothing can be shown. */
static int settle(struct watch *watch)
{
    if (watch->totals.broken_off)
        return -1;
    if (!watch->is_stopped && model_finish(watch->model, &watch->totals, watch->status == EXIT_DONE) != 0)
        return message_no_memory();
    if (model_scene(watch->model)->robot_count > 0)
        return 0;
    if (watch->status == EXIT_DONE && !watch->view.is_live)
        model_report_nothing(watch->model, &watch->totals);
    return -1;
}

/* ---- the page as text -------------------------------------------------------------------------------------------- */

static int print_page(struct watch *watch)
{
    const struct watch_scene *scene = model_scene(watch->model);
    for (size_t i = 0; i < scene->robot_count; i++) {
        watch->view.robot = i;
        if (page_draw(&watch->sheet, VIEW_ROWS, text_columns(stdout), scene, &watch->view) != 0)
            return message_no_memory();
        if (i > 0)
            putchar('\n');
        sheet_print(stdout, &watch->sheet, text_is_coloured(stdout));
    }
    return 0;
}

/* On a terminal: the last page stays until the user quits. */
static void run_screen(struct watch *watch)
{
    read_source(watch);
    bool is_read = !watch->is_quitting && !watch->totals.broken_off;
    if (watch->totals.interrupted)
        watch->status = EXIT_DONE;
    if (is_read && !watch->view.is_live) {
        watch->view.is_over = true;
        if (settle(watch) == 0)
            watch_screen_stay(watch);
        else
            watch->status = EXIT_FAILED;
    }
    watch_screen_end(watch);
}

static void run_once(struct watch *watch)
{
    read_source(watch);
    watch->view.is_over = !watch->view.is_live && !watch->is_stopped;
    int outcome = settle(watch);
    if (outcome == 0 && watch->json)
        watch_json_end(watch);
    else if (outcome == 0)
        outcome = print_page(watch);
    if (outcome != 0)
        watch->status = EXIT_FAILED;
}

/* Keys come from standard input, or from the terminal itself where that is the capture. */
static bool has_terminal(const struct watch *watch)
{
    bool has_keys = isatty(STDIN_FILENO);
    for (size_t i = 0; i < watch->options.operand_count && !has_keys; i++)
        has_keys = strcmp(watch->options.operands[i], "-") == 0;
    return has_keys && isatty(STDOUT_FILENO);
}

static bool has_records(const struct watch_scene *scene)
{
    for (size_t i = 0; i < scene->robot_count; i++)
        if (scene->robots[i]->records > 0)
            return true;
    return false;
}

static void run_watch(struct watch *watch)
{
    bool has_screen = !watch->json && !watch->once && has_terminal(watch) && screen_is_possible();
    watch->once = watch->once || (!watch->json && !has_screen);
    if (has_screen && watch_screen_begin(watch) == 0)
        run_screen(watch);
    else if (!has_screen)
        run_once(watch);
    if (watch->options.source.robots && !has_records(model_scene(watch->model)) && !watch->totals.broken_off) {
        model_report_nothing(watch->model, &watch->totals);
        watch->status = EXIT_FAILED;
    }
}

static int check(const struct watch *watch)
{
    if (!timestamp_is_swapped(&watch->from, &watch->to))
        return 0;
    message_error("--to is before --from; swap them");
    return -1;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int begin(struct watch *watch)
{
    struct replay_source *source = &watch->options.source;
    watch->view.is_live = replay_is_endless(source);
    watch->view.zone = watch->options.zone;
    watch->view.source = source->interface ? source->interface : watch->options.operands[0];
    if (check(watch) != 0 || replay_count_back(source, &watch->from, &watch->to) != 0)
        return -1;
    watch->model = model_new(source, watch->options.zone);
    if (!watch->model || armtap_knowledge_new(&watch->knowledge) != ARMTAP_OK)
        return message_no_memory();
    return 0;
}

int cmd_watch(int argc, char **argv)
{
    struct watch watch = {.status = EXIT_FAILED, .view = {.speed = 1}};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &watch.options, &watch);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (begin(&watch) == 0)
        run_watch(&watch);
    sheet_free(&watch.sheet);
    model_free(watch.model);
    armtap_knowledge_free(watch.knowledge);
    options_free(&watch.options);
    return (int)watch.status;
}
