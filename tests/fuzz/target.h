/* What all fuzz targets share. A target is a function of an input's bytes that aborts if a property is violated.
 * libFuzzer calls it LLVMFuzzerTestOneInput; the replay of the corpus uses its own name. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap.h"

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "targets.def"
#undef TARGET
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef ARMTAP_FUZZ
#define FUZZ_TARGET(name) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
#else
#define FUZZ_TARGET(name) int fuzz_##name(const uint8_t *data, size_t size)
#endif

/* Must hold for any input; unlike assert it is never compiled away. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))
_Noreturn void check_failed(const char *file, int line, const char *condition);

/* ---- an input, read from its front; what lacks reads as zeros ---- */

struct input {
    const uint8_t *at, *end;
};
size_t input_left(const struct input *input);
unsigned input_byte(struct input *input);
unsigned input_two(struct input *input); /* big-endian */
/* The next `length` bytes, or as many as are left, which sets *length. */
const uint8_t *input_bytes(struct input *input, size_t *length);
/* A copy in a block of its own: the sanitizer reports reads beyond it. The caller frees it. */
uint8_t *copy_of(const void *bytes, size_t length);
/* The name of a file with these bytes; the same file for every input of a process. */
const char *input_file(const uint8_t *data, size_t size);
/* Bytes allocated and not freed; 0 unless a sanitizer counts them. */
size_t bytes_held(void);

#endif
