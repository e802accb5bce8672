#define _POSIX_C_SOURCE 200809L
#include "input_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "array.h"
#include "file_bytes.h"

/* Descriptors kept free for outputs, threads and libraries. */
#define DESCRIPTORS_LEFT 64

struct input {
    const char *name;
    int file; /* -1: could not be opened, or is reopened for each block because there are too many files */
    int error;
    bool is_ordinary, goes_on;
    bool is_standard; /* can be read only once */
    bool reported;
    struct file_status status; /* when it was opened */
    bool checked;              /* the first reading is over */
    uint32_t *sums;            /* of the blocks read so far */
    size_t sum_count;
};

struct inputs {
    size_t count;
    struct input input[];
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Leaves pipes and devices to the reader: opening them may block or have side effects. */
static void open_ordinary(struct input *input, size_t limit)
{
    struct file_status status;
    if (file_status(input->name, &status) != 0) {
        input->error = errno;
        return;
    }
    if (status.kind == FILE_IS_FOLDER)
        input->error = EISDIR;
    else
        input->goes_on = status.kind != FILE_IS_ORDINARY;
    if (status.kind != FILE_IS_ORDINARY)
        return;
    input->file = file_open(input->name, O_RDONLY);
    if (input->file < 0 || file_status_of_open(input->file, &status) != 0) {
        input->error = errno;
        return;
    }
    input->is_ordinary = status.kind == FILE_IS_ORDINARY;
    input->status = status;
    if (!input->is_ordinary || (size_t)input->file + DESCRIPTORS_LEFT > limit) {
        close(input->file);
        input->file = -1;
    }
}

/* Treats standard input like a named file if it is an ordinary file that is still at its beginning. */
static void open_standard(struct input *input)
{
    if (file_status_of_open(STDIN_FILENO, &input->status) != 0)
        return;
    input->goes_on = input->status.kind != FILE_IS_ORDINARY;
    if (!input->goes_on && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
        input->file = file_copy(STDIN_FILENO);
    input->is_ordinary = input->file >= 0;
    input->is_standard = true;
}

static void input_begin(struct input *input, const char *name, size_t limit)
{
    *input = (struct input){.name = name, .file = -1};
    if (strcmp(name, "-") == 0)
        open_standard(input);
    else
        open_ordinary(input, limit);
}

struct inputs *inputs_open(const char *const *names, size_t count, const char *further)
{
    size_t limit = file_limit();
    struct file_status status;
    struct inputs *inputs = calloc(1, sizeof *inputs + (count + 1) * sizeof inputs->input[0]);
    if (!inputs)
        return NULL;
    for (; inputs->count < count; inputs->count++)
        input_begin(&inputs->input[inputs->count], names[inputs->count], limit);
    if (!further)
        return inputs;
    struct input *last = &inputs->input[inputs->count++];
    *last = (struct input){.name = further, .file = -1};
    if (file_status(further, &status) == 0)
        last->status = status;
    return inputs;
}

void inputs_free(struct inputs *inputs)
{
    if (!inputs)
        return;
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->input[i];
        if (input->file >= 0)
            close(input->file);
        free(input->sums);
    }
    free(inputs);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

struct input *inputs_at(struct inputs *inputs, size_t index)
{
    return inputs ? &inputs->input[index] : NULL;
}

bool inputs_are_ordinary(const struct inputs *inputs, size_t count)
{
    for (size_t i = 0; inputs && i < count; i++)
        if (!inputs->input[i].error && (!inputs->input[i].is_ordinary || inputs->input[i].is_standard))
            return false;
    return inputs != NULL;
}

bool inputs_go_on(const struct inputs *inputs, size_t count)
{
    for (size_t i = 0; inputs && i < count; i++)
        if (inputs->input[i].goes_on)
            return true;
    return false;
}

uint64_t inputs_length(const struct inputs *inputs, size_t count)
{
    uint64_t length = 0;
    if (!inputs_are_ordinary(inputs, count))
        return 0;
    for (size_t i = 0; i < count; i++)
        length += inputs->input[i].status.size;
    return length;
}

bool inputs_have(const struct inputs *inputs, const struct file_status *file)
{
    if (!inputs || file->kind != FILE_IS_ORDINARY)
        return false;
    for (size_t i = 0; i < inputs->count; i++)
        if (file_is_same(&inputs->input[i].status, file))
            return true;
    return false;
}

int input_error(const struct input *input)
{
    return input->error;
}

bool input_is_ordinary(const struct input *input)
{
    return input->is_ordinary;
}

bool input_goes_on(const struct input *input)
{
    return input->goes_on;
}

int input_descriptor(const struct input *input)
{
    return input->file;
}

uint64_t input_length(const struct input *input)
{
    return input->status.size;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Stores the sum of a block at the first reading, compares it later. */
static enum input_outcome check_sum(struct input *input, size_t block, uint32_t sum)
{
    if (block < input->sum_count)
        return input->sums[block] == sum ? INPUT_OK : INPUT_CHANGED;
    if (!MAKE_ROOM(input->sums, input->sum_count))
        return INPUT_NO_MEMORY;
    input->sums[input->sum_count++] = sum;
    return INPUT_OK;
}

/* Reopens a file that could not be kept open; -1 with INPUT_FAILED or INPUT_REPLACED. */
static int reopen(const struct input *input, enum input_outcome *outcome)
{
    struct file_status status;
    int file = file_open(input->name, O_RDONLY | O_NONBLOCK);
    *outcome = file < 0 ? INPUT_FAILED : INPUT_OK;
    if (file < 0 || (file_status_of_open(file, &status) == 0 && file_may_be_same(&status, &input->status)))
        return file;
    close(file);
    *outcome = INPUT_REPLACED;
    return -1;
}

static enum input_outcome read_reopened(const struct input *input, uint64_t position, uint8_t *to, size_t length)
{
    enum input_outcome outcome;
    int file = reopen(input, &outcome);
    if (file < 0)
        return outcome;
    outcome = input_read_all(file, position, to, length);
    close(file);
    return outcome;
}

static enum input_outcome read_at(const struct input *input, uint64_t position, uint8_t *to, size_t length)
{
    return input->file < 0 ? read_reopened(input, position, to, length)
                           : input_read_all(input->file, position, to, length);
}

enum input_outcome input_block(struct input *input, uint64_t position, uint8_t to[INPUT_BLOCK], size_t *length)
{
    size_t wanted = position >= input->status.size                ? 0
                    : input->status.size - position < INPUT_BLOCK ? (size_t)(input->status.size - position)
                                                                  : INPUT_BLOCK;
    *length = 0;
    if (wanted == 0)
        return INPUT_OK;
    enum input_outcome outcome = read_at(input, position, to, wanted);
    if (outcome != INPUT_OK && outcome != INPUT_SHORTENED)
        return outcome;
    size_t block = (size_t)(position / INPUT_BLOCK);
    if (outcome == INPUT_OK)
        outcome = check_sum(input, block, block_sum(to, wanted));
    else if (block < input->sum_count)
        outcome = INPUT_CHANGED;
    *length = outcome == INPUT_OK ? wanted : 0;
    return outcome;
}

/* Compares the bytes only if a time stamp changed; appending changes both, renaming and chmod one. */
static enum input_outcome check_file(const struct input *input, const struct ends *ends, int file)
{
    struct file_status status;
    if (file_status_of_open(file, &status) != 0)
        return INPUT_FAILED;
    bool was_written = status.written != input->status.written;
    if (!was_written && status.changed == input->status.changed)
        return INPUT_OK;
    enum input_outcome outcome = ends_check(ends, file);
    if (outcome == INPUT_REWRITTEN || outcome == INPUT_SHORTENED || status.size < input->status.size)
        return INPUT_CHANGED;
    return outcome == INPUT_OK && was_written && status.size == input->status.size ? INPUT_DOUBTFUL : outcome;
}

enum input_outcome input_check(struct input *input, const struct ends *ends)
{
    enum input_outcome outcome;
    bool was_checked = input->checked;
    input->checked = true;
    if (was_checked)
        return INPUT_OK;
    if (input->file >= 0)
        return check_file(input, ends, input->file);
    int file = reopen(input, &outcome);
    if (file < 0) /* each block came from the same file */
        return INPUT_OK;
    outcome = check_file(input, ends, file);
    close(file);
    return outcome;
}

bool input_has_grown(const struct input *input)
{
    struct file_status status;
    int outcome = input->file < 0 ? file_status(input->name, &status) : file_status_of_open(input->file, &status);
    return outcome == 0 && input->is_ordinary && file_may_be_same(&status, &input->status) &&
           status.size > input->status.size;
}

bool input_report_once(struct input *input)
{
    bool first = !input->reported;
    input->reported = true;
    return first;
}
