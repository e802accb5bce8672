#define _POSIX_C_SOURCE 200809L
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "base/os/tcp_socket.h"
#include "base/text/utf8.h"

#define NAME_ROOM 256

/* What is completed, and what stands before it in the same word: "--fields=actual_q," */
struct place {
    const struct option_usage *usage;
    const char *word; /* as typed */
    const char *part; /* its end, which is completed */
};

/* ---- what is printed --------------------------------------------------------------------------------------------- */

void completion_files(void)
{
    puts(":files");
}

static void stay_open(void)
{
    puts(":open");
}

/* What is typed is printed again, so it must not control a terminal. */
static bool is_shown(const char *word)
{
    size_t length = 1, left = strlen(word);
    for (; left > 0 && length > 0; word += length, left -= length)
        length = utf8_shown(word, left);
    return left == 0;
}

/* Meanings are texts of our tables. */
static void print_word(const struct place *place, const char *word, const char *meaning)
{
    if (strncmp(word, place->part, strlen(place->part)) != 0)
        return;
    printf("%.*s%s", (int)(place->part - place->word), place->word, word);
    if (meaning && meaning[0] != '\0')
        printf("\t%s", meaning);
    putchar('\n');
}

void completion_word(const char *begin, const char *word, const char *meaning)
{
    struct place place = {.word = begin, .part = begin};
    print_word(&place, word, meaning);
}

