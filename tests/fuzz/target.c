#define _POSIX_C_SOURCE 200809L
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

size_t input_left(const struct input *input)
{
    return (size_t)(input->end - input->at);
}

unsigned input_byte(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

unsigned input_two(struct input *input)
{
    unsigned high = input_byte(input);
    return high << 8 | input_byte(input);
}

const uint8_t *input_bytes(struct input *input, size_t *length)
{
    const uint8_t *bytes = input->at;
    if (*length > input_left(input))
        *length = input_left(input);
    input->at += *length;
    return bytes;
}

uint8_t *copy_of(const void *bytes, size_t length)
{
    uint8_t *copy = malloc(length);
    CHECK(copy || length == 0);
    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static char file_name[512];

static void remove_file(void)
{
    unlink(file_name);
}

const char *input_file(const uint8_t *data, size_t size)
{
    if (!file_name[0]) {
        const char *folder = getenv("TMPDIR");
        snprintf(file_name, sizeof file_name, "%s/armtap-fuzz-XXXXXX", folder ? folder : "/tmp");
        int made = mkstemp(file_name);
        CHECK(made >= 0);
        close(made);
        atexit(remove_file);
    }
    FILE *file = fopen(file_name, "wb");
    CHECK(file);
    CHECK(fwrite(data, 1, size, file) == size);
    CHECK(fclose(file) == 0);
    return file_name;
}

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

size_t bytes_held(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}
