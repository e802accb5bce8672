#include "dashboard_line.h"

#include <string.h>

#include "armtap.h"

#define SHORTEST_WORDS 7u /* of a reply that no other server gives */

static const char greeting[] = "Connected: Universal Robots Dashboard Server";

enum { STAYS, STOPS };
static const struct armtap_dashboard_row rows[] = {
#define GREETING(words)
#define COMMAND(request, reply, effect) {request, reply, NULL, (effect) == STOPS},
#define STATE(request, reply, field) {request, reply, #field, false},
#define REFUSAL(words, advice)
#include "dashboard_lines.def"
#undef GREETING
#undef COMMAND
#undef STATE
#undef REFUSAL
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct armtap_dashboard_refusal refusals[] = {
#define GREETING(words)
#define COMMAND(request, reply, effect)
#define STATE(request, reply, field)
#define REFUSAL(words, advice) {words, advice},
#include "dashboard_lines.def"
#undef GREETING
#undef COMMAND
#undef STATE
#undef REFUSAL
};
#define REFUSALS (sizeof refusals / sizeof *refusals)

size_t armtap_dashboard_text(const uint8_t *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    return length;
}

static int lower(int letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

static bool begins(const uint8_t *text, size_t length, const char *pattern)
{
    size_t i = 0;
    while (i < length && pattern[i] != '\0' && lower(text[i]) == lower((uint8_t)pattern[i]))
        i++;
    return pattern[i] == '\0';
}

/* A command ends there, or takes more after a blank. */
static bool is_request(const uint8_t *text, size_t length, const char *command)
{
    size_t end = strlen(command);
    return begins(text, length, command) && (command[end - 1] == ' ' || length == end || text[end] == ' ');
}

const struct armtap_dashboard_row *armtap_dashboard_command(const uint8_t *text, size_t length,
                                                            const struct armtap_dashboard_row *row)
{
    for (size_t i = row ? (size_t)(row - rows) + 1 : 0; i < ROWS; i++)
        if (is_request(text, length, rows[i].request))
            return &rows[i];
    return NULL;
}

const struct armtap_dashboard_row *armtap_dashboard_answer(const uint8_t *request, size_t request_length,
                                                           const uint8_t *reply, size_t length)
{
    const struct armtap_dashboard_row *row = NULL;
    int64_t value;
    while ((row = armtap_dashboard_command(request, request_length, row)))
        if (begins(reply, length, row->reply) &&
            (row->reply[0] != '\0' || armtap_dashboard_state(row, reply, length, &value)))
            return row;
    return NULL;
}

const struct armtap_dashboard_refusal *armtap_dashboard_refusal(const uint8_t *reply, size_t length)
{
    for (size_t i = 0; i < REFUSALS; i++)
        if (begins(reply, length, refusals[i].words))
            return &refusals[i];
    return NULL;
}

bool armtap_dashboard_greets(const uint8_t *reply, size_t length)
{
#define GREETING(words) words
#define COMMAND(request, reply, effect)
#define STATE(request, reply, field)
#define REFUSAL(words, advice)
    static const char words[] =
#include "dashboard_lines.def"
        ;
#undef GREETING
#undef COMMAND
#undef STATE
#undef REFUSAL
    return begins(reply, length, words);
}

bool armtap_dashboard_is_greeting(const uint8_t *reply, size_t length)
{
    return begins(reply, length, greeting);
}

bool armtap_dashboard_is_servers(const uint8_t *reply, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].reply) >= SHORTEST_WORDS && begins(reply, length, rows[i].reply))
            return true;
    return armtap_dashboard_is_greeting(reply, length) || armtap_dashboard_refusal(reply, length);
}

bool armtap_dashboard_state(const struct armtap_dashboard_row *row, const uint8_t *reply, size_t length, int64_t *value)
{
    if (!row->field || !begins(reply, length, row->reply))
        return false;
    const uint8_t *word = reply + strlen(row->reply);
    size_t size = 0, left = length - strlen(row->reply);
    const struct armtap_field *field = armtap_field_find(row->field, strlen(row->field));
    const struct armtap_enum_value *known;
    while (size < left && word[size] != ' ')
        size++;
    for (size_t i = 0; (known = armtap_enum_at(field, i)); i++)
        if (armtap_enum_has(known, ARMTAP_GENERATION_CB3E) && strlen(known->name) == size &&
            begins(word, size, known->name)) {
            *value = known->value;
            return true;
        }
    return false;
}
