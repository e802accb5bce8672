#include <stdbool.h>

#include "base/os/names.h"

struct search {
    glob_t *found;
    int flags; /* of fnmatch() */
    bool is_full;
};

static void add(struct search *search, const char *name)
{
    glob_t *found = search->found;
    char **names = realloc(found->gl_pathv, (found->gl_pathc + 1) * sizeof *names);
    char *copy = names ? strdup(name) : NULL;
    if (names)
        found->gl_pathv = names;
    if (copy)
        names[found->gl_pathc++] = copy;
    else
        search->is_full = true;
}

/* Bytes of the separators here, 0: none. */
static size_t separator_at(const char *pattern, int flags)
{
    if (*pattern == '/')
        return 1;
    if (*pattern != '\\')
        return 0;
    return flags & FNM_NOESCAPE ? 1 : pattern[1] == '\\' ? 2 : 0;
}

/* Copies one name of the pattern, and returns its length in it. */
static size_t part_of(const char *pattern, int flags, char *to, size_t room, bool *is_plain)
{
    size_t length = 0, stored = 0;
    *is_plain = true;
    while (pattern[length] != '\0' && separator_at(pattern + length, flags) == 0) {
        if (strchr("*?[", pattern[length]))
            *is_plain = false;
        bool is_escape = pattern[length] == '\\' && pattern[length + 1] != '\0';
        for (size_t i = 0; i < (is_escape ? 2 : 1); i++, length++)
            if (stored + 1 < room)
                to[stored++] = pattern[length];
    }
    to[stored] = '\0';
    return length;
}

static void unescape(char *name)
{
    char *to = name;
    for (; *name != '\0'; name++) {
        name += *name == '\\' && name[1] != '\0';
        *to++ = *name;
    }
    *to = '\0';
}

static void find(struct search *search, const char *folder, const char *pattern);

/* What begins with `folder`, then has this name. */
static void go_on(struct search *search, const char *folder, const char *name, const char *rest)
{
    char whole[4096];
    size_t separator = separator_at(rest, search->flags);
    int length = snprintf(whole, sizeof whole, "%s%s%s", folder, name, separator == 0 ? "" : *rest == '/' ? "/" : "\\");
    if (length < 0 || (size_t)length >= sizeof whole)
        return;
    if (separator > 0)
        find(search, whole, rest + separator);
    else if (access(whole, F_OK) == 0)
        add(search, whole);
}

static void find(struct search *search, const char *folder, const char *pattern)
{
    char part[4096];
    bool is_plain;
    const char *rest = pattern + part_of(pattern, search->flags, part, sizeof part, &is_plain);
    if (is_plain) {
        if (!(search->flags & FNM_NOESCAPE))
            unescape(part);
        go_on(search, folder, part, rest);
        return;
    }
    DIR *names = opendir(*folder == '\0' ? "." : folder);
    for (struct dirent *entry; names && (entry = readdir(names)) != NULL;)
        if ((entry->d_name[0] != '.' || *part == '.') && fnmatch(part, entry->d_name, search->flags) == 0)
            go_on(search, folder, entry->d_name, rest);
    if (names)
        closedir(names);
}

static int by_bytes(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

int glob(const char *pattern, int flags, int (*failed)(const char *folder, int error), glob_t *found)
{
    struct search search = {.found = found, .flags = FNM_CASEFOLD | (flags & GLOB_NOESCAPE ? FNM_NOESCAPE : 0)};
    (void)failed;
    *found = (glob_t){0};
    find(&search, "", pattern);
    if (search.is_full)
        return GLOB_NOSPACE;
    if (!(flags & GLOB_NOSORT) && found->gl_pathc > 0)
        qsort(found->gl_pathv, found->gl_pathc, sizeof *found->gl_pathv, by_bytes);
    return found->gl_pathc > 0 ? 0 : GLOB_NOMATCH;
}

void globfree(glob_t *found)
{
    for (size_t i = 0; i < found->gl_pathc; i++)
        free(found->gl_pathv[i]);
    free(found->gl_pathv);
    *found = (glob_t){0};
}
