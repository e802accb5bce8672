#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "html/html.h"
#include "nanoseconds.h"

#define PICTURE_WIDTH 900

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

/* ---- what the script draws --------------------------------------------------------------------------------------- */

static void pack_float(uint8_t to[4], double value)
{
    float narrow = (float)fmax(fmin(value, 3.4e38), -3.4e38);
    uint32_t bits = 0x7fc00000;
    if (!isnan(value))
        memcpy(&bits, &narrow, sizeof bits);
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(bits >> (8 * i));
}

/* Each bin as its two extremes, in the order in which they came. */
static void put_bins(struct buffer *page, const struct thinning *points)
{
    uint8_t *bytes = malloc(8 * points->count + 1);
    if (!bytes) {
        page->failed = true;
        return;
    }
    for (size_t i = 0; i < points->count; i++) {
        const struct bin *bin = &points->bins[i];
        bool has = (bin->flags & BIN_HAS_VALUES) != 0, is_max_first = (bin->flags & BIN_MAX_BEFORE_MIN) != 0;
        pack_float(bytes + 8 * i, has ? is_max_first ? bin->max : bin->min : NAN);
        pack_float(bytes + 8 * i + 4, has ? is_max_first ? bin->min : bin->max : NAN);
    }
    html_base64(page, bytes, 8 * points->count);
    free(bytes);
}

static void put_curve(struct buffer *page, const struct chart *chart, const struct chart_curve *curve)
{
    const struct thinning *points = &curve->points;
    const char *before = "";
    html_put(page, "{");
    put_text(page, "name", curve->name);
    html_format(page, ",\"colour\":\"#%06x\",\"start\":%.9f,\"width\":%.9f,\"breaks\":[",
                (unsigned)draw_colour(curve->colour), page_seconds(chart, thinning_time(points, 0)),
                ldexp(1, (int)points->shift) / (double)SECOND);
    for (size_t i = 0; i < points->count; i++)
        if (points->bins[i].flags & BIN_BREAKS) {
            html_format(page, "%s%zu", before, i);
            before = ",";
        }
    html_put(page, "],\"data\":\"");
    put_bins(page, points);
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
    html_put(page, "\"panels\":[");
    for (size_t i = 0; i < chart->panel_count; i++) {
        const struct chart_panel *panel = &chart->panels[i];
        html_put(page, i ? ",\n{" : "\n{");
        put_caption(page, chart, panel);
        html_format(page, ",\"stream\":%zu,\"curves\":[", panel->stream);
        for (size_t k = 0; k < panel->count; k++) {
            html_put(page, k ? ",\n" : "\n");
            put_curve(page, chart, &panel->curves[k]);
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
    html_format(page, ",\"#%06x\"]", (unsigned)draw_colour((unsigned)((uint64_t)band->value % DRAW_COLOURS)));
}

static void put_strips(struct buffer *page, const struct chart *chart)
{
    char caption[DRAW_CAPTION_MAX];
    html_put(page, "\"strips\":[");
    for (size_t i = 0; i < chart->strip_count; i++) {
        const struct chart_strip *strip = &chart->strips[i];
        html_put(page, i ? ",\n{" : "\n{");
        draw_strip_text(caption, chart, strip);
        put_text(page, "caption", caption);
        html_format(page, ",\"stream\":%zu,\"bands\":[", strip->stream);
        for (size_t k = 0; k < strip->count && k < PAGE_BANDS; k++) {
            html_put(page, k ? "," : "");
            put_band(page, chart, &strip->bands[k]);
        }
        html_put(page, "]}");
    }
    html_put(page, "]");
}

static void put_gaps(struct buffer *page, const struct chart *chart, const struct thinning *gaps)
{
    const char *before = "";
    for (size_t i = 0; i < gaps->count; i++) {
        size_t first = i;
        if ((gaps->bins[i].flags & BIN_IS_GAP) == 0)
            continue;
        while (i + 1 < gaps->count && (gaps->bins[i + 1].flags & BIN_IS_GAP))
            i++;
        html_put(page, before);
        put_range(page, chart, thinning_time(gaps, first), thinning_time(gaps, i + 1));
        html_put(page, "]");
        before = ",";
    }
}

static void put_streams(struct buffer *page, const struct chart *chart)
{
    html_put(page, "\"streams\":[");
    for (size_t i = 0; i < chart->stream_count; i++) {
        html_put(page, i ? ",{" : "{");
        put_text(page, "title", chart->streams[i].title);
        html_put(page, ",\"gaps\":[");
        put_gaps(page, chart, &chart->streams[i].gaps);
        html_put(page, "]}");
    }
    html_put(page, "]");
}

static void put_stops(struct buffer *page, const struct chart *chart)
{
    html_put(page, "\"stops\":[");
    for (size_t i = 0; i < chart->stop_count && i < PAGE_STOPS; i++) {
        char label[64];
        snprintf(label, sizeof label, "stop, packet %" PRIu64, chart->stops[i].packet);
        html_format(page, "%s[%.6f,", i ? "," : "", page_seconds(chart, chart->stops[i].time));
        html_script_text(page, label);
        html_put(page, "]");
    }
    html_put(page, "]");
}

/* `start` is in whole seconds, so that a script can count in doubles; `fraction` is what is left of it. */
static void put_axis(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    const struct armtap_zone *at = timestamp_zone(zone);
    int64_t start = chart->from / SECOND - (chart->from % SECOND < 0);
    int64_t offset = at && !chart->is_clock ? at->offset(at->user, chart->from / SECOND) : 0;
    html_format(page, "{\"start\":%" PRId64 ",\"fraction\":%.9f,\"offset\":%" PRId64 ",\"span\":%.9f,\"clock\":%s,",
                start, (double)(chart->from - start * SECOND) / (double)SECOND, offset, page_seconds(chart, chart->to),
                chart->is_clock ? "true" : "false");
    put_text(page, "zone", chart->is_clock ? "s, controller's clock" : zone == TIMESTAMP_UTC ? "UTC" : "local time");
    html_put(page, ",\n");
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static int put_picture(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    double height = draw_height(chart);
    struct canvas *canvas = canvas_svg(PICTURE_WIDTH, height, chart->title);
    if (!canvas)
        return -1;
    int drawn = draw_chart(canvas, chart, PICTURE_WIDTH, height, zone);
    return canvas->calls->end(canvas, page) == 0 ? drawn : -1;
}

int page_put_chart(struct buffer *page, const struct chart *chart, enum timestamp_zone zone)
{
    html_put(page, "<div id=\"chart\"></div>\n<script type=\"application/json\" id=\"chart-data\">\n");
    put_axis(page, chart, zone);
    put_streams(page, chart);
    html_put(page, ",\n");
    put_strips(page, chart);
    html_put(page, ",\n");
    put_panels(page, chart);
    html_put(page, ",\n");
    put_stops(page, chart);
    html_put(page, "}\n</script>\n<div class=\"picture\">\n");
    int drawn = put_picture(page, chart, zone);
    html_put(page, "</div>\n");
    return page->failed ? -1 : drawn;
}
