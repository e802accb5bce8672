/* The kinds of files. */
#ifndef MATLAB_WRITERS_H
#define MATLAB_WRITERS_H

#include "content.h"

/* Write the whole content to `path`, which exists. */
enum matlab_outcome matlab_hdf5_write(const struct matlab_content *content, const char *path, bool is_mat, int *error);
enum matlab_outcome matlab_v5_write(const struct matlab_content *content, const char *path, int *error);

/* Whether a file of version 5 can hold a variable of that many rows of that size. */
static inline bool matlab_v5_holds(uint64_t rows, size_t row_bytes)
{
    return row_bytes == 0 || rows <= (((uint64_t)1 << 31) - 1024) / row_bytes;
}

#endif
