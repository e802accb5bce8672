#include "wire_names.h"

#include <string.h>

#define CONTROL "External Control"
#define AUBO "AUBO"

static const struct wire_name names[] = {
#define NAME(name, vendor, type, count, unit, direction, meaning)                                                      \
    {#name, vendor, type, count, unit, direction, meaning},
#include "wire_names.def"
};

static const struct wire_mode modes[] = {
#define MODE(name, number, text) {#name, number, text},
#include "wire_names.def"
};

const struct wire_name *wire_name_at(size_t i)
{
    return i < sizeof names / sizeof *names ? &names[i] : NULL;
}

const struct wire_mode *wire_mode_at(const char *name, size_t i)
{
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (strcmp(modes[k].of, name) == 0 && i-- == 0)
            return &modes[k];
    return NULL;
}

const char *wire_without_arm(const char *name)
{
    bool is_of_arm = name[0] == 'R' && name[1] >= '1' && name[1] <= '4' && name[2] == '_';
    return is_of_arm && name[3] != '\0' ? name + 3 : name;
}
