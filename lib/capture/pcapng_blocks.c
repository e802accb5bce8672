#include "pcapng_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "armtap.h"
#include "nanoseconds.h"

enum option_code {
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_INTERFACE_DROPPED = 5, /* of statistics */
    OPTION_SYSTEM_DROPPED = 7,
    OPTION_RESOLUTION = 9, /* of an interface */
    OPTION_OFFSET = 14
};
#define OPTIONS_OF_SECTION 24
#define OPTIONS_OF_INTERFACE 16
#define OPTIONS_OF_STATISTICS 20

#define BINARY 0x80 /* a bit of a resolution: of base 2 */
#define MICROSECONDS 6
/* Nanoseconds in 64 bits hold the years 1677 to 2262. */
#define SECONDS_MOST INT64_C(9000000000)
/* 2^34 fractions of a second are finer than a nanosecond, and their number times that of nanoseconds fits. */
#define FINE_BITS 34

static const uint64_t powers_of_ten[] = {UINT64_C(1),
                                         UINT64_C(10),
                                         UINT64_C(100),
                                         UINT64_C(1000),
                                         UINT64_C(10000),
                                         UINT64_C(100000),
                                         UINT64_C(1000000),
                                         UINT64_C(10000000),
                                         UINT64_C(100000000),
                                         UINT64_C(1000000000),
                                         UINT64_C(10000000000),
                                         UINT64_C(100000000000),
                                         UINT64_C(1000000000000),
                                         UINT64_C(10000000000000),
                                         UINT64_C(100000000000000),
                                         UINT64_C(1000000000000000),
                                         UINT64_C(10000000000000000),
                                         UINT64_C(100000000000000000),
                                         UINT64_C(1000000000000000000),
                                         UINT64_C(10000000000000000000)};
#define POWERS (sizeof powers_of_ten / sizeof *powers_of_ten)

/* ---- numbers and options ----------------------------------------------------------------------------------------- */

static uint64_t load(const struct pcapng *pcapng, const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | at[pcapng->is_big ? i : bytes - 1 - i];
    return number;
}

struct option {
    unsigned code;
    const uint8_t *value;
    size_t length;
};

/* Reads the option at *at, and moves *at past it; false after the last. */
static bool next_option(const struct pcapng *pcapng, const uint8_t *block, size_t length, size_t *at,
                        struct option *option)
{
    if (length < 4 || *at > length - 4)
        return false;
    *option = (struct option){.code = (unsigned)load(pcapng, block + *at, 2),
                              .value = block + *at + 4,
                              .length = (size_t)load(pcapng, block + *at + 2, 2)};
    size_t left = length - *at - 4;
    *at += 4 + (option->length + 3) / 4 * 4;
    return option->code != OPTION_END && option->length <= left;
}

void armtap_pcapng_comments(const struct pcapng *pcapng, enum comment_about about, size_t index, const uint8_t *block,
                            size_t at, size_t length)
{
    struct option option;
    while (pcapng->on_comment && next_option(pcapng, block, length, &at, &option))
        if (option.code == OPTION_COMMENT)
            pcapng->on_comment(pcapng->user, about, index, (const char *)option.value, option.length);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

void armtap_pcapng_end(struct pcapng *pcapng)
{
    free(pcapng->interfaces);
    pcapng->interfaces = NULL;
}

bool armtap_pcapng_begins_section(struct pcapng *pcapng, const uint8_t *block, bool *is_bad)
{
    static const uint8_t type[] = {0x0A, 0x0D, 0x0D, 0x0A}, little[] = {0x4D, 0x3C, 0x2B, 0x1A},
                         big[] = {0x1A, 0x2B, 0x3C, 0x4D};
    bool is_section = memcmp(block, type, sizeof type) == 0, is_big = memcmp(block + 8, big, sizeof big) == 0;
    *is_bad = is_section && !is_big && memcmp(block + 8, little, sizeof little) != 0;
    if (is_section && !*is_bad)
        pcapng->is_big = is_big;
    return is_section && !*is_bad;
}

static uint64_t dropped_in_section(const struct pcapng *pcapng)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < pcapng->count; i++)
        dropped += pcapng->interfaces[i].dropped;
    return dropped;
}

uint64_t armtap_pcapng_dropped(const struct pcapng *pcapng)
{
    return pcapng->dropped_before + dropped_in_section(pcapng);
}

