/* Facts: a registered kind and its arguments. findings.def has both; the compiler checks that an argument exists and
 * has the type of its row.
 *
 *     armtap_conn_raise(conn, frame, ARMTAP_NOTE_rt_size_changed, ARGS(arg_bytes(length), arg_bytes_before(before)));
 */
#ifndef ARMTAP_FACT_H
#define ARMTAP_FACT_H

#include <string.h>

#include "note.h"

enum armtap_argument_id {
#define ARGUMENT(name, type, digits) ARMTAP_ARGUMENT_##name,
#include "findings.def"
    ARMTAP_ARGUMENT_IDS
};

enum armtap_word {
#define WORD(code, text) ARMTAP_WORD_##code,
#include "findings.def"
    ARMTAP_WORDS
};

/* A function for each argument that makes one: arg_duration_s(1.5), arg_who(ARMTAP_WORD_robot), arg_quoted(bytes,
 * length).
 */
#define ARMTAP_MAKE_NUMBER(name)                                                                                       \
    static inline struct armtap_argument arg_##name(double number)                                                     \
    {                                                                                                                  \
        return (struct armtap_argument){.id = ARMTAP_ARGUMENT_##name, .value.number = number};                         \
    }
#define ARMTAP_MAKE_COUNT(name)                                                                                        \
    static inline struct armtap_argument arg_##name(uint64_t count)                                                    \
    {                                                                                                                  \
        return (struct armtap_argument){.id = ARMTAP_ARGUMENT_##name, .value.count = count};                           \
    }
#define ARMTAP_MAKE_INTEGER(name)                                                                                      \
    static inline struct armtap_argument arg_##name(int64_t integer)                                                   \
    {                                                                                                                  \
        return (struct armtap_argument){.id = ARMTAP_ARGUMENT_##name, .value.integer = integer};                       \
    }
#define ARMTAP_MAKE_TIME(name) ARMTAP_MAKE_INTEGER(name)
/* Absent if `is_there` is false. */
#define ARMTAP_MAKE_FLAG(name)                                                                                         \
    static inline struct armtap_argument arg_##name(bool is_there)                                                     \
    {                                                                                                                  \
        return (struct armtap_argument){.id = is_there ? ARMTAP_ARGUMENT_##name : 0, .value.count = 1};                \
    }
/* Absent for ARMTAP_WORD_none. */
#define ARMTAP_MAKE_WORD(name)                                                                                         \
    static inline struct armtap_argument arg_##name(enum armtap_word word)                                             \
    {                                                                                                                  \
        return (struct armtap_argument){.id = word ? ARMTAP_ARGUMENT_##name : 0, .word = (uint16_t)word};              \
    }
/* Absent for NULL and "". */
#define ARMTAP_MAKE_TEXT(name)                                                                                         \
    static inline struct armtap_argument arg_##name(const char *text)                                                  \
    {                                                                                                                  \
        return (struct armtap_argument){.id = text && *text ? ARMTAP_ARGUMENT_##name : 0,                              \
                                        .length = text ? (uint32_t)strlen(text) : 0,                                   \
                                        .value.text = text};                                                           \
    }
#define ARMTAP_MAKE_QUOTED(name)                                                                                       \
    static inline struct armtap_argument arg_##name(const void *bytes, size_t length)                                  \
    {                                                                                                                  \
        return (struct armtap_argument){                                                                               \
            .id = bytes ? ARMTAP_ARGUMENT_##name : 0, .length = (uint32_t)length, .value.text = bytes};                \
    }
/* As armtap_line_name() wrote them; absent if there are none. */
#define ARMTAP_MAKE_NAMES(name)                                                                                        \
    static inline struct armtap_argument arg_##name(const struct armtap_line *names)                                   \
    {                                                                                                                  \
        return (struct armtap_argument){.id = names->length > 0 ? ARMTAP_ARGUMENT_##name : 0,                          \
                                        .length = (uint32_t)names->length,                                             \
                                        .value.text = names->text};                                                    \
    }
#define ARGUMENT(name, type, digits) ARMTAP_MAKE_##type(name)
#include "findings.def"

/* The arguments of one fact, in any order; absent ones (arg_none(true)) are passed over. They live as long as the block
 * that they stand in, and the branch of an `if` is one. */
#define ARGS(...)                                                                                                      \
    (&(const struct armtap_arguments){(const struct armtap_argument[]){__VA_ARGS__},                                   \
                                      sizeof((const struct armtap_argument[]){__VA_ARGS__}) /                          \
                                          sizeof(struct armtap_argument)})
#define NO_ARGS (&(const struct armtap_arguments){NULL, 0})

/* What an argument of a fact says; NULL: it is absent. */
static inline const struct armtap_argument *armtap_argument_of(const struct armtap_arguments *arguments,
                                                               enum armtap_argument_id id)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->all[i].id == id)
            return &arguments->all[i];
    return NULL;
}

/* Whether two arguments of one kind say the same. */
static inline bool armtap_is_same_argument(const struct armtap_argument *one, const struct armtap_argument *other)
{
    enum armtap_argument_type type = armtap_argument_kind(one)->type;
    if (type < ARMTAP_TEXT)
        return one->word == other->word && one->value.count == other->value.count;
    return one->length == other->length && memcmp(one->value.text, other->value.text, one->length) == 0;
}

/* The word that it says; ARMTAP_WORD_none if it is absent. */
static inline enum armtap_word armtap_word_of(const struct armtap_arguments *arguments, enum armtap_argument_id id)
{
    const struct armtap_argument *argument = armtap_argument_of(arguments, id);
    return argument ? (enum armtap_word)argument->word : ARMTAP_WORD_none;
}

static inline enum armtap_word armtap_direction_word(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_WORD_from_robot : ARMTAP_WORD_to_robot;
}

/* What else shows that the side in whose name a RST came did not send it. */
static inline enum armtap_word armtap_reset_case(const struct armtap_reset *reset)
{
    return reset->went_on ? ARMTAP_WORD_went_on : reset->is_both ? ARMTAP_WORD_both_names : ARMTAP_WORD_none;
}

/* ---- as a sentence ---- */

/* How times are written; NULL: as whole seconds since the epoch. */
struct armtap_clock_face {
    void (*put_time)(struct armtap_line *line, int64_t time, const void *zone);
    const void *zone;
};
/* Adds a sentence of findings.def. The only place where a fact becomes words. */
void armtap_line_sentence(struct armtap_line *line, const char *sentence, const struct armtap_arguments *arguments,
                          const struct armtap_clock_face *face);
/* The sentence of a kind. */
const char *armtap_note_sentence(enum armtap_note_code code);
/* The same, begun, of a kind that the library raises: without times. */
void armtap_note_say(struct armtap_line *line, enum armtap_note_code code, const struct armtap_arguments *arguments);
/* The argument that measures a kind; 0: none. */
enum armtap_argument_id armtap_note_measure(enum armtap_note_code code);

#endif
