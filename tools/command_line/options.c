#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/file_order.h"
#include "input/input_files.h"
#include "completion.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/pager.h"
#include "base/privileges.h"
#include "input/recipe_file.h"
#include "robot_request.h"
#include "base/fold.h"
#include "base/paint.h"

/* Ids of the shared options, above those that commands choose. */
enum shared_id {
    SHARED_PORT = 1000,
    SHARED_RECIPE,
    SHARED_NO_GUESS,
    SHARED_RAW,
    SHARED_INTERFACE,
    SHARED_FILTER,
    SHARED_THREADS,
    SHARED_LOCAL,
    SHARED_FOLLOW,
    SHARED_SORT,
    SHARED_FIELDS, /* from here on for robots */
    SHARED_ALL,
    SHARED_FREQUENCY,
    SHARED_STRICT,
    SHARED_GIVE_UP,
    SHARED_COLOUR, /* from here on of every command */
    SHARED_PAGER,
    SHARED_HELP
};

static const struct option_row common_rows[] = {
    {SHARED_COLOUR, 0, "color", "WHEN",
     "colours of texts for people: auto, the default: on terminals, unless NO_COLOR is set or TERM is dumb; always; "
     "never"},
    {SHARED_PAGER, 0, "pager", NULL, "on a terminal, show the output in a pager: $PAGER, or less"},
    {SHARED_HELP, 'h', "help", NULL, "show this text"},
};
#define COMMON_COUNT (sizeof common_rows / sizeof *common_rows)
static const struct option_row shared_rows[] = {
    {SHARED_PORT, 0, "port", "N=PROTOCOL", "what a TCP port carries (may be repeated):"},
    {SHARED_RECIPE, 0, "recipe", "FILE",
     "the RTDE output recipe if the capture lacks it: UR's XML, or a line \"name type\" per field; or AUBO's "
     "subscription, as the client sends it; @NAME is that of a well-known client (armtap recipe --list)"},
    {SHARED_NO_GUESS, 0, "no-guess", NULL,
     "do not guess the recipe if the handshake was not captured: records stay opaque"},
    {SHARED_RAW, 0, "raw", "PROTOCOL", "what a raw dump holds, if armtap does not recognise it:"},
    {SHARED_INTERFACE, 'i', "interface", "INTERFACE", "read live packets instead of files, until Ctrl-C"},
    {SHARED_FILTER, 0, "filter", "FILTER", "capture filter for -i instead of the telemetry ports; see pcap-filter(7)"},
    {SHARED_THREADS, 0, "threads", "N", "threads to use (default: one per core); the output does not depend on it"},
    {SHARED_LOCAL, 0, "local", NULL, "show times, and read times of day, in this machine's zone instead of UTC"},
    {SHARED_FOLLOW, 0, "follow", NULL,
     "keep reading as the file grows, for example under tcpdump -w, until Ctrl-C; info prints its tables then; with "
     "several files, follow the last one"},
    {SHARED_SORT, 0, "sort", NULL, "read several files in order of their first packets' times, not as given"},
    {SHARED_FIELDS, 0, "fields", "A,B,C", "of a robot: ask for these fields; globs in quotes"},
    {SHARED_ALL, 0, "all", NULL, "of a robot: ask for every output that is no register"},
    {SHARED_FREQUENCY, 0, "frequency", "HZ", "of a robot: ask for so many packages a second (default: its own rate)"},
    {SHARED_STRICT, 0, "strict", NULL, "of a robot: stop if the controller lacks a field that was asked for"},
    {SHARED_GIVE_UP, 0, "give-up", "TIME",
     "of a robot: stop after that time without data (60, 5m) instead of connecting again for ever"},
};
#define SHARED_COUNT (sizeof shared_rows / sizeof *shared_rows)

#define WORD_MAX 64
#define HELP_WIDE 60 /* columns from which an option and its meaning stand side by side */

