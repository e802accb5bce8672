/* The program: finds the command, runs it, and checks that its output was written. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"
#include "input/capture/capture.h"
#include "input/robots/robot_link.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "base/bytes/compression.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "base/os/console.h"
#include "base/os/path.h"
#include "base/os/privileges.h"
#include "base/os/sha256.h"
#include "input/files/file_reader.h"
#include "manual/pages.h"
#include "matlab/matlab.h"
#include "plot/canvas.h"
#include "watch/screen.h"
#include "input/files/recipe_file.h"
#include "base/terminal/fold.h"
#include "inside.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
#define COMMAND(name, summary, groups) {#name, cmd_##name, summary},
#include "command_line/commands.def"
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)
#define HELP_SUMMARY "show the page of a command or topic: examples, options, details"

/* Below the list of commands. */
static const struct {
    int indent; /* where a narrow terminal goes on */
    const char *text;
} usage_lines[] = {
    {13, "  help       " HELP_SUMMARY},
    {2, "\nOptions:"},
    {6, "  -h, --help     show this text; after a command, the help of that command"},
    {6, "  -V, --version  show the versions of armtap and of its libraries"},
    {2, "\nOptions of commands that read captures, among others:"},
    {6, "  -i, --interface INTERFACE  read live packets, until Ctrl-C"},
    {6, "  --follow                   keep reading as a file grows (info, stats, export, diagnose)"},
    {2, "\nExamples:\n  armtap info robot.pcapng\n  armtap diagnose -i eth0\n  armtap info rtde://10.0.0.2"},
    {2, "\nExit status: 0 success; 1 success, but the input has problems;\n2 failure."},
};

static void usage(FILE *file)
{
    text_line(file, 7, "Usage: armtap COMMAND [OPTIONS] [CAPTURE... | ROBOT...]");
    fputs("       armtap CAPTURE... | ROBOT...\n\n", file);
    struct text_wrap wrap = text_wrap_begin(file, 0, 0);
    text_wrap_words(&wrap,
                    "Decodes the telemetry of robot arms (Universal Robots' realtime interface, RTDE, "
                    "primary interface, dashboard server and External Control, AUBO's RTDE) from network captures, "
                    "or from a robot itself: " ROBOT_URLS ". Without a command, armtap runs info.");
    text_wrap_end(&wrap);
    text_heading(file, 2, "\nCommands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        text_line(file, 13, "  %-10s %s", commands[i].name, commands[i].summary);
    for (size_t i = 0; i < sizeof usage_lines / sizeof *usage_lines; i++)
        text_line(file, usage_lines[i].indent, "%s", usage_lines[i].text);
}

static void show_version(void)
{
    char text[64];
    const char *aubo = armtap_aubo_libraries();
    text_line(stdout, 2, "armtap %s", armtap_version());
    text_line(stdout, 2, "%s", capture_library());
    for (size_t i = 0; reader_library(i, text); i++)
        text_line(stdout, 2, "%s", reader_library(i, text));
    text_line(stdout, 2, "%s", recipe_file_library());
    text_line(stdout, 2, "%s", aubo ? aubo : "built without AUBO");
    const char *sandbox = sandbox_library(text);
    text_line(stdout, 2, "%s", sandbox ? sandbox : "built without libseccomp");
    for (int i = COMPRESSION_NONE + 1; i < COMPRESSION_END; i++)
        if (compression_is_of((enum compression)i, COMPRESSION_MODERN))
            text_line(stdout, 2, "%s", compression_library((enum compression)i, text));
    if (sha256_library())
        text_line(stdout, 2, "%s", sha256_library());
    text_line(stdout, 2, "%s", matlab_hdf5_library(text));
    text_line(stdout, 2, "%s", matlab_matio_library(text));
    text_line(stdout, 2, "%s", canvas_cairo_library(text));
    text_line(stdout, 2, "%s", screen_library());
}

static const struct command *command_of(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static const struct command *find_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1];
    const struct command *command = command_of(name);
    if (command)
        return command;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    names[COMMAND_COUNT] = "help";
    const char *meant = word_nearest(name, names, COMMAND_COUNT + 1);
    char url[ROBOT_URL_MAX];
    if (meant)
        message_error("unknown command '%s'; did you mean '%s'?", name, meant);
    else if (robot_address_guess(url, name) != ROBOT_NOT)
        message_error("unknown command '%s'; armtap --help lists the commands; if it is a robot: armtap info %s", name,
                      url);
    else
        message_error("unknown command '%s'; armtap --help lists the commands", name);
    return NULL;
}

