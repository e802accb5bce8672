#define _POSIX_C_SOURCE 200809L
/* armtap plot: a picture of what the robot did. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/pager.h"
#include "chart.h"
#include "command_line/around.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "export/atomic_file.h"
#include "kinds.h"
#include "terminal.h"

/* Pixels, if the terminal does not say how wide it is. */
#define TERMINAL_WIDTH_DEFAULT 800

enum {
    OPTION_OUTPUT = 1,
    OPTION_FORMAT,
    OPTION_FIELDS,
    OPTION_FROM,
    OPTION_TO,
    OPTION_AROUND,
    OPTION_STREAM,
    OPTION_WIDTH,
    OPTION_HEIGHT
};

static const struct option_row rows[] = {
    {OPTION_OUTPUT, 'o', "output", "OUT",
     "the picture's file, OUT.svg, OUT.png, OUT.pdf, or OUT.html to zoom into; - for standard output, which is the "
     "default; on a "
     "terminal that shows pictures (sixel, kitty), the picture"},
    {OPTION_FORMAT, 'f', "format", "FORMAT",
     "svg, png, pdf, html, sixel or kitty; default: from the ending of OUT, or what the terminal shows; svg elsewhere"},
    {OPTION_FIELDS, 0, "fields", "LIST",
     "a panel for each of these: names such as actual_q, elements such as actual_q_2, patterns such as '*_current'; "
     "default: joint positions, speeds and currents, the tool's position and force, and the speed scaling, as far as "
     "they were captured"},
    {OPTION_FROM, 0, "from", "T", "what was captured at T or later"},
    {OPTION_TO, 0, "to", "T", "what was captured at T or before; times as for armtap export"},
    {OPTION_AROUND, 0, "around", "ID[=SECONDS]",
     "only what is near the first finding with this id, by default within 1 second: safety.stop=2"},
    {OPTION_STREAM, 0, "stream", "N",
     "only this stream; armtap info numbers them. Default: those of the robot that stopped, or of the one with most "
     "records, each field from the stream that has it most often"},
    {OPTION_WIDTH, 0, "width", "PIXELS", "of the picture; default: 1200, or less on a terminal"},
    {OPTION_HEIGHT, 0, "height", "PIXELS", "of the picture; default: as its panels need"},
};

static const struct option_usage usage = {
    .command = "plot",
    .arguments = "[CAPTURE...]",
    .summary = "Draws a picture: values against time, modes as named bands, times without data in grey, stops as red "
               "lines with their packets. Every spike is shown, however long the capture is.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .reads_captures = true,
    .examples = "  armtap plot -o robot.svg robot.pcapng\n"
                "  armtap plot -o stop.svg --around safety.stop=2 robot.pcapng\n"
                "  armtap plot -o q.svg --fields 'actual_q,target_q' --from +10 --to +20 robot.pcapng\n"};

struct command {
    struct options options;
    struct chart_wish wish;
    const char *out; /* "-": standard output */
    const struct kind *kind;
    uint64_t width, height; /* 0: not given */
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int take_stream(struct chart_wish *wish, const char *value)
{
    uint64_t number;
    if (options_number("--stream", value, 0, UINT32_MAX, &number) != 0)
        return -1;
    wish->has_stream = true;
    wish->stream = (unsigned)number;
    return 0;
}

/* Libraries are loaded while options are read: once an interface is open, its sandbox allows no more of them. */
static int load_for(const struct kind *kind, const char *what)
{
    return kind && kind_is_built_in(kind) ? kind_check(kind, what) : 0;
}

static int take_format(struct command *command, const char *value)
{
    char list[KINDS_LIST_MAX];
    command->kind = kind_named(value);
    if (!command->kind)
        message_error("plot: --format %s: a picture is %s", value, kinds_list(list, false));
    return command->kind ? load_for(command->kind, value) : -1;
}

static int take(void *user, int id, const char *value)
{
    struct command *command = user;
    struct chart_wish *wish = &command->wish;
    switch (id) {
    case OPTION_OUTPUT:
        command->out = value;
        return load_for(kind_of_file(value), value);
    case OPTION_FORMAT:
        return take_format(command, value);
    case OPTION_FIELDS:
        wish->fields = value;
        return 0;
    case OPTION_FROM:
        return options_time("--from", value, &wish->from);
    case OPTION_TO:
        return options_time("--to", value, &wish->to);
    case OPTION_AROUND:
        return around_parse("plot", value, &wish->around, &wish->reach);
    case OPTION_STREAM:
        return take_stream(wish, value);
    case OPTION_WIDTH:
        return options_number("--width", value, DRAW_WIDTH_MIN, DRAW_WIDTH_MAX, &command->width);
    default:
        return options_number("--height", value, DRAW_HEIGHT_MIN, DRAW_HEIGHT_MAX, &command->height);
    }
}

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
    bool is_standard = strcmp(command->out, "-") == 0, is_terminal = sink_file_is_terminal(command->out);
    if (!command->kind && is_standard && pager_columns() > 0) {
        message_error("plot: a pager shows no pictures: leave out --pager, or name a file, such as -o robot.svg");
        return -1;
    }
    if (!command->kind && is_terminal)
        ask_terminal(command);
    else if (!command->kind)
        command->kind = is_standard ? kind_named("svg") : kind_of_file(command->out);
    if (!command->kind && is_terminal)
        message_error("plot: this terminal does not say that it shows pictures: name a file, such as -o robot.svg");
    else if (!command->kind)
        message_error("plot: -o %s: the name of a picture ends in its kind, %s; or give --format", command->out,
                      kinds_list(list, true));
    else if (is_terminal && (command->kind->flags & KIND_IS_BINARY))
        message_error("plot: %s is not written to a terminal: name a file, such as -o robot%s", command->kind->name,
                      command->kind->ending);
    else
        return kind_check(command->kind, command->out);
    return -1;
}

