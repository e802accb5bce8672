#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capturefile.h"

/* ---- files ----------------------------------------------------------------------------------------------------- */

static bool ends(const char *name, const char *ending)
{
    size_t length = strlen(name), more = strlen(ending);
    return length >= more && strcmp(name + length - more, ending) == 0;
}

static unsigned number16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

/* Appends the payload of a TCP segment from a telemetry port; only Ethernet and IPv4. */
static void add_payload(const uint8_t *packet, size_t length, struct bytes *to)
{
    if (length < 54 || number16(packet + 12) != 0x0800 || number16(packet + 34) / 100 != 300)
        return;
    size_t whole = 14 + number16(packet + 16), header = 34 + (size_t)(packet[46] >> 4) * 4;
    if (header < whole && whole <= length)
        bytes_add(to, packet + header, whole - header);
}

/* Writes some packets of a sample to a file, in the format that the file's name tells. */
static int make_cut(const char *name, const char *samples, const char *sample, size_t from, size_t count)
{
    char path[1024];
    struct bytes whole = {0}, file = {0};
    struct capture_list list = {0};
    const struct file_form form = {
        .pcapng = strstr(name, ".pcapng") != NULL, .nanoseconds = true, .gzipped = ends(name, ".gz")};
    snprintf(path, sizeof path, "%s/%s", samples, sample);
    file_read(path, &whole);
    capture_parse(&whole, &list);
    size_t to = from - 1 + count < list.count ? from - 1 + count : list.count;
    if (!ends(name, ".raw"))
        capture_form(&list, from - 1, to, &form, &file);
    for (size_t i = from - 1; ends(name, ".raw") && i < to; i++)
        add_payload(list.bytes.at + list.packets[i].at, list.packets[i].length, &file);
    file_write(name, file.at, file.length);
    capture_list_free(&list);
    bytes_free(&whole);
    size_t length = file.length;
    bytes_free(&file);
    return length > 0 ? 0 : -1;
}

static int make_text(const char *name, char *text)
{
    size_t length = 0;
    for (const char *at = text; *at != '\0'; at++) {
        bool is_end = at[0] == '\\' && at[1] == 'n';
        text[length++] = is_end ? '\n' : *at;
        at += is_end ? 1 : 0;
    }
    file_write(name, text, length);
    return 0;
}

static int make_file(char *line, const char *samples)
{
    char name[64], sample[64], verb[8];
    size_t from, count;
    int at = 0;
    if (sscanf(line, "cut %63s %63s %zu %zu", name, sample, &from, &count) == 4 && from > 0)
        return make_cut(name, samples, sample, from, count);
    if (sscanf(line, "%7s %63s %n", verb, name, &at) == 2 && at > 0)
        return make_text(name, line + at);
    return -1;
}

/* ---- commands -------------------------------------------------------------------------------------------------- */

/* Returns the next word, terminated in place; quotes keep blanks in it. NULL at the end. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " "), *to = word, quote = '\0';
    if (*word == '\0')
        return NULL;
    char *from = word;
    for (; *from != '\0' && (quote != '\0' || *from != ' '); from++)
        if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (quote != '\0' && *from == quote)
            quote = '\0';
        else
            *to++ = *from;
    *at = *from == '\0' ? from : from + 1;
    *to = '\0';
    return word;
}

static int parse(const char *line, struct command *command)
{
    char *word, *status, *at = command->line = strdup(line);
    if (!at || !(command->name = next_word(&at)) || !(status = next_word(&at)))
        return -1;
    command->is_first = strcmp(status, "first") == 0;
    command->status = command->is_first ? 0 : atoi(status);
    static char program[] = "armtap";
    command->words[command->count++] = program;
    while ((word = next_word(&at)))
        if (*word == '<' || *word == '|') {
            command->input = word + 1;
            command->piped = *word == '|';
        } else if (*word == '@' && strchr(word, '/'))
            command->replaced = word + 1;
        else if (command->count < COMMAND_WORDS_MAX)
            command->words[command->count++] = word;
        else
            return -1;
    return 0;
}

static int add(struct commands *commands, const char *line)
{
    struct command *all = realloc(commands->all, (commands->count + 1) * sizeof *all);
    if (!all)
        return -1;
    commands->all = all;
    all[commands->count] = (struct command){.number = commands->count};
    return parse(line, &all[commands->count++]);
}

int commands_read(const char *name, const char *samples, struct commands *commands)
{
    char line[2048];
    int outcome = 0;
    FILE *file = fopen(name, "r");
    *commands = (struct commands){NULL, 0};
    while (file && outcome == 0 && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "cut ", 4) == 0 || strncmp(line, "text ", 5) == 0)
            outcome = make_file(line, samples);
        else if (*line != '\0' && *line != '#')
            outcome = add(commands, line);
        if (outcome != 0)
            fprintf(stderr, "%s: cannot be used: %s\n", name, line);
    }
    if (!file)
        perror(name);
    else
        fclose(file);
    return !file || outcome != 0 ? -1 : 0;
}

void commands_free(struct commands *commands)
{
    for (size_t i = 0; i < commands->count; i++)
        free(commands->all[i].line);
    free(commands->all);
}
