/* Numbers in little-endian order, as files have them, whatever the machine's byte order. Written out, so that compilers
 * make one instruction of each. In big-endian order, as robots send them: lib/bytes.h. */
#ifndef BASE_BYTE_ORDER_H
#define BASE_BYTE_ORDER_H

#include <stdint.h>

static inline void le32_store(char *at, uint32_t number)
{
    at[0] = (char)number;
    at[1] = (char)(number >> 8);
    at[2] = (char)(number >> 16);
    at[3] = (char)(number >> 24);
}

static inline void le64_store(char *at, uint64_t number)
{
    at[0] = (char)number;
    at[1] = (char)(number >> 8);
    at[2] = (char)(number >> 16);
    at[3] = (char)(number >> 24);
    at[4] = (char)(number >> 32);
    at[5] = (char)(number >> 40);
    at[6] = (char)(number >> 48);
    at[7] = (char)(number >> 56);
}

static inline uint32_t le32_load(const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t le64_load(const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

#endif
