/* The files that a command reads, as they were when it began: opened once, so that another file of the same name
 * changes nothing, and read to the length that they had then, however often. */
#ifndef INPUT_INPUT_FILES_H
#define INPUT_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "file_bytes.h"

#define INPUT_BLOCK ((size_t)128 * 1024)

struct ends;
struct input;
struct inputs;

/* A file that cannot be opened is reported by whoever reads it; "-" is standard input. `further`, or NULL, names a file
 * that is read once by other means: of it inputs_have() needs to know alone. NULL without memory. The names must
 * outlive the inputs. */
struct inputs *inputs_open(const char *const *names, size_t count, const char *further);
void inputs_free(struct inputs *inputs);
/* NULL of NULL: then whoever reads opens the file. */
struct input *inputs_at(struct inputs *inputs, size_t index);
/* Whether all of the first `count` are ordinary files that are named, which can be read more than once; not of NULL. */
bool inputs_are_ordinary(const struct inputs *inputs, size_t count);
/* Whether one of the first `count` goes on. */
bool inputs_go_on(const struct inputs *inputs, size_t count);
/* Bytes of the first `count` together; 0 unless all are ordinary. */
uint64_t inputs_length(const struct inputs *inputs, size_t count);
/* Whether one of the inputs is this ordinary file, by whatever name. */
bool inputs_have(const struct inputs *inputs, const struct stat *file);

/* 0, or the error of the system for which it could not be opened. */
int input_error(const struct input *input);
/* Whether it is an ordinary file, standard input included. */
bool input_is_ordinary(const struct input *input);
/* Whether it is there, and is no ordinary file: a pipe, a terminal or a device, which may go on for ever. */
bool input_goes_on(const struct input *input);
/* Its descriptor, which stays the input's; -1 where there is none. */
int input_descriptor(const struct input *input);
/* Bytes of an ordinary file, when it was opened. */
uint64_t input_length(const struct input *input);

/* Of an ordinary file, the block that begins at `position`, a multiple of INPUT_BLOCK; `length` 0 at the end. The bytes
 * are the same at every reading, or the outcome says that they are not. May be called by several threads. */
enum input_outcome input_block(struct input *input, uint64_t position, uint8_t to[INPUT_BLOCK], size_t *length);
/* After an ordinary file was read for the first time, up to what `ends` keeps: INPUT_OK where nobody wrote to it
 * meanwhile, or only behind what was read, as far as its times and these bytes tell; INPUT_CHANGED, INPUT_DOUBTFUL, or
 * INPUT_FAILED with errno. After later readings INPUT_OK: they were held against the first. */
enum input_outcome input_judge(struct input *input, const struct ends *ends);
/* Whether an ordinary file is longer now than it was when it was opened: another program writes it. */
bool input_has_grown(const struct input *input);
/* True at the first call: what is to be said of the file once, however often it is read. */
bool input_is_told_first(struct input *input);

#endif