/* argv: what follows help: the name of a page. --pager is taken, too, though nothing else is done. */
static int help(int argc, char **argv)
{
    const char *name = "armtap";
    for (int i = argc; i-- > 0;)
        if (strcmp(argv[i], "--pager") != 0 && strcmp(argv[i], "help") != 0)
            name = argv[i];
    const struct page *page = page_find(name);
    if (page)
        return page_show(page) == 0 ? EXIT_DONE : EXIT_FAILED;
    const char *meant = page_meant(name);
    if (meant)
        message_error("help: no page '%s'; did you mean: armtap help %s", name, meant);
    else
        message_error("help: no page '%s'; armtap help lists the commands and pages", name);
    return EXIT_FAILED;
}

static bool may_be_path(const char *word)
{
    while (*word != '\0' && *word != '.' && !path_is_separator(*word))
        word++;
    return *word != '\0';
}

/* A capture or a robot in the place of a command, also one that is not there: what is in it is the first thing to know.
 */
static bool is_input(const char *word)
{
    char url[ROBOT_URL_MAX];
    struct file_status file;
    return strcmp(word, "-") == 0 || (word[0] != '-' && may_be_path(word)) || file_status(word, &file) == 0 ||
           robot_address_guess(url, word) == ROBOT_SURELY;
}

static void complete_page(const char *word)
{
    for (const struct page *page = pages; page->name; page++)
        completion_word(word, page->name, page->summary);
}

static void complete_command(const char *word)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        completion_word(word, commands[i].name, commands[i].summary);
    completion_word(word, "help", HELP_SUMMARY);
    completion_word(word, "--help", "show the commands");
    completion_word(word, "--version", "show the versions of armtap and of its libraries");
    completion_files();
}

/* argv: --complete, and the words after "armtap", the last of which is completed. */
static int complete(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (argc <= 2) {
        complete_command(name);
        return EXIT_DONE;
    }
    if (strcmp(name, "help") == 0) {
        if (argc == 3)
            complete_page(argv[2]);
        return EXIT_DONE;
    }
    const struct command *command = command_of(name);
    if (!command)
        return is_input(name) ? cmd_info(argc, argv) : EXIT_DONE;
    argv[1] = argv[0];
    return command->run(argc - 1, argv + 1);
}

/* An option that armtap does not have before a command. */
static int refuse_option(const char *option)
{
    static const char *const names[] = {"--help", "--version"};
    const char *meant = strcmp(option, "-v") == 0 ? "-V" : word_nearest(option, names, 2);
    if (meant)
        message_error("unknown option %s before the command; did you mean %s?", option, meant);
    else
        message_error("unknown option %s before the command; see armtap --help", option);
    return EXIT_FAILED;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        console_stay();
        return EXIT_FAILED;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "/?") == 0) {
        const struct command *of = argc > 2 ? command_of(argv[2]) : NULL;
        if (of)
            return of->run(1, argv + 1);
        if (argc > 2 && strcmp(argv[2], "--pager") == 0)
            pager_start(false);
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        show_version();
        return EXIT_DONE;
    }
    if (strcmp(name, "--complete") == 0)
        return complete(argc - 1, argv + 1);
    if (!command_of(name) && is_input(name))
        return cmd_info(argc - 1, argv + 1);
    if (name[0] == '-')
        return refuse_option(name);
    const struct command *command = find_command(name);
    return command ? command->run(argc - 2, argv + 2) : EXIT_FAILED;
}

/* Output that cannot be written is a failure, whatever the command returned; not if its reader has enough. */
static int finish(int status)
{
    bool is_enough = console_has_lost_reader();
    errno = 0;
    int failed = fflush(stdout) != 0 || ferror(stdout);
    failed = fclose(stdout) != 0 || failed;
    pager_finish();
    if (!failed || is_enough || errno == EPIPE)
        return status;
    if (errno == EBADF)
        message_error("standard output is closed: redirect it to a file, such as >OUT");
    else
        message_error("standard output: cannot be written: %s",
                      errno == 0 ? "an earlier write failed" : strerror(errno));
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    console_begin();
    return privileges_are_own() ? finish(dispatch(argc, argv)) : EXIT_FAILED;
}
