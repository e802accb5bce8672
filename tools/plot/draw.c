#include "draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/inside.h"
#include "base/os/path.h"

/* Okabe and Ito's colours, which people with any colour vision can tell apart: one for each joint or axis. */
static const uint32_t curve_colours[DRAW_COLOURS] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00};
/* Light, under dark words. */
static const uint32_t band_colours[] = {0xd9e8f5, 0xfbe8c8, 0xd5efe5, 0xf3dce9, 0xe8e8d0, 0xdedaf0, 0xf2c9b5,
                                        0xa9cdeb, 0xf2c66b, 0x9fd8bf, 0xdf9fc4, 0xc9c98f, 0xb5abe0, 0xd99a78};
#define BAND_COLOURS (sizeof band_colours / sizeof *band_colours)

#define WHITE 0xffffff
#define INK 0x222222
#define FAINT_INK 0x666666
#define GRID 0xe6e6e6
#define FRAME 0x999999
#define GAP 0xc8c8c8
#define STOP 0xcc0000

#define FONT 12.0
#define LEFT 76.0
#define RIGHT 16.0
#define TITLE 30.0
#define STOPS 18.0
#define STRIP 20.0
#define STRIP_SPACE 4.0
#define BAND_LETTERS 4
#define CAPTION 20.0
#define PANEL 120.0
#define PANEL_MIN 30.0
#define CURVE_WIDTH_MIN 120.0
#define BOTTOM 40.0
#define VALUE_SPACE 28.0
#define LEGEND_LINE 22.0
#define LEGEND_SPACE 12.0

struct drawing {
    struct canvas *canvas;
    const struct chart *chart;
    enum timestamp_zone zone;
    double left, right;
    double column; /* of what is closer together, one is drawn */
    int64_t from, to;
    struct canvas_point *points; /* of the line being drawn */
    size_t count;
    bool failed; /* no memory */
};

/* ---- small things ------------------------------------------------------------------------------------------------ */

static void text(struct drawing *drawing, double x, double y, const char *words, enum canvas_anchor anchor,
                 uint32_t colour, bool is_bold)
{
    struct canvas_font font = {.colour = colour, .size = FONT, .anchor = anchor, .is_bold = is_bold};
    drawing->canvas->calls->text(drawing->canvas, x, y, words, &font);
}

/* About the width of a text: which font shows it is not known. */
static double width_of(const char *words, bool is_bold)
{
    static const struct {
        const char *letters;
        double width;
    } kinds[] = {{"ijlI.,:;'|! ", 0.34},
                 {"frt()[]-/\"", 0.43},
                 {"0123456789", 0.64},
                 {"mwMW@%", 0.93},
                 {"ABCDEFGHKLNOPQRSTUVXYZ", 0.70}};
    double width = 0;
    for (; *words; words++) {
        double letter = 0.61;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            letter = strchr(kinds[i].letters, *words) ? kinds[i].width : letter;
        width += letter;
    }
    return width * FONT * (is_bold ? 1.12 : 1);
}

static void fill(struct drawing *drawing, double x, double y, double width, double height, uint32_t colour)
{
    drawing->canvas->calls->fill(drawing->canvas, &(struct canvas_area){x, y, width, height}, colour);
}

static void line(struct drawing *drawing, double x1, double y1, double x2, double y2,
                 const struct canvas_stroke *stroke)
{
    const struct canvas_point points[] = {{x1, y1}, {x2, y2}};
    drawing->canvas->calls->lines(drawing->canvas, points, 2, stroke);
}

static double x_of(const struct drawing *drawing, int64_t time)
{
    double span = (double)drawing->to - (double)drawing->from;
    return drawing->left + ((double)time - (double)drawing->from) / span * (drawing->right - drawing->left);
}

static double inside(const struct drawing *drawing, double x)
{
    return fmin(fmax(x, drawing->left), drawing->right);
}

/* ---- strips of modes --------------------------------------------------------------------------------------------- */