struct parser {
    const struct option_usage *usage;
    int argc;
    char **argv;
    int at;
    struct options *options;
    options_take *take;
    void *user;
    const char *recipe_name; /* read after all other options were checked */
    bool sorts, pages;
    struct robot_request request;
};

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static bool has_own(const struct option_usage *usage, const char *name)
{
    for (size_t i = 0; i < usage->row_count; i++)
        if (usage->rows[i].name && strcmp(usage->rows[i].name, name) == 0)
            return true;
    return false;
}

static bool has_shared(const struct option_usage *usage, const struct option_row *row)
{
    if (row->id == SHARED_FOLLOW)
        return usage->may_follow;
    if (usage->fixed_request && (row->id == SHARED_FIELDS || row->id == SHARED_ALL || row->id == SHARED_FREQUENCY))
        return false;
    if (row->id >= SHARED_FIELDS || (row->id == SHARED_RECIPE && usage->reads_robots))
        return usage->reads_robots && !has_own(usage, row->name);
    bool decodes = row->id == SHARED_PORT || row->id == SHARED_RAW || row->id == SHARED_NO_GUESS;
    return usage->reads_captures || (usage->decodes && decodes);
}

/* The i-th option of a command: its own, then the shared ones, then those of every command; NULL after the last. */
const struct option_row *options_row_at(const struct option_usage *usage, size_t i)
{
    if (i < usage->row_count)
        return &usage->rows[i];
    i -= usage->row_count;
    for (size_t k = 0; k < SHARED_COUNT; k++)
        if (has_shared(usage, &shared_rows[k]) && i-- == 0)
            return &shared_rows[k];
    return i < COMMON_COUNT ? &common_rows[i] : NULL;
}

const struct option_row *options_row_named(const struct option_usage *usage, const char *name, size_t length)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row_at(usage, i)); i++)
        if (row->name && strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

const struct option_row *options_row_of_letter(const struct option_usage *usage, char letter)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row_at(usage, i)); i++)
        if (row->letter != 0 && row->letter == letter)
            return row;
    return NULL;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least_two = a < b ? a : b;
    return least_two < c ? least_two : c;
}

/* Edit distance: the letters to insert, delete or change to get from one word to the other. */
static size_t distance(const char *from, const char *to)
{
    size_t row[WORD_MAX + 1], length = strlen(to);
    if (length > WORD_MAX || strlen(from) > WORD_MAX)
        return WORD_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (size_t k = 1; from[k - 1] != '\0'; k++) {
        size_t diagonal = row[0];
        row[0] = k;
        for (size_t i = 1; i <= length; i++) {
            size_t above = row[i];
            row[i] = min3(above + 1, row[i - 1] + 1, diagonal + (from[k - 1] == to[i - 1] ? 0 : 1));
            diagonal = above;
        }
    }
    return row[length];
}

const char *options_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    for (size_t i = 0; i < count && *word != '\0'; i++)
        if (strncmp(names[i], word, strlen(word)) == 0)
            return names[i];
    size_t allowed = strlen(word) / 3 < 2 ? 2 : strlen(word) / 3, nearest = allowed + 1;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, names[i]);
        if (far < nearest && far < strlen(names[i])) {
            nearest = far;
            best = names[i];
        }
    }
    return best;
}

static int unknown_option(const struct parser *parser, const char *word, const char *name)
{
    const char *names[WORD_MAX], *meant;
    const struct option_row *row;
    size_t count = 0;
    for (size_t i = 0; (row = options_row_at(parser->usage, i)) && count < WORD_MAX; i++) {
        if (row->name)
            names[count++] = row->name;
    }
    meant = name ? options_nearest(name, names, count) : NULL;
    if (meant)
        message_error("%s: unknown option %s; did you mean --%s?", parser->usage->command, word, meant);
    else
        message_error("%s: unknown option %s; see armtap %s --help", parser->usage->command, word,
                      parser->usage->command);
    return -1;
}

const char *options_shared_words(const struct option_row *row)
{
    return row->id == SHARED_COLOUR ? "auto, always or never" : NULL;
}

