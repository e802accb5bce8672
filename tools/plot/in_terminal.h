/* Pictures within the text of a terminal: sixels (DEC's, which many terminals know) and kitty's graphics. */
#ifndef PLOT_IN_TERMINAL_H
#define PLOT_IN_TERMINAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/buffer.h"

/* Appends an image of width * height pixels, 0xRRGGBB, with at most 256 colours: those used most, and for the rest the
 * nearest of them. 0, or -1 without memory. */
int sixel_put(struct buffer *out, const uint32_t *pixels, size_t width, size_t height);
/* Appends a PNG. 0, or -1 without memory. */
int kitty_put(struct buffer *out, const char *png, size_t length);

#endif
