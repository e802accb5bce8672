#define _POSIX_C_SOURCE 200809L
#include "shell_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/robots/robot_link.h"

static bool put_text(char *to, size_t size, const char *text)
{
    return shell_put(to, size, text, strlen(text));
}

/* Whether only this process can open it, or only once: the shell's <(...), or standard input under another name. */
static bool is_one_time(const char *name)
{
    return strcmp(name, "-") == 0 || strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

bool shell_can_name(const struct replay_source *source)
{
    if (replay_is_endless(source) || source->count == 0)
        return false;
    for (size_t i = 0; i < source->count; i++)
        if (is_one_time(source->names[i]))
            return false;
    return true;
}

/* The options that the captures were read with, each followed by a blank. */
static bool put_options(char *to, size_t size, const struct replay_source *source)
{
    char option[40];
    bool fits = true;
    for (size_t i = 0; i < source->port_count && fits; i++) {
        snprintf(option, sizeof option, "--port %u=%s ", (unsigned)source->ports[i].port,
                 armtap_protocol_name(source->ports[i].protocol));
        fits = put_text(to, size, option);
    }
    if (source->raw != ARMTAP_PROTOCOL_NONE) {
        snprintf(option, sizeof option, "--raw %s ", armtap_protocol_name(source->raw));
        fits = fits && put_text(to, size, option);
    }
    return fits && (!source->no_guess || put_text(to, size, "--no-guess "));
}

static bool put_recipe(char *to, size_t size, const struct replay_source *source)
{
    return !source->recipe_name ||
           (put_text(to, size, "--recipe ") && shell_word(to, size, source->recipe_name) && put_text(to, size, " "));
}

/* After --from: each capture has its own --from, then the options follow, without --recipe. */
static bool put_from(char *to, size_t size, const struct replay_source *source)
{
    bool fits = true;
    for (size_t i = 0; i < source->count && fits; i++)
        fits = (i == 0 || put_text(to, size, " --from ")) && shell_word(to, size, source->names[i]);
    fits = fits && put_text(to, size, " ") && put_options(to, size, source);
    to[strlen(to) - 1] = '\0';
    return fits;
}

static bool put_names(char *to, size_t size, const struct replay_source *source)
{
    bool fits = put_options(to, size, source) && put_recipe(to, size, source);
    for (size_t i = 0; i < source->count && fits; i++)
        fits = (i == 0 || put_text(to, size, " ")) && shell_word(to, size, source->names[i]);
    return fits;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* ---- the words that stand for something else --------------------------------------------------------------------- */

/* What is put where. */
struct putting {
    char *to;
    size_t size;
    const struct replay_source *source;
    const struct shell_subject *subject;
    bool is_trial; /* only to know what can be put: FILE stays */
};

static bool put_files(const struct putting *putting)
{
    const struct replay_source *source = putting->source;
    return putting->is_trial || (shell_can_name(source) &&
                                 (ends_with(putting->to, "--from ") ? put_from(putting->to, putting->size, source)
                                                                    : put_names(putting->to, putting->size, source)));
}

static bool put_packet(const struct putting *putting)
{
    const struct armtap_where *where = putting->subject->where;
    const struct replay_source *source = putting->source;
    char text[80];
    if (!where || where->packet == 0)
        return false;
    int length = snprintf(text, sizeof text, "%" PRIu64, where->packet);
    if (source->count > 1)
        snprintf(text + length, sizeof text - (size_t)length, " --file %u", (unsigned)where->file + 1);
    return put_text(putting->to, putting->size, text);
}

static bool put_number(const struct putting *putting, uint32_t number)
{
    char text[20];
    snprintf(text, sizeof text, "%" PRIu32, number);
    return put_text(putting->to, putting->size, text);
}

static bool put_stream(const struct putting *putting)
{
    return putting->subject->stream != SHELL_NO_STREAM && put_number(putting, putting->subject->stream);
}

/* Of a driver, whose commands a finding names. */
static bool put_driver(const struct putting *putting)
{
    return armtap_argument_find(putting->subject->arguments, "name") && put_stream(putting);
}

static bool put_setup(const struct putting *putting)
{
    return putting->subject->setup > 0 && put_number(putting, putting->subject->setup - 1);
}

/* Of UR's controllers, if the list has it. */
static bool put_code(const struct putting *putting)
{
    const struct armtap_argument *code = armtap_argument_find(putting->subject->arguments, "code"),
                                 *argument = armtap_argument_find(putting->subject->arguments, "argument");
    char text[60];
    if (!code || !argument || !armtap_robot_error_find(code->value.integer))
        return false;
    snprintf(text, sizeof text, "C%" PRId64 "A%" PRId64, code->value.integer, argument->value.integer);
    return put_text(putting->to, putting->size, text);
}

/* The capture of the packet, unless it is compressed: other programs read none of these. */
static bool put_capture(const struct putting *putting)
{
    static const char *const endings[] = {".gz", ".zst", ".xz", ".lz4", ".bz2"};
    const struct armtap_where *where = putting->subject->where;
    if (!shell_can_name(putting->source) || !where || where->file >= putting->source->count)
        return false;
    const char *name = putting->source->names[where->file];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i]))
            return false;
    return shell_word(putting->to, putting->size, name);
}

