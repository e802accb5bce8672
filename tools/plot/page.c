#include "kinds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "html/html.h"
#include "nanoseconds.h"

#define PICTURE_WIDTH 900
/* Bytes of the picture, and of the curves' values for the script: what would be more is drawn coarser. */
#define PICTURE_MAX 600000
#define VALUES_MAX 550000
#define COLUMN_MAX 64.0
/* Of a bin: two floats in base64; its number if the curve breaks there. */
#define BIN_BYTES 11
#define BREAK_BYTES 6
/* Bands of all strips, gaps of all streams, stops: where there are more, one of those that are close together. Strips
 * beyond the last are only in the picture. */
#define BANDS_MAX 1000
#define GAPS_MAX 1000
#define STOPS_MAX 500
#define STRIPS_MAX 40
/* Beyond half of this a float has no number. */
#define FLOAT_LARGE 1e38
#define DAY_SECONDS 86400
#define OFFSET_STEPS 4000

double page_seconds(const struct chart *chart, int64_t time)
{
    return ((double)time - (double)chart->from) / (double)SECOND;
}

static void put_text(struct buffer *page, const char *key, const char *text)
{
    html_format(page, "\"%s\":", key);
    html_script_text(page, text);
}

static void put_range(struct buffer *page, const struct chart *chart, int64_t from, int64_t to)
{
    html_format(page, "[%.6f,%.6f", page_seconds(chart, from), page_seconds(chart, to));
}

/* ---- more than can be told apart --------------------------------------------------------------------------------- */

/* Of a list's entries, in order of time, those that a page shows. */
struct choice {
    double width; /* seconds: of those closer together, one is shown */
    double shown; /* up to here */
};

static struct choice choice_of(const struct chart *chart, size_t count, size_t limit)
{
    bool fits = count <= limit;
    return (struct choice){fits ? 0 : page_seconds(chart, chart->to) / (double)(limit + 1), -INFINITY};
}

static bool is_chosen(struct choice *choice, double from, double to)
{
    if (choice->width > 0 && to <= choice->shown)
        return false;
    choice->shown = fmax(to, from + choice->width);
    return true;
}

/* ---- what the script draws --------------------------------------------------------------------------------------- */

/* A curve's values are sent as floats, in steps of `scale` above `base`: so they keep what changes in large numbers. */
struct packing {
    double base, scale;
};

static struct packing packing_of(const struct thinning *points)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < points->count; i++)
        if (points->bins[i].flags & BIN_HAS_VALUES) {
            low = fmin(low, points->bins[i].min);
            high = fmax(high, points->bins[i].max);
        }
    double base = low <= 0 && high >= 0 ? 0 : low, half = high / 2 - base / 2;
    return (struct packing){isfinite(base) ? base : 0, half > FLOAT_LARGE ? half : 1};
}

static void pack_float(uint8_t to[4], double value, const struct packing *packing)
{
    float narrow = (float)(value / packing->scale - packing->base / packing->scale);
    uint32_t bits = 0x7fc00000;
    if (!isnan(value))
        memcpy(&bits, &narrow, sizeof bits);
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(bits >> (8 * i));
}

/* Bytes that a curve's values take. */
static size_t size_of(const struct thinning *points, size_t merging)
{
    size_t bins = (points->count + merging - 1) / merging, breaks = 0;
    for (size_t i = 0; i < points->count && breaks < bins; i++)
        breaks += (points->bins[i].flags & BIN_BREAKS) != 0;
    return bins * BIN_BYTES + breaks * BREAK_BYTES;
}

/* As many bins in one as make the chart fit into a page: a power of two. */
static size_t merging_of(const struct chart *chart)
{
    for (size_t merging = 1;; merging *= 2) {
        size_t bytes = 0;
        for (size_t i = 0; i < chart->panel_count; i++)
            for (size_t k = 0; k < chart->panels[i].count; k++)
                bytes += size_of(&chart->panels[i].curves[k].points, merging);
        if (bytes <= VALUES_MAX || merging >= DRAW_WIDTH_MAX)
            return merging;
    }
}

/* The bins from `first` on as one. */
static struct bin merged(const struct thinning *points, size_t first, size_t merging)
{
    struct bin bin = points->bins[first];
    for (size_t i = first + 1; i < first + merging && i < points->count; i++)
        bin_merge(&bin, &points->bins[i]);
    return bin;
}

