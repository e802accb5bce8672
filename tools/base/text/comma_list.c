#include "comma_list.h"

#include <string.h>

#define BLANKS " \t"

const char *comma_list_next(const char **cursor, size_t *length)
{
    const char *entry = *cursor + strspn(*cursor, "," BLANKS);
    *length = strcspn(entry, ",");
    *cursor = entry + *length;
    while (*length > 0 && strchr(BLANKS, entry[*length - 1]))
        --*length;
    return *length > 0 ? entry : NULL;
}
