/* Kitty's graphics: a PNG as base64, in parts of at most 4096 characters. */
#include "base/text/base64.h"
#include "terminal.h"

enum { PART = 3072 }; /* bytes: 4096 characters */

int kitty_put(struct buffer *out, const char *png, size_t length)
{
    for (size_t at = 0; at < length || at == 0; at += PART) {
        size_t part = length - at < PART ? length - at : PART;
        /* a=T: show it; f=100: PNG; q=2: no answer; m=1: there is more */
        buffer_string(out, at == 0 ? "\033_Ga=T,f=100,q=2,m=" : "\033_Gm=");
        buffer_string(out, at + part < length ? "1;" : "0;");
        char *text = buffer_room(out, BASE64_LENGTH(part) + 1);
        if (!text)
            return -1;
        base64_write(text, (const uint8_t *)png + at, part);
        out->length += BASE64_LENGTH(part);
        buffer_string(out, "\033\\");
    }
    buffer_char(out, '\n');
    return out->failed ? -1 : 0;
}
