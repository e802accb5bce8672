/* POSIX functions under their own names, with their own meaning: the system's headers, or ours where it lacks them. As
 * elsewhere, what is not C or POSIX asks for _GNU_SOURCE first. Windows has no more of them than the program uses. */
#ifndef BASE_OS_NAMES_H
#define BASE_OS_NAMES_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Frees what aligned_alloc() returned. */
static inline void aligned_free(void *memory);

#ifndef _WIN32

#include <dlfcn.h>
#include <fnmatch.h>
#include <glob.h>
#include <strings.h>
#include <sys/random.h>

static inline void aligned_free(void *memory)
{
    free(memory);
}

static inline const char *zone_ignored(void)
{
    return NULL;
}

#else

#include <direct.h>
#include <io.h>
#include <malloc.h>

/* ---- text -------------------------------------------------------------------------------------------------------- */

char *strndup(const char *text, size_t length);
char *strcasestr(const char *text, const char *part);
/* strerror() is errors.c's, and may be called in every thread. */
#define strerror_r(number, text, room) (snprintf(text, room, "%s", strerror(number)), 0)

/* Bytes; without classes such as [:alpha:]. */
#define FNM_NOMATCH 1
#define FNM_NOESCAPE 2
#define FNM_CASEFOLD 16
int fnmatch(const char *pattern, const char *name, int flags);

/* In any case of letters. '/' separates names, and so does what means '\': two of them, or with GLOB_NOESCAPE one. */
#define GLOB_NOSORT 4
#define GLOB_NOESCAPE 64
#define GLOB_NOSPACE 1
#define GLOB_NOMATCH 3
typedef struct {
    size_t gl_pathc;
    char **gl_pathv;
} glob_t;
int glob(const char *pattern, int flags, int (*failed)(const char *folder, int error), glob_t *found);
void globfree(glob_t *found);

/* ---- files ------------------------------------------------------------------------------------------------------- */

ssize_t pread(int file, void *to, size_t length, off_t at);
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at);
int fdatasync(int file);
int fsync(int file);
/* Those of the C library know no long names. `mode` has no "+". */
FILE *names_fopen(const char *name, const char *mode);
int names_access(const char *name);
#define fopen names_fopen
#define access(name, mode) names_access(name)
struct names_entry {
    char *d_name;
};
struct names_folder *names_opendir(const char *name);
struct names_entry *names_readdir(struct names_folder *folder);
void names_closedir(struct names_folder *folder);
#define DIR struct names_folder
#define dirent names_entry
#define opendir names_opendir
#define readdir names_readdir
#define closedir names_closedir
int names_mkdir(const char *name);
#define mkdir(name, mode) names_mkdir(name)
#define putc_unlocked putc
/* Windows takes NUL for one. */
int names_isatty(int file);
#define isatty names_isatty

#define O_CLOEXEC _O_NOINHERIT
/* Opening never waits there, gives no terminal, and follows no links that matter. */
#define O_NOCTTY 0
#define O_NOFOLLOW 0
#define O_NONBLOCK 0

/* Never the reason there. */
#define EDQUOT 10001
#define ESTALE 10002

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* An empty value removes the name. */
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
#ifndef _POSIX_THREAD_SAFE_FUNCTIONS
#define gmtime_r(time, to) (gmtime_s(to, time) == 0 ? (to) : NULL)
#endif
struct tm *names_localtime(const time_t *time, struct tm *shown);
#define localtime_r names_localtime
#define tzset _tzset
/* The zone that TZ names and Windows does not know, so that localtime_r() shows the machine's own; NULL: none. */
const char *zone_ignored(void);
/* Of UTC. */
size_t names_strftime(char *to, size_t room, const char *pattern, const struct tm *time);
#define strftime names_strftime

void tdestroy(void *root, void (*free_key)(void *key));
/* `flags` is 0. */
ssize_t getrandom(void *to, size_t length, unsigned flags);
#define _SC_NPROCESSORS_ONLN 1
long sysconf(int name);
#define aligned_alloc(alignment, size) _aligned_malloc(size, alignment)

static inline void aligned_free(void *memory)
{
    _aligned_free(memory);
}

#endif

#endif
