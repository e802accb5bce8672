#define _GNU_SOURCE
#include "errors.h"

#include <winsock2.h>
#include <windows.h>

#include "base/os/file.h"
#include "base/os/names.h"

static const struct {
    DWORD windows;
    int number;
} known[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_NOT_READY, ENXIO}, /* a drive without a disk */
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_PRIVILEGE_NOT_HELD, EPERM},
    {ERROR_SHARING_VIOLATION, ETXTBSY},
    {ERROR_USER_MAPPED_FILE, ETXTBSY},
    {ERROR_LOCK_VIOLATION, EACCES},
    {ERROR_CANNOT_MAKE, EACCES},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_PIPE_NOT_CONNECTED, EPIPE},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_FILE_TOO_LARGE, EFBIG},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_OPERATION_ABORTED, EINTR},
    {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    {ERROR_NOT_SUPPORTED, ENOSYS},
    {ERROR_INVALID_FUNCTION, ENOSYS},
    /* Of sockets. A connection that this side gave up was reset, as others would say. */
    {WSAEACCES, EACCES},
    {WSAEADDRINUSE, EADDRINUSE},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT},
    {WSAECONNABORTED, ECONNRESET},
    {WSAECONNREFUSED, ECONNREFUSED},
    {WSAECONNRESET, ECONNRESET},
    {WSAEHOSTUNREACH, EHOSTUNREACH},
    {WSAEINPROGRESS, EINPROGRESS},
    {WSAEINTR, EINTR},
    {WSAEINVAL, EINVAL},
    {WSAEMFILE, EMFILE},
    {WSAENETDOWN, ENETDOWN},
    {WSAENETRESET, ETIMEDOUT}, /* keep-alive */
    {WSAENETUNREACH, ENETUNREACH},
    {WSAENOBUFS, ENOBUFS},
    {WSAENOTCONN, ENOTCONN},
    {WSAENOTSOCK, ENOTSOCK},
    {WSAESHUTDOWN, EPIPE},
    {WSAETIMEDOUT, ETIMEDOUT},
    {WSAEWOULDBLOCK, EAGAIN},
};

int errors_number(unsigned long error)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].windows == error)
            return known[i].number;
    return EIO;
}

int errors_set(void)
{
    errno = errors_number(GetLastError());
    return -1;
}

/* ---- errno in the words of Linux: Windows knows none of sockets -------------------------------------------------- */

static const struct {
    int error;
    char *words;
} in_words[] = {
    {0, "Success"},
    {EPERM, "Operation not permitted"},
    {ENOENT, "No such file or directory"},
    {EINTR, "Interrupted system call"},
    {EIO, "Input/output error"},
    {ENXIO, "No such device or address"},
    {E2BIG, "Argument list too long"},
    {EBADF, "Bad file descriptor"},
    {EAGAIN, "Resource temporarily unavailable"},
    {ENOMEM, "Cannot allocate memory"},
    {EACCES, "Permission denied"},
    {EBUSY, "Device or resource busy"},
    {EEXIST, "File exists"},
    {EXDEV, "Invalid cross-device link"},
    {ENODEV, "Windows keeps this name for a device, in every folder"},
    {ENOTDIR, "Not a directory"},
    {EISDIR, "Is a directory"},
    {EINVAL, "Invalid argument"},
    {ENFILE, "Too many open files in system"},
    {EMFILE, "Too many open files"},
    {EFBIG, "File too large"},
    {ENOSPC, "No space left on device"},
    {ESPIPE, "Illegal seek"},
    {EROFS, "Read-only file system"},
    {EPIPE, "Broken pipe"},
    {ERANGE, "Numerical result out of range"},
    {ENAMETOOLONG, "File name too long"},
    {ENOSYS, "Function not implemented"},
    {ENOTEMPTY, "Directory not empty"},
    {EILSEQ, "Invalid or incomplete multibyte or wide character"},
    {EADDRINUSE, "Address already in use"},
    {EADDRNOTAVAIL, "Cannot assign requested address"},
    {EAFNOSUPPORT, "Address family not supported by protocol"},
    {ECONNABORTED, "Software caused connection abort"},
    {ECONNREFUSED, "Connection refused"},
    {ECONNRESET, "Connection reset by peer"},
    {EHOSTUNREACH, "No route to host"},
    {EINPROGRESS, "Operation now in progress"},
    {EMSGSIZE, "Message too long"},
    {ENETDOWN, "Network is down"},
    {ENETUNREACH, "Network is unreachable"},
    {ENOBUFS, "No buffer space available"},
    {ENOTCONN, "Transport endpoint is not connected"},
    {ENOTSOCK, "Socket operation on non-socket"},
    {ENOTSUP, "Operation not supported"},
    {EOVERFLOW, "Value too large for defined data type"},
    {ETIMEDOUT, "Connection timed out"},
    {EDQUOT, "Disk quota exceeded"},
    {ESTALE, "Stale file handle"},
    {FILE_IS_HELD, "another program has it open"},
};

char *strerror(int error)
{
    static _Thread_local char unknown[32];
    for (size_t i = 0; i < sizeof in_words / sizeof *in_words; i++)
        if (in_words[i].error == error)
            return in_words[i].words;
    snprintf(unknown, sizeof unknown, "Unknown error %d", error);
    return unknown;
}