static void put_breaks(struct buffer *page, const struct thinning *points, size_t merging)
{
    const char *before = "";
    for (size_t i = 0; i < points->count; i += merging)
        if (merged(points, i, merging).flags & BIN_BREAKS) {
            html_format(page, "%s%zu", before, i / merging);
            before = ",";
        }
}

/* Each bin as its two extremes, in the order in which they came. */
static void put_bins(struct buffer *page, const struct thinning *points, size_t merging, const struct packing *packing)
{
    size_t count = (points->count + merging - 1) / merging;
    uint8_t *bytes = malloc(8 * count + 1);
    if (!bytes) {
        page->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bin bin = merged(points, i * merging, merging);
        bool has = (bin.flags & BIN_HAS_VALUES) != 0, is_max_first = (bin.flags & BIN_MAX_BEFORE_MIN) != 0;
        pack_float(bytes + 8 * i, has ? is_max_first ? bin.max : bin.min : NAN, packing);
        pack_float(bytes + 8 * i + 4, has ? is_max_first ? bin.min : bin.max : NAN, packing);
    }
    html_base64(page, bytes, 8 * count);
    free(bytes);
}

static void put_curve(struct buffer *page, const struct chart *chart, const struct chart_curve *curve, size_t merging)
{
    const struct thinning *points = &curve->points;
    const struct packing packing = packing_of(points);
    html_put(page, "{");
    put_text(page, "name", curve->name);
    html_format(page, ",\"colour\":\"#%06x\",\"start\":%.9f,\"width\":%.9f,\"base\":%.17g,\"scale\":%.17g,\"breaks\":[",
                (unsigned)draw_colour(curve->colour), page_seconds(chart, thinning_time(points, 0)),
                (double)merging * ldexp(1, (int)points->shift) / (double)SECOND, packing.base, packing.scale);
    put_breaks(page, points, merging);
    html_put(page, "],\"data\":\"");
    put_bins(page, points, merging, &packing);
    html_put(page, "\"}");
}

static void put_caption(struct buffer *page, const struct chart *chart, const struct chart_panel *panel)
{
    char caption[DRAW_CAPTION_MAX];
    draw_caption_text(caption, chart, panel);
    put_text(page, "caption", caption);
}

static void put_panels(struct buffer *page, const struct chart *chart)
{
    size_t merging = merging_of(chart);
    html_put(page, "\"panels\":[");
    for (size_t i = 0; i < chart->panel_count; i++) {
        const struct chart_panel *panel = &chart->panels[i];
        html_put(page, i ? ",\n{" : "\n{");
        put_caption(page, chart, panel);
        html_format(page, ",\"stream\":%zu,\"curves\":[", panel->stream);
        for (size_t k = 0; k < panel->count; k++) {
            html_put(page, k ? ",\n" : "\n");
            put_curve(page, chart, &panel->curves[k], merging);
        }
        html_put(page, "]}");
    }
    html_put(page, "]");
}

static void put_band(struct buffer *page, const struct chart *chart, const struct chart_band *band)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, band->value);
    put_range(page, chart, band->from, band->to);
    html_put(page, ",");
    html_script_text(page, band->name ? band->name : number);
    html_format(page, ",\"#%06x\"]", (unsigned)draw_band_colour(band));
}

static void put_bands(struct buffer *page, const struct chart *chart, const struct chart_strip *strip, size_t limit)
{
    struct choice choice = choice_of(chart, strip->count, limit);
    const char *before = "";
    for (size_t i = 0; i < strip->count; i++) {
        const struct chart_band *band = &strip->bands[i];
        if (!is_chosen(&choice, page_seconds(chart, band->from), page_seconds(chart, band->to)))
            continue;
        html_put(page, before);
        put_band(page, chart, band);
        before = ",";
    }
}

static size_t strips_of(const struct chart *chart)
{
    return chart->strip_count < STRIPS_MAX ? chart->strip_count : STRIPS_MAX;
}

