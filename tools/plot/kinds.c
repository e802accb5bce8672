#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/process/libraries.h"
#include "base/process/message.h"
#include "html/html.h"

static int draw(struct canvas *canvas, const struct chart *chart, const struct page *page, struct buffer *out)
{
    if (!canvas)
        return -1;
    int drawn = draw_chart(canvas, chart, page);
    return canvas->calls->end(canvas, out) == 0 ? drawn : -1;
}

static int write_svg(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_svg(page->width, page->height, chart->title), chart, page, out);
}

static int write_html(const struct chart *chart, const struct page *page, struct buffer *out)
{
    int begun = html_begin(out, chart->title);
    html_put(out, "<h1>");
    html_text(out, chart->title);
    html_put(out, "</h1>\n");
    int put = page_put_chart(out, chart, page->zone);
    html_end(out);
    return out->failed || begun != 0 ? -1 : put;
}

static int write_png(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_png(page->width, page->height, chart->title), chart, page, out);
}

static int write_pdf(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_pdf(page->width, page->height, chart->title), chart, page, out);
}

static int write_sixel(const struct chart *chart, const struct page *page, struct buffer *out)
{
    size_t width = (size_t)ceil(page->width), height = (size_t)ceil(page->height);
    struct buffer pixels = {0};
    int outcome = draw(canvas_pixels(page->width, page->height), chart, page, &pixels);
    if (outcome == 0)
        outcome = sixel_put(out, (const uint32_t *)(const void *)pixels.data, width, height);
    free(pixels.data);
    return outcome;
}

static int write_kitty(const struct chart *chart, const struct page *page, struct buffer *out)
{
    struct buffer png = {0};
    int outcome = write_png(chart, page, &png);
    if (outcome == 0)
        outcome = kitty_put(out, png.data, png.length);
    free(png.data);
    return outcome;
}

static const struct kind kinds[] = {
#define KIND(id, name, ending, flags) {(name), (ending), (flags), write_##id},
#include "kinds.def"
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcasecmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const struct kind *kind_of_file(const char *file)
{
    const char *ending = strrchr(file, '.');
    for (size_t i = 0; ending && i < KIND_COUNT; i++)
        if (strcasecmp(kinds[i].ending, ending) == 0)
            return &kinds[i];
    return NULL;
}

static bool is_listed(const struct kind *kind, bool of_files)
{
    return !of_files || kind->ending[0] != '\0';
}

const char *kinds_list(char list[KINDS_LIST_MAX], bool of_files)
{
    size_t length = 0, left = 0;
    for (size_t i = 0; i < KIND_COUNT; i++)
        left += is_listed(&kinds[i], of_files);
    list[0] = '\0';
    for (size_t i = 0; i < KIND_COUNT && length < KINDS_LIST_MAX; i++)
        if (is_listed(&kinds[i], of_files))
            length += (size_t)snprintf(list + length, KINDS_LIST_MAX - length, "%s%s", kinds[i].name,
                                       --left > 1  ? ", "
                                       : left == 1 ? " or "
                                                   : "");
    return list;
}

bool kind_is_built_in(const struct kind *kind)
{
#ifdef ARMTAP_WITH_CAIRO
    (void)kind;
    return true;
#else
    return (kind->flags & KIND_NEEDS_CAIRO) == 0;
#endif
}

int kind_check(const struct kind *kind, const char *what)
{
    if (kind_is_built_in(kind))
        return kind->flags & KIND_NEEDS_CAIRO ? canvas_cairo_load() : 0;
    library_report_missing(LIBRARY_CAIRO, what);
    message_info("a picture that ends in .svg needs no library");
    return -1;
}

void kind_end(const struct kind *kind)
{
    if (kind->flags & KIND_NEEDS_CAIRO)
        canvas_cairo_unload();
}
