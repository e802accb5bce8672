#include "base/os/path.h"

#include <stdatomic.h>
#include <windows.h>

#include "base/os/interrupt.h"
#include "base/os/names.h"
#include "errors.h"
#include "full_path.h"

/* Others may do with a file what they may elsewhere. */
#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
/* Bytes that one call writes at most. */
#define WRITTEN_MAX ((size_t)1 << 30)
/* Descriptors of the C library. */
#define DESCRIPTORS 2048
/* ms between two questions whether a pipe has bytes: nothing tells. */
#define PIPE_NAP 10
/* Where locks are, behind all bytes, as a locked byte cannot be read: of file_lock(), and of file_lock_waiting(). */
enum { LOCK_HIGH = 0x7fffffff, LOCK_ONE = 0, LOCK_APPENDING = 1 };

static HANDLE handle_of(int file)
{
    return (HANDLE)_get_osfhandle(file);
}

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

/* Windows counts 100 ns since 1601. */
static int64_t nanoseconds(uint64_t time)
{
    return (int64_t)((time - UINT64_C(116444736000000000)) * 100);
}

static bool is_link(HANDLE handle, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
           tag.ReparseTag == IO_REPARSE_TAG_SYMLINK;
}

/* Not all file systems know the longer number, and some neither. */
static void take_identity(HANDLE handle, struct file_status *status)
{
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION older;
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        uint64_t halves[2];
        memcpy(halves, &id.FileId, sizeof halves);
        status->device = id.VolumeSerialNumber;
        status->number = halves[0] ^ halves[1]; /* of NTFS the second is 0 */
    } else if (GetFileInformationByHandle(handle, &older)) {
        status->device = older.dwVolumeSerialNumber;
        status->number = (uint64_t)older.nFileIndexHigh << 32 | older.nFileIndexLow;
    }
    status->is_known = status->number != 0;
}

/* Each asked for by itself: of what was opened elsewhere not everything may be known. */
static int take_disk(HANDLE handle, struct file_status *status)
{
    FILE_STANDARD_INFO standard;
    FILE_BASIC_INFO basic = {.FileAttributes = 0};
    if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard))
        return errors_set();
    GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic);
    status->kind = is_link(handle, basic.FileAttributes) ? FILE_IS_LINK
                   : standard.Directory                  ? FILE_IS_FOLDER
                                                         : FILE_IS_ORDINARY;
    status->size = (uint64_t)standard.EndOfFile.QuadPart;
    status->written = nanoseconds((uint64_t)basic.LastWriteTime.QuadPart);
    status->changed = nanoseconds((uint64_t)basic.ChangeTime.QuadPart);
    take_identity(handle, status);
    return 0;
}

static int take(HANDLE handle, struct file_status *status)
{
    DWORD type = GetFileType(handle);
    *status = (struct file_status){.kind = type == FILE_TYPE_PIPE   ? FILE_IS_PIPE
                                           : type == FILE_TYPE_CHAR ? FILE_IS_DEVICE
                                                                    : FILE_IS_OTHER};
    return type == FILE_TYPE_DISK ? take_disk(handle, status) : 0;
}

/* Frees the name. Devices are not opened, which may wait. */
static int look(wchar_t *full, DWORD how, struct file_status *status)
{
    if (!full)
        return -1;
    bool is_device = full_path_is_device(full);
    if (is_device)
        *status = (struct file_status){.kind = full_path_is_pipe(full) ? FILE_IS_PIPE : FILE_IS_DEVICE};
    HANDLE handle = is_device ? INVALID_HANDLE_VALUE
                              : CreateFileW(full, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                                            FILE_FLAG_BACKUP_SEMANTICS | how, NULL);
    if (!is_device && handle == INVALID_HANDLE_VALUE)
        errors_set();
    free(full);
    if (handle == INVALID_HANDLE_VALUE)
        return is_device ? 0 : -1;
    int outcome = take(handle, status);
    CloseHandle(handle);
    return outcome;
}

int file_status(const char *path, struct file_status *status)
{
    return look(full_path(path), 0, status);
}

int file_status_of_link(const char *path, struct file_status *status)
{
    return look(full_path(path), FILE_FLAG_OPEN_REPARSE_POINT, status);
}

int file_status_of_open(int file, struct file_status *status)
{
    HANDLE handle = handle_of(file);
    return handle == INVALID_HANDLE_VALUE ? -1 : take(handle, status);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* What stands behind ':' would be written to where nobody finds it, beside an empty file. */
static const char not_in_names[] = ":*?\"<>|";

/* Takes the handle. */
static int descriptor_of(HANDLE handle, int flags)
{
    int file = _open_osfhandle((intptr_t)handle, (flags & O_APPEND) | O_BINARY | O_CLOEXEC);
    if (file < 0)
        CloseHandle(handle);
    return file;
}

static int refuse(const wchar_t *full)
{
    bool is_denied = GetLastError() == ERROR_ACCESS_DENIED;
    errors_set();
    DWORD attributes = is_denied ? GetFileAttributesW(full) : INVALID_FILE_ATTRIBUTES;
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY))
        errno = EISDIR;
    return -1;
}

/* With an extension nobody means the device, to which "nul.csv" leads as "nul" does: what is written would be lost. */
static bool is_reserved(const char *path, const wchar_t *full)
{
    return full_path_is_device(full) && !full_path_is_pipe(full) && strchr(path_base(path), '.');
}

