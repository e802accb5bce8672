/* base/os/file and path: what a file is, and what two programs may do with one, on POSIX and on Windows. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "base/os/interrupt.h"
#include "base/os/names.h"
#include "base/os/path.h"

#ifdef _WIN32
#include <process.h>
#define NULL_DEVICE "nul"
#else
#define NULL_DEVICE "/dev/null"
#endif

#define FOLDER "test_file.tmp"
#define ONE FOLDER "/one"
#define OTHER FOLDER "/other"

static void put_file(const char *path, const char *text)
{
    int file = file_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    assert_true(file >= 0);
    assert_int_equal(file_write_all(file, text, strlen(text)), 0);
    assert_int_equal(close(file), 0);
}

static void expect_file(const char *path, const char *text)
{
    char got[100];
    int file = file_open(path, O_RDONLY);
    assert_true(file >= 0);
    ssize_t length = read(file, got, sizeof got);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(got, text, strlen(text));
    close(file);
}

static int begin(void **state)
{
    (void)state;
    return make_folder(FOLDER);
}

static int end(void **state)
{
    (void)state;
    return remove_folder(FOLDER);
}

/* ---- what a file is ---------------------------------------------------------------------------------------------- */

static void expect_kind(const char *path, enum file_nature kind)
{
    struct file_status status;
    assert_int_equal(file_status(path, &status), 0);
    assert_int_equal(status.kind, kind);
    assert_int_equal(file_status_of_link(path, &status), 0);
    assert_int_equal(status.kind, kind);
}

