#include "primary_message.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define FIRST_AT 14u /* the number of the first variable */

struct span {
    const char *text;
    size_t length;
};

/* The next name of a list; false beyond the last. A last one may lack its line end. */
static bool next_name(struct span *rest, struct span *name)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->text, '\n', rest->length);
    name->text = rest->text;
    name->length = end ? (size_t)(end - rest->text) : rest->length;
    size_t used = name->length + (end != NULL);
    rest->text += used;
    rest->length -= used;
    return true;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static void forget(struct armtap_primary_names *names)
{
    free(names->text);
    *names = (struct armtap_primary_names){.length = 0};
}

void armtap_primary_program_close(struct armtap_primary_program *program)
{
    for (size_t i = 0; i < ARMTAP_PROGRAM_NAMES; i++)
        forget(&program->names[i]);
}

size_t armtap_primary_program_bytes(const struct armtap_primary_program *program)
{
    size_t bytes = 0;
    for (size_t i = 0; i < ARMTAP_PROGRAM_NAMES; i++)
        bytes += program->names[i].length;
    return bytes;
}

/* Remembers a list of names, which are those of a new program if it begins with the first variable. */
static int remember(struct armtap_primary_program *program, struct armtap_conn *conn, const struct armtap_frame *frame,
                    const struct span *list, uint32_t first, uint32_t count)
{
    bool may;
    if (first == 0)
        armtap_primary_program_close(program);
    int error = armtap_conn_may_keep(conn, frame, list->length, &may);
    if (error != ARMTAP_OK || !may || list->length == 0)
        return error;
    char *copy = malloc(list->length);
    if (!copy)
        return ARMTAP_ERR_MEMORY;
    memcpy(copy, list->text, list->length);
    forget(&program->names[ARMTAP_PROGRAM_NAMES - 1]);
    memmove(program->names + 1, program->names, (ARMTAP_PROGRAM_NAMES - 1) * sizeof *program->names);
    program->names[0].text = copy;
    program->names[0].length = list->length;
    program->names[0].first = first;
    program->names[0].count = count;
    return ARMTAP_OK;
}

static int decode_names(struct armtap_primary_program *program, struct armtap_conn *conn,
                        const struct armtap_frame *frame, const struct armtap_text *about)
{
    const struct span list = {(const char *)frame->bytes + ARMTAP_PROGRAM_STATE_BODY,
                              frame->length - ARMTAP_PROGRAM_STATE_BODY};
    struct span rest = list, name;
    uint32_t first = armtap_be16(frame->bytes + FIRST_AT), count = 0;
    int error = ARMTAP_OK;
    for (; error == ARMTAP_OK && next_name(&rest, &name); count++) {
        struct armtap_text text = *about;
        text.code = (int32_t)(first + count);
        text.title = name.text;
        text.title_length = name.length;
        error = armtap_conn_text(conn, frame, &text);
    }
    return error == ARMTAP_OK ? remember(program, conn, frame, &list, first, count) : error;
}

/* Goes through the names from a variable on. */
struct names_walk {
    const struct armtap_primary_program *program;
    struct span rest;
    uint32_t number, end; /* of the next name, and behind the last of the list */
};

/* The name of the variable with this number, which is that after the last one; empty if it is not known. */
static struct span name_of(struct names_walk *walk, uint32_t number)
{
    struct span name = {"", 0};
    if (number >= walk->end) {
        const struct armtap_primary_names *names = walk->program->names;
        size_t i = 0;
        while (i < ARMTAP_PROGRAM_NAMES && !(number >= names[i].first && number - names[i].first < names[i].count))
            i++;
        if (i == ARMTAP_PROGRAM_NAMES)
            return name;
        walk->rest = (struct span){names[i].text, names[i].length};
        walk->number = names[i].first;
        walk->end = names[i].first + names[i].count;
    }
    while (walk->number <= number && next_name(&walk->rest, &name))
        walk->number++;
    return name;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static int say_unread(struct armtap_conn *conn, const struct armtap_frame *frame,
                      const struct armtap_value_reader *reader, uint32_t number)
{
    if (reader->unknown_type >= 0)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_unknown,
                                 ARGS(arg_case(ARMTAP_WORD_variable), arg_variable(number),
                                      arg_type((uint64_t)reader->unknown_type),
                                      arg_offset((uint64_t)(reader->at - 1 - frame->bytes)), arg_bytes(frame->length)));
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_message_bad,
                             ARGS(arg_case(ARMTAP_WORD_variable), arg_bytes(frame->length), arg_variable(number)));
}

static int decode_each(const struct armtap_primary_program *program, struct armtap_conn *conn,
                       const struct armtap_frame *frame, const struct armtap_text *about,
                       struct armtap_value_reader *reader)
{
    uint32_t number = armtap_be16(frame->bytes + FIRST_AT);
    struct names_walk walk = {.program = program};
    int error = ARMTAP_OK;
    for (; error == ARMTAP_OK && reader->at < reader->end; number++) {
        if (!armtap_value_read(reader) || (reader->at < reader->end && *reader->at != '\n'))
            return say_unread(conn, frame, reader, number);
        reader->at += reader->at < reader->end;
        struct armtap_text text = *about;
        struct span name = name_of(&walk, number);
        text.code = (int32_t)number;
        text.title = name.text;
        text.title_length = name.length;
        text.text = reader->text;
        text.text_length = reader->length;
        error = armtap_conn_text(conn, frame, &text);
    }
    return error;
}

static int decode_values(const struct armtap_primary_program *program, struct armtap_conn *conn,
                         const struct armtap_frame *frame, const struct armtap_text *about)
{
    size_t length = frame->length - ARMTAP_PROGRAM_STATE_BODY;
    struct armtap_value_reader reader = {.numbering = armtap_value_numbering_of(armtap_conn_release(conn)),
                                         .at = frame->bytes + ARMTAP_PROGRAM_STATE_BODY,
                                         .end = frame->bytes + frame->length,
                                         .room = (length + 1) * ARMTAP_VALUE_TEXT};
    if (reader.numbering == ARMTAP_VALUES_UNKNOWN)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_unknown,
                                 ARGS(arg_case(ARMTAP_WORD_variables), arg_bytes(length)));
    reader.text = malloc(reader.room);
    if (!reader.text)
        return ARMTAP_ERR_MEMORY;
    int error = decode_each(program, conn, frame, about, &reader);
    free(reader.text);
    return error;
}

int armtap_primary_program_decode(struct armtap_primary_program *program, struct armtap_conn *conn,
                                  const struct armtap_frame *frame, const struct armtap_text *text)
{
    if (frame->length < ARMTAP_PROGRAM_STATE_BODY)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_message_bad,
                                 ARGS(arg_case(ARMTAP_WORD_program_state), arg_bytes(frame->length)));
    switch (frame->bytes[ARMTAP_PROGRAM_STATE_KIND]) {
    case ARMTAP_PROGRAM_STATE_NAMES:
        return decode_names(program, conn, frame, text);
    case ARMTAP_PROGRAM_STATE_VALUES:
        return decode_values(program, conn, frame, text);
    default:
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_unknown,
                                 ARGS(arg_case(ARMTAP_WORD_program_state),
                                      arg_type(frame->bytes[ARMTAP_PROGRAM_STATE_KIND]), arg_bytes(frame->length)));
    }
}
