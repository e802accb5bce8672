#define _POSIX_C_SOURCE 200809L
/* armtap plot: a picture of what the robot did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/message.h"
#include "base/os/console.h"
#include "chart.h"
#include "command_line/options.h"
#include "command_line/commands.h"
#include "export/files/atomic_file.h"
#include "kinds.h"

/* Pixels, if the terminal does not say how wide it is. */
#define TERMINAL_WIDTH_DEFAULT 800

struct command {
    struct options options;
    struct chart_wish wish;
    const char *out; /* "-": standard output */
    const struct kind *kind;
    uint64_t width, height; /* 0: not given */
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int read_format(const struct option_row *row, const char *value, void *place)
{
    struct command *command = place;
    char list[KINDS_LIST_MAX];
    command->kind = kind_named(value);
    if (command->kind)
        return 0;
    message_error("plot: --%s %s: a picture is %s", row->name, value, kinds_list(list, false));
    return -1;
}

static int read_around(const struct option_row *row, const char *value, void *place)
{
    struct command *command = place;
    (void)row;
    return around_parse("plot", value, &command->wish.around, &command->wish.reach);
}

static void list_kinds(char text[OPTION_TEXT_MAX])
{
    char list[KINDS_LIST_MAX];
    snprintf(text, OPTION_TEXT_MAX, "%s", kinds_list(list, false));
}

/* Libraries are loaded before an interface is open: its sandbox allows no more of them. */
static int load(void *user)
{
    const struct command *command = user;
    const struct kind *kind = command->kind ? command->kind : kind_of_file(command->out);
    return kind && kind_is_built_in(kind) ? kind_check(kind, command->kind ? kind->name : command->out) : 0;
}

#define OPTIONS_STRUCT struct command
static const struct option_row rows[] = {
#define OPTIONS_PLOT
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "plot",
    .arguments = "[CAPTURE...]",
    .summary = "Draws a picture: values against time, modes as named bands, times without data in grey, stops as red "
               "lines with their packets. Every spike is visible, even in a long capture.",
    .rows = rows,
    .groups = GROUPS_plot,
    .prepare = load,
    .examples = "  armtap plot -o robot.svg robot.pcapng\n"
                "  armtap plot -o stop.svg --around safety.stop=2 robot.pcapng\n"
                "  armtap plot -o q.svg --fields \"actual_q,target_q\" --from +10 --to +20 robot.pcapng\n"};

/* ---- the output -------------------------------------------------------------------------------------------------- */

/* Sets the kind of picture that the terminal shows, if any. */
static void ask_terminal(struct command *command)
{
    static const char *const names[] = {[TERMINAL_SIXEL] = "sixel", [TERMINAL_KITTY] = "kitty"};
    struct terminal terminal = {TERMINAL_NO_PICTURES, 0};
    if (kind_is_built_in(kind_named("sixel")))
        terminal = terminal_ask();
    if (terminal.pictures == TERMINAL_NO_PICTURES)
        return;
    command->kind = kind_named(names[terminal.pictures]);
    if (command->width == 0)
        command->width = terminal.width < DRAW_WIDTH_MIN       ? TERMINAL_WIDTH_DEFAULT
                         : terminal.width < DRAW_WIDTH_DEFAULT ? terminal.width
                                                               : DRAW_WIDTH_DEFAULT;
}

/* Sets the kind of picture. 0, or -1 after a message. */
static int check_output(struct command *command)
{
    char list[KINDS_LIST_MAX];
    const struct kind *of_name = kind_of_file(command->out);
    bool is_standard = strcmp(command->out, "-") == 0, is_terminal = sink_file_is_terminal(command->out);
    if (command->kind && of_name && of_name != command->kind)
        message_warning("%s: -f %s overrides the extension, which means %s", command->out, command->kind->name,
                        of_name->name);
    if (!command->kind && is_standard && pager_has(STDOUT_FILENO)) {
        message_error("plot: a pager shows no pictures: remove --pager, or name a file, such as -o robot.svg");
        return -1;
    }
    if (!command->kind && is_terminal)
        ask_terminal(command);
    else if (!command->kind)
        command->kind = is_standard ? kind_named("svg") : of_name;
    if (!command->kind && is_terminal)
        message_error("plot: this terminal does not report graphics support: name a file, such as -o robot.svg");
    else if (!command->kind)
        message_error("plot: -o %s: the name of a picture ends in its kind, %s; or use --format", command->out,
                      kinds_list(list, true));
    else if (is_terminal && (command->kind->flags & KIND_IS_BINARY))
        message_error("plot: %s is not written to a terminal: name a file, such as -o robot%s", command->kind->name,
                      command->kind->ending);
    else if (command->height != 0 && (command->kind->flags & KIND_IS_PAGE))
        message_error("plot: --height does not apply to a page, which is as high as its panels need");
    else
        return kind_check(command->kind, command->out);
    return -1;
}

/* Whether the output and the source are as the picture needs them. 0, or -1 after a message. */
static int check_command(struct command *command)
{
    if (!command->wish.around || replay_is_repeatable(&command->options.source))
        return check_output(command);
    message_error("plot: --around reads the capture twice: name a file");
    return -1;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

/* 0, or -1 after a message. */
static int check_size(const struct chart *chart, const struct page *page)
{
    double width = draw_least_width(chart), height = draw_least_height(chart, page->width);
    if (page->width < width)
        message_error("plot: --width %.0f: the text of this picture needs at least %.0f", page->width, width);
    else if (page->height < height)
        message_error("plot: --height %.0f: this picture needs at least %.0f for its %zu panels and %zu strips; choose "
                      "fewer with --fields or --stream",
                      page->height, height, chart->panel_count, chart->strip_count);
    else
        return 0;
    return -1;
}

static enum exit_status run_plot(struct command *command)
{
    struct chart *chart;
    command->width = command->width != 0 ? command->width : DRAW_WIDTH_DEFAULT;
    command->wish.bins = 2 * (size_t)command->width;
    command->wish.has_figure = (command->kind->flags & KIND_IS_PAGE) != 0;
    struct buffer picture = {0};
    enum exit_status written = EXIT_FAILED;
    if (replay_count_back(&command->options.source, &command->wish.from, &command->wish.to) != 0)
        return EXIT_FAILED;
    enum exit_status status = chart_collect(&command->wish, &command->options.source, &chart);
    if (!chart)
        return status;
    struct page page = {
        .width = (double)command->width, .height = (double)command->height, .zone = command->options.zone};
    if (command->height == 0)
        page.height = draw_height(chart, page.width);
    if ((command->kind->flags & KIND_IS_PAGE) == 0 && check_size(chart, &page) != 0)
        written = EXIT_FAILED;
    else if (command->kind->write(chart, &page, &picture) != 0)
        message_no_memory();
    else
        written =
            sink_file_put(command->out, command->options.source.inputs, picture.data, picture.length) == SINK_FAILED
                ? EXIT_FAILED
                : EXIT_DONE;
    free(picture.data);
    chart_free(chart);
    return written == EXIT_DONE ? status : written;
}

int cmd_plot(int argc, char **argv)
{
    struct command command = {.out = "-"};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &command.options, &command);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    command.wish.zone = command.options.zone;
    enum exit_status status = EXIT_FAILED;
    if (check_command(&command) == 0)
        status = run_plot(&command);
    if (command.kind)
        kind_end(command.kind);
    options_free(&command.options);
    return (int)status;
}
