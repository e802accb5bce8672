#define _POSIX_C_SOURCE 200809L
#include "input_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    struct timespec written, changed;
    dev_t device;
    ino_t inode;
    uint64_t length;
    bool checked;   /* the first reading is over */
    uint32_t *sums; /* of the blocks read so far */
    size_t sum_count;
};

struct inputs {
    size_t count;
    struct input input[];
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void keep_identity(struct input *input, const struct stat *status)
{
    input->device = status->st_dev;
    input->inode = status->st_ino;
    input->length = (uint64_t)status->st_size;
    input->written = status->st_mtim;
    input->changed = status->st_ctim;
}

/* Leaves pipes and devices to the reader: opening them may block or have side effects. */
static void open_ordinary(struct input *input, rlim_t limit)
{
    struct stat status;
    if (stat(input->name, &status) != 0) {
        input->error = errno;
        return;
    }
    if (S_ISDIR(status.st_mode))
        input->error = EISDIR;
    else
        input->goes_on = !S_ISREG(status.st_mode);
    if (!S_ISREG(status.st_mode))
        return;
    input->file = open(input->name, O_RDONLY | O_CLOEXEC);
    if (input->file < 0 || fstat(input->file, &status) != 0) {
        input->error = errno;
        return;
    }
    input->is_ordinary = S_ISREG(status.st_mode);
    keep_identity(input, &status);
    if (!input->is_ordinary || (rlim_t)input->file + DESCRIPTORS_LEFT > limit) {
        close(input->file);
        input->file = -1;
    }
}

/* Treats standard input like a named file if it is an ordinary file that is still at its beginning. */
static void open_standard(struct input *input)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0)
        return;
    keep_identity(input, &status);
    input->goes_on = !S_ISREG(status.st_mode);
    if (!input->goes_on && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
        input->file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    input->is_ordinary = input->file >= 0;
    input->is_standard = true;
}

static void input_begin(struct input *input, const char *name, rlim_t limit)
{
    *input = (struct input){.name = name, .file = -1};
    if (strcmp(name, "-") == 0)
        open_standard(input);
    else
        open_ordinary(input, limit);
}

static rlim_t descriptor_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 256;
}

struct inputs *inputs_open(const char *const *names, size_t count, const char *further)
{
    rlim_t limit = descriptor_limit();
    struct stat status;
    struct inputs *inputs = calloc(1, sizeof *inputs + (count + 1) * sizeof inputs->input[0]);
    if (!inputs)
        return NULL;
    for (; inputs->count < count; inputs->count++)
        input_begin(&inputs->input[inputs->count], names[inputs->count], limit);
    if (!further)
        return inputs;
    struct input *last = &inputs->input[inputs->count++];
    *last = (struct input){.name = further, .file = -1};
    if (stat(further, &status) == 0)
        keep_identity(last, &status);
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
        length += inputs->input[i].length;
    return length;
}

bool inputs_have(const struct inputs *inputs, const struct stat *file)
{
    if (!inputs || !S_ISREG(file->st_mode))
        return false;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->input[i].inode == file->st_ino && inputs->input[i].device == file->st_dev)
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
    return input->length;
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
    struct stat status;
    int file = open(input->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *outcome = file < 0 ? INPUT_FAILED : INPUT_OK;
    if (file < 0 || (fstat(file, &status) == 0 && status.st_dev == input->device && status.st_ino == input->inode))
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
    size_t wanted = position >= input->length                ? 0
                    : input->length - position < INPUT_BLOCK ? (size_t)(input->length - position)
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

static bool is_same_time(struct timespec one, struct timespec other)
{
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

/* Compares the bytes only if a time stamp changed; appending changes both, renaming and chmod one. */
static enum input_outcome check_file(const struct input *input, const struct ends *ends, int file)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return INPUT_FAILED;
    bool was_written = !is_same_time(status.st_mtim, input->written);
    if (!was_written && is_same_time(status.st_ctim, input->changed))
        return INPUT_OK;
    enum input_outcome outcome = ends_check(ends, file);
    if (outcome == INPUT_REWRITTEN || outcome == INPUT_SHORTENED || (uint64_t)status.st_size < input->length)
        return INPUT_CHANGED;
    return outcome == INPUT_OK && was_written && (uint64_t)status.st_size == input->length ? INPUT_DOUBTFUL : outcome;
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
    struct stat status;
    int outcome = input->file < 0 ? stat(input->name, &status) : fstat(input->file, &status);
    return outcome == 0 && input->is_ordinary && status.st_ino == input->inode &&
           (uint64_t)status.st_size > input->length;
}

bool input_report_once(struct input *input)
{
    bool first = !input->reported;
    input->reported = true;
    return first;
}
