#include "urscript.h"

#include <string.h>

#include "protocol/note.h"
#include "protocol/robot.h"

#define NAME_MAX 64u
#define HOST_MAX 64u
#define LINES_MAX 32768u /* bytes; a longer program is not kept */
#define LINES_LEAST 1024u
/* ns: lines so soon one after another may have been sent at once, and are counted as one program's. */
#define AT_ONCE INT64_C(100000000)
/* ns: what fails so long after a program stopped is another one, whose start was not captured. */
#define STOPPED_BEFORE INT64_C(1000000000)

enum stage { NOTHING, OPEN, WHOLE };

/* A robot's; zeros: none. */
struct program {
    uint64_t connection;             /* of the line before */
    struct armtap_where where, sent; /* of the line before, packet 0 for none; of the last line of the program */
    uint64_t offset;                 /* of the line before */
    enum stage stage;
    unsigned beside; /* blocks of a secondary program that are open */
    bool is_doubted;
    bool has_started;
    struct armtap_where stopped; /* packet 0: it has not */
    bool is_again, is_own;       /* it has the name of the one before; the same client sent it */
    char host[HOST_MAX];         /* of the client that sent it */
    uint64_t lines;
    size_t name_length, length;
    char name[NAME_MAX];
    char text[]; /* lines with their ends */
};

static struct program *program_of(struct armtap_conn *conn)
{
    return armtap_conn_shared(conn)->program;
}

static bool is_before(const struct armtap_where *one, const struct armtap_where *other)
{
    return one->file != other->file ? one->file < other->file : one->packet < other->packet;
}

void armtap_sent_program_doubt(struct armtap_conn *conn)
{
    if (program_of(conn))
        program_of(conn)->is_doubted = true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The name in "def name(": its length; 0: it is no such line. */
static size_t name_in(const char *line, size_t length, const char **name)
{
    static const char word[] = "def ";
    size_t at = sizeof word - 1, begin;
    if (length <= at || memcmp(line, word, at) != 0)
        return 0;
    while (at < length && line[at] == ' ')
        at++;
    for (begin = at; at < length && line[at] != '(' && line[at] != ' '; at++)
        ;
    *name = line + begin;
    return at < length && at - begin <= NAME_MAX ? at - begin : 0;
}

static bool is_end(const char *line, size_t length)
{
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    return length == 3 && memcmp(line, "end", 3) == 0;
}

static bool is_empty(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return at == length || line[at] == '#';
}

/* How many blocks a line opens: -1 for one that it closes. */
static int blocks_in(const char *line, size_t length)
{
    const char *comment = memchr(line, '#', length);
    size_t at = 0;
    length = comment ? (size_t)(comment - line) : length;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    while (length > at && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    bool is_branch = length - at >= 4 && (memcmp(line + at, "else", 4) == 0 || memcmp(line + at, "elif", 4) == 0);
    if (is_end(line + at, length - at))
        return -1;
    return length > at && line[length - 1] == ':' && !is_branch;
}

/* Whether a line is a program of its own, which replaces the one that runs: neither of a secondary program, which runs
 * beside it, nor of one whose beginning is missing. */
static bool is_alone(struct program *program, const struct armtap_stream *stream, const char *line, size_t length)
{
    static const char secondary[] = "sec ";
    bool is_same = program->connection == stream->connection;
    bool is_beside = (is_same && program->beside > 0) ||
                     (length >= sizeof secondary - 1 && memcmp(line, secondary, sizeof secondary - 1) == 0);
    int blocks = blocks_in(line, length);
    if (!is_same)
        program->beside = 0;
    if (is_beside)
        program->beside = blocks < 0 ? program->beside - 1 : program->beside + (unsigned)blocks;
    bool is_of_another = is_beside || (is_same && program->stage == OPEN) || *line == ' ' || *line == '\t';
    return !is_of_another && blocks >= 0;
}

/* Whether a line came with the one before, so that the controller may count both as one program's. */
static bool is_at_once(const struct program *program, uint64_t connection, const struct armtap_where *where)
{
    return program->connection == connection && program->where.packet > 0 &&
           (where->time == ARMTAP_NO_TIME || program->where.time == ARMTAP_NO_TIME ||
            where->time - AT_ONCE < program->where.time);
}

static void take_sender(struct program *program, const struct armtap_stream *stream)
{
    char host[HOST_MAX];
    const char *colon = strrchr(stream->client, ':');
    size_t length = colon ? (size_t)(colon - stream->client) : 0;
    length = length < HOST_MAX ? length : HOST_MAX - 1;
    memcpy(host, stream->client, length);
    host[length] = '\0';
    program->is_own = length > 0 && strcmp(program->host, host) == 0;
    memcpy(program->host, host, sizeof host);
}

static void begin(struct program *program, bool is_doubted, const char *name, size_t length)
{
    program->is_again = program->name_length == length && memcmp(program->name, name, length) == 0;
    program->stage = OPEN;
    program->is_doubted = is_doubted;
    program->has_started = false;
    program->stopped = (struct armtap_where){0};
    program->lines = program->length = 0;
    program->name_length = length;
    memcpy(program->name, name, length);
}

/* Keeps a line; without room the program is doubted. */
static int append(struct armtap_robot *robot, const char *line, size_t length)
{
    struct program *program = robot->program;
    size_t needed = program->length + length + 1, room = LINES_LEAST;
    program->lines++;
    while (room < needed && room < LINES_MAX)
        room *= 2;
    int error =
        program->is_doubted || needed > room ? ARMTAP_OK : armtap_robot_grow_program(robot, sizeof *program + room);
    program = robot->program;
    program->is_doubted = program->is_doubted || robot->program_bytes < sizeof *program + needed;
    if (error != ARMTAP_OK || program->is_doubted)
        return error;
    memcpy(program->text + program->length, line, length);
    program->text[needed - 1] = '\n';
    program->length = needed;
    return ARMTAP_OK;
}

static int say_line(struct armtap_conn *conn, const struct armtap_frame *frame, const char *line, size_t length)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_program,
                             ARGS(arg_case(ARMTAP_WORD_sent), arg_is_own(program_of(conn)->is_own),
                                  arg_client(armtap_conn_stream(conn)->client), arg_quoted_line(line, length)));
}

