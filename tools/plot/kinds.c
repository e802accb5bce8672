#include "kinds.h"

#include <stdio.h>

#include "base/libraries.h"
#include "base/message.h"
#include "canvas_cairo.h"

static int draw(struct canvas *canvas, const struct chart *chart, const struct page *page, struct buffer *out)
{
    if (!canvas)
        return -1;
    int drawn = draw_chart(canvas, chart, page->width, page->height, page->zone);
    return canvas->calls->end(canvas, out) == 0 ? drawn : -1;
}

static int write_svg(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_svg(page->width, page->height, chart->title), chart, page, out);
}

static int write_png(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_png(page->width, page->height, chart->title), chart, page, out);
}

static int write_pdf(const struct chart *chart, const struct page *page, struct buffer *out)
{
    return draw(canvas_pdf(page->width, page->height, chart->title), chart, page, out);
}

static const struct kind kinds[] = {
#define KIND(id, name, ending, flags) {(name), (ending), (flags), write_##id},
#include "kinds.def"
#undef KIND
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const struct kind *kind_of_file(const char *file)
{
    const char *ending = strrchr(file, '.');
    for (size_t i = 0; ending && i < KIND_COUNT; i++)
        if (strcmp(kinds[i].ending, ending) == 0)
            return &kinds[i];
    return NULL;
}

const char *kinds_list(char list[KINDS_LIST_MAX])
{
    size_t length = 0;
    list[0] = '\0';
    for (size_t i = 0; i < KIND_COUNT && length < KINDS_LIST_MAX; i++)
        length += (size_t)snprintf(list + length, KINDS_LIST_MAX - length, "%s%s",
                                   i == 0               ? ""
                                   : i + 1 < KIND_COUNT ? ", "
                                                        : " or ",
                                   kinds[i].name);
    return list;
}

int kind_check(const struct kind *kind, const char *what)
{
    if ((kind->flags & KIND_NEEDS_CAIRO) == 0)
        return 0;
#ifdef ARMTAP_WITH_CAIRO
    (void)what;
    return canvas_cairo_load();
#else
    library_report_missing(LIBRARY_CAIRO, what);
    message_info("a picture that ends in .svg needs no library");
    return -1;
#endif
}
