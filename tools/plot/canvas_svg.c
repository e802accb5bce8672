/* SVG: the same text for the same calls, on every machine. */
#include "canvas.h"

#include <math.h>
#include <stdio.h>

#include "base/text/utf8.h"

struct svg {
    struct canvas canvas;
    struct buffer text;
    unsigned clips; /* numbered from 1 */
};

static struct svg *of(struct canvas *canvas)
{
    return (struct svg *)canvas;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Tenths of a pixel; independent of the locale. */
static void put_length(struct buffer *to, double length)
{
    char text[48];
    double tenths = fmin(fmax(round(length * 10), -1e7), 1e7);
    long whole = (long)tenths, rest = whole % 10;
    int count =
        snprintf(text, sizeof text, rest ? "%s%ld.%ld" : "%s%ld", whole < 0 ? "-" : "", labs(whole / 10), labs(rest));
    buffer_put(to, text, (size_t)count);
}

static void put_escaped(struct buffer *to, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used) {
        size_t length = utf8_show(shown, text, left, &used);
        if (shown[0] == '<')
            buffer_string(to, "&lt;");
        else if (shown[0] == '>')
            buffer_string(to, "&gt;");
        else if (shown[0] == '&')
            buffer_string(to, "&amp;");
        else if (shown[0] == '"')
            buffer_string(to, "&quot;");
        else
            buffer_put(to, shown, length);
    }
}

static void put_attribute(struct buffer *to, const char *name, double length)
{
    buffer_char(to, ' ');
    buffer_string(to, name);
    buffer_string(to, "=\"");
    put_length(to, length);
    buffer_char(to, '"');
}

static void put_area(struct buffer *to, const struct canvas_area *area)
{
    buffer_string(to, "<rect");
    put_attribute(to, "x", area->x);
    put_attribute(to, "y", area->y);
    put_attribute(to, "width", area->width);
    put_attribute(to, "height", area->height);
}

static void put_colour(struct buffer *to, const char *name, uint32_t colour)
{
    char text[40];
    buffer_put(to, text, (size_t)snprintf(text, sizeof text, " %s=\"#%06x\"", name, (unsigned)(colour & 0xffffff)));
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void fill(struct canvas *canvas, const struct canvas_area *area, uint32_t colour)
{
    struct buffer *to = &of(canvas)->text;
    put_area(to, area);
    put_colour(to, "fill", colour);
    buffer_string(to, "/>\n");
}

static void lines(struct canvas *canvas, const struct canvas_point *points, size_t count,
                  const struct canvas_stroke *stroke)
{
    struct buffer *to = &of(canvas)->text;
    buffer_string(to, "<path fill=\"none\"");
    put_colour(to, "stroke", stroke->colour);
    put_attribute(to, "stroke-width", stroke->width);
    if (stroke->is_dashed)
        buffer_string(to, " stroke-dasharray=\"4 3\"");
    buffer_string(to, stroke->has_dots ? " stroke-linecap=\"round\" d=\"" : " d=\"");
    bool begins = true;
    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].x)) {
            begins = true;
            continue;
        }
        bool ends = i + 1 == count || isnan(points[i + 1].x);
        buffer_char(to, begins ? 'M' : ' ');
        put_length(to, points[i].x);
        buffer_char(to, ',');
        put_length(to, points[i].y);
        buffer_string(to, begins && ends ? "h0" : begins ? "L" : "");
        begins = false;
    }
    buffer_string(to, "\"/>\n");
}

static void text(struct canvas *canvas, double x, double y, const char *text, const struct canvas_font *font)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    struct buffer *to = &of(canvas)->text;
    buffer_string(to, "<text");
    put_attribute(to, "x", x);
    put_attribute(to, "y", y);
    put_attribute(to, "font-size", font->size);
    put_colour(to, "fill", font->colour);
    buffer_string(to, anchors[font->anchor]);
    buffer_string(to, font->is_bold ? " font-weight=\"bold\">" : ">");
    put_escaped(to, text);
    buffer_string(to, "</text>\n");
}

static void clip(struct canvas *canvas, const struct canvas_area *area)
{
    struct svg *svg = of(canvas);
    char name[32];
    snprintf(name, sizeof name, "clip%u", ++svg->clips);
    buffer_string(&svg->text, "<clipPath id=\"");
    buffer_string(&svg->text, name);
    buffer_string(&svg->text, "\">");
    put_area(&svg->text, area);
    buffer_string(&svg->text, "/></clipPath>\n<g clip-path=\"url(#");
    buffer_string(&svg->text, name);
    buffer_string(&svg->text, ")\">\n");
}

static void group_end(struct canvas *canvas)
{
    buffer_string(&of(canvas)->text, "</g>\n");
}

static void note(struct canvas *canvas, const char *text)
{
    struct buffer *to = &of(canvas)->text;
    buffer_string(to, "<g><title>");
    put_escaped(to, text);
    buffer_string(to, "</title>\n");
}

static int end_canvas(struct canvas *canvas, struct buffer *out)
{
    struct svg *svg = of(canvas);
    buffer_string(&svg->text, "</svg>\n");
    buffer_put(out, svg->text.data, svg->text.length);
    int outcome = svg->text.failed || out->failed ? -1 : 0;
    free(svg->text.data);
    free(svg);
    return outcome;
}

static const struct canvas_calls calls = {.fill = fill,
                                          .lines = lines,
                                          .text = text,
                                          .clip = clip,
                                          .clip_end = group_end,
                                          .note = note,
                                          .note_end = group_end,
                                          .end = end_canvas};

struct canvas *canvas_svg(double width, double height, const char *title)
{
    struct svg *svg = calloc(1, sizeof *svg);
    if (!svg)
        return NULL;
    svg->canvas.calls = &calls;
    struct buffer *to = &svg->text;
    buffer_string(to, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_attribute(to, "width", width);
    put_attribute(to, "height", height);
    buffer_string(to, " viewBox=\"0 0 ");
    put_length(to, width);
    buffer_char(to, ' ');
    put_length(to, height);
    buffer_string(to, "\" font-family=\"sans-serif\">\n<title>");
    put_escaped(to, title);
    buffer_string(to, "</title>\n");
    return &svg->canvas;
}
