/* Libraries that a build may lack (libraries.def). */
#ifndef BASE_LIBRARIES_H
#define BASE_LIBRARIES_H

#include <stdbool.h>

enum library {
    LIBRARY_NONE,
#define LIBRARY(id, name, option, debian, fedora) LIBRARY_##id,
#include "libraries.def"
    LIBRARY_END
};

/* Prints the error that `what`, as the user asked for it ("--compression zstd"), needs a library that this build lacks:
 * which one, its package and configure's option. */
void library_report_missing(enum library library, const char *what);
/* "libzstd" */
const char *library_name(enum library library);
/* "built without libzstd" */
const char *library_absence(enum library library);

/* Libraries that are loaded when they are needed: libhdf5 brings forty others, which would cost every command 6 ms and
 * 4 MB. */

/* configure defines a file's name without quotes, which not every shell on the way to the compiler would keep. */
#define LOAD_FILE_TEXT(name) #name
#define LOAD_FILE(name) LOAD_FILE_TEXT(name)

/* A handle for load_name(), or NULL after a message. The library stays loaded. */
void *load_library(const char *library);
/* Finds a function or a variable: stores its address in *pointer, which is a pointer of any type. 0, or -1 after a
 * message. */
int load_name(void *handle, const char *name, void *pointer);
/* The same for what may be missing, also in a library that this one needs: false then, without a message. */
bool load_if_there(void *handle, const char *name, void *pointer);

#endif
