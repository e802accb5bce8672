#define _GNU_SOURCE /* flock, O_TMPFILE, syncfs */
#include "base/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "base/os/interrupt.h"

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

static enum file_nature kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? FILE_IS_ORDINARY
           : S_ISDIR(mode)  ? FILE_IS_FOLDER
           : S_ISFIFO(mode) ? FILE_IS_PIPE
           : S_ISCHR(mode)  ? FILE_IS_DEVICE
           : S_ISLNK(mode)  ? FILE_IS_LINK
                            : FILE_IS_OTHER;
}

/* A time may be any number. */
static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)((uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec);
}

static int take(int outcome, const struct stat *from, struct file_status *status)
{
    if (outcome == 0)
        *status = (struct file_status){.kind = kind_of(from->st_mode),
                                       .size = (uint64_t)from->st_size,
                                       .written = nanoseconds(from->st_mtim),
                                       .changed = nanoseconds(from->st_ctim),
                                       .is_known = true,
                                       .device = from->st_dev,
                                       .number = from->st_ino,
                                       .owner = from->st_uid,
                                       .group = from->st_gid,
                                       .rights = from->st_mode & 07777};
    return outcome;
}

int file_status(const char *path, struct file_status *status)
{
    struct stat found;
    return take(stat(path, &found), &found, status);
}

int file_status_of_link(const char *path, struct file_status *status)
{
    struct stat found;
    return take(lstat(path, &found), &found, status);
}

int file_status_of_open(int file, struct file_status *status)
{
    struct stat found;
    return take(fstat(file, &found), &found, status);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

int file_open(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC, 0666);
}

int file_open_stream(const char *path)
{
    if (strcmp(path, "-") == 0)
        return dup(STDIN_FILENO);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    if (flags >= 0)
        fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
    return file;
}

int file_open_output(void)
{
    struct stat status;
    int file = -1;
    if (fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode))
        file = open("/dev/stdout", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return file < 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : file;
}

int file_copy(int file)
{
    return fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* For file systems that make no file without a name: it has one between two calls, and no signal comes meanwhile. */
static int make_and_unlink(const char *folder)
{
    size_t room = strlen(folder) + 60;
    char *name = malloc(room);
    sigset_t all, before;
    int file = -1, error = name ? EEXIST : ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 0; error == EEXIST && i < 100; i++) {
        snprintf(name, room, "%s/.armtap-%ld-%u", folder, (long)getpid(), i);
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        error = file < 0 ? errno : 0;
    }
    if (error == 0)
        unlink(name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(name);
    errno = error;
    return file;
}

int file_open_nameless(const char *folder)
{
#ifdef O_TMPFILE
    int file = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
        return file;
#endif
    return make_and_unlink(folder);
}

const char *file_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder != '\0' ? folder : "/tmp";
}

void *file_memory(const char *folder, size_t length)
{
    int file = file_open_nameless(folder), error = file < 0 ? errno : posix_fallocate(file, 0, (off_t)length);
    void *memory = error == 0 ? mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (error == 0 && memory == MAP_FAILED)
        error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

void file_memory_free(void *memory, size_t length)
{
    munmap(memory, length);
}

size_t file_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (size_t)limit.rlim_cur : 256;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

ptrdiff_t file_write_some(int file, const void *bytes, size_t length)
{
    return write(file, bytes, length);
}

static int write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR && !interrupt_is_overdue())
            continue;
        if (written < 0)
            return errno;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int file_write_all(int file, const void *bytes, size_t length)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before);
    int error = write_all(file, bytes, length);
    sigaction(SIGPIPE, &before, NULL);
    return error;
}

/* ---- locks, and the disk ----------------------------------------------------------------------------------------- */

int file_lock(int file, bool is_shared)
{
    return flock(file, (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
}

int file_lock_waiting(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int outcome;
    do {
        outcome = fcntl(file, F_SETLKW, &whole);
    } while (outcome != 0 && errno == EINTR);
    return outcome;
}

void file_begin_sync(int file)
{
#ifdef __linux__
    (void)!syncfs(file);
#else
    (void)file;
#endif
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

bool file_wait(int file, int ms)
{
    struct pollfd poller = {.fd = file, .events = POLLIN};
    int outcome = poll(&poller, 1, ms);
    return outcome > 0 || (outcome < 0 && errno != EINTR);
}

int file_watch(const char *path)
{
#ifdef __linux__
    int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch >= 0 && inotify_add_watch(watch, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF) < 0) {
        close(watch);
        watch = -1;
    }
    return watch;
#else
    (void)path;
    return -1;
#endif
}

void file_watch_wait(int watch, int ms)
{
    char events[4096];
    struct pollfd poller = {.fd = watch, .events = POLLIN};
    if (poll(&poller, watch >= 0, ms) <= 0)
        return;
    while (read(watch, events, sizeof events) > 0)
        ;
}
