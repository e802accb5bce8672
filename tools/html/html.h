/* Pages in one file that need no network. What comes from captures and command lines goes through html_text or
 * html_script_text: nothing of it is ever markup, and the page's policy would not run it if it were. */
#ifndef HTML_HTML_H
#define HTML_HTML_H

#include "base/text/printf_format.h"
#include "base/text/buffer.h"

/* Appends markup as it stands. */
static inline void html_put(struct buffer *page, const char *markup)
{
    buffer_string(page, markup);
}
/* Appends text, also within a quoted attribute. Hidden characters and bytes that are not UTF-8 become \xHH or \u{HHHH}.
 */
void html_text(struct buffer *page, const char *text);
/* The same for several lines, which stay lines. */
void html_lines(struct buffer *page, const char *text);
/* Appends a format of ours with numbers in it. */
void html_format(struct buffer *page, const char *format, ...) PRINTF_FORMAT(2, 3);
/* Appends a string of JSON, quoted, that may stand in a script element. */
void html_script_text(struct buffer *page, const char *text);
/* Appends bytes in base64. */
void html_base64(struct buffer *page, const void *bytes, size_t length);

/* The beginning of a page up to its body; its policy allows html_end's script and this style, by their hashes, and no
 * request. 0, or -1 without memory. */
int html_begin(struct buffer *page, const char *title);
/* The script that draws the charts, and the end. */
void html_end(struct buffer *page);

/* viewer.js and style.css, line by line, NULL at the end; made by `embed`. */

extern const char *const viewer_lines[];
extern const char *const style_lines[];

#endif
