/* Standard input, output and error, and the terminals that they may be. */
#ifndef BASE_OS_CONSOLE_H
#define BASE_OS_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* To be called first. A descriptor that the shell closed (>&-) does not become that of a capture; a pipe that its
 * reader closed is an error and no signal, and so is a file that may grow no more. On Windows bytes go through
 * unchanged, and terminals take UTF-8 and colours until the program ends. */
void console_begin(void);
/* Whether standard output, if it cannot be written to, has lost its reader. */
bool console_has_lost_reader(void);
/* On Windows, if a double click opened a window for this program alone, which closes with it: waits for Enter. */
void console_stay(void);

/* Of the terminal there; zeros: unknown. False: none, or unknown. */
bool console_size(int descriptor, int *rows, int *columns);
/* The columns of that terminal, unless COLUMNS says others; 0: unknown. */
static inline int console_columns(int descriptor)
{
    const char *said = getenv("COLUMNS");
    long most = 10000, columns = said ? strtol(said, NULL, 10) : 0;
    int rows, shown;
    if (columns <= 0 && console_size(descriptor, &rows, &shown))
        columns = shown;
    return columns < 0 ? 0 : columns > most ? (int)most : (int)columns;
}

/* ---- a terminal that is drawn on ----------------------------------------------------------------------------------
 */

/* As curses calls it; NULL: what TERM says. */
const char *console_type(void);
/* Whether it shows more than ASCII. To be called after setlocale(). */
bool console_has_utf8(void);
/* Where its keys come from: standard input, if that is a terminal. NULL with errno. */
FILE *console_keys(void);
/* Remembers how it is, and stops no more by itself at Ctrl-Z. 0, or -1 with errno. */
int console_take(void);
/* From a signal's handler: it is as it was. */
void console_put_back(void);
bool console_is_gone(void);
/* What it has not taken yet is dropped. */
void console_drop_output(void);
/* Whether Ctrl-Z was pressed: then the terminal is left, and console_stop() returns once the program goes on in the
 * foreground, or `ends` says so. */
bool console_is_stop_asked(void);
void console_stop(bool (*ends)(void *user), void *user);

/* What is written to standard error, if that is a terminal, can be read from *from then: neither waits for the other.
 * Returns a descriptor of where it went; -1: it is left alone. */
int console_divert_errors(int *from);

/* ---- a pager ----------------------------------------------------------------------------------------------------- */

/* Starts $PAGER, or less, if standard output is a terminal: from here on it goes to the pager, with the colours that
 * the terminal would have. Messages on a terminal are held back until the pager ends. A pager that cannot be run is
 * reported, and everything is printed as without one. It never gets privileges that are lent to this process;
 * `is_live`: nor root's, which are given up once an interface is open. To be called before anything is printed or
 * opened, and before threads run. */
void pager_start(bool is_live);
/* The same for what is always shown in a pager, if there is one. */
void pager_offer(void);
/* Whether what is written to this descriptor goes to the pager. */
bool pager_has(int descriptor);
/* Whether a terminal shows it, by itself or in the pager. */
bool pager_is_shown(int descriptor);
/* The columns of that terminal, or what COLUMNS says; 0: unknown, or no terminal. */
int pager_columns(int descriptor);
/* To be called once standard output is closed: waits until the user ends the pager. */
void pager_finish(void);

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

enum terminal_pictures { TERMINAL_NO_PICTURES, TERMINAL_SIXEL, TERMINAL_KITTY };

struct terminal {
    enum terminal_pictures pictures;
    unsigned width; /* in pixels; 0: unknown */
};

/* What the terminal on standard output can show, by its own answer, for which it waits a second. One that cannot be
 * asked safely (it is not this program's, somebody has typed ahead, it is known not to take questions) shows no
 * pictures. */
struct terminal terminal_ask(void);

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* The names of files that a word such as *.pcap stands for, up to NULL, where the shell leaves that to the program.
 * NULL: the word is a name itself. */
char **console_names(const char *word);
void console_names_free(char **names);

/* Whether whoever uses the program may have built it, from packages of the system. */
extern const bool console_user_builds;

#endif
