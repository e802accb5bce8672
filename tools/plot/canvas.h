/* What pictures are drawn on. Lengths are pixels, from the upper left corner. */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/buffer.h"

struct canvas_point {
    double x, y;
};
struct canvas_area {
    double x, y, width, height;
};

enum canvas_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct canvas_stroke {
    uint32_t colour; /* 0xRRGGBB */
    double width;
    bool is_dashed;
    bool has_dots; /* a point by itself, between two interruptions, is a dot */
};
struct canvas_font {
    uint32_t colour;
    double size;
    enum canvas_anchor anchor;
    bool is_bold;
};

/* A kind of picture. Calls never fail: what goes wrong is reported by `end`. */
struct canvas;
struct canvas_calls {
    void (*fill)(struct canvas *canvas, const struct canvas_area *area, uint32_t colour);
    /* A point whose x is NAN interrupts the line. */
    void (*lines)(struct canvas *canvas, const struct canvas_point *points, size_t count,
                  const struct canvas_stroke *stroke);
    /* `text` is from anywhere; the base line is at y. */
    void (*text)(struct canvas *canvas, double x, double y, const char *text, const struct canvas_font *font);
    /* Until `clip_end`, nothing is drawn outside the area. */
    void (*clip)(struct canvas *canvas, const struct canvas_area *area);
    void (*clip_end)(struct canvas *canvas);
    /* What is drawn until `note_end` belongs together; readers who point at it see the text, if the kind can show it.
     */
    void (*note)(struct canvas *canvas, const char *text);
    void (*note_end)(struct canvas *canvas);
    /* Appends the finished picture to `out`, and frees the canvas. 0, or -1 without memory. */
    int (*end)(struct canvas *canvas, struct buffer *out);
};
/* Each kind's own begins with this. */
struct canvas {
    const struct canvas_calls *calls;
};

/* NULL without memory. */
struct canvas *canvas_svg(double width, double height, const char *title);

/* Pictures by libcairo, which a build may lack. */

/* Loads the library and its fonts. 0, or -1 after a message. Call it before anything that limits system calls. */
int canvas_cairo_load(void);
/* Frees what the library and its fonts hold, once there is no canvas any more. */
void canvas_cairo_unload(void);
/* NULL without memory. */
struct canvas *canvas_png(double width, double height, const char *title);
/* The pixels themselves, row by row, as uint32_t: 0xRRGGBB. Sizes are whole numbers. */
struct canvas *canvas_pixels(double width, double height);
/* A page of the picture's size, 96 pixels to the inch. */
struct canvas *canvas_pdf(double width, double height, const char *title);
/* "libcairo version 1.16.0", or that it is not built in. */
const char *canvas_cairo_library(char text[64]);

#endif