/* The address of 10.0.0.2, 10.0.0.2:30004 or [fd00::2]:30004, which has nothing that a shell understands. False: it is
 * unknown. */
static bool find_host(char host[ROBOT_HOST_MAX], const struct shell_subject *subject)
{
    const char *robot = subject->robot ? subject->robot : "", *colon = strchr(robot, ':');
    bool is_bracketed = *robot == '[', has_port = colon && !strchr(colon + 1, ':');
    size_t length = is_bracketed ? strcspn(++robot, "]") : has_port ? (size_t)(colon - robot) : strlen(robot);
    if (length == 0 || length >= ROBOT_HOST_MAX || strspn(robot, "0123456789abcdef.:") < length)
        return false;
    snprintf(host, ROBOT_HOST_MAX, "%.*s", (int)length, robot);
    return true;
}

static bool put_robot(const struct putting *putting)
{
    char host[ROBOT_HOST_MAX];
    return find_host(host, putting->subject) && put_text(putting->to, putting->size, host);
}

static bool put_url(const struct putting *putting, enum armtap_protocol protocol, uint16_t port)
{
    char host[ROBOT_HOST_MAX], url[ROBOT_URL_MAX];
    const struct robot_scheme *scheme = robot_scheme_of(protocol);
    if (!scheme || !find_host(host, putting->subject))
        return false;
    robot_url(url, scheme, host, port == scheme->port ? 0 : port);
    return shell_word(putting->to, putting->size, url);
}

/* With the port of its connection. */
static bool put_telemetry(const struct putting *putting)
{
    const struct armtap_stream *stream = putting->subject->telemetry;
    const char *colon = stream ? strrchr(stream->robot, ':') : NULL;
    return colon && put_url(putting, stream->protocol, (uint16_t)strtoul(colon + 1, NULL, 10));
}

static bool put_primary(const struct putting *putting)
{
    return put_url(putting, ARMTAP_PRIMARY, 0);
}

static bool put_new(const struct putting *putting)
{
    char name[40] = "next.pcap";
    for (unsigned i = 2; access(name, F_OK) == 0; i++)
        snprintf(name, sizeof name, "next-%u.pcap", i);
    return put_text(putting->to, putting->size, name);
}

static const struct {
    const char *word;
    bool (*put)(const struct putting *putting);
} places[] = {{"FILE", put_files},  {"PACKET", put_packet},       {"STREAM", put_stream},  {"DRIVER", put_driver},
              {"SETUP", put_setup}, {"CODE", put_code},           {"ROBOT", put_robot},    {"CAPTURE", put_capture},
              {"NEW", put_new},     {"TELEMETRY", put_telemetry}, {"PRIMARY", put_primary}};

/* Writes a word of the pattern; false if it stays what it is, but stands for something else. */
static bool put_word(const struct putting *putting, const char *word, size_t length)
{
    size_t before = strlen(putting->to);
    bool is_place = false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !is_place; i++) {
        is_place = strlen(places[i].word) == length && memcmp(word, places[i].word, length) == 0;
        if (is_place && places[i].put(putting))
            return true;
    }
    putting->to[before] = '\0';
    shell_put(putting->to, putting->size, word, length);
    return !is_place;
}

static bool put_all(const struct putting *putting, const char *pattern)
{
    bool is_whole = true;
    putting->to[0] = '\0';
    while (*pattern != '\0') {
        size_t length = strcspn(pattern, " "), blanks = strspn(pattern + length, " ");
        is_whole = put_word(putting, pattern, length) && is_whole;
        shell_put(putting->to, SHELL_MAX, pattern + length, blanks);
        pattern += length + blanks;
    }
    return is_whole;
}

/* Words keep room for the rest of the command, which is short. */
#define WORDS_MAX (SHELL_MAX - 200)

bool shell_is_known(const char *pattern, const struct replay_source *source, const struct shell_subject *subject)
{
    char text[SHELL_MAX];
    return put_all(&(struct putting){text, WORDS_MAX, source, subject, .is_trial = true}, pattern);
}

bool shell_command(char to[SHELL_MAX], const char *pattern, const struct replay_source *source,
                   const struct shell_subject *subject)
{
    static const struct shell_subject none = {.stream = SHELL_NO_STREAM};
    return put_all(&(struct putting){to, WORDS_MAX, source, subject ? subject : &none, .is_trial = false}, pattern);
}
