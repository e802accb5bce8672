#include "fact.h"
#include "inside.h"

static const struct armtap_note_kind kinds[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, side, measure, sentence, ...) {id, ARMTAP_##severity, __VA_ARGS__},
#define FINDING NOTE
#define HEARD NOTE
#include "findings.def"
};

size_t armtap_note_count(void)
{
    return ARMTAP_NOTE_COUNT;
}

const struct armtap_note_kind *armtap_note_at(size_t i)
{
    return i < ARMTAP_NOTE_COUNT ? &kinds[i] : NULL;
}

const struct armtap_note_kind *armtap_note_find(const char *id)
{
    for (size_t i = 0; id && i < ARMTAP_NOTE_COUNT; i++)
        if (kinds[i].id[0] == id[0] && strcmp(kinds[i].id, id) == 0)
            return &kinds[i];
    return NULL;
}

const char *armtap_severity_name(enum armtap_severity severity)
{
    static const char *const names[] = {"info", "notice", "warning", "error"};
    return (size_t)severity < sizeof names / sizeof names[0] ? names[severity] : "";
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static const struct armtap_argument_kind argument_kinds[] = {
#define ARGUMENT(name, type, digits) {#name, ARMTAP_##type, digits},
#include "findings.def"
};

static const char *const words[] = {
#define WORD(code, text) text,
#include "findings.def"
};

const struct armtap_argument_kind *armtap_argument_kind(const struct armtap_argument *argument)
{
    return &argument_kinds[argument && argument->id < ARMTAP_ARGUMENT_IDS ? argument->id : 0];
}

const char *armtap_argument_text(const struct armtap_argument *argument)
{
    switch (armtap_argument_kind(argument)->type) {
    case ARMTAP_WORD:
        return argument->word < ARMTAP_WORDS ? words[argument->word] : "";
    case ARMTAP_TEXT:
        return argument->value.text;
    default:
        return NULL;
    }
}

/* The place of a text in a table from 1 on; 0: none. */
#define NAMED(name, length, count, text_at)                                                                            \
    for (size_t i = 1; i < (count); i++)                                                                               \
        if (strncmp(text_at, name, length) == 0 && (text_at)[length] == '\0')                                          \
            return (uint16_t)i;                                                                                        \
    return 0

uint16_t armtap_argument_named(const char *name, size_t length)
{
    NAMED(name, length, ARMTAP_ARGUMENT_IDS, argument_kinds[i].name);
}

uint16_t armtap_word_named(const char *text, size_t length)
{
    NAMED(text, length, ARMTAP_WORDS, words[i]);
}
#undef NAMED

const struct armtap_argument *armtap_argument_find(const struct armtap_arguments *arguments, const char *name)
{
    for (size_t i = 0; arguments && name && i < arguments->count; i++)
        if (arguments->all[i].id > 0 && strcmp(armtap_argument_kind(&arguments->all[i])->name, name) == 0)
            return &arguments->all[i];
    return NULL;
}
