/* Standard output through a pager. */
#ifndef BASE_PAGER_H
#define BASE_PAGER_H

#include <stdbool.h>

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

#endif