static int say_sent(struct armtap_conn *conn, const struct armtap_frame *frame, const struct program *program)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_ur_program,
                             ARGS(arg_case(ARMTAP_WORD_sent), arg_is_again(program->is_again),
                                  arg_is_own(program->is_own), arg_client(armtap_conn_stream(conn)->client),
                                  arg_quoted_name(program->name, program->name_length), arg_lines(program->lines)));
}

/* What a line means for the program. */
static int take_line(struct armtap_robot *robot, const struct armtap_stream *stream, const struct armtap_where *where,
                     const char *line, size_t length)
{
    uint64_t connection = stream->connection;
    struct program *program = robot->program;
    const char *name = NULL;
    size_t name_length = name_in(line, length, &name);
    bool goes_on = program->stage == OPEN && program->connection == connection;
    if (name_length > 0 && goes_on)
        program->is_doubted = true; /* a function of it, or another program */
    else if (name_length > 0) {
        begin(program, is_at_once(program, connection, where), name, name_length);
        take_sender(program, stream);
    } else if (!goes_on && !is_empty(line, length))
        program->is_doubted = true; /* a program of its own, or it goes with one */
    program->connection = connection;
    program->where = *where;
    if (goes_on && is_end(line, length)) {
        program->stage = WHOLE;
        program->sent = *where;
    }
    return name_length > 0 || goes_on ? append(robot, line, length) : ARMTAP_OK;
}

/* Whether what is there is left by an earlier reading of the same capture. */
static bool is_earlier_reading(const struct program *program, const struct armtap_frame *frame)
{
    bool is_same = program->where.packet == frame->where.packet && program->where.file == frame->where.file;
    return is_before(&frame->where, &program->where) || (is_same && frame->offset <= program->offset);
}

int armtap_sent_program_line(struct armtap_conn *conn, const struct armtap_frame *frame, const void *line,
                             size_t length, bool is_statement)
{
    struct armtap_robot *robot = armtap_conn_shared(conn);
    int error = armtap_robot_grow_program(robot, sizeof(struct program));
    struct program *program = robot->program;
    if (error != ARMTAP_OK || !program)
        return error;
    if (is_earlier_reading(program, frame))
        memset(program, 0, sizeof *program);
    program->offset = frame->offset;
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    bool was_open = program->stage == OPEN;
    const char *name = NULL;
    bool is_line = is_alone(program, stream, line, length) && is_statement && name_in(line, length, &name) == 0;
    if (is_line)
        take_sender(program, stream);
    error = take_line(robot, stream, &frame->where, line, length);
    program = robot->program;
    if (error == ARMTAP_OK && is_line)
        return say_line(conn, frame, line, length);
    return error == ARMTAP_OK && was_open && program->stage == WHOLE ? say_sent(conn, frame, program) : error;
}

