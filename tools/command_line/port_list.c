#include "port_list.h"

#include <stdbool.h>
#include <string.h>

static bool read_port(const char **at, unsigned low, uint16_t *port)
{
    unsigned number = 0;
    size_t length = strspn(*at, "0123456789");
    for (size_t i = 0; i < length && number <= UINT16_MAX; i++)
        number = number * 10 + (unsigned)((*at)[i] - '0');
    *at += length;
    *port = (uint16_t)number;
    return length > 0 && number >= low && number <= UINT16_MAX;
}

static bool read_pair(const char **at, struct port_pair *pair)
{
    if (!read_port(at, 1, &pair->robots))
        return false;
    pair->here = pair->robots;
    if (**at != '=')
        return true;
    ++*at;
    return read_port(at, 0, &pair->here);
}

size_t port_list_parse(const char *list, struct port_pair *pairs, size_t max)
{
    const char *at = list;
    for (size_t count = 0; count < max && read_pair(&at, &pairs[count]); at++) {
        count++;
        if (*at == '\0')
            return count;
        if (*at != ',')
            break;
    }
    return 0;
}
