#include "base/os/path.h"

#include <ctype.h>
#include <windows.h>

#include "base/os/names.h"
#include "errors.h"
#include "full_path.h"

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* Virus scanners and indexers open what is new, for a moment: ms between attempts, and their number. */
enum { RETRY_NAP = 50, RETRIES = 20 };

/* ---- parts of a name --------------------------------------------------------------------------------------------- */

bool path_is_separator(char character)
{
    return character == '/' || character == '\\';
}

/* Behind the drive, "C:". */
static const char *behind_drive(const char *path)
{
    return isalpha((unsigned char)path[0]) && path[1] == ':' ? path + 2 : path;
}

const char *path_base(const char *path)
{
    const char *base = behind_drive(path);
    for (const char *at = base; *at != '\0'; at++)
        if (path_is_separator(*at))
            base = at + 1;
    return base;
}

/* Behind a name and its separator. */
static const char *behind_name(const char *at)
{
    while (*at != '\0' && !path_is_separator(*at))
        at++;
    return *at == '\0' ? at : at + 1;
}

const char *path_behind_root(const char *path)
{
    const char *at = behind_drive(path);
    if (path_is_separator(at[0]) && path_is_separator(at[1]))
        return behind_name(behind_name(at + 2));
    return path_is_separator(*at) ? at + 1 : at;
}

char *path_folder(const char *path)
{
    const char *base = path_base(path), *root = path_behind_root(path);
    if (base == path)
        return strdup(".");
    if (base == root && base == behind_drive(path)) { /* its current folder */
        char here[] = {*path, ':', '.', '\0'};
        return strdup(here);
    }
    return strndup(path, (size_t)(base - path) - (base > root ? 1 : 0));
}

/* ---- where a name leads ------------------------------------------------------------------------------------------ */

static enum place_kind kind_of(const struct file_status *status)
{
    return status->kind == FILE_IS_ORDINARY ? PLACE_FILE : PLACE_SOMETHING;
}

/* The name of an open file, without links; NULL with errno. */
static char *path_of(int file)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    DWORD room = GetFinalPathNameByHandleW(handle, NULL, 0, 0);
    wchar_t *full = malloc((room + 1) * sizeof *full);
    char *path = NULL;
    if (!full)
        errno = ENOMEM;
    else if (room == 0 || GetFinalPathNameByHandleW(handle, full, room + 1, 0) == 0)
        errors_set();
    else
        path = full_path_text(full);
    free(full);
    return path;
}

static enum place_kind follow_link(const char *name, char **path, struct file_status *status)
{
    if (file_status(name, status) != 0)
        return PLACE_FAILED;
    int file = status->kind == FILE_IS_ORDINARY ? file_open(name, O_RDONLY) : -1;
    *path = status->kind != FILE_IS_ORDINARY ? strdup(name) : file >= 0 ? path_of(file) : NULL;
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return *path ? kind_of(status) : PLACE_FAILED;
}

enum place_kind path_find(const char *name, char **path, struct file_status *status)
{
    bool exists = file_status_of_link(name, status) == 0;
    if (!exists && errno != ENOENT)
        return PLACE_FAILED;
    if (exists && status->kind == FILE_IS_LINK)
        return follow_link(name, path, status);
    *path = strdup(name);
    if (*path)
        return exists ? kind_of(status) : PLACE_FREE;
    errno = ENOMEM;
    return PLACE_FAILED;
}

int path_descriptor(const char *name)
{
    (void)name;
    return -1;
}

/* 0, or an error number. */
static int check_open(const wchar_t *full)
{
    DWORD attributes = GetFileAttributesW(full);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_READONLY))
        return EACCES;
    HANDLE handle = CreateFileW(full, DELETE, SHARED, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return errors_number(GetLastError());
    CloseHandle(handle);
    return 0;
}

int path_check_replaced(const char *place, const struct file_status *replaced)
{
    (void)replaced;
    wchar_t *full = full_path(place);
    int error = full ? check_open(full) : errno;
    free(full);
    return error;
}

int path_check_folder(const char *folder)
{
    (void)folder;
    return 0;
}

/* ---- whose a file is --------------------------------------------------------------------------------------------- */

bool path_is_own(const struct file_status *status)
{
    (void)status;
    return true;
}

void path_owner(const struct file_status *status, char name[PATH_OWNER_MAX])
{
    (void)status;
    *name = '\0';
}

int path_make(const char *path, const struct file_status *replaced)
{
    (void)replaced;
    return file_open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
}

void path_take_rights(int file, const struct file_status *made, const struct file_status *replaced)
{
    (void)file;
    (void)made;
    (void)replaced;
}

/* ---- changing names ---------------------------------------------------------------------------------------------- */

/* 0, or an error number. That access is denied may mean that the file to be replaced is open: it stays then, whatever
 * its program allows. */
static int move(const wchar_t *from, const wchar_t *to, DWORD how)
{
    BOOL is_done;
    do {
        is_done = MoveFileExW(from, to, how | MOVEFILE_WRITE_THROUGH);
    } while (!is_done && GetLastError() == ERROR_OPERATION_ABORTED); /* by Ctrl-C, though it ends by itself */
    if (is_done)
        return 0;
    int error = errors_number(GetLastError());
    int other = error == EACCES && (how & MOVEFILE_REPLACE_EXISTING) ? check_open(to) : error;
    return other == 0 ? FILE_IS_HELD : other == ENOENT ? error : other;
}

static int change_name(const char *from, const char *to, DWORD how)
{
    wchar_t *full = full_path(from), *other = full ? full_path(to) : NULL;
    int error = other ? move(full, other, how) : errno;
    for (int i = 0; other && error == FILE_IS_HELD && i < RETRIES; i++) {
        Sleep(RETRY_NAP);
        error = move(full, other, how);
    }
    free(full);
    free(other);
    errno = error;
    return error == 0 ? 0 : -1;
}

int path_replace(const char *from, const char *to)
{
    return change_name(from, to, MOVEFILE_REPLACE_EXISTING);
}

int path_rename(const char *from, const char *to)
{
    return change_name(from, to, 0);
}

int path_remove(const char *path)
{
    wchar_t *full = full_path(path);
    BOOL is_done;
    do {
        is_done = full && DeleteFileW(full);
    } while (full && !is_done && GetLastError() == ERROR_OPERATION_ABORTED); /* as in move() */
    int outcome = is_done ? 0 : full ? errors_set() : -1;
    free(full);
    return outcome;
}

int names_mkdir(const char *name)
{
    wchar_t *full = full_path(name);
    int outcome = !full ? -1 : CreateDirectoryW(full, NULL) ? 0 : errors_set();
    free(full);
    return outcome;
}

int path_sync_folder(const char *folder)
{
    (void)folder;
    return 0;
}
