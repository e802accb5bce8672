#include "servers.h"

#include <stdlib.h>

/* From which release on packets have a size, and the newest release that sends it. Source: UR's realtime tables, as in
 * decoders/realtime_sizes.def. */
static const struct row {
    uint32_t since[2];
    size_t size;
    uint32_t newest[2];
} rows[] = {
    {{0, 0}, 756, {1, 6}},  {{1, 7}, 764, {1, 7}},  {{1, 8}, 812, {1, 8}},    {{3, 0}, 1044, {3, 1}},
    {{3, 2}, 1060, {3, 4}}, {{3, 5}, 1108, {3, 9}}, {{3, 10}, 1116, {3, 13}}, {{3, 14}, 1140, {3, 15}},
    {{5, 0}, 1108, {5, 3}}, {{5, 4}, 1116, {5, 8}}, {{5, 9}, 1140, {5, 9}},   {{5, 10}, 1220, {5, 11}},
};
#define ROWS (sizeof rows / sizeof *rows)

int controller_release_parse(uint32_t release[4], const char *text)
{
    unsigned count = 0;
    for (; count < 4; count++) {
        char *end;
        if (*text < '0' || *text > '9')
            return -1;
        unsigned long long number = strtoull(text, &end, 10);
        if (number > UINT32_MAX)
            return -1;
        release[count] = (uint32_t)number;
        text = end + (*end == '.');
        if (*end != '.')
            break;
    }
    for (unsigned i = count + 1; i < 4; i++)
        release[i] = 0;
    return *text == '\0' && count >= 1 && count < 4 ? 0 : -1;
}

void controller_release_of_size(uint32_t release[4], size_t size)
{
    const struct row *best = &rows[ROWS - 1];
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].size == size)
            best = &rows[i];
    release[0] = best->newest[0];
    release[1] = best->newest[1];
    release[2] = release[3] = 0;
}

size_t controller_release_size(const uint32_t release[4])
{
    size_t size = rows[0].size;
    for (size_t i = 0; i < ROWS; i++)
        if (release[0] > rows[i].since[0] || (release[0] == rows[i].since[0] && release[1] >= rows[i].since[1]))
            size = rows[i].size;
    return size;
}