static void kinds(void **state)
{
    struct file_status status;
    int ends[2];
    (void)state;
    put_file(ONE, "");
    expect_kind(ONE, FILE_IS_ORDINARY);
    expect_kind(FOLDER, FILE_IS_FOLDER);
    expect_kind(FOLDER "/", FILE_IS_FOLDER);
    expect_kind(NULL_DEVICE, FILE_IS_DEVICE);
    assert_int_equal(file_status(OTHER, &status), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(file_status_of_open(-1, &status), -1);
    assert_int_equal(make_pipe(ends), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(file_status_of_open(ends[i], &status), 0);
        assert_int_equal(status.kind, FILE_IS_PIPE);
        close(ends[i]);
    }
}

static void which_file_it_is(void **state)
{
    struct file_status one, open, other, unknown = {.kind = FILE_IS_ORDINARY};
    (void)state;
    put_file(ONE, "x");
    put_file(OTHER, "x");
    int file = file_open(FOLDER "/./one", O_RDONLY);
    assert_int_equal(file_status(ONE, &one), 0);
    assert_int_equal(file_status(OTHER, &other), 0);
    assert_int_equal(file_status_of_open(file, &open), 0);
    close(file);
    assert_true(file_is_same(&one, &open) && file_may_be_same(&one, &open));
    assert_false(file_is_same(&one, &other) || file_may_be_same(&one, &other));
    assert_false(file_is_same(&unknown, &unknown) || file_is_same(&one, &unknown));
    assert_true(file_may_be_same(&unknown, &unknown) && file_may_be_same(&one, &unknown));
}

static void sizes_and_times(void **state)
{
    struct file_status before, after;
    struct stat known;
    (void)state;
    put_file(ONE, "12345");
    assert_int_equal(file_status(ONE, &before), 0);
    assert_int_equal(before.size, 5);
    assert_int_equal(stat(ONE, &known), 0);
    assert_int_equal(before.written / 1000000000, known.st_mtime);
    assert_true(before.changed - before.written < 2000000000 && before.written - before.changed < 2000000000);
    nanosleep(&(const struct timespec){.tv_nsec = 50000000}, NULL);
    put_file(ONE, "123");
    assert_int_equal(file_status(ONE, &after), 0);
    assert_int_equal(after.size, 3);
    assert_true(after.written > before.written && after.written - before.written < INT64_C(60000000000));
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void open_for_reading_while_others_rename_and_delete(void **state)
{
    char byte;
    (void)state;
    put_file(ONE, "a");
    int file = file_open(ONE, O_RDONLY), copy = file_copy(file);
    assert_true(file >= 0 && copy > STDERR_FILENO);
    assert_int_equal(path_replace(ONE, OTHER), 0);
    assert_int_equal(path_remove(OTHER), 0);
    assert_int_equal(read(file, &byte, 1), 1);
    assert_int_equal(byte, 'a');
    close(file);
    assert_int_equal(pread(copy, &byte, 1, 0), 1);
    close(copy);
    assert_int_equal(count_names(FOLDER), 0);
}

static void what_must_be_new_or_is_appended(void **state)
{
    (void)state;
    int file = path_make(ONE, NULL);
    assert_true(file >= 0);
    assert_int_equal(path_make(ONE, NULL), -1);
    assert_int_equal(errno, EEXIST);
    int second = file_open(ONE, O_WRONLY | O_APPEND);
    assert_int_equal(file_write_all(file, "1\n", 2), 0);
    assert_int_equal(file_write_all(second, "2\x1a", 2), 0);
    assert_int_equal(file_write_all(file, "3", 1), 0);
    assert_int_equal(ftruncate(file, 4), 0);
    assert_int_equal(file_write_all(second, "4", 1), 0);
    close(file);
    close(second);
    expect_file(ONE, "1\n2\x1a"
                     "4");
    assert_int_equal(file_open(FOLDER, O_WRONLY), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(file_open(FOLDER "/none/x", O_WRONLY | O_CREAT), -1);
    assert_int_equal(errno, ENOENT);
}

static void nameless_files_leave_no_name(void **state)
{
    int files[3];
    char byte;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        files[i] = file_open_nameless(FOLDER);
        assert_true(files[i] >= 0);
        assert_int_equal(pwrite(files[i], &(char){(char)('a' + i)}, 1, 1000), 1);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pread(files[i], &byte, 1, 1000), 1);
        assert_int_equal(byte, 'a' + (char)i);
        close(files[i]);
    }
    assert_int_equal(count_names(FOLDER), 0);
    assert_int_equal(file_open_nameless(FOLDER "/none"), -1);
    assert_int_equal(errno, ENOENT);
}

#ifndef _WIN32
static void memory_of_a_file(void **state)
{
    enum { LENGTH = 3 << 20 };
    (void)state;
    char *memory = file_memory(FOLDER, LENGTH);
    assert_non_null(memory);
    assert_int_equal(memory[LENGTH - 1], 0);
    memset(memory, 1, LENGTH);
    file_memory_free(memory, LENGTH);
    assert_int_equal(count_names(FOLDER), 0);
}
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void errors_in_words(void **state)
{
    char text[100];
    (void)state;
    assert_string_equal(strerror(ECONNREFUSED), "Connection refused");
    assert_int_equal(strerror_r(ECONNREFUSED, text, sizeof text), 0);
    assert_string_equal(text, "Connection refused");
}

static void names_that_are_not_text(void **state)
{
    (void)state;
    int file = file_open(FOLDER "/\xff\xfe", O_WRONLY | O_CREAT | O_EXCL);
    assert_int_equal(file < 0, ON_WINDOWS);
    if (ON_WINDOWS)
        assert_int_equal(errno, EILSEQ);
    else
        close(file);
}

/* ---- locks ------------------------------------------------------------------------------------------------------- */

static void a_lock_is_against_those_who_ask(void **state)
{
    (void)state;
    put_file(ONE, "abc");
    int own = file_open(ONE, O_RDWR), other = file_open(ONE, O_RDWR);
    assert_int_equal(file_lock(own, false), 0);
    for (int is_shared = 0; is_shared <= 1; is_shared++) {
        assert_int_equal(file_lock(other, is_shared), -1);
        assert_int_equal(errno, EWOULDBLOCK);
    }
    assert_int_equal(file_lock_waiting(other), 0);
    assert_int_equal(file_write_all(other, "d", 1), 0);
    expect_file(ONE, "dbc");
    close(own);
    assert_int_equal(file_lock(other, true), 0);
    own = file_open(ONE, O_RDONLY);
    assert_int_equal(file_lock(own, true), 0);
    assert_int_equal(file_lock(own, false), -1);
    close(own);
    close(other);
}

/* ---- pipes ------------------------------------------------------------------------------------------------------- */

static void waiting_for_a_pipe(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(make_pipe(ends), 0);
    assert_false(file_wait(ends[0], 0));
    assert_false(file_wait(ends[0], 50));
    assert_int_equal(file_write_all(ends[1], "x", 1), 0);
    assert_true(file_wait(ends[0], 0));
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_false(file_wait(ends[0], 0));
    close(ends[1]);
    assert_true(file_wait(ends[0], 0));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void a_closed_pipe_is_an_error(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(make_pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(file_write_all(ends[1], "x", 1), EPIPE);
    interrupt_ignore_closed_pipes();
    assert_int_equal(file_write_some(ends[1], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    close(ends[1]);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void expect_parts(const char *path, const char *folder, const char *base, const char *behind_root)
{
    char *found = path_folder(path);
    assert_string_equal(found, folder);
    assert_string_equal(path_base(path), base);
    assert_string_equal(path_behind_root(path), behind_root);
    free(found);
}

static void parts_of_a_name(void **state)
{
    (void)state;
    expect_parts("x", ".", "x", "x");
    expect_parts("", ".", "", "");
    expect_parts("/x", "/", "x", "x");
    expect_parts("a/x.csv", "a", "x.csv", "a/x.csv");
    expect_parts("/a/b/", "/a/b", "", "a/b/");
    assert_true(path_is_separator('/') && !path_is_separator('\0'));
    assert_int_equal(path_is_separator('\\'), ON_WINDOWS);
    if (!ON_WINDOWS) {
        expect_parts("a\\C:x", ".", "a\\C:x", "a\\C:x");
        return;
    }
    expect_parts("a\\b/x", "a\\b", "x", "a\\b/x");
    expect_parts("C:\\x", "C:\\", "x", "x");
    expect_parts("C:\\a\\x", "C:\\a", "x", "a\\x");
    expect_parts("c:x", "c:.", "x", "x");
    expect_parts("\\\\server\\share\\x", "\\\\server\\share\\", "x", "x");
    expect_parts("\\\\server\\share\\a/x", "\\\\server\\share\\a", "x", "a/x");
    expect_parts("\\\\?\\C:\\a\\x", "\\\\?\\C:\\a", "x", "a\\x");
}

static void expect_place(const char *name, enum place_kind wanted)
{
    struct file_status status;
    char *path = NULL;
    assert_int_equal(path_find(name, &path, &status), wanted);
    assert_string_equal(path, name);
    free(path);
}

static void where_a_name_leads(void **state)
{
    struct file_status status;
    char *path;
    (void)state;
    put_file(ONE, "");
    expect_place(ONE, PLACE_FILE);
    expect_place(OTHER, PLACE_FREE);
    expect_place(FOLDER, PLACE_SOMETHING);
    expect_place(NULL_DEVICE, PLACE_SOMETHING);
    if (ON_WINDOWS) {
        expect_place("CON", PLACE_SOMETHING);
        expect_place("com1", PLACE_SOMETHING);
        expect_place("control.csv", PLACE_FREE);
        expect_place("\\\\.\\pipe\\test_file", PLACE_SOMETHING);
        int file = file_open("NUL", O_WRONLY);
        assert_int_equal(file_write_all(file, "x", 1), 0);
        close(file);
    } else {
        assert_int_equal(path_find(ONE "/x", &path, &status), PLACE_FAILED);
        assert_int_equal(errno, ENOTDIR);
        assert_int_equal(path_descriptor("/dev/fd/17"), 17);
        assert_int_equal(path_descriptor("/dev/stdout"), STDOUT_FILENO);
    }
    assert_int_equal(path_descriptor("17"), -1);
}

static void a_file_is_replaced_at_one_stroke(void **state)
{
    struct file_status status;
    (void)state;
    put_file(ONE, "old");
    int reader = file_open(ONE, O_RDONLY), file = path_make(OTHER, NULL);
    assert_int_equal(file_lock(file, false), 0);
    assert_int_equal(file_write_all(file, "new", 3), 0);
    assert_int_equal(file_status(ONE, &status), 0);
    assert_int_equal(path_check_replaced(ONE, &status), 0);
    close(reader);
    assert_int_equal(path_replace(OTHER, ONE), 0);
    expect_file(ONE, "new");
    assert_int_equal(count_names(FOLDER), 1);
    close(file);
    assert_int_equal(path_sync_folder(FOLDER), 0);
    assert_int_equal(path_replace(OTHER, ONE), -1);
    assert_int_equal(errno, ENOENT);
}

static void a_name_that_is_taken_stays(void **state)
{
    (void)state;
    put_file(ONE, "1");
    put_file(OTHER, "2");
    assert_int_equal(path_rename(ONE, OTHER), -1);
    assert_int_equal(errno, EEXIST);
    expect_file(ONE, "1");
    expect_file(OTHER, "2");
    assert_int_equal(path_remove(OTHER), 0);
    assert_int_equal(path_rename(ONE, OTHER), 0);
    expect_file(OTHER, "1");
    assert_int_equal(count_names(FOLDER), 1);
}

/* As a program such as Excel holds a file, by open() of the C library: Windows refuses what POSIX allows. */
static void a_file_that_another_program_holds(void **state)
{
    struct file_status status;
    (void)state;
    put_file(ONE, "old");
    put_file(OTHER, "new");
    assert_int_equal(file_status(ONE, &status), 0);
    int held = open(ONE, O_RDONLY);
    assert_true(held >= 0);
    assert_int_equal(path_check_replaced(ONE, &status), ON_WINDOWS ? FILE_IS_HELD : 0);
    int outcome = path_replace(OTHER, ONE);
    int error = errno;
    close(held);
    assert_int_equal(outcome, ON_WINDOWS ? -1 : 0);
    if (ON_WINDOWS)
        assert_int_equal(error, FILE_IS_HELD);
    expect_file(ONE, ON_WINDOWS ? "old" : "new");
}

static void names_of_any_length(void **state)
{
    char folder[600], path[900], other[900];
    struct file_status status;
    (void)state;
    snprintf(folder, sizeof folder, FOLDER "/%0120d", 1);
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(folder + strlen(folder), sizeof folder - strlen(folder), "/%0120d", 2);
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/%0120d", folder, 3);
    snprintf(other, sizeof other, "%s/../%0200d", folder, 4);
    put_file(path, "long");
    assert_int_equal(path_replace(path, other), 0);
    expect_file(other, "long");
    assert_int_equal(file_status(other, &status), 0);
    assert_int_equal(status.size, 4);
    assert_int_equal(path_remove(other), 0);
    assert_int_equal(file_status(other, &status), -1);
    assert_int_equal(rmdir(folder), 0);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(rmdir(folder), 0);
}

/* What a name is outside: the code page of the program is that of its names. */
static void names_in_any_language(void **state)
{
    (void)state;
    put_file(FOLDER "/Zelle größer", "x");
    expect_file(FOLDER "/Zelle größer", "x");
    assert_int_equal(path_remove(FOLDER "/Zelle größer"), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(kinds),
        CASE(which_file_it_is),
        CASE(sizes_and_times),
        CASE(open_for_reading_while_others_rename_and_delete),
        CASE(what_must_be_new_or_is_appended),
        CASE(nameless_files_leave_no_name),
#ifndef _WIN32
        CASE(memory_of_a_file),
#endif
        CASE(errors_in_words),
        CASE(names_that_are_not_text),
        CASE(a_lock_is_against_those_who_ask),
        CASE(waiting_for_a_pipe),
        CASE(a_closed_pipe_is_an_error),
        CASE(parts_of_a_name),
        CASE(where_a_name_leads),
        CASE(a_file_is_replaced_at_one_stroke),
        CASE(a_name_that_is_taken_stays),
        CASE(a_file_that_another_program_holds),
        CASE(names_of_any_length),
        CASE(names_in_any_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