bool options_asks_robot(const struct option_row *row)
{
    return row->id == SHARED_FIELDS;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* Whether the option may have a value. */
static bool is_optional(const struct option_row *row)
{
    return row->value && row->value[0] == '[';
}

/* A command that reads robots only need not say so with each option. */
const char *options_help_of(const struct option_usage *usage, const struct option_row *row)
{
    static const char lead[] = "of a robot: ";
    if (usage->reads_captures)
        return row->help;
    if (row->id == SHARED_RECIPE)
        return "ask for the fields of this recipe: UR's XML, or a line \"name type\" per field; @NAME is that of a "
               "well-known client (armtap recipe --list)";
    return strncmp(row->help, lead, strlen(lead)) == 0 ? row->help + strlen(lead) : row->help;
}

/* What a command refuses, with a reason, must not be offered. */
bool options_is_offered(const struct option_usage *usage, const struct option_row *row)
{
    return !usage->needs_files || (row->id != SHARED_INTERFACE && row->id != SHARED_FILTER);
}

static void show_row(const struct option_usage *usage, const struct option_row *row)
{
    char left[64] = "  ", protocols[REPLAY_PROTOCOLS_MAX];
    size_t length = 2;
    if (row->letter != 0)
        length += (size_t)snprintf(left + length, sizeof left - length, "-%c%s", row->letter, row->name ? ", " : "");
    if (row->name)
        length += (size_t)snprintf(left + length, sizeof left - length, "--%s", row->name);
    if (is_optional(row))
        length += (size_t)snprintf(left + length, sizeof left - length, "[=%s", row->value + 1);
    else if (row->value)
        length += (size_t)snprintf(left + length, sizeof left - length, " %s", row->value);
    bool is_narrow = text_columns(stdout) < HELP_WIDE, goes_on = length <= 26 && !is_narrow;
    fputs(left, stdout);
    if (!goes_on)
        putc('\n', stdout);
    struct text_wrap wrap = text_wrap_begin(stdout, goes_on ? (int)length : 0, is_narrow ? 6 : 28);
    text_wrap_words(&wrap, options_help_of(usage, row));
    if (row->id == SHARED_PORT || row->id == SHARED_RAW) {
        replay_protocols(protocols, ", ", " or ");
        text_wrap_words(&wrap, protocols);
    }
    text_wrap_end(&wrap);
}

static void show_paragraph(const char *text)
{
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 0);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

static void show_help(const struct option_usage *usage)
{
    const struct option_row *row;
    text_line(stdout, 7, "Usage: armtap %s [OPTIONS]%s%s", usage->command, *usage->arguments == '\0' ? "" : " ",
              usage->arguments);
    putchar('\n');
    show_paragraph(usage->summary);
    if (usage->reads_captures && usage->needs_files)
        show_paragraph("A CAPTURE is a pcap or pcapng file (packed by gzip, zstd, xz, lz4 or bzip2 is fine), or a raw "
                       "dump of one direction of a stream. "
                       "Several files are one capture.");
    else if (usage->reads_captures)
        show_paragraph("A CAPTURE is a pcap or pcapng file (packed by gzip, zstd, xz, lz4 or bzip2 is fine), a raw "
                       "dump of one direction of a stream, or "
                       "- for standard input. Several files are one capture.");
    if (usage->reads_captures && strstr(usage->arguments, "ROBOT"))
        show_paragraph("A ROBOT is rtde://HOST or realtime://HOST, with :PORT if it is not UR's own. It is read live, "
                       "until Ctrl-C. RTDE is asked for the 36 fields of a 1220-byte realtime packet, unless options "
                       "say otherwise.");
    text_heading(stdout, 2, "\nOptions:");
    for (size_t i = 0; (row = options_row_at(usage, i)); i++)
        if (options_is_offered(usage, row))
            show_row(usage, row);
    text_heading(stdout, 2, "\nExample:");
    text_commands(stdout, usage->examples);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

int options_number(const char *option, const char *value, uint64_t low, uint64_t high, uint64_t *number)
{
    const char *at = value;
    *number = 0;
    for (; *at >= '0' && *at <= '9' && *number <= high; at++)
        *number = *number > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *number * 10 + (uint64_t)(*at - '0');
    if (at != value && *at == '\0' && *number >= low && *number <= high)
        return 0;
    message_error("%s '%s': expected a whole number from %llu to %llu", option, value, (unsigned long long)low,
                  (unsigned long long)high);
    return -1;
}

int options_time(const char *option, const char *value, struct timestamp *when)
{
    if (timestamp_parse(value, when) == 0)
        return 0;
    message_error("%s '%s': not a time; %s", option, value, when_forms);
    return -1;
}

static int take_protocol(const char *option, const char *value, enum armtap_protocol *protocol)
{
    *protocol = armtap_protocol_find(value);
    if (*protocol != ARMTAP_PROTOCOL_NONE)
        return 0;
    char protocols[REPLAY_PROTOCOLS_MAX];
    const struct armtap_protocol_info *info;
    size_t i = 0;
    while ((info = armtap_protocol_at(i)) && strcmp(info->name, value) != 0)
        i++;
    replay_protocols(protocols, ", ", " or ");
    if (info)
        message_error("%s: this build of armtap lacks protocol '%s'; configure it without %s", option, value,
                      info->left_out);
    else
        message_error("%s: unknown protocol '%s'; use %s", option, value, protocols);
    return -1;
}

static int take_port(struct options *options, const char *value)
{
    char number[8];
    uint64_t port;
    size_t length = strcspn(value, "="), count = options->source.port_count;
    if (value[length] == '\0' || length >= sizeof number) {
        message_error("--port '%s': expected a port and its protocol, as in --port 30004=rtde", value);
        return -1;
    }
    memcpy(number, value, length);
    number[length] = '\0';
    struct armtap_port *ports = realloc(options->ports, (count + 1) * sizeof *ports);
    if (!ports)
        return message_no_memory();
    options->ports = ports;
    if (options_number("--port", number, 1, 65535, &port) != 0 ||
        take_protocol("--port", value + length + 1, &ports[count].protocol) != 0)
        return -1;
    ports[count].port = (uint16_t)port;
    options->source.ports = ports;
    options->source.port_count = count + 1;
    return 0;
}

static int take_of_robot(struct parser *parser, int id, const char *value)
{
    struct robot_request *request = &parser->request;
    switch (id) {
    case SHARED_FIELDS:
        request->fields = value;
        return 0;
    case SHARED_ALL:
        request->all = true;
        return 0;
    case SHARED_FREQUENCY:
        return robot_request_frequency(request, value);
    case SHARED_STRICT:
        request->strict = true;
        return 0;
    default:
        return robot_request_give_up(request, value);
    }
}

/* A command's own --fields and --strict mean the robot, too. */
static void share_own(struct parser *parser, const struct option_row *row, const char *value)
{
    if (!row->name || !parser->usage->reads_robots)
        return;
    if (strcmp(row->name, "fields") == 0)
        parser->request.fields = value;
    if (strcmp(row->name, "strict") == 0)
        parser->request.strict = true;
}

static int take_shared(struct parser *parser, int id, const char *value)
{
    struct options *options = parser->options;
    uint64_t number;
    if (id >= SHARED_FIELDS)
        return take_of_robot(parser, id, value);
    switch (id) {
    case SHARED_PORT:
        return take_port(options, value);
    case SHARED_RECIPE:
        parser->recipe_name = value;
        return 0;
    case SHARED_NO_GUESS:
        options->source.no_guess = true;
        return 0;
    case SHARED_RAW:
        return take_protocol("--raw", value, &options->source.raw);
    case SHARED_INTERFACE:
        options->source.interface = value;
        return 0;
    case SHARED_FILTER:
        options->source.filter = value;
        return 0;
    case SHARED_FOLLOW:
        options->source.follow = true;
        return 0;
    case SHARED_SORT:
        parser->sorts = true;
        return 0;
    case SHARED_LOCAL:
        options->zone = TIMESTAMP_LOCAL;
        return 0;
    default:
        if (options_number("--threads", value, 1, 1024, &number) != 0)
            return -1;
        options->threads = (unsigned)number;
        return 0;
    }
}

/* 0, or -1 after a message. */
static int take_colour(const char *value)
{
    if (text_colour_choose(value) == 0)
        return 0;
    message_error("--color '%s': give auto, always or never", value);
    return -1;
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static enum options_outcome take_row(struct parser *parser, const struct option_row *row, const char *value)
{
    if (row->id == SHARED_PAGER) {
        parser->pages = true;
        return OPTIONS_RUN;
    }
    if (row->id == SHARED_HELP) {
        if (parser->pages)
            pager_start(false);
        show_help(parser->usage);
        return OPTIONS_HELP_SHOWN;
    }
    if (row->id == SHARED_COLOUR)
        return take_colour(value) == 0 ? OPTIONS_RUN : OPTIONS_BAD;
    share_own(parser, row, value);
    int outcome =
        row->id >= SHARED_PORT ? take_shared(parser, row->id, value) : parser->take(parser->user, row->id, value);
    return outcome == 0 ? OPTIONS_RUN : OPTIONS_BAD;
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
        unknown_option(parser, option, option + 2);
        return OPTIONS_BAD;
    }
    if (name[length] == '=')
        value = name + length + 1;
    if (!row->value && value) {
        message_error("%s: %s takes no value", parser->usage->command, option);
        return OPTIONS_BAD;
    }
    if (row->value && !is_optional(row) && !value && !(value = next_word(parser, option, row)))
        return OPTIONS_BAD;
    return take_row(parser, row, value);
}

static enum options_outcome parse_letters(struct parser *parser, const char *word)
{
    enum options_outcome outcome = OPTIONS_RUN;
    for (const char *letter = word + 1; *letter != '\0' && outcome == OPTIONS_RUN; letter++) {
        char option[3] = {'-', *letter, '\0'};
        const char *value = NULL;
        const struct option_row *row = options_row_of_letter(parser->usage, *letter);
        if (!row) {
            unknown_option(parser, option, strlen(word) > 2 ? word + 1 : NULL);
            return OPTIONS_BAD;
        }
        if (row->value) {
            value = letter[1] != '\0' ? letter + 1 : next_word(parser, option, row);
            if (!value)
                return OPTIONS_BAD;
        }
        outcome = take_row(parser, row, value);
        if (value)
            break;
    }
    return outcome;
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
            parser->options->operands[parser->options->operand_count++] = word;
    }
    return outcome;
}

static void report_nothing_given(const struct option_usage *usage)
{
    if (!usage->reads_captures)
        message_error("%s: no robot given; name one as rtde://HOST or realtime://HOST", usage->command);
    else if (usage->needs_files)
        message_error("%s: no capture given; name a file", usage->command);
    else
        message_error("%s: no capture given; name a file, - for standard input, or -i INTERFACE", usage->command);
}

static size_t count_robots(const struct options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < options->operand_count; i++)
        count += robot_address_is(options->operands[i]) ? 1 : 0;
    return count;
}

