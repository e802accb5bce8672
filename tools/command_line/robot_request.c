#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/text/comma_list.h"
#include "base/text/field_bits.h"
#include "base/process/message.h"

#define ROBOTS_MAX 64
/* Bytes of names that a controller takes, and one word of a list. */
#define NAMES_MAX 2048
#define WORD_MAX 256
/* A client that asks for fields gets this one too: it tells when the controller skips packages or restarts. */
#define CLOCK "timestamp"

/* Names, comma separated, each once. */
struct names {
    char text[NAMES_MAX + 1];
    size_t length;
    bool overflows;
    bool is_chosen;   /* a name was given */
    bool has_clock;   /* the clock itself was asked for */
    const char *list; /* of --fields, while it counts: what it has with "!" in front is not asked for */
};

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool has_name(const struct names *names, const char *name, size_t length)
{
    for (const char *at = names->text; *at != '\0'; at += strcspn(at, ",")) {
        at += *at == ',' ? 1 : 0;
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static bool is_left_out(const char *list, const char *name, size_t length)
{
    char glob[WORD_MAX], word[WORD_MAX];
    size_t of_glob;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (const char *at; list && (at = comma_list_next(&list, &of_glob));) {
        snprintf(glob, sizeof glob, "%.*s", (int)of_glob, at);
        if (glob[0] == '!' && fnmatch(glob + 1, word, 0) == 0)
            return true;
    }
    return false;
}

static void add_name(struct names *names, const char *name, size_t length)
{
    size_t comma = names->length > 0 ? 1 : 0;
    if (has_name(names, name, length) || is_left_out(names->list, name, length))
        return;
    if (names->length + comma + length > NAMES_MAX) {
        names->overflows = true;
        return;
    }
    names->text[names->length] = ',';
    memcpy(names->text + names->length + comma, name, length);
    names->length += comma + length;
    names->text[names->length] = '\0';
}

static bool is_register(const struct armtap_field *field)
{
    return strstr(field->name, "register") != NULL;
}

static bool is_legacy(const struct armtap_field *field)
{
    return field->column_cb3e > 0;
}

static bool is_plain(const struct armtap_field *field)
{
    return !is_register(field);
}

static void add_outputs(struct names *names, bool (*wanted)(const struct armtap_field *field))
{
    const struct armtap_field *field;
    for (size_t i = 0; (field = armtap_field_at(i)); i++)
        if (field->direction & ARMTAP_FIELD_OUTPUT && wanted(field))
            add_name(names, field->name, strlen(field->name));
}

static void add_recipe(struct names *names, const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++)
        add_name(names, armtap_recipe_at(recipe, i)->name, strlen(armtap_recipe_at(recipe, i)->name));
}

/* ---- --fields ---------------------------------------------------------------------------------------------------- */

static bool is_column(const char *columns, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = columns; at && *at != '\0'; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

/* The vector of an element: actual_q of actual_q_0; the field of a bit. */
static const struct armtap_field *vector_of(const char *word)
{
    const char *line = strrchr(word, '_');
    const struct armtap_field *field = line ? armtap_field_find(word, (size_t)(line - word)) : NULL;
    size_t digits = line ? strspn(line + 1, "0123456789") : 0;
    if (!field || digits == 0 || digits > 2 || line[1 + digits] != '\0')
        return NULL;
    return (field->count > 1 ? digits == 1 : field_has_bit(field, strtoul(line + 1, NULL, 10))) ? field : NULL;
}

/* Returns whether the table has any. */
static bool add_matches(struct names *names, const char *glob)
{
    const struct armtap_field *field;
    bool has_any = false;
    for (size_t i = 0; (field = armtap_field_at(i)); i++)
        if (field->direction & ARMTAP_FIELD_OUTPUT && fnmatch(glob, field->name, 0) == 0) {
            add_name(names, field->name, strlen(field->name));
            has_any = true;
        }
    return has_any;
}

/* Controllers answer no set-up with other names. */
static bool is_name(const char *word)
{
    return strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == strlen(word);
}

/* A name that the table lacks, or has as none that a controller sends, is asked for, too: the controller knows best.
 * Where names also choose columns, those of the legacy packet and the primary interface are of other sources. False: no
 * output can be meant. */
static bool add_word(struct names *names, const char *word, const char *columns)
{
    const struct armtap_field *field = armtap_field_find(word, strlen(word));
    if (!field)
        field = vector_of(word);
    if (!field && strpbrk(word, "*?["))
        return add_matches(names, word) || columns;
    if (field ? !columns || (field->direction & ARMTAP_FIELD_BOTH) : !is_column(columns, word) && is_name(word))
        add_name(names, field ? field->name : word, strlen(field ? field->name : word));
    names->has_clock = names->has_clock || strcmp(word, CLOCK) == 0;
    return field || is_column(columns, word) || is_name(word);
}

/* No output is called so: the same as for a name that the controller lacks. */
static int leave_out(const struct robot_request *request, const char *option, const char *word)
{
    const struct armtap_field *meant = armtap_field_nearest(word, strlen(word), ARMTAP_FIELD_OUTPUT);
    char hint[120] = "";
    if (meant)
        snprintf(hint, sizeof hint, "; did you mean %s?", meant->name);
    if (request->strict)
        message_error("%s: no output of RTDE matches '%s'%s", option, word, hint);
    else
        message_warning("%s: no output of RTDE matches '%s': left out%s", option, word, hint);
    return request->strict ? -1 : 0;
}

/* Names with "!" in front are not asked for, and leave out columns. */
static int add_fields(struct names *names, const struct robot_request *request, const char *option, const char *given)
{
    char word[WORD_MAX];
    size_t length;
    bool has_any, left_out = false;
    const char *list = given;
    if (!comma_list_next(&list, &length)) {
        message_error("%s '%s': expected names of fields", option, given);
        return -1;
    }
    list = given;
    for (const char *at; (at = comma_list_next(&list, &length));) {
        if (length >= sizeof word) {
            message_error("%s: '%.40s...' is longer than any name", option, at);
            return -1;
        }
        memcpy(word, at, length);
        word[length] = '\0';
        if (word[0] == '!')
            continue;
        names->is_chosen = true;
        has_any = add_word(names, word, request->columns);
        if (!has_any && leave_out(request, option, word) != 0)
            return -1;
        left_out = left_out || !has_any;
    }
    if (!left_out || names->has_clock || names->length > strlen(CLOCK))
        return 0;
    message_error("%s '%s': no requested field is left", option, given);
    return -1;
}

static int add_lists(struct names *names, const struct robot_request *request)
{
    names->list = request->fields;
    if (request->fields && add_fields(names, request, "--fields", request->fields) != 0)
        return -1;
    if (!names->is_chosen && !request->changes)
        add_outputs(names, is_legacy);
    names->list = NULL;
    return request->changes ? add_fields(names, request, CHANGES_OPTION, request->changes) : 0;
}

/* ---- the sources ------------------------------------------------------------------------------------------------- */

static int list_names(struct names *names, const struct robot_request *request, const struct armtap_recipe *recipe)
{
    if (recipe)
        add_recipe(names, recipe);
    else
        add_name(names, CLOCK, strlen(CLOCK));
    if (request->all)
        add_outputs(names, is_plain);
    else if (!recipe && add_lists(names, request) != 0)
        return -1;
    if (!names->overflows)
        return 0;
    message_error("the names to request take more than the %d bytes that a controller accepts; request fewer fields",
                  NAMES_MAX);
    return -1;
}

static int open_robots(struct robot_sources *sources, char *const *urls, size_t count)
{
    if (count > ROBOTS_MAX) {
        message_error("%zu robots are more than the %d that one armtap reads; start several armtap programs", count,
                      ROBOTS_MAX);
        return -1;
    }
    sources->robots = calloc(count, sizeof *sources->robots);
    if (!sources->robots)
        return message_no_memory();
    sources->count = sources->named = count;
    for (size_t i = 0; i < count; i++)
        if (robot_address_parse(&sources->robots[i], urls[i]) != 0)
            return -1;
    for (size_t i = 0; i < count; i++)
        if (robot_address_resolve(&sources->robots[i]) != 0)
            return -1;
    return 0;
}

/* The primary interface of each host, unless it is named itself. */
static int add_companions(struct robot_sources *sources)
{
    struct robot_address *robots = realloc(sources->robots, 2 * sources->count * sizeof *robots);
    if (!robots)
        return message_no_memory();
    sources->robots = robots;
    for (size_t i = 0; i < sources->named; i++) {
        struct robot_address *companion = &robots[sources->count];
        bool wanted = robot_address_companion(&robots[i], companion);
        for (size_t k = 0; k < sources->count && wanted; k++)
            wanted = robots[k].protocol != ARMTAP_PRIMARY || !robot_address_is_same_host(&robots[k], companion);
        sources->count += wanted;
    }
    return 0;
}

int robot_sources_open(struct robot_sources *sources, char *const *urls, size_t count,
                       const struct robot_request *request, const struct armtap_recipe *recipe)
{
    struct names names = {.length = 0};
    *sources = (struct robot_sources){.robots = NULL};
    if (list_names(&names, request, recipe) != 0 || open_robots(sources, urls, count) != 0)
        return -1;
    if (request->with_primary && add_companions(sources) != 0)
        return -1;
    char *outputs = strdup(names.text);
    if (!outputs)
        return message_no_memory();
    bool has_names = request->fields || request->changes;
    bool has_clock_beside = !recipe && has_names && (names.is_chosen || request->all) && !names.has_clock;
    sources->client = (struct armtap_client_options){.size = sizeof sources->client,
                                                     .outputs = outputs,
                                                     .beside = has_clock_beside,
                                                     .frequency = request->frequency,
                                                     .strict = request->strict,
                                                     .give_up = request->give_up};
    return 0;
}

void robot_sources_close(struct robot_sources *sources)
{
    free((char *)(uintptr_t)sources->client.outputs);
    free(sources->robots);
    *sources = (struct robot_sources){.robots = NULL};
}
