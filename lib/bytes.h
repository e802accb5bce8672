/* Big-endian loads and stores at any alignment: the only way to turn wire bytes into numbers; and sizes of callers'
 * structures. */
#ifndef ARMTAP_BYTES_H
#define ARMTAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t armtap_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t armtap_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint32_t armtap_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t armtap_be64(const uint8_t *p)
{
    return (uint64_t)armtap_be32(p) << 32 | armtap_be32(p + 4);
}
static inline double armtap_be_double(const uint8_t *p)
{
    uint64_t bits = armtap_be64(p);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline void armtap_put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}
static inline void armtap_put32(uint8_t *p, uint32_t v)
{
    armtap_put16(p, (uint16_t)(v >> 16));
    armtap_put16(p + 2, (uint16_t)v);
}
static inline void armtap_put64(uint8_t *p, uint64_t v)
{
    armtap_put32(p, (uint32_t)(v >> 32));
    armtap_put32(p + 4, (uint32_t)v);
}
static inline void armtap_put_double(uint8_t *p, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    armtap_put64(p, bits);
}

/* Whether a structure that a caller filled begins with its size: `least` bytes, or some more in a newer program. A size
 * that was never set is 0, or any number. */
static inline bool armtap_is_sized(size_t size, size_t least)
{
    return size - least <= UINT16_MAX;
}

#endif