uint32_t draw_band_colour(const struct chart_band *band)
{
    return band->is_unknown ? GAP : band_colours[band->colour % BAND_COLOURS];
}

/* As much of it as there is room for, but at least some letters. */
static void draw_band_name(struct drawing *drawing, const char *name, double x, double y, double room)
{
    char cut[80];
    int length = (int)strlen(name);
    bool fits = width_of(name, false) < room;
    snprintf(cut, sizeof cut, "%s", name);
    for (; !fits && length >= BAND_LETTERS; length--) {
        snprintf(cut, sizeof cut, "%.*s...", length, name);
        fits = width_of(cut, false) < room;
    }
    if (fits)
        text(drawing, x, y, cut, ANCHOR_START, INK, false);
}

static void draw_band(struct drawing *drawing, const struct chart_band *band, double y)
{
    char number[32], note[160];
    double from = inside(drawing, x_of(drawing, band->from)), to = inside(drawing, x_of(drawing, band->to));
    snprintf(number, sizeof number, "%" PRId64, band->value);
    const char *name = band->name ? band->name : number;
    if (band->is_unknown)
        snprintf(note, sizeof note, "too many changes");
    else if (band->name)
        snprintf(note, sizeof note, "%s (%" PRId64 ")", name, band->value);
    else
        snprintf(note, sizeof note, "%" PRId64, band->value);
    drawing->canvas->calls->note(drawing->canvas, note);
    fill(drawing, from, y, fmax(to - from, 1), STRIP, draw_band_colour(band));
    line(drawing, from, y, from, y + STRIP, &(struct canvas_stroke){.colour = FRAME, .width = 1});
    draw_band_name(drawing, name, from + 4, y + 14, to - from - 8);
    drawing->canvas->calls->note_end(drawing->canvas);
}

/* Of those that are narrower than a column, one for each: a mode may change at every record. */
static void draw_bands(struct drawing *drawing, const struct chart_strip *strip, double y)
{
    double drawn = -INFINITY;
    for (size_t i = 0; i < strip->count; i++) {
        const struct chart_band *band = &strip->bands[i];
        double to = x_of(drawing, band->to);
        if (band->to < drawing->from || band->from > drawing->to || to <= drawn)
            continue;
        draw_band(drawing, band, y);
        drawn = fmax(to, x_of(drawing, band->from) + drawing->column);
    }
}

static void draw_gaps(struct drawing *drawing, const struct thinning *gaps, double y, double height)
{
    double drawn = -INFINITY;
    for (size_t i = 0; i < gaps->count; i++) {
        size_t first = i;
        if ((gaps->bins[i].flags & BIN_IS_GAP) == 0)
            continue;
        while (i + 1 < gaps->count && (gaps->bins[i + 1].flags & BIN_IS_GAP))
            i++;
        double from = inside(drawing, x_of(drawing, thinning_time(gaps, first)));
        double to = inside(drawing, x_of(drawing, thinning_time(gaps, i + 1)));
        if (to <= drawn)
            continue;
        fill(drawing, from, y, fmax(to - from, 1), height, GAP);
        drawn = fmax(to, from + drawing->column);
    }
}

void draw_strip_text(char to[DRAW_CAPTION_MAX], const struct chart *chart, const struct chart_strip *strip)
{
    if (chart->stream_count > 1)
        snprintf(to, DRAW_CAPTION_MAX, "%s (%s)", strip->caption, chart->streams[strip->stream].numbers);
    else
        snprintf(to, DRAW_CAPTION_MAX, "%s", strip->caption);
}

