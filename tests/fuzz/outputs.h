/* The program's output files. */
#ifndef FUZZ_OUTPUTS_H
#define FUZZ_OUTPUTS_H

#include <stdbool.h>

#include "command.h"

/* The text of a file, unpacked where its name ends in .gz, which it must be then; false: there is none. The caller
 * frees it. Takes the file away. */
bool output_take(const char *name, struct caught *caught);
/* The next of the files "PREFIX*"; false: there are no more. Each must be taken before the next call. */
bool output_next(const char *prefix, char *name, size_t room);

#endif