/* ---- quoting ----------------------------------------------------------------------------------------------------- */

static bool has_prefix(const struct armtap_text *text, const char *prefix)
{
    return text->text_length >= strlen(prefix) && memcmp(text->text, prefix, strlen(prefix)) == 0;
}

/* Whether it was sent before `where`, whole and alone, to a robot that this connection was hearing already: it would
 * show the start of another program. */
static bool is_settled(const struct program *program, const struct armtap_conn *conn, const struct armtap_where *where)
{
    return program->stage == WHOLE && !program->is_doubted && where->file == program->sent.file &&
           !is_before(where, &program->sent) && is_before(&armtap_conn_stream(conn)->first, &program->sent);
}

uint64_t armtap_sent_program_starts(struct armtap_conn *conn, const struct armtap_frame *frame,
                                    const struct armtap_text *start)
{
    struct program *program = program_of(conn);
    uint64_t packet = 0;
    if (!program)
        return 0;
    bool is_this = start->text_length == program->name_length && start->text_length > 0 &&
                   memcmp(start->text, program->name, program->name_length) == 0;
    if (is_this && is_settled(program, conn, &frame->where) && !program->has_started) {
        program->has_started = true;
        program->stopped = (struct armtap_where){0};
        packet = program->sent.packet;
    }
    program->is_doubted = program->is_doubted || !is_this;
    return packet;
}

void armtap_sent_program_stops(struct armtap_conn *conn, const struct armtap_frame *frame)
{
    if (program_of(conn))
        program_of(conn)->stopped = frame->where;
}

static bool has_stopped_before(const struct program *program, const struct armtap_where *where)
{
    return program->stopped.packet > 0 && (where->time == ARMTAP_NO_TIME || program->stopped.time == ARMTAP_NO_TIME ||
                                           where->time - STOPPED_BEFORE > program->stopped.time);
}

/* Whether what fails can only be this program: the robot said that it runs, or translates it. */
static bool is_certain(const struct program *program, const struct armtap_conn *conn, const struct armtap_where *where,
                       const struct armtap_text *exception)
{
    bool is_new = has_prefix(exception, "compile_error") || has_prefix(exception, "syntax_error");
    return program && (is_new || (program->has_started && !has_stopped_before(program, where))) &&
           is_settled(program, conn, where);
}

static const char *line_at(const struct program *program, int64_t number, size_t *length)
{
    const char *at = program->text, *end = program->text + program->length;
    if (number < 1 || (uint64_t)number > program->lines)
        return NULL;
    for (int64_t i = 1; i < number; i++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    *length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
    return at;
}

static bool contains(const char *text, size_t length, const char *word, size_t word_length)
{
    for (size_t i = 0; i + word_length <= length; i++)
        if (memcmp(text + i, word, word_length) == 0)
            return true;
    return false;
}

/* Whether the exception names something that the line lacks: then it is about another program. */
static bool is_contradicted(const struct armtap_text *exception, const char *line, size_t length)
{
    static const char words[] = "compile_error_name_not_found:";
    size_t begin = sizeof words - 1;
    if (!has_prefix(exception, words))
        return false;
    const char *name = exception->text + begin;
    const char *end = memchr(name, ':', exception->text_length - begin);
    return end && !contains(line, length, name, (size_t)(end - name));
}

struct armtap_failed_line armtap_sent_program_line_of(struct armtap_conn *conn, const struct armtap_frame *frame,
                                                      const struct armtap_text *exception)
{
    const struct program *program = program_of(conn);
    size_t length = 0;
    const char *line =
        is_certain(program, conn, &frame->where, exception) ? line_at(program, exception->line, &length) : NULL;
    if (!line || exception->column < 1 || (uint64_t)exception->column > length + 1 ||
        is_contradicted(exception, line, length))
        return (struct armtap_failed_line){.line = NULL};
    while (length > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    return (struct armtap_failed_line){program->name, line, program->name_length, length, program->sent.packet};
}
