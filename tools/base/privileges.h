/* Rights that an interface needs to be opened, and nothing afterwards. */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>

/* False after a message where the program's file is setuid or setgid and lends the rights of its owner to whoever runs
 * it: it must not go on. Call it before any file is opened. */
bool privileges_are_own(void);
/* For good: who runs the program as root goes on as the user of SUDO_UID and SUDO_GID with that user's groups, without
 * these as nobody; all capabilities go, and no program that is run later may get any. Call it before there are threads.
 * 0, or -1 after a message: the program must not go on. */
int privileges_drop(void);
/* Gives up the capabilities that the program's file has (setcap) and whoever runs it has not. Call it before any file
 * is opened, where no interface is. 0, or -1 after a message: the program must not go on. */
int privileges_drop_lent(void);
/* Whom root was given up for, "nobody" or "anna"; "user 1000" where the system knows no name; NULL: the program was not
 * root. */
const char *privileges_given_up_for(void);
#endif
