/* Limits the system calls of the program once its interface is open (syscalls.def). */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

/* Applies for good, and to all threads that are started later: call it before starting any. Does nothing on a kernel
 * without seccomp or in a build without libseccomp. 0, or -1 after a message: the program must end. */
int sandbox_enter(void);
/* "libseccomp version 2.5.4"; NULL: built without it. */
const char *sandbox_library(char text[64]);
#endif