/* Whether the options go together. 0, or -1 after a message. */
static int check(struct command *command)
{
    const struct chart_wish *wish = &command->wish;
    if (wish->around && (wish->from.given || wish->to.given))
        message_error("plot: give --around, or --from and --to");
    else if (wish->around && !replay_is_repeatable(&command->options.source))
        message_error("plot: --around reads the capture twice: name a file");
    else
        return check_output(command);
    return -1;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static enum exit_status write_picture(const struct command *command, const struct buffer *picture)
{
    struct sink_run run = {.inputs = command->options.source.inputs};
    struct sink_file *file = sink_file_open(command->out, &run);
    if (!file)
        return EXIT_FAILED;
    enum sink_outcome outcome = sink_file_write(file, picture->data, picture->length);
    if (outcome != SINK_OK) {
        sink_file_discard(file);
        return EXIT_FAILED;
    }
    return sink_file_commit(file) == SINK_OK ? EXIT_DONE : EXIT_FAILED;
}

/* 0, or -1 after a message. */
static int check_size(const struct chart *chart, const struct page *page)
{
    double width = draw_least_width(chart), height = draw_least_height(chart, page->width);
    if (page->width < width)
        message_error("plot: --width %.0f: the words of this picture need %.0f at least", page->width, width);
    else if (page->height < height)
        message_error("plot: --height %.0f: this picture needs %.0f at least for its %zu panels and %zu strips; choose "
                      "fewer with --fields or --stream",
                      page->height, height, chart->panel_count, chart->strip_count);
    else
        return 0;
    return -1;
}

static enum exit_status run(struct command *command)
{
    struct chart *chart;
    command->width = command->width != 0 ? command->width : DRAW_WIDTH_DEFAULT;
    command->wish.bins = 2 * command->width;
    struct buffer picture = {0};
    enum exit_status written = EXIT_FAILED;
    enum exit_status status = chart_collect(&command->wish, &command->options.source, &chart);
    if (!chart)
        return status;
    struct page page = {
        .width = (double)command->width, .height = (double)command->height, .zone = command->options.zone};
    if (command->height == 0)
        page.height = draw_height(chart, page.width);
    if ((command->kind->flags & KIND_NEEDS_PAGES) == 0 && check_size(chart, &page) != 0)
        written = EXIT_FAILED;
    else if (command->kind->write(chart, &page, &picture) != 0)
        message_no_memory();
    else
        written = write_picture(command, &picture);
    free(picture.data);
    chart_free(chart);
    return written == EXIT_DONE ? status : written;
}

int cmd_plot(int argc, char **argv)
{
    struct command command = {.out = "-"};
    char kinds[KINDS_LIST_MAX];
    const struct option_words words = {OPTION_FORMAT, kinds_list(kinds, false)};
    struct option_usage with_words = usage;
    with_words.words = &words;
    with_words.words_count = 1;
    enum options_outcome outcome = options_parse(&with_words, argc, argv, &command.options, take, &command);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    command.wish.zone = command.options.zone;
    enum exit_status status = EXIT_FAILED;
    if (check(&command) == 0)
        status = run(&command);
    if (command.kind)
        kind_end(command.kind);
    options_free(&command.options);
    return (int)status;
}
