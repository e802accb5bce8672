/* RTDE packages: what parses is written again, to the same bytes, and in no less room. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void check_write(const struct armtap_rtde_package *package, const uint8_t *bytes, size_t length)
{
    uint8_t *again = malloc(65536);
    CHECK(again);
    CHECK(armtap_rtde_write(package, again, 65536) == (int)length);
    CHECK(memcmp(again, bytes, length) == 0);
    free(again);
    again = malloc(length);
    CHECK(again);
    CHECK(armtap_rtde_write(package, again, length) == (int)length);
    CHECK(memcmp(again, bytes, length) == 0);
    CHECK(armtap_rtde_write(package, again, length - 1) == ARMTAP_ERR_SPACE);
    free(again);
}

static void check_span(const void *span, size_t span_length, const uint8_t *bytes, size_t length)
{
    const uint8_t *p = span;
    if (span_length > 0)
        CHECK(p >= bytes && span_length <= length && p + span_length <= bytes + length);
}

static void check_parse(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol)
{
    struct armtap_rtde_package package;
    memset(&package, 0xA5, sizeof package);
    package.size = sizeof package;
    int error = armtap_rtde_parse(bytes, length, direction, protocol, &package);
    CHECK(error == ARMTAP_OK || error == ARMTAP_ERR_SHORT || error == ARMTAP_ERR_NOT_OURS);
    if (error != ARMTAP_OK)
        return;
    CHECK(package.direction == direction && package.protocol == protocol && package.release_count <= 4);
    check_span(package.names, package.names_length, bytes, length);
    check_span(package.types, package.types_length, bytes, length);
    check_span(package.text, package.text_length, bytes, length);
    check_span(package.source, package.source_length, bytes, length);
    check_span(package.values, package.values_length, bytes, length);
    CHECK(length >= 3);
    check_write(&package, bytes, (size_t)bytes[0] << 8 | bytes[1]); /* what follows it is none of it */
}

FUZZ_TARGET(package)
{
    if (size > 65535)
        return 0;
    uint8_t *bytes = copy_of(data, size);
    for (int direction = 0; direction < 2; direction++)
        for (int protocol = 1; protocol <= 3; protocol++) {
            if (size > 0)
                check_parse(bytes, size, (enum armtap_direction)direction, protocol);
            if (size < 3)
                continue;
            /* the length as it should be */
            bytes[0] = (uint8_t)(size >> 8);
            bytes[1] = (uint8_t)size;
            check_parse(bytes, size, (enum armtap_direction)direction, protocol);
            memcpy(bytes, data, 2);
        }
    free(bytes);
    return 0;
}