static double draw_strips(struct drawing *drawing, double y)
{
    const struct chart *chart = drawing->chart;
    for (size_t i = 0; i < chart->strip_count; i++) {
        const struct chart_strip *strip = &chart->strips[i];
        char caption[DRAW_CAPTION_MAX];
        draw_strip_text(caption, chart, strip);
        text(drawing, drawing->left - 6, y + 14, caption, ANCHOR_END, INK, false);
        draw_bands(drawing, strip, y);
        draw_gaps(drawing, &chart->streams[strip->stream].gaps, y, STRIP);
        y += STRIP + STRIP_SPACE;
    }
    return y;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

static void add_point(struct drawing *drawing, double x, double y)
{
    drawing->failed = drawing->failed || !MAKE_ROOM(drawing->points, drawing->count);
    if (drawing->failed)
        return;
    struct canvas_point *last = drawing->count ? &drawing->points[drawing->count - 1] : NULL;
    if (!last || isnan(x) || isnan(last->x) || fabs(last->x - x) >= 0.05 || fabs(last->y - y) >= 0.05)
        drawing->points[drawing->count++] = (struct canvas_point){x, y};
}

static void end_line(struct drawing *drawing, uint32_t colour)
{
    struct canvas_stroke stroke = {.colour = colour, .width = 1.2, .has_dots = true};
    if (drawing->count > 0)
        drawing->canvas->calls->lines(drawing->canvas, drawing->points, drawing->count, &stroke);
    drawing->count = 0;
}

struct scale {
    double low, high;   /* values */
    double top, bottom; /* pixels */
};

static double y_of(const struct scale *scale, double value)
{
    return scale->bottom - (value - scale->low) / (scale->high - scale->low) * (scale->bottom - scale->top);
}

static void add_bin(struct drawing *drawing, const struct scale *scale, double x, const struct bin *bin)
{
    bool is_max_first = (bin->flags & BIN_MAX_BEFORE_MIN) != 0;
    if (bin->flags & BIN_BREAKS && drawing->count > 0)
        add_point(drawing, NAN, NAN);
    add_point(drawing, x, y_of(scale, bin->first));
    add_point(drawing, x, y_of(scale, is_max_first ? bin->max : bin->min));
    add_point(drawing, x, y_of(scale, is_max_first ? bin->min : bin->max));
    add_point(drawing, x, y_of(scale, bin->last));
}

/* Whether a bin at x begins another column than the one at `at`. Where a line breaks within a pixel, both ends are
 * drawn. */
static bool begins_column(const struct drawing *drawing, const struct bin *bin, double x, double at)
{
    bool breaks = drawing->column <= 1 && (bin->flags & BIN_BREAKS);
    return breaks || floor(x / drawing->column) != floor(at / drawing->column);
}

/* The bins of each column of pixels become one. */
static void draw_curve(struct drawing *drawing, const struct chart_curve *curve, const struct scale *scale)
{
    const struct thinning *points = &curve->points;
    uint32_t colour = draw_colour(curve->colour);
    struct bin column = {0};
    double at = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct bin *bin = &points->bins[i];
        if ((bin->flags & BIN_HAS_VALUES) == 0)
            continue;
        double from = x_of(drawing, thinning_time(points, i)), to = x_of(drawing, thinning_time(points, i + 1)),
               x = inside(drawing, (from + to) / 2);
        if (column.flags && begins_column(drawing, bin, x, at)) {
            add_bin(drawing, scale, at, &column);
            column.flags = 0;
        }
        at = column.flags ? at : x;
        bin_merge(&column, bin);
    }
    if (column.flags)
        add_bin(drawing, scale, at, &column);
    end_line(drawing, colour);
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static void find_range(const struct chart_panel *panel, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < panel->count; i++)
        for (size_t k = 0; k < panel->curves[i].points.count; k++) {
            const struct bin *bin = &panel->curves[i].points.bins[k];
            if (bin->flags & BIN_HAS_VALUES) {
                *low = fmin(*low, bin->min);
                *high = fmax(*high, bin->max);
            }
        }
}

/* With some room above and below; also for values that are all the same, or huge. */
static struct scale scale_of(const struct chart_panel *panel, double top, double bottom)
{
    double low, high, size;
    find_range(panel, &low, &high);
    if (!(low <= high))
        low = high = 0;
    low = fmax(low, -1e300);
    high = fmin(high, 1e300);
    size = fmax(fabs(low), fabs(high));
    double margin = high - low > size * 1e-9 ? (high - low) * 0.06 : size > 0 ? size * 0.1 : 1;
    return (struct scale){low - margin, high + margin, top, bottom};
}