/* What holds for one section holds for the file only if it holds for all. */
static enum pcapng_outcome take_section(struct pcapng *pcapng, const uint8_t *block, size_t length, const char **why)
{
    struct section_comment comment = {.part = 0};
    struct option option;
    if (length < OPTIONS_OF_SECTION || load(pcapng, block + 12, 2) != 1) {
        *why = "a section has a version of pcapng that armtap does not know";
        return PCAPNG_BAD;
    }
    for (size_t at = OPTIONS_OF_SECTION; !comment.from_socket && next_option(pcapng, block, length, &at, &option);)
        if (option.code == OPTION_COMMENT)
            comment = armtap_section_comment_read((const char *)option.value, option.length);
    if (pcapng->sections++ == 0)
        pcapng->comment = comment;
    else if (comment.from_socket != pcapng->comment.from_socket)
        memset(&pcapng->comment, 0, sizeof pcapng->comment);
    pcapng->dropped_before += dropped_in_section(pcapng);
    pcapng->count = 0;
    armtap_pcapng_comments(pcapng, COMMENT_SECTION, 0, block, OPTIONS_OF_SECTION, length);
    return PCAPNG_TAKEN;
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */

static struct pcapng_interface *add_interface(struct pcapng *pcapng)
{
    if (!MAKE_ROOM(pcapng->interfaces, pcapng->count))
        return NULL;
    struct pcapng_interface *interface = &pcapng->interfaces[pcapng->count++];
    *interface = (struct pcapng_interface){.resolution = MICROSECONDS};
    return interface;
}

/* Finds out whether times need no more than a factor. */
static void find_unit(struct pcapng_interface *interface)
{
    if (interface->resolution > 9 || interface->offset != 0)
        return;
    interface->unit = powers_of_ten[9 - interface->resolution];
    interface->unit_most = (uint64_t)SECONDS_MOST * powers_of_ten[interface->resolution];
    if (interface->unit_most > INT64_MAX)
        interface->unit_most = INT64_MAX;
}

static enum pcapng_outcome take_interface(struct pcapng *pcapng, const uint8_t *block, size_t length, const char **why)
{
    struct option option;
    *why = length < OPTIONS_OF_INTERFACE            ? "the description of an interface is too short"
           : pcapng->count == PCAPNG_INTERFACES_MAX ? "a section has more than 65536 interfaces"
                                                    : NULL;
    if (*why)
        return PCAPNG_BAD;
    struct pcapng_interface *interface = add_interface(pcapng);
    if (!interface)
        return PCAPNG_NO_MEMORY;
    interface->link_type = (int)load(pcapng, block + 8, 2);
    interface->snapshot = (uint32_t)load(pcapng, block + 12, 4);
    for (size_t at = OPTIONS_OF_INTERFACE; next_option(pcapng, block, length, &at, &option);)
        if (option.code == OPTION_RESOLUTION && option.length == 1)
            interface->resolution = option.value[0];
        else if (option.code == OPTION_OFFSET && option.length == 8)
            interface->offset = (int64_t)load(pcapng, option.value, 8);
    find_unit(interface);
    armtap_pcapng_comments(pcapng, COMMENT_INTERFACE, pcapng->count - 1, block, OPTIONS_OF_INTERFACE, length);
    return PCAPNG_TAKEN;
}

/* Statistics count from the start of the capture; the last ones are the newest. */
static void take_statistics(struct pcapng *pcapng, const uint8_t *block, size_t length)
{
    uint64_t number = length >= OPTIONS_OF_STATISTICS ? load(pcapng, block + 8, 4) : UINT32_MAX, dropped = 0;
    struct option option;
    if (number >= pcapng->count)
        return;
    for (size_t at = OPTIONS_OF_STATISTICS; next_option(pcapng, block, length, &at, &option);)
        if ((option.code == OPTION_INTERFACE_DROPPED || option.code == OPTION_SYSTEM_DROPPED) && option.length == 8)
            dropped += load(pcapng, option.value, 8);
    pcapng->interfaces[number].dropped = dropped;
    armtap_pcapng_comments(pcapng, COMMENT_INTERFACE, (size_t)number, block, OPTIONS_OF_STATISTICS, length);
}

enum pcapng_outcome armtap_pcapng_take(struct pcapng *pcapng, uint32_t type, const uint8_t *block, size_t length,
                                       const char **why)
{
    if (type == PCAPNG_SECTION)
        return take_section(pcapng, block, length, why);
    if (type == PCAPNG_INTERFACE)
        return take_interface(pcapng, block, length, why);
    if (type == PCAPNG_STATISTICS)
        take_statistics(pcapng, block, length);
    return PCAPNG_TAKEN;
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void split_decimal(uint64_t time, unsigned digits, uint64_t *seconds, uint64_t *rest)
{
    *seconds = digits < POWERS ? time / powers_of_ten[digits] : 0;
    *rest = digits < POWERS ? time % powers_of_ten[digits] : time;
    if (digits <= 9)
        *rest *= powers_of_ten[9 - digits];
    else
        *rest = digits - 9 < POWERS ? *rest / powers_of_ten[digits - 9] : 0;
}

static void split_binary(uint64_t time, unsigned bits, uint64_t *seconds, uint64_t *rest)
{
    *seconds = bits < 64 ? time >> bits : 0;
    *rest = bits < 64 ? time & ((UINT64_C(1) << bits) - 1) : time;
    if (bits > FINE_BITS) {
        *rest = bits - FINE_BITS < 64 ? *rest >> (bits - FINE_BITS) : 0;
        bits = FINE_BITS;
    }
    *rest = *rest * (uint64_t)SECOND >> bits;
}

int64_t armtap_pcapng_time(const struct pcapng_interface *interface, uint64_t time)
{
    uint64_t seconds, rest;
    unsigned power = interface->resolution & (BINARY - 1);
    if (interface->resolution & BINARY)
        split_binary(time, power, &seconds, &rest);
    else
        split_decimal(time, power, &seconds, &rest);
    const int64_t most = INT64_MAX / 4;
    if (seconds > (uint64_t)most || interface->offset > most || interface->offset < -most)
        return ARMTAP_NO_TIME;
    int64_t all = (int64_t)seconds + interface->offset;
    if (all < -SECONDS_MOST || all > SECONDS_MOST)
        return ARMTAP_NO_TIME;
    return all * SECOND + (int64_t)rest;
}
