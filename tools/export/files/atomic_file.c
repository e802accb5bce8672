#define _POSIX_C_SOURCE 200809L
#include "atomic_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "base/os/console.h"
#include "base/os/privileges.h"

/* Descriptors that may stay open, as a share of those that the system allows. */
enum { OPEN_MAX_FILES = 256, OPEN_SHARE = 4 };
/* Outputs that are brought to the disk together. */
enum { MANY = 64 };

struct sink_file {
    struct sink_run *run;
    char *name;                     /* from the user */
    char *place;                    /* final name, with symbolic links followed; NULL: the sink is written directly */
    char *beside;                   /* OUT.partial; NULL: the same */
    struct file_status status;      /* which file that is */
    int file;                       /* of a sink that is written directly, or stays open; else -1 */
    uint64_t length;                /* bytes written */
    struct sink_file *next, **link; /* of the pending ones */
};

/* Files that must not stay if a signal ends the program. Global because a handler takes no user pointer. */
static struct sink_file *pending;

/* Advice for an error number. */
static const char *remedy(int error)
{
    static const struct {
        int error;
        const char *remedy;
    } remedies[] = {
        {EINTR, "its reader has stopped reading"},
        {ENOSPC, "free some space, or name another place with -o"},
        {EDQUOT, "free some space, or name another place with -o"},
        {EFBIG, "use a file system that holds larger files, or --split or --every"},
        {ENOENT, "create the directory first, or name another one with -o"},
        {ENOTDIR, "name a place inside a directory with -o"},
        {EISDIR, "name a file with -o, not a directory"},
        {EACCES, "name a place that you may write to with -o"},
        {EPERM, "name a place that you may write to with -o"},
        {EROFS, "name a place that can be written to with -o"},
        {ENAMETOOLONG, "name a shorter place with -o"},
        {FILE_IS_HELD, "close it there, as in Excel, or name another place with -o"},
    };
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].error == error)
            return remedies[i].remedy;
    return "name another place with -o";
}

static enum sink_outcome report(const char *name, const char *what, int error)
{
    const char *user = error == EACCES || error == EPERM ? privileges_given_up_for() : NULL;
    if (user)
        message_error(
            "%s: %s: %s; armtap dropped root once the interface was open: name a place that %s may write to with -o",
            name, what, strerror(error), user);
    else
        message_error("%s: %s: %s; %s", name, what, strerror(error), remedy(error));
    return SINK_FAILED;
}

static enum sink_outcome failed(const struct sink_file *sink, const char *what, int error)
{
    return report(strcmp(sink->name, "-") == 0 ? "standard output" : sink->name, what, error);
}

int sink_file_report(const char *name, int error)
{
    report(name, "cannot be written", error);
    return -1;
}

static void sink_free(struct sink_file *sink)
{
    if (sink->file > STDERR_FILENO)
        close(sink->file);
    if (sink->beside && sink->file >= 0)
        sink->run->open--;
    free(sink->name);
    free(sink->place);
    free(sink->beside);
    free(sink);
}

