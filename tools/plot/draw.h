/* Draws a chart on any canvas. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "canvas.h"
#include "chart.h"

#define DRAW_WIDTH_DEFAULT 1200
#define DRAW_WIDTH_MIN 300
#define DRAW_WIDTH_MAX 16000
#define DRAW_HEIGHT_MIN 150
#define DRAW_HEIGHT_MAX 32000

/* The height that suits a chart. */
double draw_height(const struct chart *chart);
/* Draws all of it. 0, or -1 without memory. */
int draw_chart(struct canvas *canvas, const struct chart *chart, double width, double height, enum timestamp_zone zone);

#endif