static void put_strips(struct buffer *page, const struct chart *chart)
{
    char caption[DRAW_CAPTION_MAX];
    html_put(page, "\"strips\":[");
    for (size_t i = 0; i < strips_of(chart); i++) {
        const struct chart_strip *strip = &chart->strips[i];
        html_put(page, i ? ",\n{" : "\n{");
        draw_strip_text(caption, chart, strip);
        put_text(page, "caption", caption);
        html_format(page, ",\"stream\":%zu,\"bands\":[", strip->stream);
        put_bands(page, chart, strip, BANDS_MAX / strips_of(chart));
        html_put(page, "]}");
    }
    html_put(page, "]");
}

static void put_gaps(struct buffer *page, const struct chart *chart, const struct thinning *gaps)
{
    struct choice choice = choice_of(chart, gaps->count, GAPS_MAX / chart->stream_count);
    const char *before = "";
    for (size_t i = 0; i < gaps->count; i++) {
        size_t first = i;
        if ((gaps->bins[i].flags & BIN_IS_GAP) == 0)
            continue;
        while (i + 1 < gaps->count && (gaps->bins[i + 1].flags & BIN_IS_GAP))
            i++;
        int64_t from = thinning_time(gaps, first), to = thinning_time(gaps, i + 1);
        if (!is_chosen(&choice, page_seconds(chart, from), page_seconds(chart, to)))
            continue;
        html_put(page, before);
        put_range(page, chart, from, to);
        html_put(page, "]");
        before = ",";
    }
}

static void put_streams(struct buffer *page, const struct chart *chart)
{
    html_put(page, "\"streams\":[");
    for (size_t i = 0; i < chart->stream_count; i++) {
        html_put(page, i ? ",{\"gaps\":[" : "{\"gaps\":[");
        put_gaps(page, chart, &chart->streams[i].gaps);
        html_put(page, "]}");
    }
    html_put(page, "]");
}

static void put_stops(struct buffer *page, const struct chart *chart)
{
    struct choice choice = choice_of(chart, chart->stop_count, STOPS_MAX);
    const char *before = "";
    html_put(page, "\"stops\":[");
    for (size_t i = 0; i < chart->stop_count; i++) {
        double at = page_seconds(chart, chart->stops[i].time);
        if (!is_chosen(&choice, at, at))
            continue;
        char text[DRAW_STOP_MAX];
        draw_stop_text(text, &chart->stops[i]);
        html_format(page, "%s[%.6f,", before, at);
        html_script_text(page, text);
        html_put(page, "]");
        before = ",";
    }
    html_put(page, "]");
}

/* Offsets from UTC in the chart's time, each with when it begins: looked for day by day, in a long chart less often. */
static void put_offsets(struct buffer *page, const struct chart *chart, const struct armtap_zone *zone)
{
    int64_t from = chart->from / SECOND, to = chart->to / SECOND, step = (to - from) / OFFSET_STEPS + DAY_SECONDS;
    int64_t offset = zone->offset(zone->user, from);
    html_format(page, "\"offsets\":[[0,%" PRId64 "]", offset);
    for (int64_t at = from; at < to;) {
        int64_t low = at, high = to - at > step ? at + step : to;
        at = high;
        if (zone->offset(zone->user, high) == offset)
            continue;
        while (high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            *(zone->offset(zone->user, middle) == offset ? &low : &high) = middle;
        }
        offset = zone->offset(zone->user, high);
        at = high;
        html_format(page, ",[%.6f,%" PRId64 "]", page_seconds(chart, high * SECOND), offset);
    }
    html_put(page, "],");
}

static const char *zone_name(const struct chart *chart, enum timestamp_zone zone)
{
    return chart->is_clock ? "s, controller's clock" : zone == TIMESTAMP_UTC ? "UTC" : "local time";
}

