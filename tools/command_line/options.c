#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/console.h"
#include "base/os/names.h"
#include "input/replay/replay.h"
#include "input/files/input_files.h"
#include "base/os/interrupt.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "base/text/nearest_word.h"
#include "base/os/shell_word.h"
#include "base/os/privileges.h"
#include "input/files/recipe_file.h"

#define WORD_MAX 64

/* Names that a word stood for. */
struct found_names {
    struct found_names *next;
    char **names;
};

struct parser {
    const struct option_usage *usage;
    int argc;
    char **argv;
    int at;
    const struct option_row *list; /* the option whose list with commas ends at `at`, or before; NULL: none */
    const char *of_list;           /* its value */
    int list_at;
    struct options *options;
    void *user;
};

/* Options that many commands have, but not this one, are not unknown. */
static int refuse_unknown(const struct parser *parser, const char *word, const char *name)
{
    static const struct option_usage all = {.groups = ~0U};
    const char *names[OPTIONS_MAX], *meant, *command = parser->usage->command;
    char text[OPTION_TEXT_MAX];
    const struct option_row *row =
        word[1] == '-' ? options_row_named(&all, name, strlen(name)) : options_row_of_letter(&all, word[1]);
    size_t count = 0;
    if (row) {
        message_error("%s: no use for %s here; in other commands: %s", command, word, options_help_of(&all, row, text));
        return -1;
    }
    for (size_t i = 0; (row = options_row_at(parser->usage, i)) && count < OPTIONS_MAX; i++)
        if (row->name)
            names[count++] = row->name;
    meant = name ? word_nearest(name, names, count) : NULL;
    bool is_long = word[1] == '-';
    if ((is_long || !meant) && options_commands_with(text, is_long ? name : NULL, word[1]))
        message_error("%s: unknown option %s; it belongs to %s", command, word, text);
    else if (meant)
        message_error("%s: unknown option %s; did you mean --%s?", command, word, meant);
    else
        message_error("%s: unknown option %s; see armtap %s --help", command, word, command);
    return -1;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

/* The number of a row among those of its command. */
static size_t number_of(const struct option_usage *usage, const struct option_row *row)
{
    size_t i = 0;
    while (options_row_at(usage, i) != row)
        i++;
    return i;
}

static bool is_own(const struct option_usage *usage, const struct option_row *row)
{
    const struct option_row *own = usage->rows;
    while (own && own->read && own != row)
        own++;
    return own == row;
}

static enum options_outcome take_option(struct parser *parser, const struct option_row *row, const char *value)
{
    struct options *options = parser->options;
    unsigned char *given = &options->given[number_of(parser->usage, row)];
    char *base = is_own(parser->usage, row) ? parser->user : (char *)options;
    if (*given > 0 && !row->repeats) {
        message_error("%s: --%s is used twice; remove one of them", parser->usage->command, row->name);
        return OPTIONS_BAD;
    }
    *given = 1;
    if (row->has_commas) {
        parser->list = row;
        parser->of_list = value;
        parser->list_at = parser->at;
    }
    if (row->read(row, value, base + row->offset) != 0)
        return OPTIONS_BAD;
    if (row->has > 0)
        *(bool *)(base + row->has - 1) = true;
    if (!options->wants_help)
        return OPTIONS_RUN;
    if (options->pages)
        pager_start(false);
    options_show_help(parser->usage);
    return OPTIONS_HELP_SHOWN;
}

/* The next word, as the value of an option without \"=\". NULL after a message. */
static const char *next_word(struct parser *parser, const char *option, const struct option_row *row)
{
    if (parser->at + 1 < parser->argc)
        return parser->argv[++parser->at];
    message_error("%s: %s needs a value: %s %s", parser->usage->command, option, option, row->value);
    return NULL;
}

static enum options_outcome parse_name(struct parser *parser, const char *word)
{
    const char *name = word + 2, *value = NULL;
    char option[WORD_MAX];
    size_t length = strcspn(name, "=");
    snprintf(option, sizeof option, "%.*s", (int)(length < 60 ? length + 2 : 60), word);
    const struct option_row *row = options_row_named(parser->usage, name, length);
    if (!row) {
        refuse_unknown(parser, option, option + 2);
        return OPTIONS_BAD;
    }
    if (name[length] == '=')
        value = name + length + 1;
    if (!row->value && value) {
        message_error("%s: %s takes no value", parser->usage->command, option);
        return OPTIONS_BAD;
    }
    if (row->value && !option_may_lack_value(row) && !value && !(value = next_word(parser, option, row)))
        return OPTIONS_BAD;
    return take_option(parser, row, value);
}

static enum options_outcome parse_letters(struct parser *parser, const char *word)
{
    enum options_outcome outcome = OPTIONS_RUN;
    for (const char *letter = word + 1; *letter != '\0' && outcome == OPTIONS_RUN; letter++) {
        char option[3] = {'-', *letter, '\0'};
        const char *value = NULL;
        const struct option_row *row = options_row_of_letter(parser->usage, *letter);
        if (!row) {
            refuse_unknown(parser, option, strlen(word) > 2 ? word + 1 : NULL);
            return OPTIONS_BAD;
        }
        if (row->value) {
            value = letter[1] != '\0' ? letter + 1 : next_word(parser, option, row);
            if (!value)
                return OPTIONS_BAD;
        }
        outcome = take_option(parser, row, value);
        if (value)
            break;
    }
    return outcome;
}

/* Whether a word can be one that a shell has made of a list: PowerShell splits at commas outside quotes, all at blanks.
 */
static bool is_of_list(const struct parser *parser, const char *word)
{
    static const char in_lists[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*!=-,";
    const char *list = parser->of_list;
    bool is_number = word[0] >= '0' && word[0] <= '9', of_numbers = list[0] >= '0' && list[0] <= '9';
    return word[0] != '-' && is_number == of_numbers && word[strspn(word, in_lists)] == '\0' &&
           (parser->list->reads_nothing || access(word, F_OK) != 0);
}

/* Whether the operand is one of these, after a message with the list as it is typed. */
static bool refuse_split_list(const struct parser *parser)
{
    char text[OPTION_TEXT_MAX], url[ROBOT_URL_MAX];
    const char *word = parser->argv[parser->at], *comma = parser->list ? strrchr(parser->of_list, ',') : NULL;
    if (!parser->list || parser->at != parser->list_at + 1 || (comma && comma[1] != '\0') || !is_of_list(parser, word))
        return false;
    size_t length = (size_t)snprintf(text, sizeof text, "%s", parser->of_list);
    for (int i = parser->at; i < parser->argc && is_of_list(parser, parser->argv[i]) && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                   length > 0 && text[length - 1] == ',' ? "" : ",", parser->argv[i]);
    bool may_be_robot = parser->usage->groups & READS_ROBOTS && !armtap_field_find(word, strlen(word)) &&
                        robot_address_guess(url, word) != ROBOT_NOT;
    bool may_be_file = parser->usage->groups & READS_CAPTURES && !parser->list->reads_nothing;
    message_error("%s: %s is %s in the list of --%s; if it belongs there, quote the list: --%s \"%s\"%s%s",
                  parser->usage->command, word, may_be_file ? "neither a file nor" : "not", parser->list->name,
                  parser->list->name, text, may_be_robot ? "; if it is a robot, name it " : "",
                  may_be_robot ? url : "");
    return true;
}

/* A word that names several captures is replaced by these, where the shell does not do so. */
static enum options_outcome add_operand(struct parser *parser, char *word)
{
    struct options *options = parser->options;
    const char *arguments = parser->usage->arguments;
    bool names_files = parser->usage->groups & READS_CAPTURES || (arguments && strstr(arguments, "SUMMARY"));
    char **names = names_files ? console_names(word) : NULL;
    size_t count = 0;
    while (names && names[count])
        count++;
    if (!names && refuse_split_list(parser))
        return OPTIONS_BAD;
    if (!names) {
        options->operands[options->operand_count++] = word;
        return OPTIONS_RUN;
    }
    size_t room = options->operand_count + count + (size_t)(parser->argc - parser->at);
    char **operands = realloc(options->operands, room * sizeof *operands);
    struct found_names *found = malloc(sizeof *found);
    if (operands)
        options->operands = operands;
    if (!operands || !found) {
        free(found);
        console_names_free(names);
        message_no_memory();
        return OPTIONS_BAD;
    }
    *found = (struct found_names){options->found, names};
    options->found = found;
    memcpy(operands + options->operand_count, names, count * sizeof *names);
    options->operand_count += count;
    return OPTIONS_RUN;
}

static enum options_outcome parse_words(struct parser *parser)
{
    enum options_outcome outcome = OPTIONS_RUN;
    bool only_operands = false;
    for (parser->at = 0; parser->at < parser->argc && outcome == OPTIONS_RUN; parser->at++) {
        char *word = parser->argv[parser->at];
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = true;
        else if (!only_operands && strncmp(word, "--", 2) == 0)
            outcome = parse_name(parser, word);
        else if (!only_operands && word[0] == '-' && word[1] != '\0')
            outcome = parse_letters(parser, word);
        else
            outcome = add_operand(parser, word);
    }
    return outcome;
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static bool reads(const struct options *options, unsigned groups)
{
    return (options->usage->groups & groups) != 0;
}

static void report_nothing_given(const struct option_usage *usage)
{
    if (usage->nothing)
        message_error("%s: nothing is named; %s", usage->command, usage->nothing);
    else if (!(usage->groups & READS_CAPTURES))
        message_error("%s: no robot given; name one as " ROBOT_URLS, usage->command);
    else if (!(usage->groups & READS_LIVE))
        message_error("%s: no capture given; name a file", usage->command);
    else
        message_error("%s: no capture given; name a file, - for standard input, %s", usage->command,
                      usage->groups & READS_ROBOTS ? "-i INTERFACE, or a robot such as rtde://10.0.0.2"
                                                   : "or -i INTERFACE");
}

/* The first operand of that kind; NULL: none. */
static const char *first_operand(const struct options *options, bool robot)
{
    for (size_t i = 0; i < options->operand_count; i++)
        if (robot_address_is(options->operands[i]) == robot)
            return options->operands[i];
    return NULL;
}

static unsigned sources_of(const struct options *options)
{
    unsigned sources = options->source.interface ? SOURCE_LIVE : 0;
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *name = options->operands[i];
        sources |= !robot_address_is(name)          ? SOURCE_FILES
                   : strncmp(name, "rtde:", 5) == 0 ? SOURCE_RTDE
                                                    : SOURCE_LISTENED;
    }
    return sources;
}

void options_refuse_robot(const char *command, const char *robot)
{
    message_error("%s: %s is a robot, and this command reads captures; record one first: armtap record -o FILE.pcapng "
                  "%s",
                  command, robot, robot);
}

static void refuse_capture(const char *command, const char *name)
{
    char url[ROBOT_URL_MAX];
    if (robot_address_guess(url, name) != ROBOT_NOT)
        message_error("%s: %s is not a robot's URL; use armtap %s %s", command, name, command, url);
    else
        message_error("%s: %s is not a robot; name robots as " ROBOT_URLS, command, name);
}

/* A last name that is no file and does not end as a capture is the output, which needs its option. Whether it was so,
 * after a message. */
static bool refuse_bare_output(const struct options *options)
{
    char capture[SHELL_MAX] = "", out[SHELL_MAX] = "";
    const struct option_row *output = options_row_of_letter(options->usage, 'o');
    const char *command = options->usage->command;
    const char *last = options->operand_count > 1 ? options->operands[options->operand_count - 1] : "";
    const char *dot = strrchr(last, '.');
    if (!dot || path_base(dot) != dot || strstr(last, ".pcap") || robot_address_is(last) || access(last, F_OK) == 0 ||
        !output || options->given[number_of(options->usage, output)] > 0 ||
        !shell_word(capture, sizeof capture, options->operands[0]) || !shell_word(out, sizeof out, last))
        return false;
    message_error("%s: %s: no such file; if it is the output: armtap %s %s -o %s", command, last, command, capture,
                  out);
    return true;
}

/* Robots and captures are not mixed: a capture ends, and a robot does not. */
static int check_operands(const struct options *options)
{
    const char *command = options->usage->command, *interface = options->source.interface;
    const char *robot = first_operand(options, true), *capture = first_operand(options, false);
    size_t inputs = 0, empty = 0;
    for (size_t i = 0; i < options->operand_count; i++) {
        inputs += strcmp(options->operands[i], "-") == 0 ? 1 : 0;
        empty += options->operands[i][0] == '\0' ? 1 : 0;
    }
    if (empty > 0)
        message_error("%s: a name is empty: a variable of the shell may be unset", command);
    else if (robot && !reads(options, READS_ROBOTS))
        options_refuse_robot(command, robot);
    else if (robot && capture && reads(options, READS_CAPTURES))
        message_error("%s: %s is a robot and %s is a capture, and they cannot be read together; remove one of them, or "
                      "record the robot first: armtap record -o FILE.pcapng %s",
                      command, robot, capture, robot);
    else if (capture && !reads(options, READS_CAPTURES))
        refuse_capture(command, capture);
    else if (options->operand_count == 0 && !interface)
        report_nothing_given(options->usage);
    else if (options->operand_count > 0 && interface)
        message_error("%s: -i reads packets from %s, so it cannot read %s too; remove one of them", command, interface,
                      options->operands[0]);
    else if (inputs > 1)
        message_error("%s: standard input (-) is named twice, but can be read only once", command);
    else
        return refuse_bare_output(options) ? -1 : 0;
    return -1;
}

/* Checks that all that was given goes together. */
static int check_together(const struct options *options)
{
    bool has_sources = reads(options, READS_CAPTURES | READS_ROBOTS);
    if (option_rules_check(options, has_sources ? sources_of(options) : 0) != 0)
        return -1;
    return has_sources && option_rules_read(options) ? check_operands(options) : 0;
}

/* Only an ordinary file can be followed. */
static bool can_follow(const struct options *options)
{
    size_t last = options->operand_count - 1;
    if (!options->source.follow)
        return true;
    if (strcmp(options->operands[last], "-") == 0 || input_goes_on(inputs_at(options->inputs, last)))
        message_error("%s: --follow is for files; %s is read until it ends anyway: remove --follow",
                      options->usage->command,
                      strcmp(options->operands[last], "-") == 0 ? "standard input" : options->operands[last]);
    else
        return true;
    return false;
}

/* Drops privileges that only an interface needs; with an interface, once it is open. */
static int open_interface(struct options *options)
{
    if (!options->source.interface)
        return privileges_drop_lent();
    options->live = options->source.live = replay_open_interface(&options->source);
    return options->live ? 0 : -1;
}

static int read_labels(struct options *options)
{
    int outcome = options->labels_name ? labels_read(&options->labels, options->labels_name) : 0;
    options->source.labels = options->labels;
    return outcome;
}

static int read_recipe(struct options *options)
{
    if (!options->recipe_name)
        return 0;
    options->source.recipe_name = options->recipe_name;
    int outcome = recipe_file_read(options->recipe_name, &options->recipe);
    options->source.recipe = options->recipe;
    return outcome;
}

/* Opens the inputs. From here on Ctrl-C ends endless inputs, and what arrived is used. No threads run yet. 0, or -1
 * after a message. */
static int open_inputs(struct options *options)
{
    struct file_status out;
    if (options->sorts && file_order_sort(options->operands, options->operand_count) != 0)
        return -1;
    options->inputs = inputs_open(options->source.names, options->source.count, options->recipe_name);
    if (!options->inputs)
        return message_no_memory();
    options->source.inputs = options->inputs;
    if (!can_follow(options))
        return -1;
    if (file_status_of_open(STDOUT_FILENO, &out) == 0 && inputs_have(options->inputs, &out)) {
        message_error("standard output is one of the files being read; redirect it to another file");
        return -1;
    }
    if (replay_is_live(&options->source))
        interrupt_hold();
    return 0;
}

/* Robots take the place of files; what their ports carry is said by their URLs. */
static int open_robots(struct options *options)
{
    if (!first_operand(options, true))
        return 0;
    options->request.columns = options->usage->columns;
    if (robot_sources_open(&options->robots, options->operands, options->operand_count, &options->request,
                           options->recipe) != 0)
        return -1;
    for (size_t i = 0; i < options->robots.named; i++) {
        const struct robot_address *robot = &options->robots.robots[i];
        if (options_add_port(options, robot->url,
                             (struct armtap_port){sizeof(struct armtap_port), robot->port, robot->protocol}) != 0)
            return -1;
    }
    options->source.robots = &options->robots;
    options->source.recipe = NULL;
    return 0;
}

/* 0, or -1 after a message. */
static int finish(struct parser *parser)
{
    struct options *options = parser->options;
    if (check_together(options) != 0 || (parser->usage->prepare && parser->usage->prepare(parser->user) != 0))
        return -1;
    if (options->pages)
        pager_start(options->source.interface != NULL);
    if (open_interface(options) != 0)
        return -1;
    options->zone = options->local ? TIMESTAMP_LOCAL : TIMESTAMP_UTC;
    if (options->local && zone_ignored())
        message_warning("TZ=%s is not a zone that this system knows: --local means the time of this machine",
                        zone_ignored());
    if (read_labels(options) != 0)
        return -1;
    if (!reads(options, READS_CAPTURES | READS_ROBOTS))
        return 0;
    if (read_recipe(options) != 0 || open_robots(options) != 0)
        return -1;
    options->source.names = (const char *const *)options->operands;
    options->source.count = options->source.robots ? 0 : options->operand_count;
    options->source.robot_command = reads(options, ASKS_ROBOTS) ? options->usage->command : NULL;
    options->source.progress = true;
    return open_inputs(options);
}

enum options_outcome options_parse(const struct option_usage *usage, int argc, char **argv, struct options *options,
                                   void *user)
{
    if (argc > 0 && strcmp(argv[0], "--complete") == 0) {
        completion_show(usage, argc - 1, argv + 1);
        return OPTIONS_HELP_SHOWN;
    }
    struct parser parser = {.usage = usage, .argc = argc, .argv = argv, .options = options, .user = user};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *options = (struct options){.usage = usage, .threads = cores < 1 ? 1 : cores > 1024 ? 1024 : (unsigned)cores};
    options->operands = calloc((size_t)argc + 1, sizeof *options->operands);
    if (!options->operands) {
        message_no_memory();
        return OPTIONS_BAD;
    }
    enum options_outcome outcome = parse_words(&parser);
    if (outcome == OPTIONS_RUN && finish(&parser) != 0)
        outcome = OPTIONS_BAD;
    if (outcome != OPTIONS_RUN)
        options_free(options);
    return outcome;
}

int options_status(enum options_outcome outcome)
{
    return outcome == OPTIONS_BAD ? EXIT_FAILED : EXIT_DONE;
}

static void free_operands(struct options *options)
{
    for (struct found_names *found = options->found, *next; found; found = next) {
        next = found->next;
        console_names_free(found->names);
        free(found);
    }
    free(options->operands);
}

void options_free(struct options *options)
{
    if (options->recipe)
        armtap_recipe_release(options->recipe);
    labels_free(options->labels);
    inputs_free(options->inputs);
    replay_close_interface(options->live);
    robot_sources_close(&options->robots);
    free(options->ports);
    free_operands(options);
    *options = (struct options){.threads = 1};
}