/* At least two values are on the axis: one alone shows no scale. */
static double value_step(const struct scale *scale)
{
    double span = scale->high - scale->low, room = (scale->bottom - scale->top) / VALUE_SPACE;
    double step = ticks_step(span, room);
    for (int i = 0; i < 4 && floor(scale->high / step) - ceil(scale->low / step) < 1; i++)
        step = ticks_step(span, fmax(room, 1) * (2 << i));
    return step;
}

/* Calls the function with each value of the axis. */
static void each_value(struct drawing *drawing, const struct scale *scale,
                       void (*take)(struct drawing *, const struct scale *, double value, const char *number))
{
    double step = value_step(scale);
    for (double value = ceil(scale->low / step) * step; value <= scale->high; value += step) {
        char number[TICK_MAX];
        ticks_number(number, value, step);
        take(drawing, scale, value, number);
        if (value + step <= value)
            return; /* the step is too small to count */
    }
}

static void draw_value(struct drawing *drawing, const struct scale *scale, double value, const char *number)
{
    double y = y_of(scale, value);
    line(drawing, drawing->left, y, drawing->right, y, &(struct canvas_stroke){.colour = GRID, .width = 1});
    text(drawing, drawing->left - 6, y + 4, number, ANCHOR_END, FAINT_INK, false);
}

static void make_room_for_value(struct drawing *drawing, const struct scale *scale, double value, const char *number)
{
    (void)scale;
    (void)value;
    drawing->left = fmax(drawing->left, width_of(number, false) + 14);
}

uint32_t draw_colour(unsigned number)
{
    return curve_colours[number % DRAW_COLOURS];
}

void draw_caption_text(char to[DRAW_CAPTION_MAX], const struct chart *chart, const struct chart_panel *panel)
{
    int length = snprintf(to, DRAW_CAPTION_MAX, "%s%s%s", panel->caption, panel->unit[0] ? ", " : "", panel->unit);
    if (chart->stream_count > 1 && length >= 0 && length < DRAW_CAPTION_MAX)
        snprintf(to + length, DRAW_CAPTION_MAX - (size_t)length, " (stream %s)", chart->streams[panel->stream].numbers);
}

static double entry_width(const struct chart_curve *curve)
{
    return curve->name[0] ? LEGEND_LINE + width_of(curve->name, false) + LEGEND_SPACE : 0;
}

static double legend_width(const struct chart_panel *panel)
{
    double width = 0;
    for (size_t i = 0; i < panel->count; i++)
        width += entry_width(&panel->curves[i]);
    return width;
}

static double caption_width(const struct chart *chart, const struct chart_panel *panel)
{
    char caption[DRAW_CAPTION_MAX];
    draw_caption_text(caption, chart, panel);
    return width_of(caption, true);
}

static bool is_legend_beside(const struct drawing *drawing, const struct chart_panel *panel)
{
    return caption_width(drawing->chart, panel) + legend_width(panel) <= drawing->right - drawing->left;
}

/* Where the legend's next entry is: from the caption's line on beside it, or in lines of its own where it does not fit
 * there. */
struct legend {
    double x, y; /* relative to the caption's line */
    bool is_beside, has_begun;
};

static struct legend legend_of(const struct drawing *drawing, const struct chart_panel *panel)
{
    bool is_beside = is_legend_beside(drawing, panel);
    double beside = drawing->right - legend_width(panel) + LEGEND_SPACE;
    return (struct legend){.x = is_beside ? beside : drawing->left, .is_beside = is_beside};
}

static void place_entry(const struct drawing *drawing, struct legend *legend, double width)
{
    if (!legend->is_beside && (!legend->has_begun || legend->x + width > drawing->right)) {
        legend->x = drawing->left;
        legend->y += CAPTION;
    }
    legend->has_begun = true;
}

