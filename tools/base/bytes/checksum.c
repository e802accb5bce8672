#include "checksum.h"

#include <zlib.h>

uint32_t checksum(uint32_t crc, const char *bytes, size_t length)
{
    if (length == 0)
        return crc; /* of no bytes at NULL zlib returns 0 */
    return (uint32_t)crc32_z(crc, (const unsigned char *)bytes, length);
}

uint32_t checksum_join(uint32_t crc, uint32_t next, size_t length)
{
    return (uint32_t)crc32_combine(crc, next, (z_off_t)length);
}
