/* What libFuzzer calls to change inputs of operations. */
#include <string.h>

#include "honest.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *to, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    const size_t before = operations_begin;
    if (size < before || (before > 0 && seed % 16 == 0))
        return LLVMFuzzerMutate(data, size, room);
    if (seed / 16 % 4 != 0) {
        size_t costly = cost_costly(data + before, room - before, seed * 2654435761u);
        size = costly > 0 ? before + costly : size;
    }
    return before + scene_mutate(data + before, size - before, room - before, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *to, size_t room, unsigned seed)
{
    const size_t before = operations_begin;
    if (one_size < before || other_size < before || room < before)
        return 0;
    struct input front = {one + before, one + one_size}, back = {other + before, other + other_size};
    memcpy(to, one, before);
    return before + scene_cross(&front, &back, to + before, room - before, seed);
}