static double caption_height(const struct drawing *drawing, const struct chart_panel *panel)
{
    struct legend legend = legend_of(drawing, panel);
    for (size_t i = 0; i < panel->count; i++) {
        double width = entry_width(&panel->curves[i]);
        place_entry(drawing, &legend, width);
        legend.x += width;
    }
    return CAPTION + legend.y;
}

static void draw_entry(struct drawing *drawing, const struct chart_curve *curve, double x, double y)
{
    line(drawing, x, y - 4, x + LEGEND_LINE - 6, y - 4,
         &(struct canvas_stroke){.colour = draw_colour(curve->colour), .width = 3});
    text(drawing, x + LEGEND_LINE, y, curve->name, ANCHOR_START, INK, false);
}

/* From the caption's line on. */
static void draw_legend(struct drawing *drawing, const struct chart_panel *panel, double y)
{
    struct legend legend = legend_of(drawing, panel);
    for (size_t i = 0; i < panel->count; i++) {
        double width = entry_width(&panel->curves[i]);
        place_entry(drawing, &legend, width);
        if (width > 0)
            draw_entry(drawing, &panel->curves[i], legend.x, y + legend.y);
        legend.x += width;
    }
}

static void draw_caption(struct drawing *drawing, const struct chart_panel *panel, double y)
{
    char caption[DRAW_CAPTION_MAX];
    draw_caption_text(caption, drawing->chart, panel);
    text(drawing, drawing->left, y + 14, caption, ANCHOR_START, INK, true);
    draw_legend(drawing, panel, y + 14);
}

static void draw_frame(struct drawing *drawing, double top, double bottom)
{
    const struct canvas_point frame[] = {{drawing->left, top},
                                         {drawing->right, top},
                                         {drawing->right, bottom},
                                         {drawing->left, bottom},
                                         {drawing->left, top}};
    drawing->canvas->calls->lines(drawing->canvas, frame, 5, &(struct canvas_stroke){.colour = FRAME, .width = 1});
}

/* ---- the axis of time ------------------------------------------------------------------------------------------- */

static int64_t time_step(const struct drawing *drawing)
{
    return ticks_time_step(drawing->to - drawing->from, (drawing->right - drawing->left) / 110);
}

/* Calls the function at each tick. */
static void each_tick(struct drawing *drawing, double top, double bottom,
                      void (*tick)(struct drawing *, int64_t, int64_t, double, double))
{
    int64_t step = time_step(drawing);
    for (int64_t time = ticks_first_time(drawing->from, step, drawing->zone); time <= drawing->to;) {
        tick(drawing, time, step, top, bottom);
        int64_t next = armtap_time_shift(time, step);
        if (next <= time)
            return;
        time = next;
    }
}

static void draw_tick_line(struct drawing *drawing, int64_t time, int64_t step, double top, double bottom)
{
    (void)step;
    double x = x_of(drawing, time);
    line(drawing, x, top, x, bottom, &(struct canvas_stroke){.colour = GRID, .width = 1});
}

static void draw_tick_text(struct drawing *drawing, int64_t time, int64_t step, double top, double bottom)
{
    char label[TICK_MAX];
    (void)bottom;
    if (drawing->chart->is_clock)
        ticks_number(label, (double)time / 1e9, (double)step / 1e9);
    else
        ticks_time(label, time, step, drawing->zone);
    double half = width_of(label, false) / 2, x = fmin(x_of(drawing, time), drawing->right + RIGHT - 4 - half);
    text(drawing, x, top + 14, label, ANCHOR_MIDDLE, FAINT_INK, false);
}

