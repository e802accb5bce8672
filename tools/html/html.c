#include "html.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/os/sha256.h"
#include "base/text/base64.h"
#include "base/text/utf8.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static const char *entity(char character)
{
    switch (character) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_escaped(struct buffer *page, const char *text, bool has_lines)
{
    char shown[UTF8_SHOWN_MAX];
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used) {
        size_t length = utf8_show(shown, text, left, &used);
        const char *escaped = has_lines && *text == '\n' ? "\n" : entity(shown[0]);
        if (escaped)
            buffer_string(page, escaped);
        else
            buffer_put(page, shown, length);
    }
}

void html_text(struct buffer *page, const char *text)
{
    put_escaped(page, text, false);
}

void html_lines(struct buffer *page, const char *text)
{
    put_escaped(page, text, true);
}

void html_format(struct buffer *page, const char *format, ...)
{
    char text[200];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length > 0)
        buffer_put(page, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void html_script_text(struct buffer *page, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    buffer_char(page, '"');
    for (size_t left = strlen(text), used; left > 0; text += used, left -= used) {
        size_t length = utf8_show(shown, text, left, &used);
        if (entity(shown[0]) || shown[0] == '\\')
            html_format(page, "\\u%04x", (unsigned)(unsigned char)shown[0]);
        else
            buffer_put(page, shown, 1);
        if (length > 1)
            buffer_put(page, shown + 1, length - 1);
    }
    buffer_char(page, '"');
}

void html_base64(struct buffer *page, const void *bytes, size_t length)
{
    char *to = buffer_room(page, BASE64_LENGTH(length));
    if (!to)
        return;
    base64_write(to, bytes, length);
    page->length += BASE64_LENGTH(length);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void join(struct buffer *to, const char *const *lines)
{
    for (; *lines; lines++)
        buffer_string(to, *lines);
}

/* 'sha256-...' of what stands between the tags. */
static void put_hash(struct buffer *page, const char *const *lines)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 *sum = sha256_begin();
    for (const char *const *line = lines; *line; line++)
        sha256_add(sum, *line, strlen(*line));
    if (!sha256_end(sum, digest)) {
        page->failed = true;
        return;
    }
    html_put(page, "'sha256-");
    html_base64(page, digest, sizeof digest);
    html_put(page, "'");
}

/* What style.css puts on the points of lines: the arm's base, joints, flange and tool. */
#define MARK(id, markup) "<marker id=\"" id "\" markerUnits=\"userSpaceOnUse\" overflow=\"visible\">" markup "</marker>"
static const char marks[] = "<svg class=\"marks\">" MARK("base", "<path d=\"M-6 -6H6V6H-6Z\"/>")
    MARK("joint", "<circle r=\"3.5\"/>") MARK("flange", "<circle r=\"3.5\"/>")
        MARK("tcp", "<path d=\"M-6 0H6M0 -6V6\"/><text x=\"8\" y=\"14\">TCP</text>") "</svg>\n";

int html_begin(struct buffer *page, const char *title)
{
    html_put(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
                   "form-action 'none'; script-src ");
    put_hash(page, viewer_lines);
    html_put(page, "; style-src ");
    put_hash(page, style_lines);
    html_put(page, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    html_text(page, title);
    html_put(page, "</title>\n<style>");
    join(page, style_lines);
    html_put(page, "</style>\n</head>\n<body>\n");
    html_put(page, marks);
    return page->failed ? -1 : 0;
}

void html_end(struct buffer *page)
{
    html_put(page, "<script>");
    join(page, viewer_lines);
    html_put(page, "</script>\n</body>\n</html>\n");
}
