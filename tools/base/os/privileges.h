/* Privileges, and the system calls that remain: opening an interface needs more than anything does afterwards. */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>

/* False, after a message, if the program's file is setuid or setgid and so lends its owner's rights to its user: the
 * program must end. Call this before opening any file. */
bool privileges_are_own(void);
/* Drops privileges for good. Root becomes the user of SUDO_UID and SUDO_GID, with that user's groups, or nobody if
 * these are not set. All capabilities are dropped, and no program run later can gain any. Call this before starting
 * threads. 0, or -1 after a message: the program must end. */
int privileges_drop(void);
/* Drops the capabilities that the program's file has (setcap) but its user does not. Call this before opening any file,
 * if no interface is to be opened. 0, or -1 after a message: the program must end. */
int privileges_drop_lent(void);
/* The user that replaced root: "nobody" or "anna", "user 1000" if the system has no name for it; NULL if the program
 * was not root. */
const char *privileges_given_up_for(void);

/* Limits the system calls of the program once its interface is open (syscalls.def). */

/* Applies for good, and to all threads that are started later: call it before starting any. Does nothing on a kernel
 * without seccomp or in a build without libseccomp. 0, or -1 after a message: the program must end. */
int sandbox_enter(void);
/* "libseccomp version 2.5.4"; NULL: built without it. */
const char *sandbox_library(char text[64]);

#endif
