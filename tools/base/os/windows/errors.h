/* What Windows says failed, as errno. */
#ifndef OS_WINDOWS_ERRORS_H
#define OS_WINDOWS_ERRORS_H

/* Sets errno by GetLastError(), which is the last call's. Always -1, to be returned. */
int errors_set(void);
/* The errno of such a number. */
int errors_number(unsigned long error);

#endif
