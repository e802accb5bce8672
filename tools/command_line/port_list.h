/* Lists of a robot's ports, as users write them: "30004,30003=40003". */
#ifndef COMMAND_LINE_PORT_LIST_H
#define COMMAND_LINE_PORT_LIST_H

#include <stddef.h>
#include <stdint.h>

struct port_pair {
    uint16_t robots; /* never 0 */
    uint16_t here;   /* the port that takes its place; the same if none is named; 0: any that is free */
};

/* Reads a list of 1 to `max` ports. Returns their number, or 0 for anything else. */
size_t port_list_parse(const char *list, struct port_pair *pairs, size_t max);

#endif