/* `start` is in whole seconds, so that a script can count in doubles; `fraction` is what is left of it. */
static void put_axis(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    const struct armtap_zone *at = timestamp_zone(zone);
    int64_t start = chart->from / SECOND - (chart->from % SECOND < 0);
    html_format(page, "{\"start\":%" PRId64 ",\"fraction\":%.9f,\"span\":%.9f,\"clock\":%s,", start,
                (double)(chart->from - start * SECOND) / (double)SECOND, page_seconds(chart, chart->to),
                chart->is_clock ? "true" : "false");
    if (at && !chart->is_clock)
        put_offsets(page, chart, at);
    else
        html_put(page, "\"offsets\":[[0,0]],");
    put_text(page, "zone", zone_name(chart, zone));
    html_put(page, ",\n");
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static int draw_picture(struct buffer *picture, const struct chart *chart, const struct page *of)
{
    struct canvas *canvas = canvas_svg(of->width, of->height, chart->title);
    if (!canvas)
        return -1;
    int drawn = draw_chart(canvas, chart, of);
    return canvas->calls->end(canvas, picture) == 0 ? drawn : -1;
}

/* As fine as fits into a page. */
static int put_picture(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    double width = fmax(draw_least_width(chart), PICTURE_WIDTH);
    struct page of = {.width = width, .height = draw_height(chart, width), .column = 1, .zone = zone};
    struct buffer picture = {0};
    int drawn = draw_picture(&picture, chart, &of);
    while (drawn == 0 && picture.length > PICTURE_MAX && of.column < COLUMN_MAX) {
        of.column *= 2;
        picture.length = 0;
        drawn = draw_picture(&picture, chart, &of);
    }
    if (picture.length <= PICTURE_MAX)
        buffer_put(page, picture.data, picture.length);
    else
        html_put(page, "<p>There are too many plots for a picture.</p>\n");
    free(picture.data);
    return drawn;
}

/* ---- the arm ----------------------------------------------------------------------------------------------------- */

/* "at the stop, 12:00:01.256 UTC". */
static void put_figure(struct buffer *page, const struct chart *chart, size_t pose, enum timestamp_zone zone,
                       const char *class, const char *when)
{
    char clock[TICK_MAX], line[2 * TICK_MAX];
    int64_t time = chart->figure.poses.all[pose].time;
    if (chart->is_clock)
        ticks_number(clock, (double)time / (double)SECOND, 1e-3);
    else
        ticks_time(clock, time, SECOND / 1000, zone);
    snprintf(line, sizeof line, "%s%s %s", when, clock, zone_name(chart, zone));
    figure_put(page, &chart->figure, pose, class, line);
}

void page_put_pose(struct buffer *page, const struct chart *chart, int64_t time, enum timestamp_zone zone)
{
    if (chart->figure.model && time != ARMTAP_NO_TIME && time >= chart->figure.poses.all[0].time)
        put_figure(page, chart, figure_at(&chart->figure, time), zone, "arm", "at the stop, ");
}

/* What is shown without a cursor: the first stop, or the end. */
static size_t pose_at_rest(const struct chart *chart)
{
    return figure_at(&chart->figure, chart->stop_count > 0 ? chart->stops[0].time : chart->to);
}

static void put_figure_data(struct buffer *page, const struct chart *chart)
{
    html_format(page, ",\n\"figure\":{\"stream\":%zu,\"rest\":%zu,", chart->figure_stream, pose_at_rest(chart));
    figure_put_data(page, &chart->figure, chart->from);
    html_put(page, "}");
}

static void put_live_figure(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    if (chart->figure.model)
        put_figure(page, chart, pose_at_rest(chart), zone, "arm live",
                   chart->stop_count > 0 ? "at the stop, " : "at the end, ");
    else if (chart->figure.doubt)
        html_format(page, "<p class=\"faint\">The arm itself is not drawn: %s.</p>\n", chart->figure.doubt);
}

int page_put_chart(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    html_format(page, "<div class=\"plots%s\">\n<div id=\"chart\"></div>\n", chart->figure.model ? " beside" : "");
    put_live_figure(page, chart, zone);
    html_put(page, "</div>\n<script type=\"application/json\" id=\"chart-data\">\n");
    put_axis(page, chart, zone);
    put_streams(page, chart);
    html_put(page, ",\n");
    put_strips(page, chart);
    html_put(page, ",\n");
    put_panels(page, chart);
    html_put(page, ",\n");
    put_stops(page, chart);
    if (chart->figure.model)
        put_figure_data(page, chart);
    html_put(page, "}\n</script>\n<div class=\"picture\">\n");
    int drawn = put_picture(page, chart, zone);
    html_put(page, "</div>\n");
    if (chart->strip_count > STRIPS_MAX)
        html_format(page, "<p>%zu more strips of modes are omitted: armtap plot --stream N draws a stream.</p>\n",
                    chart->strip_count - STRIPS_MAX);
    return page->failed ? -1 : drawn;
}
