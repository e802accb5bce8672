/* The files that a command reads, as they were when it began: opened once, so that a new file of the same name changes
 * nothing, and always read to the length they had then. */
#ifndef INPUT_INPUT_FILES_H
#define INPUT_INPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/os/file.h"
#include "capture/unpacker.h"
#include "file_bytes.h"

#define INPUT_BLOCK SOURCE_BLOCK

struct ends;
struct input;
struct inputs;

/* The reader reports a file that cannot be opened. "-" is standard input. `further` (may be NULL) names a file that is
 * read by other means; only inputs_have() uses it. NULL if memory runs out. The names must outlive the inputs. */
struct inputs *inputs_open(const char *const *names, size_t count, const char *further);
void inputs_free(struct inputs *inputs);
/* Returns NULL for NULL: then the reader opens the file. */
struct input *inputs_at(struct inputs *inputs, size_t index);
/* Whether the first `count` are all named ordinary files, which can be read more than once, or cannot be read at all;
 * false for NULL. */
bool inputs_are_ordinary(const struct inputs *inputs, size_t count);
/* Whether input_goes_on() holds for one of the first `count`. */
bool inputs_go_on(const struct inputs *inputs, size_t count);
/* Total bytes of the first `count`; 0 unless all are ordinary. */
uint64_t inputs_length(const struct inputs *inputs, size_t count);
/* Whether one of the inputs is this ordinary file, under any name. */
bool inputs_have(const struct inputs *inputs, const struct file_status *file);

/* 0, or the errno of the failure to open it. */
int input_error(const struct input *input);
/* Whether it is an ordinary file, standard input included. */
bool input_is_ordinary(const struct input *input);
/* Whether it is a pipe, a terminal or a device, which may never end. */
bool input_goes_on(const struct input *input);
/* Its descriptor, still owned by the input; -1 if it has none. */
int input_descriptor(const struct input *input);
/* The length of an ordinary file when it was opened. */
uint64_t input_length(const struct input *input);

/* Reads the block of an ordinary file at `position`, a multiple of INPUT_BLOCK; `length` is 0 at the end. Every reading
 * yields the same bytes, or the outcome says that it does not. */
enum input_outcome input_block(struct input *input, uint64_t position, uint8_t to[INPUT_BLOCK], size_t *length);

/* Call after the first reading of an ordinary file, with its `ends`. INPUT_OK if its times and these bytes show that no
 * program wrote to it, or only after what was read; else INPUT_CHANGED, INPUT_DOUBTFUL, or INPUT_FAILED with errno.
 * INPUT_OK after later readings, whose blocks were compared with the first. */
enum input_outcome input_check(struct input *input, const struct ends *ends);
/* Whether an ordinary file is longer now than when it was opened: another program is writing it. */
bool input_has_grown(const struct input *input);
/* True at the first call only: for messages to print once, however often the file is read. */
bool input_report_once(struct input *input);

#endif