static const char *first_operand(const struct options *options, bool robot)
{
    size_t i = 0;
    while (robot_address_is(options->operands[i]) != robot)
        i++;
    return options->operands[i];
}

void options_refuse_robot(const char *command, const char *robot)
{
    message_error("%s: %s is a robot, and this command reads captures; make one first: armtap record -o FILE.pcapng %s",
                  command, robot, robot);
}

/* Robots and captures are not mixed: a capture ends, and a robot does not. */
static int check_robots(const struct parser *parser)
{
    const struct options *options = parser->options;
    const char *command = parser->usage->command, *option = robot_request_option(&parser->request);
    size_t count = count_robots(options);
    if (count > 0 && !parser->usage->reads_robots)
        options_refuse_robot(command, first_operand(options, true));
    else if (count > 0 && count < options->operand_count && parser->usage->reads_captures)
        message_error("%s: %s is a robot and %s is a capture, and they cannot be read together; leave one of them out, "
                      "or make a capture of the robot first: armtap record -o FILE.pcapng %s",
                      command, first_operand(options, true), first_operand(options, false),
                      first_operand(options, true));
    else if (count < options->operand_count && !parser->usage->reads_captures)
        message_error("%s: %s is not a robot; name robots as rtde://HOST[:PORT] or realtime://HOST[:PORT]", command,
                      first_operand(options, false));
    else if (count > 0 && options->source.follow)
        message_error("%s: --follow is for files; a robot never ends anyway: drop --follow", command);
    else if (count == 0 && option && parser->usage->reads_captures)
        message_error("%s: %s works only with a robot, such as rtde://HOST", command, option);
    else
        return 0;
    return -1;
}

