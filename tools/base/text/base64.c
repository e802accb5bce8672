#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(char *to, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i < 3 ? length - i : 3;
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? bytes[i + 2] : 0;
        for (size_t k = 0; k < 4; k++)
            *to++ = k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
}

static int value_of(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

ptrdiff_t base64_read(uint8_t *to, const char *text, size_t length)
{
    size_t padding = 0;
    uint8_t *at = to;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    if (length % 4 != 0)
        return -1;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t word = 0;
        size_t count = i + 4 == length ? 4 - padding : 4;
        for (size_t k = 0; k < 4; k++) {
            int value = k < count ? value_of(text[i + k]) : 0;
            if (value < 0)
                return -1;
            word = word << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k + 1 < count; k++)
            *at++ = (uint8_t)(word >> (16 - 8 * k));
    }
    return at - to;
}
