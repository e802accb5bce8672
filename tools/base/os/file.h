/* Files: what they are, and what is done with open ones. Others may rename and delete what is open here, and no child
 * inherits it. A function that returns -1 has set errno. */
#ifndef BASE_OS_FILE_H
#define BASE_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a file cannot be opened or replaced, on Windows: as long as another program has it open. */
#define FILE_IS_HELD ETXTBSY

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

enum file_nature { FILE_IS_ORDINARY, FILE_IS_FOLDER, FILE_IS_PIPE, FILE_IS_DEVICE, FILE_IS_LINK, FILE_IS_OTHER };

struct file_status {
    enum file_nature kind;
    uint64_t size;
    int64_t written, changed; /* its bytes, and anything of it: times in ns since the epoch */
    bool is_known;            /* whether the next two say which file it is: some file systems do not */
    uint64_t device, number;
    uint32_t owner, group, rights; /* of POSIX, else 0 */
};

/* Of that name, with links followed; of the link itself; of an open file. 0 or -1. */
int file_status(const char *path, struct file_status *status);
int file_status_of_link(const char *path, struct file_status *status);
int file_status_of_open(int file, struct file_status *status);
/* Whether both are certainly one file. A device of 0 may be any: of what was opened elsewhere it may not be known. */
static inline bool file_is_same(const struct file_status *one, const struct file_status *other)
{
    return one->is_known && other->is_known && one->number == other->number &&
           (one->device == other->device || one->device == 0 || other->device == 0);
}
/* Whether nothing shows that they are two. */
static inline bool file_may_be_same(const struct file_status *one, const struct file_status *other)
{
    return !one->is_known || !other->is_known || file_is_same(one, other);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* As open(), whose flags these are, with the rights that the user leaves to new files. A descriptor or -1. */
int file_open(const char *path, int flags);
/* Opens a pipe or device to be read: does not wait for a writer, but reading waits. "-": standard input. */
int file_open_stream(const char *path);
/* Standard output again: a pipe is written to without waiting, whatever other programs do with theirs. */
int file_open_output(void);
/* Another descriptor of an open file, above those of standard error. */
int file_copy(int file);
/* A file in that folder that has no name, or loses it with its descriptor: nothing can leave it behind. */
int file_open_nameless(const char *folder);
/* For such files, if nothing else is asked for. */
const char *file_temporary_folder(void);
/* Memory that is zeros and lies in such a file, so that it may be more than the machine has; a full disk is an error
 * here. NULL with errno. Not on Windows: libmatio alone needs it. */
void *file_memory(const char *folder, size_t length);
void file_memory_free(void *memory, size_t length);
/* How many descriptors the program may have; 256 if that is not known. */
size_t file_limit(void);

/* ---- open files -------------------------------------------------------------------------------------------------- */

/* As write(): EPIPE for every closed pipe. */
ptrdiff_t file_write_some(int file, const void *bytes, size_t length);
/* Writes all. A closed pipe is an error, not a signal that would end the program. 0, or an error number; part may be
 * written then. */
int file_write_all(int file, const void *bytes, size_t length);
/* Locks a file against those who ask by this function, as long as it is open; it can be read and written nevertheless.
 * 0 or -1, EWOULDBLOCK: somebody else has. Any number may share a lock. */
int file_lock(int file, bool is_shared);
/* The same for a file that many append to: waits until it is ours, apart from the locks above. */
int file_lock_waiting(int file);
/* Waits so many ms for bytes, or the end, of a pipe or device. Whether reading need not wait. */
bool file_wait(int file, int ms);
/* Has the disk take all that was written lately, to many files: to wait for each alone takes long. */
void file_begin_sync(int file);

/* To wait until a file changes: a descriptor to be closed; -1: only time tells. */
int file_watch(const char *path);
/* Returns once it may have changed, on a signal, or after so many ms. */
void file_watch_wait(int watch, int ms);

#endif
