/* The terminal: shows sheets and reads keys, in a thread of its own, so that a slow or stopped terminal never holds up
 * the reading. The only file that knows curses is screen.c. */
#ifndef WATCH_SCREEN_H
#define WATCH_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "sheet.h"

struct screen;

/* "ncurses 6.4.20221231", or what the build lacks. */
const char *screen_library(void);
/* Whether the terminal can be drawn on; if not, says why. */
bool screen_is_possible(void);
/* Takes the terminal. From here on what is written to standard error, if that is a terminal, is kept for
 * screen_message(). Call interrupt_guard() with screen_restore before. NULL after a message. */
struct screen *screen_open(bool is_coloured);
/* Gives the terminal back, and prints the messages that were kept. Accepts NULL. */
void screen_close(struct screen *screen);
/* What remains if the program ends by a signal: may be called in a handler. */
void screen_restore(void);

void screen_size(struct screen *screen, int *rows, int *columns);
/* Whether the terminal has taken the sheet before. */
bool screen_is_free(struct screen *screen);
/* Shows a sheet as soon as the terminal takes it. */
void screen_show(struct screen *screen, const struct sheet *sheet);
/* The next key, as view_key() takes it; 0: none. */
int screen_key(struct screen *screen);
/* Waits so many ns, or until a key comes. */
void screen_wait(struct screen *screen, int64_t time);
/* Whether the terminal is gone. */
bool screen_is_lost(struct screen *screen);
/* Whether it shows only ASCII. */
bool screen_is_ascii(void);
/* The last message on standard error; "" if there was none. */
const char *screen_message(struct screen *screen);

#endif
