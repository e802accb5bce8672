/* Names as Windows' own calls take them. */
#ifndef OS_WINDOWS_FULL_PATH_H
#define OS_WINDOWS_FULL_PATH_H

#include <stdbool.h>
#include <wchar.h>

/* The whole name, of any length, which the caller frees; NULL with errno. */
wchar_t *full_path(const char *path);
/* The other way: the name as the program knows it, on the heap; NULL with errno. */
char *full_path_text(const wchar_t *full);
/* Whether it is that of a device, such as nul, con or con.csv, or of a pipe. */
bool full_path_is_device(const wchar_t *full);
bool full_path_is_pipe(const wchar_t *full);

#endif
