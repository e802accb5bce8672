/* What the terminal can show, by its own answer. */
#ifndef PLOT_TERMINAL_H
#define PLOT_TERMINAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/buffer.h"

enum terminal_pictures { TERMINAL_NO_PICTURES, TERMINAL_SIXEL, TERMINAL_KITTY };

struct terminal {
    enum terminal_pictures pictures;
    unsigned width; /* in pixels; 0: unknown */
};

/* Asks the terminal on standard output; waits a second for the answer. A terminal that cannot be asked safely (it is
 * not this program's, somebody has typed ahead, it is known not to take questions) shows no pictures. */
struct terminal terminal_ask(void);

/* Pictures within the text of a terminal: sixels (DEC's, which many terminals know) and kitty's graphics. */

/* Appends an image of width * height pixels, 0xRRGGBB, with at most 256 colours: those used most, and for the rest the
 * nearest of them. 0, or -1 without memory. */
int sixel_put(struct buffer *out, const uint32_t *pixels, size_t width, size_t height);
/* Appends a PNG. 0, or -1 without memory. */
int kitty_put(struct buffer *out, const char *png, size_t length);

#endif
