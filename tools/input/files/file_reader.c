#define _POSIX_C_SOURCE 200809L
#include "file_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "file_bytes.h"
#include "input_files.h"
#include "capture/unpacker.h"
#include "base/os/file.h"
#include "base/os/interrupt.h"
#include "base/process/libraries.h"
#include "base/process/message.h"
#include "base/os/shell_word.h"

#define INPUT_SIZE INPUT_BLOCK
#define WAIT_MS 100

struct reader {
    bool over; /* everything was read: only now does a problem count */
    bool (*on_wait)(void *user);
    void *user;
    struct unpacking unpacking;
    struct inputs *own;    /* the file, if the reader opened it; else NULL */
    struct input *input;   /* an ordinary file; NULL: a pipe or device */
    struct growth *growth; /* for an ordinary file that is followed */
    struct ends ends;      /* for any other ordinary file */
    int file;              /* -1: an ordinary file */
    bool waits;            /* a pipe or terminal: Ctrl-C ends it, and what arrived is used */
    bool ended;
    bool is_checked; /* why nothing more comes */
    uint64_t position;
    size_t input_at, input_length;
    char problem[200];
    bool changed;   /* the problem: earlier readings found other bytes */
    bool no_memory; /* the problem: memory ran out; the file is not at fault */
    uint8_t bytes[INPUT_SIZE];
};

