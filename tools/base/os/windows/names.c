#define _GNU_SOURCE
#define _SEARCH_PRIVATE /* the nodes of its trees */
#include "base/os/names.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <windows.h>
#include <bcrypt.h>

#include "base/os/file.h"
#include "errors.h"
#include "full_path.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

char *strndup(const char *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *strcasestr(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (;; text++) {
        if (strncasecmp(text, part, length) == 0)
            return (char *)(uintptr_t)text;
        if (*text == '\0')
            return NULL;
    }
}

static int folded(char character, int flags)
{
    return flags & FNM_CASEFOLD ? tolower((unsigned char)character) : (unsigned char)character;
}

/* Behind "[a-z]" if that is what begins here, or NULL. */
static const char *match_set(const char *pattern, char character, int flags, bool *is_in)
{
    const char *at = pattern + 1;
    bool is_not = *at == '!' || *at == '^', found = false;
    at += is_not;
    for (const char *first = at; *at != ']' || at == first;) {
        char ends[2];
        for (size_t i = 0; i < 2; i++) {
            at += *at == '\\' && !(flags & FNM_NOESCAPE);
            if (*at == '\0')
                return NULL;
            ends[i] = *at++;
            if (i == 0 && (*at != '-' || at[1] == ']')) {
                ends[1] = ends[0];
                break;
            }
            at += i == 0;
        }
        int wanted = folded(character, flags);
        found |= folded(ends[0], flags) <= wanted && wanted <= folded(ends[1], flags);
    }
    *is_in = found != is_not;
    return at + 1;
}

/* Behind what stands for this one character; NULL if it does not. */
static const char *match_one(const char *pattern, char character, int flags)
{
    bool is_in;
    if (*pattern == '?')
        return pattern + 1;
    if (*pattern == '[') {
        const char *behind = match_set(pattern, character, flags, &is_in);
        if (behind)
            return is_in ? behind : NULL;
    }
    pattern += *pattern == '\\' && !(flags & FNM_NOESCAPE);
    return *pattern != '\0' && folded(*pattern, flags) == folded(character, flags) ? pattern + 1 : NULL;
}

int fnmatch(const char *pattern, const char *name, int flags)
{
    const char *star = NULL, *tried = NULL, *next = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            tried = name;
        } else if (*name != '\0' && (next = match_one(pattern, *name, flags)) != NULL) {
            pattern = next;
            name++;
        } else if (*name == '\0' && *pattern == '\0') {
            return 0;
        } else if (!star || *tried == '\0') {
            return FNM_NOMATCH;
        } else { /* the star takes one more */
            pattern = star;
            name = ++tried;
        }
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Reads or writes at a place; the file's own place stays. */
static ssize_t transfer(int file, void *to, const void *from, size_t length, off_t at)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    LARGE_INTEGER place, none = {.QuadPart = 0};
    OVERLAPPED there = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
    DWORD done = 0, size = length < INT_MAX ? (DWORD)length : INT_MAX;
    if (at < 0) {
        errno = EINVAL;
        return -1;
    }
    if (!SetFilePointerEx(handle, none, &place, FILE_CURRENT)) {
        errno = GetLastError() == ERROR_INVALID_HANDLE ? EBADF : ESPIPE;
        return -1;
    }
    if (GetFileType(handle) != FILE_TYPE_DISK) { /* others have a place as well, which is never used */
        errno = ESPIPE;
        return -1;
    }
    DWORD error;
    do { /* what is cancelled after Ctrl-C (interrupt.c) is begun again: a disk does not block for ever */
        BOOL is_done = to ? ReadFile(handle, to, size, &done, &there) : WriteFile(handle, from, size, &done, &there);
        error = is_done ? 0 : GetLastError();
    } while (error == ERROR_OPERATION_ABORTED);
    SetFilePointerEx(handle, place, NULL, FILE_BEGIN);
    if (error == 0 || error == ERROR_HANDLE_EOF)
        return (ssize_t)done;
    errno = errors_number(error);
    return -1;
}

ssize_t pread(int file, void *to, size_t length, off_t at)
{
    return transfer(file, to, NULL, length, at);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at)
{
    return transfer(file, NULL, bytes, length, at);
}

int fsync(int file)
{
    while (!FlushFileBuffers((HANDLE)_get_osfhandle(file)))
        if (GetLastError() != ERROR_OPERATION_ABORTED)
            return errors_set();
    return 0;
}

int fdatasync(int file)
{
    return fsync(file);
}

FILE *names_fopen(const char *name, const char *mode)
{
    int writing = O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    int file = file_open(name, *mode == 'r' ? O_RDONLY : writing);
    FILE *stream = file < 0 ? NULL : fdopen(file, mode);
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

int names_access(const char *name)
{
    wchar_t *full = full_path(name);
    int outcome = full && GetFileAttributesW(full) == INVALID_FILE_ATTRIBUTES ? errors_set() : full ? 0 : -1;
    free(full);
    return outcome;
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

struct names_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool is_read; /* what was found */
    struct names_entry entry;
};

DIR *names_opendir(const char *name)
{
    size_t room = strlen(name) + sizeof "/*";
    char *all = malloc(room);
    if (all)
        snprintf(all, room, "%s/*", name);
    wchar_t *full = all ? full_path(all) : NULL;
    DIR *folder = full ? calloc(1, sizeof *folder) : NULL;
    if (folder && (folder->search = FindFirstFileW(full, &folder->found)) == INVALID_HANDLE_VALUE) {
        errors_set();
        free(folder);
        folder = NULL;
    }
    free(full);
    free(all);
    return folder;
}

struct names_entry *names_readdir(DIR *folder)
{
    if (folder->is_read && !FindNextFileW(folder->search, &folder->found))
        return NULL;
    folder->is_read = true;
    free(folder->entry.d_name);
    folder->entry.d_name = full_path_text(folder->found.cFileName);
    return folder->entry.d_name ? &folder->entry : NULL;
}

void names_closedir(DIR *folder)
{
    FindClose(folder->search);
    free(folder->entry.d_name);
    free(folder);
}

int names_isatty(int file)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(file), &mode) ? 1 : 0;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

int setenv(const char *name, const char *value, int replace)
{
    return !replace && getenv(name) ? 0 : _putenv_s(name, value) == 0 ? 0 : -1;
}

int unsetenv(const char *name)
{
    return _putenv_s(name, "") == 0 ? 0 : -1;
}

/* Without recursion: a tree of sorted names is as deep as they are many. */
void tdestroy(void *root, void (*free_key)(void *key))
{
    for (node_t *node = root; node;) {
        node_t *left = node->llink, *next = left;
        if (left) {
            node->llink = left->rlink;
            left->rlink = node;
        } else {
            next = node->rlink;
            free_key(node->key);
            free(node);
        }
        node = next;
    }
}

ssize_t getrandom(void *to, size_t length, unsigned flags)
{
    if (flags == 0 && BCryptGenRandom(NULL, to, (ULONG)length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0)
        return (ssize_t)length;
    errno = ENOSYS;
    return -1;
}

long sysconf(int name)
{
    SYSTEM_INFO system;
    (void)name;
    GetSystemInfo(&system);
    return (long)system.dwNumberOfProcessors;
}
