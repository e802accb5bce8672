#define _POSIX_C_SOURCE 200809L
#include "made.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capturefile.h"

#define FOLDER "made/"
static const char replaced_content[] = "what was there before\n";

static int failed(const char *name)
{
    perror(name);
    return -1;
}

static bool is_file(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

enum { PATH_BYTES = 1024 };

/* Calls `visit` for each file in a folder and those below it; `path` begins with the folder, with a slash at its end.
 * 0, or -1 after a message. */
static int walk(char path[PATH_BYTES], void (*visit)(const char *path, void *user), void *user)
{
    size_t length = strlen(path);
    struct dirent *entry;
    DIR *folder = opendir(path);
    if (!folder)
        return failed(path);
    while ((entry = readdir(folder))) {
        struct stat status;
        if (!is_file(entry))
            continue;
        snprintf(path + length, PATH_BYTES - length - 1, "%s", entry->d_name);
        if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
            walk(strcat(path, "/"), visit, user);
        else
            visit(path, user);
        path[length] = '\0';
    }
    closedir(folder);
    return 0;
}

static void remove_file(const char *path, void *user)
{
    (void)user;
    unlink(path);
}

int made_prepare(const char *replaced)
{
    char path[PATH_BYTES] = FOLDER;
    if (walk(path, remove_file, NULL) != 0)
        return -1;
    if (replaced)
        file_write(replaced, replaced_content, sizeof replaced_content - 1);
    return 0;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct made_file *)one)->name, ((const struct made_file *)other)->name);
}

static void read_file(const char *path, void *user)
{
    struct made *made = user;
    if (made->count == MADE_FILES_MAX)
        return;
    struct made_file *file = &made->file[made->count++];
    snprintf(file->name, sizeof file->name, "%.*s", (int)sizeof file->name - 1, path + strlen(FOLDER));
    file_read_packed(path, &file->content);
}

/* Leaves out lines that begin with the time: how many there are depends on the clock. */
static void drop_times(struct bytes *text)
{
    size_t kept = 0, length;
    for (size_t at = 0; at < text->length; at += length) {
        const uint8_t *end = memchr(text->at + at, '\n', text->length - at);
        length = end ? (size_t)(end - (text->at + at)) + 1 : text->length - at;
        if (length > 20 && text->at[at + 10] == 'T' && text->at[at + 13] == ':' && text->at[at + 16] == ':')
            continue;
        memmove(text->at + kept, text->at + at, length);
        kept += length;
    }
    text->length = kept;
}

int made_read(struct made *made)
{
    char path[PATH_BYTES] = FOLDER;
    *made = (struct made){.count = 0};
    file_read_packed("out", &made->out);
    file_read_packed("err", &made->err);
    drop_times(&made->err);
    if (walk(path, read_file, made) != 0)
        return -1;
    qsort(made->file, made->count, sizeof *made->file, by_name);
    return 0;
}

void made_free(struct made *made)
{
    bytes_free(&made->out);
    bytes_free(&made->err);
    for (size_t i = 0; i < made->count; i++)
        bytes_free(&made->file[i].content);
    *made = (struct made){.count = 0};
}

static bool begins(const struct bytes *whole, const struct bytes *part)
{
    return part->length <= whole->length && (part->length == 0 || memcmp(whole->at, part->at, part->length) == 0);
}

static bool same(const struct bytes *one, const struct bytes *other)
{
    return one->length == other->length && begins(one, other);
}

bool made_same(const struct made *one, const struct made *other)
{
    if (!same(&one->out, &other->out) || !same(&one->err, &other->err) || one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (strcmp(one->file[i].name, other->file[i].name) != 0 ||
            !same(&one->file[i].content, &other->file[i].content))
            return false;
    return true;
}

bool made_output_begins(const struct made *usual, const struct made *made)
{
    return begins(&usual->out, &made->out);
}

static bool is_whole(const struct made *usual, const struct made_file *file)
{
    for (size_t i = 0; i < usual->count; i++)
        if (strcmp(usual->file[i].name, file->name) == 0)
            return same(&usual->file[i].content, &file->content);
    return false;
}

/* Of a live source: whole rows of the file of that name without its ending. */
static bool has_rows_of(const struct made *usual, const struct made_file *file)
{
    static const char ending[] = ".partial";
    const struct bytes *rows = &file->content;
    size_t length = strlen(file->name), stem = length - (sizeof ending - 1);
    if (length <= sizeof ending || strcmp(file->name + stem, ending) != 0)
        return false;
    for (size_t i = 0; i < usual->count; i++)
        if (strlen(usual->file[i].name) == stem && strncmp(usual->file[i].name, file->name, stem) == 0)
            return rows->length > 0 && rows->at[rows->length - 1] == '\n' && begins(&usual->file[i].content, rows);
    return false;
}

bool made_is_clean(const struct made *usual, const struct made *made, bool is_live)
{
    const struct bytes replaced = {(uint8_t *)(uintptr_t)replaced_content, sizeof replaced_content - 1, 0};
    for (size_t i = 0; i < made->count; i++)
        if (!is_whole(usual, &made->file[i]) && !same(&replaced, &made->file[i].content) &&
            !(is_live && has_rows_of(usual, &made->file[i])))
            return false;
    return true;
}
