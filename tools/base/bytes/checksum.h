/* CRC-32, as in zlib. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_BEGIN 0

/* Of bytes that follow those of `crc`. */
uint32_t checksum(uint32_t crc, const char *bytes, size_t length);
/* The same, if the bytes' own checksum is known. */
uint32_t checksum_join(uint32_t crc, uint32_t next, size_t length);

#endif
