/* What the program may still ask of the kernel once its interface is open (syscalls.def). */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

/* For good, and for threads that are made later: call it before there are any. A kernel without seccomp, or a build
 * without libseccomp, takes nothing away. 0, or -1 after a message: the program must not go on. */
int sandbox_enter(void);
/* "libseccomp version 2.5.4"; NULL: built without. */
const char *sandbox_library(char text[64]);
#endif