/* Checks that the options fit together. */
static enum options_outcome check_together(const struct parser *parser)
{
    const struct options *options = parser->options;
    const char *command = parser->usage->command, *interface = options->source.interface;
    size_t inputs = 0;
    if (!parser->usage->reads_captures && !parser->usage->reads_robots)
        return OPTIONS_RUN;
    if (check_robots(parser) != 0)
        return OPTIONS_BAD;
    for (size_t i = 0; i < options->operand_count; i++)
        inputs += strcmp(options->operands[i], "-") == 0 ? 1 : 0;
    if (options->operand_count == 0 && !interface && !parser->usage->may_lack_captures)
        report_nothing_given(parser->usage);
    else if (options->operand_count > 0 && interface)
        message_error("%s: -i reads packets from %s, so it cannot read %s too; drop one of them", command, interface,
                      options->operands[0]);
    else if (options->source.filter && !interface)
        message_error("%s: --filter works only with -i INTERFACE; files are read whole", command);
    else if (options->source.follow && interface)
        message_error("%s: --follow is for files; -i never ends anyway: drop --follow", command);
    else if (inputs > 1)
        message_error("%s: standard input (-) is named twice, but can be read only once", command);
    else
        return OPTIONS_RUN;
    return OPTIONS_BAD;
}

