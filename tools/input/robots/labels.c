#define _GNU_SOURCE /* tdestroy */
#include "labels.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/process/message.h"
#include "base/os/privileges.h"
#include "base/os/tcp_socket.h"
#include "base/text/json_writer.h"
#include "base/text/names_apart.h"
#include "base/text/utf8.h"

#define NAME_MAX_BYTES 63 /* a folder of this name, each byte escaped, is short enough */
#define END_MAX 64
#define LINE_MAX_BYTES 1024
#define TOPIC_PREFIX "robot_"

/* A name; its topic follows it. */
struct label {
    char name[NAME_MAX_BYTES + 1];
    char topic[sizeof TOPIC_PREFIX + NAME_MAX_BYTES + NAMES_APART_ROOM];
};

/* An address as the library writes it, with or without a port. */
struct labelled {
    char end[END_MAX];
    unsigned long line; /* of the file; 0: an option */
    const struct label *label;
};

struct labels {
    void *ends;  /* tsearch()'s: struct labelled, by `end` */
    void *names; /* struct label, by `name` */
    struct names_apart topics;
};

/* Where a label was given. */
struct place {
    const char *file; /* NULL: --label */
    unsigned long line;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b); /* both structs begin with it */
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Writes an IPv6 address as the library does: its last four bytes are decimal in ::ffff:10.0.0.2 only. */
static void put_ipv6(char to[END_MAX], const uint8_t bytes[16])
{
    char text[IP_TEXT_MAX];
    ip_write(text, bytes, 6);
    char *colon = strrchr(text, ':');
    if (strchr(text, '.') && strncmp(text, "::ffff:", strlen("::ffff:")) != 0)
        snprintf(colon + 1, sizeof text - (size_t)(colon + 1 - text), "%x:%x", (unsigned)(bytes[12] << 8 | bytes[13]),
                 (unsigned)(bytes[14] << 8 | bytes[15]));
    snprintf(to, END_MAX, "[%s]", text);
}

/* The port behind the address's end, or its lack. False: it is none. */
static bool put_port(char end[END_MAX], const char *text)
{
    size_t length = strlen(end), digits = strspn(text + (*text != '\0'), "0123456789");
    unsigned long port = *text == ':' && digits > 0 && digits < 6 ? strtoul(text + 1, NULL, 10) : 0;
    if (*text == '\0')
        return true;
    snprintf(end + length, END_MAX - length, ":%lu", port);
    return port > 0 && port < 65536 && text[1 + digits] == '\0';
}

