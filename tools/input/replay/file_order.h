/* Puts captures in order of time: names do not tell it (x1, x10, x2). */
#ifndef INPUT_FILE_ORDER_H
#define INPUT_FILE_ORDER_H

#include <stddef.h>

/* Sorts by the time of the first packet. Files without one, raw dumps and files that cannot be read go last; files of
 * one time stay as they are. 0, or -1 after a message. Standard input cannot be sorted. */
int file_order_sort(char **names, size_t count);

#endif