static struct sink_file *refuse(struct sink_file *sink, int error)
{
    failed(sink, "cannot be written", error);
    sink_free(sink);
    return NULL;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static bool stays(const struct sink_file *sink)
{
    return sink->run->is_live && sink->run->is_readable && sink->length > 0;
}

/* In a signal handler. */
static void remove_pending(void)
{
    for (const struct sink_file *sink = pending; sink; sink = sink->next)
        if (!stays(sink))
            path_remove(sink->beside);
}

static void begin_pending(struct sink_file *sink)
{
    sink->next = pending;
    sink->link = &pending;
    if (pending)
        pending->link = &sink->next;
    pending = sink;
}

static void end_pending(struct sink_file *sink)
{
    if (!sink->link)
        return;
    *sink->link = sink->next;
    if (sink->next)
        sink->next->link = sink->link;
    sink->link = NULL;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

static struct sink_file *refuse_input(struct sink_file *sink)
{
    const char *name = strcmp(sink->name, "-") == 0 ? "standard output" : sink->name;
    message_error("%s: this file is also an input; name another one with -o", name);
    sink_free(sink);
    return NULL;
}

static void warn_of_owner(const struct sink_file *sink, const struct file_status *replaced)
{
    char owner[PATH_OWNER_MAX];
    if (path_is_own(replaced) || sink->run->others++ > 0)
        return;
    path_owner(replaced, owner);
    message_warning("%s: it belongs to %s, and will be replaced by a file of yours", sink->name, owner);
}

static void tell_what_was_there(const struct sink_file *sink, const struct partial *partial)
{
    struct sink_run *run = sink->run;
    if (partial->has_left && run->left++ == 0)
        message_warning("%s: left by a run that was killed, %" PRIu64 " bytes; %s%s%s", partial->path,
                        partial->left.size, partial->kept ? "it is " : "it was not readable and has been deleted",
                        partial->kept ? partial->kept : "",
                        !partial->kept     ? ""
                        : run->is_readable ? " now: use it or delete it"
                                           : " now: delete it, unless it is yours");
    if (partial->has_neighbour && run->neighbours++ == 0)
        message_warning("%s: another armtap also writes this output, or a file there must stay: until complete, this "
                        "output is %s; the run that ends last replaces the other's output",
                        sink->name, partial->path);
}

static size_t open_most(void)
{
    size_t share = file_limit() / OPEN_SHARE;
    return share < OPEN_MAX_FILES ? share : OPEN_MAX_FILES;
}

/* Makes OUT.partial. 0, or an error number. */
static int make_beside(struct sink_file *sink, const struct file_status *replaced)
{
    const struct sink_run *run = sink->run;
    struct partial partial = {.inputs = run->inputs, .is_hidden = run->is_hidden, .is_readable = run->is_readable};
    interrupt_hold_back();
    int error = partial_make(sink->place, replaced, &partial);
    if (error == 0) {
        sink->beside = partial.path;
        sink->status = partial.status;
        sink->file = partial.file;
        sink->run->open++;
        begin_pending(sink);
    }
    interrupt_let();
    if (error == 0)
        tell_what_was_there(sink, &partial);
    if (error == 0 && sink->run->open > open_most()) {
        close(sink->file);
        sink->file = -1;
        sink->run->open--;
    }
    free(partial.kept);
    return error;
}

static struct sink_file *open_ordinary(struct sink_file *sink, char *place, const struct file_status *replaced)
{
    int error = replaced ? path_check_replaced(place, replaced) : 0;
    sink->place = place;
    if (error == 0 && replaced)
        warn_of_owner(sink, replaced);
    interrupt_guard(remove_pending);
    if (error == 0)
        error = make_beside(sink, replaced);
    return error != 0 ? refuse(sink, error) : sink;
}

bool sink_file_is_terminal(const char *name)
{
    struct file_status status;
    if (strcmp(name, "-") == 0)
        return pager_is_shown(STDOUT_FILENO);
    if (file_status(name, &status) != 0 || status.kind != FILE_IS_DEVICE)
        return false;
    int file = file_open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK);
    bool is_terminal = file >= 0 && isatty(file);
    if (file >= 0)
        close(file);
    return is_terminal;
}

/* Writes to an inherited descriptor at its current offset, which the parent process shares. */
static struct sink_file *open_given(struct sink_file *sink, int descriptor)
{
    struct file_status status;
    if (file_status_of_open(descriptor, &status) != 0)
        return refuse(sink, errno);
    if (inputs_have(sink->run->inputs, &status))
        return refuse_input(sink);
    sink->file = descriptor == STDOUT_FILENO ? STDOUT_FILENO : file_copy(descriptor);
    return sink->file < 0 ? refuse(sink, errno) : sink;
}

static struct sink_file *open_device(struct sink_file *sink, const struct file_status *status)
{
    if (status->kind == FILE_IS_FOLDER)
        return refuse(sink, EISDIR);
    sink->file = file_open(sink->name, O_WRONLY | O_NOCTTY);
    return sink->file < 0 ? refuse(sink, errno) : sink;
}

static bool is_standard_output(const struct file_status *status)
{
    struct file_status output;
    return file_status_of_open(STDOUT_FILENO, &output) == 0 && file_is_same(&output, status);
}

static struct sink_file *open_named(struct sink_file *sink)
{
    struct file_status status;
    char *place = NULL;
    int descriptor = path_descriptor(sink->name);
    if (descriptor >= 0)
        return open_given(sink, descriptor);
    enum place_kind kind = path_find(sink->name, &place, &status);
    if (kind == PLACE_FREE ||
        (kind == PLACE_FILE && !is_standard_output(&status) && !inputs_have(sink->run->inputs, &status)))
        return open_ordinary(sink, place, kind == PLACE_FILE ? &status : NULL);
    int error = errno;
    free(place);
    if (kind == PLACE_FAILED)
        return refuse(sink, error);
    if (kind == PLACE_SOMETHING)
        return open_device(sink, &status);
    return inputs_have(sink->run->inputs, &status) ? refuse_input(sink) : open_given(sink, STDOUT_FILENO);
}

struct sink_file *sink_file_open(const char *name, struct sink_run *run)
{
    struct sink_file *sink = calloc(1, sizeof *sink);
    if (!sink || !(sink->name = strdup(name))) {
        free(sink);
        message_no_memory();
        return NULL;
    }
    sink->run = run;
    sink->file = -1;
    return strcmp(name, "-") == 0 ? open_given(sink, STDOUT_FILENO) : open_named(sink);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A descriptor of the partial file, or -1 with errno. */
static int open_beside(const struct sink_file *sink)
{
    return sink->file >= 0 ? sink->file : partial_open(sink->beside, &sink->status);
}

/* 0, or an error number. */
static int close_beside(const struct sink_file *sink, int file)
{
    return file != sink->file && close(file) != 0 ? errno : 0;
}

/* A row that is not whole is taken back. */
static int write_beside(struct sink_file *sink, const char *bytes, size_t length)
{
    int file = open_beside(sink);
    if (file < 0)
        return errno;
    int error = file_write_all(file, bytes, length);
    if (error != 0)
        (void)!ftruncate(file, (off_t)sink->length);
    int closed = close_beside(sink, file);
    return error != 0 ? error : closed;
}

enum sink_outcome sink_file_write(struct sink_file *sink, const char *bytes, size_t length)
{
    if (length == 0)
        return SINK_OK;
    int error = sink->beside ? write_beside(sink, bytes, length) : file_write_all(sink->file, bytes, length);
    if (error == 0)
        sink->length += length;
    if (error == EPIPE && !sink->beside)
        return SINK_CLOSED;
    return error == 0 ? SINK_OK : failed(sink, "cannot be written", error);
}

/* ---- completing -------------------------------------------------------------------------------------------------- */

static enum sink_outcome sync_file(const struct sink_file *sink)
{
    if (!sink->beside)
        return SINK_OK;
    int file = open_beside(sink), error = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0) {
        int closed = close_beside(sink, file);
        error = error != 0 ? error : closed;
    }
    return error == 0 ? SINK_OK : failed(sink, "cannot be written", error);
}

/* The part of a path before the name, "" if it has none. */
static size_t folder_length(const char *path)
{
    return (size_t)(path_base(path) - path);
}

static int compare_folders(const void *one, const void *other)
{
    const char *a = *(const char *const *)one, *b = *(const char *const *)other;
    size_t length = folder_length(a), others = folder_length(b);
    int order = memcmp(a, b, length < others ? length : others);
    return order != 0 ? order : (length > others) - (length < others);
}

static int sync_folder(const char *path)
{
    char *folder = path_folder(path);
    int error = !folder ? ENOMEM : path_sync_folder(folder) != 0 ? errno : 0;
    free(folder);
    return error;
}

/* Each folder once; the places are sorted by folder for that. */
static enum sink_outcome sync_folders(const char **places, size_t count)
{
    enum sink_outcome outcome = SINK_OK;
    qsort(places, count, sizeof *places, compare_folders);
    for (size_t i = 0; i < count; i++) {
        int error = i > 0 && compare_folders(&places[i - 1], &places[i]) == 0 ? 0 : sync_folder(places[i]);
        if (error != 0)
            outcome = report(places[i], "its folder cannot be written", error);
    }
    return outcome;
}

/* Gives a file its name. */
static enum sink_outcome place_file(struct sink_file *sink)
{
    int error = 0;
    if (!sink->beside)
        return SINK_OK;
    if (!partial_is_there(sink->beside, &sink->status))
        error = ESTALE;
    else if (path_replace(sink->beside, sink->place) != 0)
        error = errno;
    if (error == 0)
        end_pending(sink);
    return error == 0 ? SINK_OK : failed(sink, "cannot be renamed to it", error);
}

static enum sink_outcome place_files(struct sink_file *const *sinks, size_t count)
{
    enum sink_outcome outcome = SINK_OK;
    interrupt_hold_back();
    for (size_t i = 0; i < count; i++) {
        enum sink_outcome placed = place_file(sinks[i]);
        outcome = outcome == SINK_OK ? placed : outcome;
    }
    interrupt_let();
    return outcome;
}

static void tell_of_further_ones(const struct sink_run *run)
{
    if (run->others > 1)
        message_warning("%zu replaced files belonged to other users", run->others);
    if (run->left > 1)
        message_warning("%zu such files had been left by runs that were killed", run->left);
}

/* Has the kernel write many files at once: to wait for each alone takes long. That each is written is asked afterwards.
 */
static void begin_sync(const struct sink_file *sink)
{
    int file = sink->beside ? open_beside(sink) : -1;
    if (file < 0)
        return;
    file_begin_sync(file);
    close_beside(sink, file);
}

enum sink_outcome sink_files_commit(struct sink_file *const *sinks, size_t count)
{
    enum sink_outcome outcome = SINK_OK;
    const char **places = calloc(count + 1, sizeof *places);
    size_t placed = 0;
    if (!places) {
        message_no_memory();
        outcome = SINK_FAILED;
    }
    if (count > MANY)
        begin_sync(sinks[0]);
    for (size_t i = 0; i < count && outcome == SINK_OK; i++)
        outcome = sync_file(sinks[i]);
    if (outcome == SINK_OK)
        outcome = place_files(sinks, count);
    for (size_t i = 0; i < count; i++)
        if (sinks[i]->beside && !sinks[i]->link)
            places[placed++] = sinks[i]->place;
    if (placed > 0 && sync_folders(places, placed) != SINK_OK)
        outcome = SINK_FAILED;
    if (count > 0)
        tell_of_further_ones(sinks[0]->run);
    for (size_t i = 0; i < count; i++)
        sink_file_discard(sinks[i]);
    free(places);
    return outcome;
}

enum sink_outcome sink_file_commit(struct sink_file *sink)
{
    return sink_files_commit(&sink, 1);
}

enum sink_outcome sink_file_put(const char *name, const struct inputs *inputs, const char *bytes, size_t length)
{
    struct sink_run run = {.inputs = inputs};
    struct sink_file *sink = sink_file_open(name, &run);
    enum sink_outcome outcome = sink ? sink_file_write(sink, bytes, length) : SINK_FAILED;
    if (outcome == SINK_OK)
        return sink_file_commit(sink);
    sink_file_discard(sink);
    return outcome;
}

void sink_file_discard(struct sink_file *sink)
{
    if (!sink)
        return;
    if (sink->link && stays(sink))
        message_error("%s: not complete; the part written so far is in %s", sink->name, sink->beside);
    else if (sink->link && partial_is_there(sink->beside, &sink->status))
        path_remove(sink->beside);
    if (sink->link) { /* what cleans up may be another thread */
        interrupt_hold_back();
        end_pending(sink);
        interrupt_let();
    }
    sink_free(sink);
}

const char *sink_file_path(const struct sink_file *sink)
{
    return sink->beside;
}

const char *sink_file_name(const struct sink_file *sink)
{
    return sink->name;
}