/* Only an ordinary file can be followed. */
static bool can_follow(const struct parser *parser)
{
    const struct options *options = parser->options;
    size_t last = options->operand_count - 1;
    if (!options->source.follow)
        return true;
    if (options->operand_count == 0)
        message_error("%s: --follow needs a file", parser->usage->command);
    else if (strcmp(options->operands[last], "-") == 0 || input_goes_on(inputs_at(options->inputs, last)))
        message_error("%s: --follow is for files; %s is read until it ends anyway: drop --follow",
                      parser->usage->command,
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

static int read_recipe(struct parser *parser)
{
    struct options *options = parser->options;
    if (!parser->recipe_name)
        return 0;
    options->source.recipe_name = parser->recipe_name;
    int outcome = recipe_file_read(parser->recipe_name, &options->recipe);
    options->source.recipe = options->recipe;
    return outcome;
}

/* Opens the inputs. From here on Ctrl-C ends endless inputs, and what arrived is used. No threads run yet. */
static enum options_outcome open_inputs(struct parser *parser)
{
    struct options *options = parser->options;
    struct stat out;
    if (parser->sorts && file_order_sort(options->operands, options->operand_count) != 0)
        return OPTIONS_BAD;
    options->inputs = inputs_open(options->source.names, options->source.count, parser->recipe_name);
    if (!options->inputs) {
        message_no_memory();
        return OPTIONS_BAD;
    }
    options->source.inputs = options->inputs;
    if (!can_follow(parser))
        return OPTIONS_BAD;
    if (fstat(STDOUT_FILENO, &out) == 0 && inputs_have(options->inputs, &out)) {
        message_error("standard output is one of the files being read; redirect it to another file");
        return OPTIONS_BAD;
    }
    if (replay_is_live(&options->source))
        interrupt_hold();
    return OPTIONS_RUN;
}

/* What a robot's port carries is said by its URL. */
static int add_robot_port(struct options *options, const struct robot_address *robot)
{
    size_t count = options->source.port_count;
    for (size_t i = 0; i < count; i++) {
        if (options->ports[i].port != robot->port)
            continue;
        if (options->ports[i].protocol == robot->protocol)
            return 0;
        message_error("%s: port %u cannot carry both %s and %s; read them in two runs", robot->url,
                      (unsigned)robot->port, armtap_protocol_name(robot->protocol),
                      armtap_protocol_name(options->ports[i].protocol));
        return -1;
    }
    struct armtap_port *ports = realloc(options->ports, (count + 1) * sizeof *ports);
    if (!ports)
        return message_no_memory();
    options->source.ports = options->ports = ports;
    ports[count] = (struct armtap_port){robot->port, robot->protocol};
    options->source.port_count = count + 1;
    return 0;
}

/* Robots take the place of files. */
static int open_robots(struct parser *parser)
{
    struct options *options = parser->options;
    if (count_robots(options) == 0)
        return 0;
    parser->request.recipe_name = parser->recipe_name;
    parser->request.columns = parser->usage->columns;
    if (robot_sources_open(&options->robots, options->operands, options->operand_count, &parser->request,
                           options->recipe) != 0)
        return -1;
    for (size_t i = 0; i < options->robots.count; i++)
        if (add_robot_port(options, &options->robots.robots[i]) != 0)
            return -1;
    options->source.robots = &options->robots;
    options->source.recipe = NULL;
    return 0;
}

static enum options_outcome finish(struct parser *parser)
{
    struct options *options = parser->options;
    enum options_outcome outcome = check_together(parser);
    if (outcome == OPTIONS_RUN && parser->usage->prepare && parser->usage->prepare(parser->user) != 0)
        return OPTIONS_BAD;
    if (outcome == OPTIONS_RUN && parser->pages)
        pager_start(options->source.interface != NULL);
    if (outcome == OPTIONS_RUN && open_interface(options) != 0)
        return OPTIONS_BAD;
    if (outcome != OPTIONS_RUN || (!parser->usage->reads_captures && !parser->usage->reads_robots))
        return outcome;
    if (read_recipe(parser) != 0 || open_robots(parser) != 0)
        return OPTIONS_BAD;
    options->source.names = (const char *const *)options->operands;
    options->source.count = options->source.robots ? 0 : options->operand_count;
    options->source.threads = options->threads;
    options->source.progress = true;
    return open_inputs(parser);
}

enum options_outcome options_parse(const struct option_usage *usage, int argc, char **argv, struct options *options,
                                   options_take *take, void *user)
{
    if (argc > 0 && strcmp(argv[0], "--complete") == 0) {
        completion_show(usage, argc - 1, argv + 1);
        return OPTIONS_HELP_SHOWN;
    }
    struct parser parser = {.usage = usage, .argc = argc, .argv = argv, .options = options, .take = take, .user = user};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *options = (struct options){.threads = cores < 1 ? 1 : cores > 1024 ? 1024 : (unsigned)cores};
    options->operands = calloc((size_t)argc + 1, sizeof *options->operands);
    if (!options->operands) {
        message_no_memory();
        return OPTIONS_BAD;
    }
    enum options_outcome outcome = parse_words(&parser);
    if (outcome == OPTIONS_RUN)
        outcome = finish(&parser);
    if (outcome != OPTIONS_RUN)
        options_free(options);
    return outcome;
}

int options_status(enum options_outcome outcome)
{
    return outcome == OPTIONS_BAD ? EXIT_FAILED : EXIT_DONE;
}

void options_free(struct options *options)
{
    if (options->recipe)
        armtap_recipe_release(options->recipe);
    inputs_free(options->inputs);
    replay_close_interface(options->live);
    robot_sources_close(&options->robots);
    free(options->ports);
    free(options->operands);
    *options = (struct options){.threads = 1};
}
