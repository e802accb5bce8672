/* PNG and PDF. Letters depend on the fonts of the machine. */
#include "canvas.h"

#include "base/process/libraries.h"

#ifdef ARMTAP_WITH_CAIRO
#include <cairo-pdf.h>
#include <math.h>
#include <stdio.h>

#include "base/text/utf8.h"

#define POINTS_PER_PIXEL 0.75

/* The library, once it is loaded. */
struct cairo {
#define CAIRO_FUNCTION(name) __typeof__(&name) name;
#include "cairo_names.def"
};

struct drawn {
    struct canvas canvas;
    struct cairo cairo;
    cairo_surface_t *surface;
    cairo_t *context;
    bool is_image;     /* of pixels */
    bool is_raw;       /* which are wanted as they are, not as PNG */
    struct buffer pdf; /* written so far */
};

/* 0, or -1 after a message. */
static int load(struct cairo *cairo)
{
    void *handle = load_library(LOAD_FILE(ARMTAP_CAIRO_FILE));
    if (!handle)
        return -1;
#define CAIRO_FUNCTION(name)                                                                                           \
    if (load_name(handle, #name, &cairo->name) != 0)                                                                   \
        return -1;
#include "cairo_names.def"
    return 0;
}

static struct drawn *of(struct canvas *canvas)
{
    return (struct drawn *)canvas;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void set_colour(const struct drawn *drawn, uint32_t colour)
{
    drawn->cairo.cairo_set_source_rgb(drawn->context, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0,
                                      (colour & 0xff) / 255.0);
}

static void fill(struct canvas *canvas, const struct canvas_area *area, uint32_t colour)
{
    struct drawn *drawn = of(canvas);
    set_colour(drawn, colour);
    drawn->cairo.cairo_rectangle(drawn->context, area->x, area->y, area->width, area->height);
    drawn->cairo.cairo_fill(drawn->context);
}

/* Lines along the axes are on whole pixels, or they would be blurred. */
static double whole(const struct drawn *drawn, bool is_straight, double at, double width)
{
    return drawn->is_image && is_straight ? floor(at) + (fmod(round(width), 2) != 0 ? 0.5 : 0) : at;
}

static bool is_straight(const struct canvas_point *points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (points[i].x != points[i - 1].x && points[i].y != points[i - 1].y)
            return false;
    return count <= 5; /* lines and frames, not curves */
}

static void lines(struct canvas *canvas, const struct canvas_point *points, size_t count,
                  const struct canvas_stroke *stroke)
{
    static const double dashes[] = {4, 3};
    struct drawn *drawn = of(canvas);
    bool straight = is_straight(points, count);
    set_colour(drawn, stroke->colour);
    drawn->cairo.cairo_set_line_width(drawn->context, stroke->width);
    drawn->cairo.cairo_set_dash(drawn->context, dashes, stroke->is_dashed ? 2 : 0, 0);
    drawn->cairo.cairo_set_line_cap(drawn->context, stroke->has_dots ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    for (size_t i = 0; i < count; i++) {
        double x = whole(drawn, straight, points[i].x, stroke->width);
        double y = whole(drawn, straight, points[i].y, stroke->width);
        if (isnan(points[i].x))
            drawn->cairo.cairo_new_sub_path(drawn->context);
        else
            drawn->cairo.cairo_line_to(drawn->context, x, y);
        if (!isnan(points[i].x) && (i == 0 || isnan(points[i - 1].x)))
            drawn->cairo.cairo_line_to(drawn->context, x, y); /* a dot, if it is by itself */
    }
    drawn->cairo.cairo_stroke(drawn->context);
}

/* What cairo takes for text: UTF-8 without control characters; an error otherwise, for all that follows. */
static void put_shown(struct buffer *to, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used)
        buffer_put(to, shown, utf8_show(shown, text, left, &used));
    buffer_char(to, '\0');
}

static void text(struct canvas *canvas, double x, double y, const char *text, const struct canvas_font *font)
{
    static const double share_before[] = {[ANCHOR_START] = 0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_END] = 1};
    struct drawn *drawn = of(canvas);
    struct buffer shown = {0};
    cairo_text_extents_t extents;
    put_shown(&shown, text);
    if (shown.failed) {
        drawn->pdf.failed = true;
        free(shown.data);
        return;
    }
    set_colour(drawn, font->colour);
    drawn->cairo.cairo_select_font_face(drawn->context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                        font->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    drawn->cairo.cairo_set_font_size(drawn->context, font->size);
    drawn->cairo.cairo_text_extents(drawn->context, shown.data, &extents);
    drawn->cairo.cairo_move_to(drawn->context, x - share_before[font->anchor] * extents.x_advance, y);
    drawn->cairo.cairo_show_text(drawn->context, shown.data);
    drawn->cairo.cairo_new_path(drawn->context);
    free(shown.data);
}

static void clip(struct canvas *canvas, const struct canvas_area *area)
{
    struct drawn *drawn = of(canvas);
    drawn->cairo.cairo_save(drawn->context);
    drawn->cairo.cairo_rectangle(drawn->context, area->x, area->y, area->width, area->height);
    drawn->cairo.cairo_clip(drawn->context);
}

static void clip_end(struct canvas *canvas)
{
    of(canvas)->cairo.cairo_restore(of(canvas)->context);
}

static void note(struct canvas *canvas, const char *text)
{
    (void)canvas;
    (void)text;
}

static void note_end(struct canvas *canvas)
{
    (void)canvas;
}

/* ---- making and ending ------------------------------------------------------------------------------------------- */

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned length)
{
    struct buffer *to = user;
    buffer_put(to, (const char *)bytes, length);
    return to->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t put_image(const struct drawn *drawn, struct buffer *out)
{
    if (!drawn->is_raw)
        return drawn->cairo.cairo_surface_write_to_png_stream(drawn->surface, take_bytes, out);
    drawn->cairo.cairo_surface_flush(drawn->surface);
    const unsigned char *pixels = drawn->cairo.cairo_image_surface_get_data(drawn->surface);
    size_t width = (size_t)drawn->cairo.cairo_image_surface_get_width(drawn->surface),
           height = (size_t)drawn->cairo.cairo_image_surface_get_height(drawn->surface),
           stride = (size_t)drawn->cairo.cairo_image_surface_get_stride(drawn->surface);
    for (size_t y = 0; y < height; y++)
        buffer_put(out, (const char *)pixels + y * stride, width * sizeof(uint32_t));
    return CAIRO_STATUS_SUCCESS;
}

static int end_canvas(struct canvas *canvas, struct buffer *out)
{
    struct drawn *drawn = of(canvas);
    cairo_status_t status = drawn->cairo.cairo_status(drawn->context);
    drawn->cairo.cairo_destroy(drawn->context);
    if (drawn->is_image && status == CAIRO_STATUS_SUCCESS)
        status = put_image(drawn, out);
    drawn->cairo.cairo_surface_finish(drawn->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = drawn->cairo.cairo_surface_status(drawn->surface);
    drawn->cairo.cairo_surface_destroy(drawn->surface);
    buffer_put(out, drawn->pdf.data, drawn->pdf.length);
    int outcome = status != CAIRO_STATUS_SUCCESS || drawn->pdf.failed || out->failed ? -1 : 0;
    free(drawn->pdf.data);
    free(drawn);
    return outcome;
}

static const struct canvas_calls calls = {.fill = fill,
                                          .lines = lines,
                                          .text = text,
                                          .clip = clip,
                                          .clip_end = clip_end,
                                          .note = note,
                                          .note_end = note_end,
                                          .end = end_canvas};

static struct drawn *make_canvas(void)
{
    struct drawn *drawn = calloc(1, sizeof *drawn);
    if (drawn && load(&drawn->cairo) == 0) {
        drawn->canvas.calls = &calls;
        return drawn;
    }
    free(drawn);
    return NULL;
}

/* Takes over the canvas, whose surface was just made. */
static struct canvas *begin_canvas(struct drawn *drawn)
{
    drawn->context = drawn->cairo.cairo_create(drawn->surface);
    if (drawn->cairo.cairo_status(drawn->context) == CAIRO_STATUS_SUCCESS) {
        drawn->cairo.cairo_set_line_join(drawn->context, CAIRO_LINE_JOIN_ROUND);
        return &drawn->canvas;
    }
    drawn->cairo.cairo_destroy(drawn->context);
    drawn->cairo.cairo_surface_destroy(drawn->surface);
    free(drawn->pdf.data);
    free(drawn);
    return NULL;
}

static struct canvas *make_image(double width, double height, bool is_raw)
{
    struct drawn *drawn = make_canvas();
    if (!drawn)
        return NULL;
    drawn->is_image = true;
    drawn->is_raw = is_raw;
    drawn->surface = drawn->cairo.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width), (int)ceil(height));
    return begin_canvas(drawn);
}

struct canvas *canvas_png(double width, double height, const char *title)
{
    (void)title;
    return make_image(width, height, false);
}

struct canvas *canvas_pixels(double width, double height)
{
    return make_image(width, height, true);
}

/* The same bytes for the same picture: without the time of writing. */
static void put_metadata(struct drawn *drawn, const char *title)
{
    struct buffer shown = {0};
    put_shown(&shown, title);
    if (shown.failed)
        drawn->pdf.failed = true;
    else
        drawn->cairo.cairo_pdf_surface_set_metadata(drawn->surface, CAIRO_PDF_METADATA_TITLE, shown.data);
    drawn->cairo.cairo_pdf_surface_set_metadata(drawn->surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    free(shown.data);
}

struct canvas *canvas_pdf(double width, double height, const char *title)
{
    struct drawn *drawn = make_canvas();
    if (!drawn)
        return NULL;
    drawn->surface = drawn->cairo.cairo_pdf_surface_create_for_stream(take_bytes, &drawn->pdf, width * POINTS_PER_PIXEL,
                                                                      height * POINTS_PER_PIXEL);
    put_metadata(drawn, title);
    struct canvas *canvas = begin_canvas(drawn);
    if (canvas)
        drawn->cairo.cairo_scale(drawn->context, POINTS_PER_PIXEL, POINTS_PER_PIXEL);
    return canvas;
}

int canvas_cairo_load(void)
{
    struct cairo cairo;
    struct buffer none = {0};
    if (load(&cairo) != 0)
        return -1;
    struct canvas *canvas = canvas_png(1, 1, "");
    for (int is_bold = 0; canvas && is_bold < 2; is_bold++)
        text(canvas, 0, 0, "x", &(struct canvas_font){.size = 12, .is_bold = is_bold});
    if (canvas)
        end_canvas(canvas, &none);
    free(none.data);
    return 0;
}

/* fontconfig's memory looks lost to those who search for leaks: its pointers are relative. */
void canvas_cairo_unload(void)
{
    void *handle = load_library(LOAD_FILE(ARMTAP_CAIRO_FILE));
    void (*reset_cairo)(void), (*end_fontconfig)(void);
    if (handle && load_if_there(handle, "cairo_debug_reset_static_data", &reset_cairo))
        reset_cairo();
    if (handle && load_if_there(handle, "FcFini", &end_fontconfig))
        end_fontconfig();
}

const char *canvas_cairo_library(char text[64])
{
    snprintf(text, 64, "%s version %d.%d.%d", library_name(LIBRARY_CAIRO), CAIRO_VERSION_MAJOR, CAIRO_VERSION_MINOR,
             CAIRO_VERSION_MICRO);
    return text;
}
#else
int canvas_cairo_load(void)
{
    return -1;
}

void canvas_cairo_unload(void)
{
}

struct canvas *canvas_png(double width, double height, const char *title)
{
    (void)width;
    (void)height;
    (void)title;
    return NULL;
}

struct canvas *canvas_pdf(double width, double height, const char *title)
{
    return canvas_png(width, height, title);
}

struct canvas *canvas_pixels(double width, double height)
{
    return canvas_png(width, height, "");
}

const char *canvas_cairo_library(char text[64])
{
    (void)text;
    return library_absence(LIBRARY_CAIRO);
}
#endif
