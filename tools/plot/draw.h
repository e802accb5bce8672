/* Draws a chart on any canvas. */
#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "canvas.h"
#include "chart.h"
#include "base/numbers/timestamp.h"

#define DRAW_WIDTH_DEFAULT 1200
#define DRAW_WIDTH_MIN 300
#define DRAW_WIDTH_MAX 16000
#define DRAW_HEIGHT_MIN 150
#define DRAW_HEIGHT_MAX 32000

#define DRAW_COLOURS 6
/* The colour of a joint or axis: 0xRRGGBB. */
uint32_t draw_colour(unsigned number);
uint32_t draw_band_colour(const struct chart_band *band);
#define DRAW_STOP_MAX 120
/* "stop, packet 480", with its file if there are several. */
void draw_stop_text(char to[DRAW_STOP_MAX], const struct chart_stop *stop);
#define DRAW_CAPTION_MAX 256
/* "joint positions, rad", with the stream if there are several. */
void draw_caption_text(char to[DRAW_CAPTION_MAX], const struct chart *chart, const struct chart_panel *panel);
/* "robot_mode", or "robot_mode (1)". */
void draw_strip_text(char to[DRAW_CAPTION_MAX], const struct chart *chart, const struct chart_strip *strip);

/* What a chart is drawn on. */
struct page {
    double width, height;
    double column; /* pixels: of what is closer together, one is drawn; 0: 1 */
    enum timestamp_zone zone;
};
/* The height that suits a chart, and the least sizes at which all of it can be read. */
double draw_height(const struct chart *chart, double width);
double draw_least_width(const struct chart *chart);
double draw_least_height(const struct chart *chart, double width);
/* Draws all of it. 0, or -1 without memory. */
int draw_chart(struct canvas *canvas, const struct chart *chart, const struct page *page);

/* Where an axis has ticks: round numbers and round times, as many as fit. */

/* The distance of ticks on an axis that spans `span` (above 0) and has room for `room` of them: 1, 2 or 5 times a power
 * of ten. */
double ticks_step(double span, double room);
#define TICK_MAX 40
/* The text of a tick, with the decimals that its step needs. */
void ticks_number(char to[TICK_MAX], double value, double step);

/* The same for times; ns. Steps of seconds, minutes, hours and days are those of clocks. */
int64_t ticks_time_step(int64_t span, double room);
/* The first tick at `time` or later; those after it are a step each. Hours and days begin as in the zone. */
int64_t ticks_first_time(int64_t time, int64_t step, enum timestamp_zone zone);
/* "12:00:01.5"; at midnight, and with steps of days, "2026-02-01". */
void ticks_time(char to[TICK_MAX], int64_t time, int64_t step, enum timestamp_zone zone);
/* "2026-01-31 UTC", or the zone's offset in its place, with the one at the end if that is another. */
void ticks_date(char to[TICK_MAX], int64_t time, int64_t end, enum timestamp_zone zone);

#endif