static void draw_axis(struct drawing *drawing, double y)
{
    char date[TICK_MAX] = "controller's clock, s";
    each_tick(drawing, y, y, draw_tick_text);
    if (!drawing->chart->is_clock)
        ticks_date(date, drawing->from, drawing->to, drawing->zone);
    text(drawing, drawing->right, y + 30, date, ANCHOR_END, FAINT_INK, false);
    if (drawing->chart->is_partial)
        text(drawing, drawing->left, y + 30, "not all of the capture is drawn", ANCHOR_START, FAINT_INK, false);
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

void draw_stop_text(char to[DRAW_STOP_MAX], const struct chart_stop *stop)
{
    snprintf(to, DRAW_STOP_MAX, "stop, packet %" PRIu64 "%s%s", stop->packet, stop->file ? " of " : "",
             stop->file ? path_base(stop->file) : "");
}

static void draw_stop_line(struct drawing *drawing, const struct chart_stop *stop, double top, double bottom)
{
    char note[400];
    double x = x_of(drawing, stop->time);
    snprintf(note, sizeof note, "stop, packet %" PRIu64 "%s%s: %s", stop->packet, stop->file ? " of " : "",
             stop->file ? stop->file : "", stop->text);
    drawing->canvas->calls->note(drawing->canvas, note);
    line(drawing, x, top, x, bottom, &(struct canvas_stroke){.colour = STOP, .width = 1.5, .is_dashed = true});
    drawing->canvas->calls->note_end(drawing->canvas);
}

/* One for each column. */
static void draw_stop_lines(struct drawing *drawing, double top, double bottom)
{
    double drawn = -INFINITY;
    for (size_t i = 0; i < drawing->chart->stop_count; i++) {
        const struct chart_stop *stop = &drawing->chart->stops[i];
        double x = x_of(drawing, stop->time);
        if (fabs(x - drawn) < drawing->column / 2)
            continue;
        draw_stop_line(drawing, stop, top, bottom);
        drawn = x;
    }
}

/* Labels that would lie on one another are left out; the lines are all there. */
static void draw_stop_labels(struct drawing *drawing, double top)
{
    double free_from = -INFINITY;
    for (size_t i = 0; i < drawing->chart->stop_count; i++) {
        const struct chart_stop *stop = &drawing->chart->stops[i];
        char label[DRAW_STOP_MAX];
        draw_stop_text(label, stop);
        double half = width_of(label, false) / 2;
        double at = fmin(fmax(x_of(drawing, stop->time), drawing->left + half), drawing->right - half);
        if (at - half < free_from)
            continue;
        text(drawing, at, top + 12, label, ANCHOR_MIDDLE, STOP, false);
        free_from = at + half + 6;
    }
}

/* ---- panels as a whole ------------------------------------------------------------------------------------------- */

/* Where its values are, below a caption at y. */
static struct scale scale_at(const struct drawing *drawing, const struct chart_panel *panel, double y, double height)
{
    double top = y + caption_height(drawing, panel);
    return scale_of(panel, top, top + height);
}

/* Returns where it ends. */
static double draw_panel(struct drawing *drawing, const struct chart_panel *panel, double y, double height)
{
    struct scale scale = scale_at(drawing, panel, y, height);
    draw_caption(drawing, panel, y);
    draw_gaps(drawing, &drawing->chart->streams[panel->stream].gaps, scale.top, height);
    each_value(drawing, &scale, draw_value);
    each_tick(drawing, scale.top, scale.bottom, draw_tick_line);
    drawing->canvas->calls->clip(
        drawing->canvas, &(struct canvas_area){drawing->left, scale.top, drawing->right - drawing->left, height});
    for (size_t i = 0; i < panel->count; i++)
        draw_curve(drawing, &panel->curves[i], &scale);
    drawing->canvas->calls->clip_end(drawing->canvas);
    draw_stop_lines(drawing, scale.top, scale.bottom);
    draw_frame(drawing, scale.top, scale.bottom);
    return scale.bottom;
}

/* The title, and which streams are shown, as far as there is room. */
static void draw_title(struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    double x = drawing->left;
    text(drawing, x, 20, chart->title, ANCHOR_START, INK, true);
    x += width_of(chart->title, true) + 16;
    for (size_t i = 0; chart->stream_count > 1 && i < chart->stream_count; i++) {
        const char *title = chart->streams[i].title;
        double width = width_of(title, false);
        bool fits = x + width <= drawing->right;
        text(drawing, x, 20, fits ? title : "...", ANCHOR_START, FAINT_INK, false);
        if (!fits)
            return;
        x += width + 16;
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Without the heights of panels. */
static double fixed_height(const struct drawing *drawing)
{
    const struct chart *chart = drawing->chart;
    double height =
        TITLE + (chart->stop_count ? STOPS : 0) + (double)chart->strip_count * (STRIP + STRIP_SPACE) + BOTTOM;
    for (size_t i = 0; i < chart->panel_count; i++)
        height += caption_height(drawing, &chart->panels[i]);
    return height;
}

static double panel_height(const struct drawing *drawing, double height)
{
    double left = height - fixed_height(drawing);
    return drawing->chart->panel_count ? fmax(left / (double)drawing->chart->panel_count, PANEL_MIN) : 0;
}

/* Room for the captions of the strips, and for the values at panels of that height. */
static void make_room(struct drawing *drawing, double panel)
{
    const struct chart *chart = drawing->chart;
    for (size_t i = 0; i < chart->strip_count; i++) {
        char caption[DRAW_CAPTION_MAX];
        draw_strip_text(caption, chart, &chart->strips[i]);
        drawing->left = fmax(drawing->left, width_of(caption, false) + 14);
    }
    for (size_t i = 0; i < chart->panel_count; i++) {
        struct scale scale = scale_at(drawing, &chart->panels[i], 0, panel);
        each_value(drawing, &scale, make_room_for_value);
    }
}

static struct drawing drawing_of(const struct chart *chart, double width)
{
    return (struct drawing){.chart = chart,
                            .left = LEFT,
                            .right = width - RIGHT,
                            .from = chart->from,
                            .to = chart->to > chart->from ? chart->to : armtap_time_shift(chart->from, 1)};
}

double draw_height(const struct chart *chart, double width)
{
    struct drawing drawing = drawing_of(chart, width);
    make_room(&drawing, PANEL);
    return fmin(fixed_height(&drawing) + (double)chart->panel_count * PANEL, DRAW_HEIGHT_MAX);
}

double draw_least_width(const struct chart *chart)
{
    struct drawing drawing = drawing_of(chart, DRAW_WIDTH_MAX);
    double widest = CURVE_WIDTH_MIN;
    make_room(&drawing, PANEL);
    for (size_t i = 0; i < chart->panel_count; i++) {
        widest = fmax(widest, caption_width(chart, &chart->panels[i]));
        for (size_t k = 0; k < chart->panels[i].count; k++)
            widest = fmax(widest, entry_width(&chart->panels[i].curves[k]));
    }
    return ceil(drawing.left + widest + RIGHT);
}

double draw_least_height(const struct chart *chart, double width)
{
    struct drawing drawing = drawing_of(chart, width);
    make_room(&drawing, PANEL_MIN);
    return ceil(fixed_height(&drawing) + (double)chart->panel_count * PANEL_MIN);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int draw_chart(struct canvas *canvas, const struct chart *chart, const struct page *page)
{
    struct drawing drawing = drawing_of(chart, page->width);
    drawing.canvas = canvas;
    drawing.zone = page->zone;
    drawing.column = fmax(page->column, 1);
    make_room(&drawing, panel_height(&drawing, page->height));
    double y = TITLE, top = y, panel = panel_height(&drawing, page->height);
    fill(&drawing, 0, 0, page->width, page->height, WHITE);
    draw_title(&drawing);
    draw_stop_labels(&drawing, top);
    y = draw_strips(&drawing, y + (chart->stop_count ? STOPS : 0));
    draw_stop_lines(&drawing, top + STOPS - 2, y);
    for (size_t i = 0; i < chart->panel_count; i++)
        y = draw_panel(&drawing, &chart->panels[i], y, panel);
    draw_axis(&drawing, y);
    free(drawing.points);
    return drawing.failed ? -1 : 0;
}
