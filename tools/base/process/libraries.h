/* Libraries that a build may lack (libraries.def). */
#ifndef BASE_LIBRARIES_H
#define BASE_LIBRARIES_H

enum library {
    LIBRARY_NONE,
#define LIBRARY(id, name, option, debian, fedora) LIBRARY_##id,
#include "libraries.def"
#undef LIBRARY
    LIBRARY_END
};

/* Prints the error that `what`, as the user asked for it ("--compression zstd"), needs a library that this build lacks:
 * which one, its package and configure's option. */
void library_report_missing(enum library library, const char *what);
/* "libzstd" */
const char *library_name(enum library library);
/* "built without libzstd" */
const char *library_absence(enum library library);

#endif
