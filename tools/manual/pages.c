#include "pages.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/process/message.h"
#include "base/terminal/fold.h"
#include "base/os/console.h"
#include "base/text/nearest_word.h"

#define PAGES_MAX 64
#define PREFIX "armtap-" /* of the names that man knows */
#define LINE_ROOM 512
#define WITH_GZIP_HEAD (15 + 16)
#define BOLD '\001' /* up to ... */
#define PLAIN '\002'

const struct page *page_find(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0)
        name += strlen(PREFIX);
    for (const struct page *page = pages; page->name; page++)
        if (strcmp(page->name, name) == 0)
            return page;
    return NULL;
}

const char *page_meant(const char *name)
{
    const char *names[PAGES_MAX];
    size_t count = 0;
    for (const struct page *page = pages; page->name && count < PAGES_MAX; page++)
        names[count++] = page->name;
    return word_nearest(name, names, count);
}

/* 0, or -1. `text` has room for the page. */
static int unpack(const struct page *page, char *text)
{
    z_stream stream = {.next_in = (unsigned char *)(size_t)page->packed,
                       .avail_in = (unsigned)page->packed_length,
                       .next_out = (unsigned char *)text,
                       .avail_out = (unsigned)page->length};
    if (inflateInit2(&stream, WITH_GZIP_HEAD) != Z_OK)
        return -1;
    int outcome = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return outcome == Z_STREAM_END && stream.avail_out == 0 ? 0 : -1;
}

/* A terminal that is too narrow gets the rest of a line below its beginning. */
static void show_line(const char *line, size_t length)
{
    char shown[LINE_ROOM] = "";
    size_t used = 0;
    int indent = (int)strspn(line, " ");
    for (size_t i = 0; i < length && used + 16 < sizeof shown; i++)
        if (line[i] == BOLD || line[i] == PLAIN) {
            const char *paint = line[i] == BOLD ? text_paint(stdout, PAINT_HEADING) : text_plain(stdout);
            memcpy(shown + used, paint, strlen(paint));
            used += strlen(paint);
        } else {
            shown[used++] = line[i];
        }
    text_line(stdout, indent, "%.*s", (int)used, shown);
}

int page_show(const struct page *page)
{
    char *text = malloc(page->length + 1);
    if (!text || unpack(page, text) != 0) {
        free(text);
        return message_no_memory();
    }
    text[page->length] = '\0';
    pager_offer();
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        show_line(line, (size_t)(end - line));
    free(text);
    return 0;
}
