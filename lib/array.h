/* Arrays that grow by one element at a time. */
#ifndef ARMTAP_ARRAY_H
#define ARMTAP_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element than `count` in an array that gets its room here alone: what it has is the next power
 * of two. The array starts as NULL; the owner frees it. False without memory, with nothing changed. */
#define MAKE_ROOM(array, count) armtap_make_room(&(array), (count), sizeof *(array))

static inline bool armtap_make_room(void *place_of_array, size_t count, size_t element)
{
    void *array;
    if ((count & (count - 1)) != 0)
        return true;
    memcpy(&array, place_of_array, sizeof array);
    array = count > SIZE_MAX / 2 / element ? NULL : realloc(array, (count == 0 ? 1 : 2 * count) * element);
    if (array)
        memcpy(place_of_array, &array, sizeof array);
    return array != NULL;
}

#endif