/* Reads 10.0.0.2, 10.0.0.2:30004, fd00::2, [fd00::2] or [fd00::2]:30004. */
static bool read_end(char end[END_MAX], const char *text)
{
    char host[END_MAX];
    uint8_t bytes[16];
    bool is_bracketed = *text == '[', is_ipv6 = is_bracketed || strchr(text, ':') != strrchr(text, ':');
    text += is_bracketed;
    size_t length = strcspn(text, is_bracketed ? "]" : is_ipv6 ? "" : ":");
    const char *after = text + length + (is_bracketed && text[length] == ']');
    if (length >= sizeof host || (is_bracketed && text[length] != ']'))
        return false;
    snprintf(host, sizeof host, "%.*s", (int)length, text);
    if (!ip_read(bytes, host, is_ipv6 ? 6 : 4))
        return false;
    if (is_ipv6)
        put_ipv6(end, bytes);
    else
        snprintf(end, END_MAX, "%s", host);
    return put_port(end, after);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_shown(const char *name)
{
    size_t length = strlen(name), step;
    for (size_t at = 0; at < length; at += step)
        if ((step = utf8_shown(name + at, length - at)) == 0)
            return false;
    return length > 0;
}

/* Letters, digits and single "_" in between. Topics of a stream begin with /s and its number. */
static void put_topic(char *topic, const char *name)
{
    size_t length = 0;
    for (; *name != '\0'; name++)
        if ((isalnum((unsigned char)*name) && (unsigned char)*name < 128) || (length > 0 && topic[length - 1] != '_'))
            topic[length++] = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
    while (length > 0 && topic[length - 1] == '_')
        length--;
    topic[length] = '\0';
    bool is_streams = *topic == 's' && topic[1] != '\0' && topic[1 + strspn(topic + 1, "0123456789")] == '\0';
    if (length > 0 && !is_streams && !isdigit((unsigned char)*topic))
        return;
    size_t prefix = strlen(TOPIC_PREFIX) - (length == 0);
    memmove(topic + prefix, topic, length + 1);
    memcpy(topic, TOPIC_PREFIX, prefix);
}

/* The label of that name, made if need be; NULL without memory. */
static const struct label *take_name(struct labels *labels, const char *name)
{
    struct label *label = calloc(1, sizeof *label), **kept = NULL;
    if (label) {
        snprintf(label->name, sizeof label->name, "%s", name);
        kept = tsearch(label, &labels->names, by_text);
    }
    if (!kept || *kept != label) {
        free(label);
        return kept ? *kept : NULL;
    }
    put_topic(label->topic, name);
    return names_apart_take(&labels->topics, label->topic, SIZE_MAX) == 0 ? label : NULL;
}

/* ---- what is given ------------------------------------------------------------------------------------------------
 */

static int refuse(const struct place *place, const char *text, const char *why)
{
    if (place->file)
        message_error("%s: line %lu: '%s': %s", place->file, place->line, text, why);
    else
        message_error("--label '%s': %s", text, why);
    return -1;
}

/* Each address has one name. */
static int check_again(const struct labelled *known, const char *name, const struct place *place)
{
    char where[40] = "by --label", why[260];
    if (strcmp(known->label->name, name) == 0)
        return 0;
    if (known->line > 0)
        snprintf(where, sizeof where, "in line %lu", known->line);
    snprintf(why, sizeof why, "%s was named %s %s; leave one of the two out", known->end, known->label->name, where);
    return refuse(place, name, why);
}

static int add(struct labels **labels, char *address, const char *name, const struct place *place)
{
    struct labelled *one = calloc(1, sizeof *one), **kept = NULL;
    *labels = *labels ? *labels : calloc(1, sizeof **labels);
    if (one && !read_end(one->end, address)) {
        free(one);
        return refuse(place, address,
                      "expected an IP address, with its port if only this port has the name, as in "
                      "10.0.0.2=cell-3, 10.0.0.2:30004=cell-3 or fd00::2=cell-3");
    }
    if (one && (!is_shown(name) || strlen(name) > NAME_MAX_BYTES)) {
        free(one);
        return refuse(place, address, "its name must be text in UTF-8 of 1 to 63 bytes, without control characters");
    }
    if (one && *labels) {
        one->line = place->line;
        kept = tsearch(one, &(*labels)->ends, by_text);
    }
    if (!kept || *kept != one) {
        free(one);
        return kept ? check_again(*kept, name, place) : message_no_memory();
    }
    one->label = take_name(*labels, name);
    return one->label ? 0 : message_no_memory();
}

/* Parts "ADDRESS=NAME", in a file also "ADDRESS NAME", and adds it. */
static int add_text(struct labels **labels, char *text, const struct place *place)
{
    size_t length = strcspn(text, place->file ? "= \t" : "="), after = length;
    if (place->file)
        after += strspn(text + after, " \t");
    after += text[after] == '=';
    if (place->file)
        after += strspn(text + after, " \t");
    if (text[length] == '\0')
        return refuse(place, text, "expected an address and its name, as in 10.0.0.2=cell-3");
    text[length] = '\0';
    return add(labels, text, text + after, place);
}

int labels_add(struct labels **labels, const char *text)
{
    char copy[LINE_MAX_BYTES];
    const struct place place = {.file = NULL};
    if (strlen(text) >= sizeof copy)
        return refuse(&place, "...", "longer than an address and a name");
    snprintf(copy, sizeof copy, "%s", text);
    return add_text(labels, copy, &place);
}

static int report_unreadable(const char *name, int error)
{
    const char *user = error == EACCES ? privileges_given_up_for() : NULL;
    message_error("%s: %s%s%s; --labels wants a file with a line ADDRESS=NAME for each address", name, strerror(error),
                  user ? " for " : "", user ? user : "");
    return -1;
}

/* Reads a line. Its length, or -1 at the end of the file; a line that is too long is cut there. */
static int read_line(FILE *file, char line[LINE_MAX_BYTES])
{
    int length = 0, byte = EOF;
    while (length < LINE_MAX_BYTES - 1 && (byte = getc(file)) != EOF && byte != '\n')
        line[length++] = (char)(byte == '\0' ? '\1' : byte); /* neither is of an address or of a name */
    line[length] = '\0';
    return length > 0 || byte == '\n' ? length : -1;
}

/* Takes a line, empty or a comment or an address with its name, and behind it perhaps a comment: "cell #3" is a name.
 */
static int take_line(struct labels **labels, char *line, const struct place *place)
{
    if (strlen(line) == LINE_MAX_BYTES - 1)
        return refuse(place, "...", "longer than an address and a name");
    if (place->line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0)
        line += 3;
    for (char *sign = strchr(line, '#'); sign; sign = strchr(sign + 1, '#'))
        if (sign > line && strchr(" \t", sign[-1]) && (sign[1] == ' ' || sign[1] == '\t')) {
            *sign = '\0';
            break;
        }
    line += strspn(line, " \t\r");
    for (size_t length = strlen(line); length > 0 && strchr(" \t\r", line[length - 1]);)
        line[--length] = '\0';
    return *line == '\0' || *line == '#' ? 0 : add_text(labels, line, place);
}

int labels_read(struct labels **labels, const char *name)
{
    char line[LINE_MAX_BYTES];
    struct place place = {.file = name, .line = 1};
    FILE *file = fopen(name, "rb");
    int outcome = file ? 0 : report_unreadable(name, errno);
    for (; outcome == 0 && read_line(file, line) >= 0; place.line++)
        outcome = take_line(labels, line, &place);
    if (outcome == 0 && ferror(file))
        outcome = report_unreadable(name, errno);
    if (file)
        fclose(file);
    return outcome;
}

void labels_free(struct labels *labels)
{
    if (!labels)
        return;
    tdestroy(labels->ends, free);
    tdestroy(labels->names, free);
    names_apart_free(&labels->topics);
    free(labels);
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static const struct label *find(const struct labels *labels, const char *end)
{
    struct labelled *const *found = labels ? tfind(end, &labels->ends, by_text) : NULL;
    return found ? (*found)->label : NULL;
}

/* The length of the host in an end with or without a port. */
static size_t host_of(const char *end)
{
    size_t length = strlen(end);
    const char *colon = length > 0 && end[length - 1] != ']' ? strrchr(end, ':') : NULL;
    return colon ? (size_t)(colon - end) : length;
}

/* *is_whole: it is the name of this port. */
static const struct label *find_either(const struct labels *labels, const char *end, bool *is_whole)
{
    char host[END_MAX];
    const struct label *label = find(labels, end);
    *is_whole = label || !labels;
    if (*is_whole)
        return label;
    size_t length = host_of(end);
    if (length >= sizeof host)
        return NULL;
    memcpy(host, end, length);
    host[length] = '\0';
    return find(labels, host);
}

const char *labels_find(const struct labels *labels, const char *end)
{
    bool is_whole;
    const struct label *label = find_either(labels, end, &is_whole);
    return label ? label->name : NULL;
}

const char *labels_name(const struct labels *labels, const char *end)
{
    const char *name = labels_find(labels, end);
    return name ? name : end;
}

void labels_json(const struct labels *labels, struct json *json, const char *key, const char *end)
{
    const char *name = labels_find(labels, end);
    if (name)
        json_member_text(json, key, name);
}

bool labels_are_one(const struct labels *labels, const char *one, const char *other)
{
    const char *name = labels_find(labels, one), *other_name = labels_find(labels, other);
    size_t length = host_of(one);
    if (name || other_name)
        return name == other_name;
    return length > 0 && length == host_of(other) && memcmp(one, other, length) == 0;
}

/* Puts a name in place of an address of a sentence, or of what looks like one; returns the length of what is there
 * then. It takes no memory, so that it never leaves a sentence half named. */
static size_t put_name(const struct labels *labels, char *text, size_t length, size_t room)
{
    char end[END_MAX];
    bool is_whole;
    size_t used = length;
    while (used > 0 && strchr(".:", text[used - 1])) /* of the sentence */
        used--;
    snprintf(end, sizeof end, "%.*s", (int)(used < sizeof end ? used : 0), text);
    const struct label *label = find_either(labels, end, &is_whole);
    size_t replaced = !label ? 0 : is_whole ? used : host_of(end), name = label ? strlen(label->name) : 0;
    size_t rest = strlen(text + replaced);
    if (!label || name >= room)
        return length;
    rest = rest < room - 1 - name ? rest : room - 1 - name;
    memmove(text + name, text + replaced, rest);
    memcpy(text, label->name, name);
    text[name + rest] = '\0';
    return name + (rest < length - replaced ? rest : length - replaced);
}

void labels_in_text(const struct labels *labels, char *text, size_t size)
{
    size_t length;
    for (char *at = text; labels && *at != '\0'; at += length) {
        length = strspn(at, "0123456789abcdef.:[]");
        if (length > 0 && !isalnum((unsigned char)at[length])) {
            length = put_name(labels, at, length, size - (size_t)(at - text));
            continue;
        }
        /* A sign, or a word, which may begin as an address does. */
        for (length = 1; isalnum((unsigned char)*at) && isalnum((unsigned char)at[length]);)
            length++;
    }
}

const char *labels_topic(const struct labels *labels, const char *name)
{
    struct label *const *found = labels ? tfind(name, &labels->names, by_text) : NULL;
    return found ? (*found)->topic : NULL;
}
