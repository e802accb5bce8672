#include "full_path.h"

#include <errno.h>
#include <stdlib.h>
#include <windows.h>

#include "errors.h"

/* Before a name that may be longer than MAX_PATH; of a server, instead of its first backslash. */
static const wchar_t any_length[] = L"\\\\?\\", any_server[] = L"\\\\?\\UNC";
/* A folder's name has room for one in it of 12 bytes. */
#define LONGEST (MAX_PATH - 12)

static wchar_t *lack_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* In the code page of the program, which its manifest says is UTF-8. */
static wchar_t *widened(const char *path)
{
    int length = MultiByteToWideChar(CP_ACP, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    if (length == 0) {
        errors_set();
        return NULL;
    }
    wchar_t *wide = malloc((size_t)length * sizeof *wide);
    if (!wide)
        return lack_memory();
    MultiByteToWideChar(CP_ACP, MB_ERR_INVALID_CHARS, path, -1, wide, length);
    return wide;
}

/* Frees the name. */
static wchar_t *lengthened(wchar_t *name)
{
    bool is_server = wcsncmp(name, L"\\\\", 2) == 0;
    const wchar_t *head = is_server ? any_server : any_length;
    size_t room = wcslen(head) + wcslen(name) + 1;
    wchar_t *longer = malloc(room * sizeof *longer);
    if (longer) {
        wcscpy(longer, head);
        wcscat(longer, is_server ? name + 1 : name);
    } else {
        lack_memory();
    }
    free(name);
    return longer;
}

wchar_t *full_path(const char *path)
{
    wchar_t *given = widened(path);
    DWORD room = given ? GetFullPathNameW(given, 0, NULL, NULL) : 0;
    wchar_t *full = room > 0 ? malloc(room * sizeof *full) : NULL;
    if (full)
        GetFullPathNameW(given, room, full, NULL);
    else if (given && room == 0)
        errors_set();
    else if (given)
        errno = ENOMEM;
    free(given);
    if (!full || room <= LONGEST || full_path_is_device(full) || wcsncmp(full, any_length, wcslen(any_length)) == 0)
        return full;
    return lengthened(full);
}

char *full_path_text(const wchar_t *full)
{
    size_t head = wcsncmp(full, any_length, wcslen(any_length)) == 0 ? wcslen(any_length) : 0;
    bool is_server = wcsncmp(full, any_server, wcslen(any_server)) == 0;
    const wchar_t *from = full + (is_server ? wcslen(any_server) - 1 : head);
    int length = WideCharToMultiByte(CP_ACP, 0, from, -1, NULL, 0, NULL, NULL);
    char *text = malloc((size_t)length);
    if (!text) {
        errno = ENOMEM;
        return NULL;
    }
    WideCharToMultiByte(CP_ACP, 0, from, -1, text, length, NULL, NULL);
    if (is_server)
        *text = '\\';
    return text;
}

bool full_path_is_device(const wchar_t *full)
{
    return wcsncmp(full, L"\\\\.\\", 4) == 0;
}

bool full_path_is_pipe(const wchar_t *full)
{
    return full_path_is_device(full) && wcsnicmp(full + 4, L"pipe\\", 5) == 0;
}
