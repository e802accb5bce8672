/* Names of variables. */
#ifndef MATLAB_NAMES_H
#define MATLAB_NAMES_H

#include <stddef.h>

enum { MATLAB_NAME_MAX = 63 };

struct matlab_names;

/* NULL without memory. */
struct matlab_names *matlab_names_new(void);
void matlab_names_free(struct matlab_names *names);
/* Makes a name that MATLAB takes, and that was not taken before. 0, or -1 without memory. */
int matlab_names_take(struct matlab_names *names, const char *name, size_t length, char made[MATLAB_NAME_MAX + 1]);

#endif
