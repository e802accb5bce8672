/* Pictures by libcairo, which a build may lack. */
#ifndef PLOT_CANVAS_CAIRO_H
#define PLOT_CANVAS_CAIRO_H

#include "canvas.h"

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
