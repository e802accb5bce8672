/* The functions that libFuzzer calls to change inputs of operations. */
#include <string.h>

#include "honest.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

#define LONGEST 6000 /* bytes of operations that are crossed */

/* Joins the front of one row of operations and the end of another. */
static size_t cross(uint8_t *operations, size_t length, size_t room, const uint8_t *others, size_t others_length,
                    unsigned seed)
{
    uint8_t copy[LONGEST];
    length = length < LONGEST ? length : LONGEST;
    memcpy(copy, operations, length);
    struct input front = {copy, copy + length}, back = {others, others + others_length};
    return scene_cross(&front, &back, operations, room, seed);
}

/* Three times of four this changes a costly input instead of libFuzzer's choice; one in 16 of them is crossed with that
 * choice. libFuzzer itself would cross every second time. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    const size_t before = operations_begin;
    uint8_t costly[LONGEST], *operations = data + before;
    if (size < before || (before > 0 && seed % 16 == 0))
        return LLVMFuzzerMutate(data, size, room);
    size_t length = size - before, left = room - before;
    bool takes_costly = seed / 16 % 4 != 0;
    size_t other = takes_costly ? cost_costly(costly, left < LONGEST ? left : LONGEST, seed * 2654435761u) : 0;
    if (other > 0 && seed / 64 % 16 == 0)
        return before + cross(operations, length, left, costly, other, seed);
    if (other > 0)
        memcpy(operations, costly, length = other);
    return before + scene_mutate(operations, length, left, seed);
}
