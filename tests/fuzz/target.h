/* What all fuzz targets share. A target is a function over the bytes of an input; it aborts where something does not
 * hold. libFuzzer knows it as LLVMFuzzerTestOneInput, the replay of the corpus by its own name. */
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

/* Must hold whatever the input; unlike assert it cannot be compiled away. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))
_Noreturn void check_failed(const char *file, int line, const char *condition);

/* ---- an input, read from its front; what lacks reads as zeros ---- */

struct input {
    const uint8_t *at, *end;
};
size_t input_left(const struct input *input);
unsigned input_byte(struct input *input);
unsigned input_two(struct input *input); /* big-endian */
/* The next `length` bytes, or as many as there are: *length tells. */
const uint8_t *input_bytes(struct input *input, size_t *length);
/* A block of its own with a copy, so that reading beyond it is seen. The caller frees. */
uint8_t *copy_of(const void *bytes, size_t length);
/* The name of a file with these bytes; the same file for every input of a process. */
const char *input_file(const uint8_t *data, size_t size);
/* Bytes that malloc gave out and nobody freed; 0 where no sanitizer counts them. */
size_t bytes_held(void);

#endif