const char *reader_name(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Nothing to read now: whether to wait. */
static bool wait_on(const struct reader *reader)
{
    return !reader->on_wait || reader->on_wait(reader->user);
}

/* False when the grace period after Ctrl-C is over, or no more input is wanted. */
static bool wait_for_input(struct reader *reader)
{
    while (!interrupt_asked_before(READER_GRACE)) {
        if (file_wait(reader->file, WAIT_MS))
            return true;
        if (!wait_on(reader))
            return false;
    }
    return false;
}

static void cannot_read(struct reader *reader, int error)
{
    char reason[80];
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    snprintf(reader->problem, sizeof reader->problem, "byte %" PRIu64 ": cannot be read: %s; copy the file again",
             reader->position, reason);
}

/* Reads from a pipe or device; 0 at the end. */
static size_t read_stream(struct reader *reader)
{
    ssize_t got;
    do {
        if (reader->waits && !wait_for_input(reader))
            return 0;
        got = read(reader->file, reader->bytes, INPUT_SIZE);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        cannot_read(reader, errno);
    return got < 0 ? 0 : (size_t)got;
}

/* Sets the problem: what another program did to the file. */
static void cannot_go_on(struct reader *reader, enum input_outcome outcome)
{
    static const char *const what[] = {
        [INPUT_SHORTENED] = "another program truncated the file here after reading began; read it again, or a copy of "
                            "it",
        [INPUT_REWRITTEN] = "the file was rewritten while it was read; everything before this is from the old file; "
                            "follow it again for the new one",
        [INPUT_CHANGED] = "another program overwrote or truncated data already read; copy the file first and read the "
                          "copy",
        [INPUT_DOUBTFUL] = "the file's time changed while it was read: another program may have changed data already "
                           "read; copy the file first and read the copy",
        [INPUT_REPLACED] = "another file replaced the one being read; read it again"};
    reader->no_memory = outcome == INPUT_NO_MEMORY;
    reader->changed = outcome == INPUT_CHANGED || outcome == INPUT_REPLACED;
    snprintf(reader->problem, sizeof reader->problem, "byte %" PRIu64 ": %s", reader->position,
             reader->no_memory ? "out of memory" : what[outcome]);
}

/* False if the file is no longer what was read; that becomes the problem. */
static bool check_file(struct reader *reader)
{
    if (!reader->input || reader->growth)
        return true;
    enum input_outcome outcome = input_check(reader->input, &reader->ends);
    if (outcome == INPUT_FAILED)
        cannot_read(reader, errno);
    else if (outcome != INPUT_OK)
        cannot_go_on(reader, outcome);
    return outcome == INPUT_OK;
}

static size_t read_ordinary(struct reader *reader, uint8_t to[INPUT_BLOCK])
{
    size_t length;
    enum input_outcome outcome = input_block(reader->input, reader->position, to, &length);
    if (outcome == INPUT_FAILED)
        cannot_read(reader, errno);
    else if (outcome != INPUT_OK)
        cannot_go_on(reader, outcome);
    else if (length == 0)
        check_file(reader);
    ends_keep(&reader->ends, to, length);
    return length;
}

/* Reads from a followed file, perhaps nothing yet; false if it cannot continue. Bytes count only if the file is still
 * the same one after reading them. */
static bool read_further(struct reader *reader, size_t *length)
{
    ssize_t got = pread(input_descriptor(reader->input), reader->bytes, INPUT_SIZE, (off_t)reader->position);
    enum input_outcome outcome = got >= 0 ? growth_check(reader->growth) : errno == EINTR ? INPUT_OK : INPUT_FAILED;
    if (outcome == INPUT_FAILED)
        cannot_read(reader, errno);
    else if (outcome != INPUT_OK)
        cannot_go_on(reader, outcome);
    *length = outcome == INPUT_OK && got > 0 ? (size_t)got : 0;
    growth_keep(reader->growth, reader->bytes, *length);
    return outcome == INPUT_OK;
}

/* Reads from a followed file; 0 when following ends. */
static size_t read_growing(struct reader *reader)
{
    size_t length;
    while (!interrupt_asked()) {
        if (!read_further(reader, &length) || length > 0)
            return length;
        growth_watch_name(reader->growth);
        growth_wait(reader->growth);
        if (!wait_on(reader))
            return 0;
    }
    return 0;
}

/* Refills the input buffer when it is empty; false at the end. */
static bool fill(struct reader *reader)
{
    if (reader->input_at < reader->input_length)
        return true;
    size_t got = reader->ended    ? 0
                 : reader->growth ? read_growing(reader)
                 : reader->input  ? read_ordinary(reader, reader->bytes)
                                  : read_stream(reader);
    reader->ended = got == 0;
    if (got == 0)
        return false;
    reader->position += got;
    reader->input_at = 0;
    reader->input_length = got;
    return true;
}

/* A block of an ordinary file, without a copy. */
static size_t read_directly(struct reader *reader, uint8_t to[INPUT_BLOCK])
{
    size_t got = read_ordinary(reader, to);
    reader->ended = got == 0;
    reader->position += got;
    return got;
}

/* Bytes of the file as they are. */
static size_t read_packed(struct reader *reader, uint8_t *to, size_t room)
{
    if (!fill(reader))
        return 0;
    size_t length = reader->input_length - reader->input_at;
    if (length > room)
        length = room;
    memcpy(to, reader->bytes + reader->input_at, length);
    reader->input_at += length;
    return length;
}

/* Whether the next bytes come from an ordinary file as they are. */
static bool is_plain(const struct reader *reader)
{
    return reader->input && !reader->growth && !reader->ended && reader->input_at == reader->input_length;
}

static size_t read_source(void *from, uint8_t *to, size_t room)
{
    struct reader *reader = from;
    return room >= INPUT_SIZE && is_plain(reader) ? read_directly(reader, to) : read_packed(reader, to, room);
}

static void damaged(struct reader *reader, uint64_t unpacked, const char *what)
{
    if (!check_file(reader))
        return;
    size_t waiting = armtap_unpacking_waiting(&reader->unpacking) + reader->input_length - reader->input_at;
    snprintf(reader->problem, sizeof reader->problem, "byte %" PRIu64 " (%" PRIu64 " unpacked): %s",
             reader->position - waiting, unpacked, what);
}

/* Why the layers gave no more bytes. */
static void check_layers(struct reader *reader)
{
    const char *why;
    uint64_t unpacked;
    enum unpacker_state state = armtap_unpacking_state(&reader->unpacking, &why, &unpacked);
    reader->is_checked = true;
    if (reader->problem[0] != '\0')
        return;
    if (state == UNPACKER_NO_MEMORY) {
        reader->no_memory = true;
        snprintf(reader->problem, sizeof reader->problem, "out of memory");
    } else if (state == UNPACKER_DAMAGED || (state == UNPACKER_ENDED_EARLY && !reader_is_growing(reader))) {
        damaged(reader, unpacked, why);
    }
}

size_t reader_read(struct reader *reader, void *to, size_t room)
{
    size_t length = armtap_unpacking_read(&reader->unpacking, to, room);
    reader->over = length == 0;
    if (length == 0 && !reader->is_checked)
        check_layers(reader);
    return length;
}

size_t reader_peek(struct reader *reader, const uint8_t **bytes, size_t length)
{
    return armtap_unpacking_peek(&reader->unpacking, bytes, length);
}

size_t reader_look(struct reader *reader, const uint8_t **bytes)
{
    return reader_peek(reader, bytes, reader->waits || reader->growth ? 1 : READER_PEEK);
}

static enum library library_of(const char *name)
{
    for (int i = LIBRARY_NONE + 1; i < LIBRARY_END; i++)
        if (strcmp(library_name((enum library)i), name) == 0)
            return (enum library)i;
    return LIBRARY_NONE;
}

/* Whether it can be unpacked: 0, or -1 after a message, unless `quiet`, that names the library which this build lacks,
 * and the program that does it. */
static int packing_check(const struct packing *packing, const char *file, bool quiet)
{
    char word[SHELL_MAX] = "", what[SHELL_MAX + 200];
    const char *lacks = armtap_packing_lacks(packing), *name = armtap_packing_name(packing),
               *program = armtap_packing_program(packing);
    if (!lacks)
        return 0;
    if (quiet)
        return -1;
    if (strcmp(file, "-") == 0)
        snprintf(what, sizeof what, "standard input: packed by %s, which %s undoes", name, program);
    else
        snprintf(what, sizeof what, "%s: packed by %s; unpack it first: %s %s >OUT; or", file, name, program,
                 shell_word(word, sizeof word, file) ? word : "FILE");
    library_report_missing(library_of(lacks), what);
    return -1;
}

const char *reader_library(size_t index, char text[64])
{
    const char *name, *version;
    if (!armtap_packing_library(index, &name, &version))
        return NULL;
    if (!version)
        return library_absence(library_of(name));
    snprintf(text, 64, "%s version %s", name, version);
    return text;
}

/* Puts a layer upon what was peeked at. 0, or the errno of the failure; -1 after a message. */
static int add_layer(struct reader *reader, const struct packing *packing, const struct reader_wish *wish)
{
    if (packing_check(packing, wish->name, wish->quiet) != 0)
        return -1;
    enum unpacking_outcome outcome = armtap_unpacking_add(&reader->unpacking, packing);
    if (outcome == UNPACKING_TOO_MANY && !wish->quiet)
        message_error("%s: compressed more than %d times over; unpack it first, and check its content",
                      reader_name(wish->name), READER_LAYERS);
    return outcome == UNPACKING_ADDED ? 0 : outcome == UNPACKING_NO_MEMORY ? ENOMEM : -1;
}

static int begin_layers(struct reader *reader, const struct reader_wish *wish)
{
    const struct packing *packing;
    int error = 0;
    while (error == 0 && (packing = armtap_unpacking_find(&reader->unpacking)))
        error = add_layer(reader, packing, wish);
    return error;
}

static int follow(struct reader *reader, const char *name)
{
    if (input_descriptor(reader->input) < 0)
        return EMFILE;
    reader->growth = growth_new(name, input_descriptor(reader->input));
    return reader->growth ? 0 : ENOMEM;
}

/* 0, or the errno of the failure. */
static int open_input(struct reader *reader, const struct reader_wish *wish)
{
    struct input *input = wish->input;
    if (!input && !(reader->own = inputs_open(&wish->name, 1, NULL)))
        return ENOMEM;
    if (!input)
        input = inputs_at(reader->own, 0);
    if (input_error(input) != 0)
        return input_error(input);
    if (input_is_ordinary(input)) {
        reader->input = input;
        return wish->follows ? follow(reader, wish->name) : 0;
    }
    reader->file = file_open_stream(wish->name); /* for a pipe's writer it waits later, where Ctrl-C is checked */
    return reader->file < 0 ? errno : 0;
}

static void report_open(const char *name, int error)
{
    char files[SHELL_MAX] = "";
    const char *remedy = error == EACCES   ? "; ask its owner for access"
                         : error == EISDIR ? "; name the files in it: "
                         : error == ENOENT ? "; check the name"
                                           : "";
    bool lists = error == EISDIR && shell_word(files, sizeof files, name);
    message_error("%s: cannot be opened: %s%s%s%s", reader_name(name), strerror(error), remedy, files,
                  lists ? "/*" : "");
}

struct reader *reader_open(const struct reader_wish *wish)
{
    struct file_status status;
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        errno = ENOMEM;
        return NULL;
    }
    reader->on_wait = wish->on_wait;
    reader->user = wish->user;
    reader->file = -1;
    reader->unpacking.source = read_source;
    reader->unpacking.from = reader;
    int error = open_input(reader, wish);
    if (error != 0 && error != ENOMEM && !wish->quiet)
        report_open(wish->name, error);
    if (error == 0) {
        reader->waits =
            reader->file >= 0 && file_status_of_open(reader->file, &status) == 0 && status.kind != FILE_IS_ORDINARY;
        error = begin_layers(reader, wish);
    }
    if (error == 0)
        return reader;
    reader_close(reader);
    errno = error == ENOMEM ? ENOMEM : 0;
    return NULL;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    armtap_unpacking_end(&reader->unpacking);
    if (reader->file >= 0)
        close(reader->file);
    growth_free(reader->growth);
    inputs_free(reader->own);
    free(reader);
}

bool reader_is_growing(const struct reader *reader)
{
    return reader->growth || (reader->input && input_has_grown(reader->input));
}

const char *reader_problem(const struct reader *reader)
{
    return reader->over && reader->problem[0] != '\0' ? reader->problem : NULL;
}

void reader_give_up(struct reader *reader)
{
    if (reader_problem(reader))
        return;
    if (reader->changed || !check_file(reader))
        reader->over = true;
}

bool reader_lacked_memory(const struct reader *reader)
{
    return reader_problem(reader) && reader->no_memory;
}

bool reader_has_changed(const struct reader *reader)
{
    return reader_problem(reader) && reader->changed;
}

uint64_t reader_position(const struct reader *reader)
{
    return reader->position;
}