static void print_words(const struct place *place, const char *list)
{
    char word[NAME_ROOM];
    size_t length;
    for (; (list = option_list_next(list, &length)); list += length) {
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        print_word(place, word, NULL);
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_output(const struct armtap_field *field)
{
    return field->direction & ARMTAP_FIELD_OUTPUT;
}

static bool is_input(const struct armtap_field *field)
{
    return field->direction & ARMTAP_FIELD_INPUT;
}

static bool is_enumeration(const struct armtap_field *field)
{
    return armtap_enum_at(field, 0) != NULL;
}

static bool is_any(const struct armtap_field *field)
{
    return field != NULL;
}

static void print_fields(const struct place *place, bool (*fits)(const struct armtap_field *field))
{
    const struct armtap_field *field;
    for (size_t i = 0; (field = armtap_field_at(i)); i++)
        if (fits(field))
            print_word(place, field->name, field->meaning);
}

/* Elements are offered once the name of their vector is there: actual_q_ */
static void print_elements(const struct place *place)
{
    const struct armtap_field *field;
    char name[NAME_ROOM];
    for (size_t i = 0; (field = armtap_field_at(i)); i++) {
        size_t length = strlen(field->name);
        if (field->count < 2 || strncmp(place->part, field->name, length) != 0 || place->part[length] != '_')
            continue;
        for (unsigned k = 0; k < field->count; k++) {
            snprintf(name, sizeof name, "%s_%u", field->name, k);
            print_word(place, name, NULL);
        }
    }
}

/* After the last comma. */
static struct place part_of_list(const struct place *place)
{
    struct place part = *place;
    const char *comma = strrchr(place->part, ',');
    if (comma)
        part.part = comma + 1;
    stay_open();
    return part;
}

static void complete_fields(const struct place *place)
{
    struct place part = part_of_list(place);
    print_fields(&part, is_any);
    print_elements(&part);
    if (place->usage->columns)
        print_words(&part, place->usage->columns);
}

static void complete_outputs(const struct place *place)
{
    struct place part = part_of_list(place);
    print_fields(&part, is_output);
}

static void complete_output(const struct place *place)
{
    print_fields(place, is_output);
}

static void complete_input(const struct place *place)
{
    print_fields(place, is_input);
}

static void complete_enumeration(const struct place *place)
{
    print_fields(place, is_enumeration);
}

static void complete_field(const struct place *place)
{
    print_fields(place, is_any);
}

static void complete_note(const struct place *place)
{
    for (size_t i = 0; i < armtap_note_count(); i++)
        print_word(place, armtap_note_at(i)->id, armtap_note_at(i)->meaning);
}

static void complete_protocol(const struct place *place)
{
    const struct armtap_protocol_info *info;
    for (size_t i = 0; (info = armtap_protocol_at(i)); i++)
        if (!info->left_out)
            print_word(place, info->name, info->description);
}

/* The number is the user's. */
static void complete_port(const struct place *place)
{
    struct place protocol = *place;
    const char *equals = strchr(place->part, '=');
    if (!equals)
        return;
    protocol.part = equals + 1;
    complete_protocol(&protocol);
}

static void complete_known_recipe(const struct place *place)
{
    const struct armtap_known_recipe *known;
    char name[NAME_ROOM];
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++) {
        snprintf(name, sizeof name, "@%s", known->name);
        print_word(place, name, known->client);
    }
}

static void complete_recipe(const struct place *place)
{
    complete_known_recipe(place);
    completion_files();
}

static void complete_file(const struct place *place)
{
    (void)place;
    completion_files();
}

static void complete_packet_size(const struct place *place)
{
    char number[NAME_ROOM];
    for (size_t i = 0; armtap_realtime_size_at(i) > 0; i++) {
        snprintf(number, sizeof number, "%zu", armtap_realtime_size_at(i));
        print_word(place, number, "bytes of a legacy packet");
    }
}

static void print_interface(void *place, const char *name, const char *driver)
{
    (void)driver;
    print_word(place, name, NULL);
}

static void complete_interface(const struct place *place)
{
    struct place copy = *place;
    interfaces_each(print_interface, &copy);
    print_word(place, "any", "all interfaces");
}

static void (*const completers[TAB_END])(const struct place *place) = {
    [TAB_FILES] = complete_file,
    [TAB_RECIPE] = complete_recipe,
    [TAB_FIELDS] = complete_fields,
    [TAB_OUTPUTS] = complete_outputs,
    [TAB_OUTPUT] = complete_output,
    [TAB_INPUT] = complete_input,
    [TAB_ENUMERATIONS] = complete_enumeration,
    [TAB_NOTES] = complete_note,
    [TAB_PROTOCOL] = complete_protocol,
    [TAB_PORT] = complete_port,
    [TAB_PACKET_SIZE] = complete_packet_size,
    [TAB_INTERFACE] = complete_interface,
};

static void complete_value(const struct place *place, const struct option_row *row)
{
    char list[OPTION_TEXT_MAX];
    if (row->list)
        row->list(list);
    if (row->list || row->words) {
        struct place part = strcmp(row->value, "LIST") == 0 ? part_of_list(place) : *place;
        print_words(&part, row->list ? list : row->words);
    }
    if (row->tab != TAB_NONE)
        completers[row->tab](place);
}

/* ---- options and operands ---------------------------------------------------------------------------------------- */

static void complete_option(const struct place *place)
{
    const struct option_row *row;
    char name[NAME_ROOM], text[OPTION_TEXT_MAX];
    for (size_t i = 0; (row = options_row_at(place->usage, i)); i++) {
        if (!options_is_offered(place->usage, row))
            continue;
        snprintf(name, sizeof name, "--%s", row->name ? row->name : "");
        if (row->name)
            print_word(place, name, options_help_of(place->usage, row, text));
        snprintf(name, sizeof name, "-%c", row->letter);
        if (row->letter != 0)
            print_word(place, name, options_help_of(place->usage, row, text));
    }
}

static void complete_robot(const struct place *place)
{
    const struct robot_scheme *scheme;
    bool fits = false;
    char url[32];
    for (size_t i = 0; (scheme = robot_scheme_at(i)); i++) {
        snprintf(url, sizeof url, "%s://", scheme->name);
        print_word(place, url, scheme->meaning);
        fits |= strncmp(url, place->part, strlen(place->part)) == 0;
    }
    if (fits)
        stay_open();
}

/* By a word of the command's arguments, as in its help. */
static const struct {
    const char *argument;
    void (*complete)(const struct place *place);
} operands[] = {
    {"CAPTURE", complete_file},
    {"SUMMARY", complete_file},
    {"@NAME", complete_known_recipe},
    {"PATTERN", complete_field},
};
#define OPERANDS_COUNT (sizeof operands / sizeof *operands)

static void complete_operand(const struct place *place)
{
    for (size_t i = 0; i < OPERANDS_COUNT; i++)
        if (strstr(place->usage->arguments, operands[i].argument))
            operands[i].complete(place);
    if (place->usage->groups & READS_ROBOTS && place->part[0] != '\0')
        complete_robot(place);
}

/* The option whose value is the word after this one, NULL if none. */
static const struct option_row *expects_value(const struct option_usage *usage, const char *word)
{
    const struct option_row *row = NULL;
    if (strncmp(word, "--", 2) == 0)
        row = strchr(word, '=') ? NULL : options_row_named(usage, word + 2, strlen(word + 2));
    else if (word[0] == '-')
        for (const char *letter = word + 1; *letter != '\0'; letter++) {
            row = options_row_of_letter(usage, *letter);
            if (row && row->value)
                return letter[1] == '\0' ? row : NULL;
        }
    return row && row->value && row->value[0] != '[' ? row : NULL;
}

/* A word that begins with a dash: an option, or one with its value, --name=value or -ovalue. */
static void complete_dashed(struct place *place)
{
    const char *word = place->word, *equals = strchr(word, '=');
    const struct option_row *row = NULL;
    if (strncmp(word, "--", 2) == 0 && equals) {
        row = options_row_named(place->usage, word + 2, (size_t)(equals - word - 2));
        place->part = equals + 1;
    } else if (word[1] != '\0' && word[1] != '-' && word[2] != '\0') {
        row = options_row_of_letter(place->usage, word[1]);
        place->part = word + 2;
    } else {
        complete_option(place);
    }
    if (row && row->value)
        complete_value(place, row);
}

void completion_show(const struct option_usage *usage, int argc, char **argv)
{
    const struct option_row *row = NULL;
    bool only_operands = false;
    for (int i = 0; i + 1 < argc; i++) {
        if (row)
            row = NULL;
        else if (!only_operands && strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (!only_operands)
            row = expects_value(usage, argv[i]);
    }
    const char *word = argc > 0 ? argv[argc - 1] : "";
    struct place place = {usage, word, word};
    if (!is_shown(word))
        return;
    if (row)
        complete_value(&place, row);
    else if (!only_operands && word[0] == '-')
        complete_dashed(&place);
    else
        complete_operand(&place);
}
