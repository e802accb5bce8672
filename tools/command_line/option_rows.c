/* The options that several commands have, and how a command's options are found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "base/terminal/word_wrap.h"
#include "array.h"
#include "options.h"

/* ---- values of the shared options ------------------------------------------------------------------------------- */

static void list_protocols(char text[OPTION_TEXT_MAX])
{
    char protocols[REPLAY_PROTOCOLS_MAX];
    replay_protocols(protocols, ", ", " or ");
    snprintf(text, OPTION_TEXT_MAX, "%s", protocols);
}

static int read_protocol(const struct option_row *row, const char *value, enum armtap_protocol *protocol)
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
        message_error("--%s: this build of armtap lacks protocol '%s'; configure it without %s", row->name, value,
                      info->left_out);
    else
        message_error("--%s: unknown protocol '%s'; use %s", row->name, value, protocols);
    return -1;
}

static int read_raw(const struct option_row *row, const char *value, void *place)
{
    struct options *options = place;
    return read_protocol(row, value, &options->source.raw);
}

int options_add_port(struct options *options, const char *who, struct armtap_port port)
{
    size_t count = options->source.port_count;
    for (size_t i = 0; i < count; i++) {
        if (options->ports[i].port != port.port)
            continue;
        if (options->ports[i].protocol == port.protocol)
            return 0;
        message_error("%s: port %u cannot carry both %s and %s; read them in two runs", who, (unsigned)port.port,
                      armtap_protocol_name(port.protocol), armtap_protocol_name(options->ports[i].protocol));
        return -1;
    }
    if (!MAKE_ROOM(options->ports, count))
        return message_no_memory();
    options->source.ports = options->ports;
    options->ports[count] = port;
    options->source.port_count = count + 1;
    return 0;
}

static int read_port(const struct option_row *row, const char *value, void *place)
{
    char number[8];
    uint64_t port;
    enum armtap_protocol protocol;
    size_t length = strcspn(value, "=");
    if (value[length] == '\0' || length >= sizeof number) {
        message_error("--port '%s': expected a port and its protocol, as in --port 30004=rtde", value);
        return -1;
    }
    memcpy(number, value, length);
    number[length] = '\0';
    if (options_number("--port", number, 1, 65535, &port) != 0 ||
        read_protocol(row, value + length + 1, &protocol) != 0)
        return -1;
    return options_add_port(
        place, "--port",
        (struct armtap_port){.size = sizeof(struct armtap_port), .port = (uint16_t)port, .protocol = protocol});
}

static int read_label(const struct option_row *row, const char *value, void *place)
{
    struct options *options = place;
    (void)row;
    return labels_add(&options->labels, value);
}

static int read_give_up(const struct option_row *row, const char *value, void *place)
{
    struct options *options = place;
    char text[64];
    struct timestamp time = {.ns = 0};
    snprintf(text, sizeof text, "+%s", value);
    if (value[0] == '+' || timestamp_parse(text, &time) != 0 || time.ns <= 0)
        return option_refuse(row, value, "seconds, or a time such as 1m30s");
    options->request.give_up = time.ns;
    return 0;
}

static int read_colour(const struct option_row *row, const char *value, void *place)
{
    (void)place;
    if (text_colour_choose(value) == 0)
        return 0;
    message_error("--%s '%s': give %s", row->name, value, row->words);
    return -1;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

#define OPTIONS_STRUCT struct options
#define OPTIONS_SHARED
static const struct option_row shared_rows[] = {
#include "options.def"
};

static bool has_own(const struct option_usage *usage, const char *name)
{
    for (const struct option_row *row = usage->rows; row && row->read; row++)
        if (row->name && strcmp(row->name, name) == 0)
            return true;
    return false;
}

/* The i-th option of a command: its own, then the shared ones that it does not have as its own; NULL after the last. */
const struct option_row *options_row_at(const struct option_usage *usage, size_t i)
{
    const struct option_row *row;
    for (row = usage->rows; row && row->read; row++)
        if (i-- == 0)
            return row;
    for (row = shared_rows; row->read; row++)
        if (row->group & (usage->groups | ANY_COMMAND) && !has_own(usage, row->name) && i-- == 0)
            return row;
    return NULL;
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

const struct option_row *options_given_at(const struct options *options, size_t i)
{
    const struct option_row *row;
    for (size_t k = 0; (row = options_row_at(options->usage, k)); k++)
        if (options->given[k] > 0 && i-- == 0)
            return row;
    return NULL;
}

bool option_may_lack_value(const struct option_row *row)
{
    return row->value && row->value[0] == '[';
}

/* ---- whose they are ---------------------------------------------------------------------------------------------- */

#undef OPTION
#undef SECTION
#undef OPTIONS_SHARED
#define OPTION(letter_, name_, ...) {.letter = (letter_), .name = (name_)},
#define SECTION(command_) {.command = #command_},
#define OPTIONS_ALL
/* The name of a command, then its own options. */
static const struct {
    const char *command, *name, *read;
    char letter;
} sections[] = {
#include "options.def"
};

bool options_commands_with(char text[OPTION_TEXT_MAX], const char *name, char letter)
{
    const char *command = NULL;
    size_t length = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (sections[i].command)
            command = sections[i].command;
        if (name ? sections[i].name && strcmp(name, sections[i].name) == 0 : letter == sections[i].letter)
            length += (size_t)snprintf(text + length, OPTION_TEXT_MAX - length, length > 0 ? ", %s" : "%s", command);
    }
    return length > 0;
}
