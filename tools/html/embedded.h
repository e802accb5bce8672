/* viewer.js and style.css, line by line, NULL at the end; made by `embed`. */
#ifndef HTML_EMBEDDED_H
#define HTML_EMBEDDED_H

extern const char *const viewer_lines[];
extern const char *const style_lines[];

#endif