int file_open(const char *path, int flags)
{
    DWORD access = flags & O_RDWR ? GENERIC_READ | GENERIC_WRITE : flags & O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
    DWORD how = !(flags & O_CREAT) ? (flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING)
                : flags & O_EXCL   ? CREATE_NEW
                : flags & O_TRUNC  ? CREATE_ALWAYS
                                   : OPEN_ALWAYS;
    if ((flags & O_CREAT) && strpbrk(path_base(path), not_in_names)) {
        errno = EINVAL;
        return -1;
    }
    wchar_t *full = full_path(path);
    if (!full)
        return -1;
    if (is_reserved(path, full)) {
        free(full);
        errno = ENODEV;
        return -1;
    }
    HANDLE handle = CreateFileW(full, access, SHARED, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        refuse(full);
    free(full);
    return handle == INVALID_HANDLE_VALUE ? -1 : descriptor_of(handle, flags);
}

int file_open_stream(const char *path)
{
    return strcmp(path, "-") == 0 ? file_copy(STDIN_FILENO) : file_open(path, O_RDONLY);
}

int file_open_output(void)
{
    return file_copy(STDOUT_FILENO);
}

int file_copy(int file)
{
    HANDLE handle = handle_of(file), self = GetCurrentProcess(), copy;
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    if (!DuplicateHandle(self, handle, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return errors_set();
    return descriptor_of(copy, 0);
}

/* It has a name until it is closed, so each needs another one. */
int file_open_nameless(const char *folder)
{
    static atomic_uint number; /* of the process */
    size_t room = strlen(folder) + 60;
    char *name = malloc(room);
    HANDLE handle = INVALID_HANDLE_VALUE;
    errno = ENOMEM;
    for (unsigned i = 0; name && handle == INVALID_HANDLE_VALUE && (i == 0 || errno == EEXIST) && i < 100; i++) {
        snprintf(name, room, "%s/.armtap-%lu-%u", folder, GetCurrentProcessId(), atomic_fetch_add(&number, 1));
        wchar_t *full = full_path(name);
        if (full)
            handle = CreateFileW(full, GENERIC_READ | GENERIC_WRITE, SHARED, NULL, CREATE_NEW,
                                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (full && handle == INVALID_HANDLE_VALUE)
            errors_set();
        free(full);
    }
    free(name);
    return handle == INVALID_HANDLE_VALUE ? -1 : descriptor_of(handle, 0);
}

const char *file_temporary_folder(void)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    const char *folder = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && (!folder || *folder == '\0'); i++)
        folder = getenv(names[i]);
    return folder && *folder != '\0' ? folder : ".";
}

size_t file_limit(void)
{
    return DESCRIPTORS;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The C library appends, and tells little of what failed. A disk takes what it was given, as it does elsewhere, though
 * Ctrl-C cancels that. */
ptrdiff_t file_write_some(int file, const void *bytes, size_t length)
{
    int written;
    do {
        _doserrno = 0;
        written = write(file, bytes, (unsigned)(length < WRITTEN_MAX ? length : WRITTEN_MAX));
    } while (written < 0 && _doserrno == ERROR_OPERATION_ABORTED && GetFileType(handle_of(file)) == FILE_TYPE_DISK);
    if (written < 0 && _doserrno != ERROR_OPERATION_ABORTED && GetFileType(handle_of(file)) == FILE_TYPE_PIPE)
        errno = EPIPE;
    else if (written < 0)
        errno = _doserrno != 0 ? errors_number(_doserrno) : ENOSPC; /* Wine's, of a part that had room */
    return written;
}

int file_write_all(int file, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ptrdiff_t written = file_write_some(file, (const char *)bytes + done, length - done);
        if (written < 0 && errno == EINTR && !interrupt_is_overdue())
            continue;
        if (written < 0)
            return errno;
        done += (size_t)written;
    }
    return 0;
}

/* ---- locks, and the disk ----------------------------------------------------------------------------------------- */

static int lock(int file, DWORD how, DWORD place)
{
    OVERLAPPED there = {.Offset = place, .OffsetHigh = LOCK_HIGH};
    if (LockFileEx(handle_of(file), how, 0, 1, 0, &there))
        return 0;
    DWORD error = GetLastError();
    errno = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? EWOULDBLOCK : errors_number(error);
    return -1;
}

int file_lock(int file, bool is_shared)
{
    return lock(file, (is_shared ? 0 : LOCKFILE_EXCLUSIVE_LOCK) | LOCKFILE_FAIL_IMMEDIATELY, LOCK_ONE);
}

int file_lock_waiting(int file)
{
    return lock(file, LOCKFILE_EXCLUSIVE_LOCK, LOCK_APPENDING);
}

void file_begin_sync(int file)
{
    (void)file;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Whether a pipe has bytes, or an end. */
static bool has_bytes(HANDLE pipe)
{
    DWORD bytes = 0;
    return !PeekNamedPipe(pipe, NULL, 0, NULL, &bytes, NULL) || bytes > 0;
}

bool file_wait(int file, int ms)
{
    HANDLE handle = handle_of(file);
    DWORD type = GetFileType(handle);
    if (type == FILE_TYPE_CHAR)
        return WaitForSingleObject(handle, (DWORD)ms) != WAIT_TIMEOUT;
    while (type == FILE_TYPE_PIPE && !has_bytes(handle)) {
        if (ms <= 0)
            return false;
        Sleep(PIPE_NAP);
        ms -= PIPE_NAP;
    }
    return true;
}

int file_watch(const char *path)
{
    (void)path;
    return -1;
}

void file_watch_wait(int watch, int ms)
{
    (void)watch;
    Sleep((DWORD)ms);
}
