#define _GNU_SOURCE
/* POSIX functions that some systems get from us (base/os/names.h): what they say here is what the C library of Linux
 * says. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"

#define FILE_NAME "test_names.bin"
#define FOLDER "test_names.d"

static void patterns_fit(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool fits;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"*", "", true},
        {"*", "actual_q", true},
        {"actual_*", "actual_q", true},
        {"actual_*", "target_q", false},
        {"*_q", "actual_q_q", true},
        {"*_q", "actual_qd", false},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-c-b", false},
        {"**a", "ba", true},
        {"?", "a", true},
        {"?", "", false},
        {"q?", "q", false},
        {"*/b", "a/b", true},
        {"[a-c]1", "b1", true},
        {"[a-c]1", "d1", false},
        {"[!a-c]1", "d1", true},
        {"[^a-c]1", "b1", false},
        {"[]]", "]", true},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[\\]]", "]", true},
        {"x[", "x[", true},
        {"x[a", "x[a", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\a", "a", true},
        {"q\\", "q", false},
        {"q\\[0]", "q[0]", true},
        {"Q", "q", false},
        {".*", ".a", true},
        {"*", ".a", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((fnmatch(rows[i].pattern, rows[i].name, 0) == 0) != rows[i].fits)
            fail_msg("%s: %s", rows[i].pattern, rows[i].name);
}

static void texts(void **state)
{
    char *copy = strndup("robot", 3), *whole = strndup("robot", 6);
    const char *text = "Protective STOP";
    (void)state;
    assert_string_equal(copy, "rob");
    assert_string_equal(whole, "robot");
    free(copy);
    free(whole);
    assert_ptr_equal(strcasestr(text, "stop"), text + 11);
    assert_ptr_equal(strcasestr(text, ""), text);
    assert_null(strcasestr(text, "stops"));
}

static void places_in_files(void **state)
{
    char bytes[8] = "";
    int file = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, "0123456789", 10), 10);
    assert_int_equal(lseek(file, 2, SEEK_SET), 2);
    assert_int_equal(pread(file, bytes, 4, 5), 4);
    assert_memory_equal(bytes, "5678", 4);
    assert_int_equal(pread(file, bytes, 4, 8), 2);
    assert_int_equal(pread(file, bytes, 4, 10), 0);
    assert_int_equal(pread(file, bytes, 4, 99), 0);
    assert_int_equal(pwrite(file, "ab", 2, 9), 2);
    assert_int_equal(read(file, bytes, 8), 8);
    assert_memory_equal(bytes, "2345678a", 8);
    assert_int_equal(pread(file, bytes, 4, -1), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(fsync(file), 0);
    assert_int_equal(fdatasync(file), 0);
    assert_int_equal(isatty(file), 0);
    close(file);
    assert_int_equal(pread(file, bytes, 1, 0), -1);
    assert_int_equal(errno, EBADF);
    remove(FILE_NAME);
}

static void make(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
}

static void names_are_found_in_long_folders(void)
{
    char folder[600], name[700];
    glob_t found;
    snprintf(folder, sizeof folder, FOLDER "/%0110d", 1);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(folder, sizeof folder, FOLDER "/%0110d/%0120d", 1, 2);
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(name, sizeof name, "%s/one.pcap", folder);
    close(open(name, O_RDWR | O_CREAT, 0700));
    snprintf(name, sizeof name, "%s/*.pcap", folder);
    assert_int_equal(glob(name, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    FILE *file = fopen(found.gl_pathv[0], "rb");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(access(found.gl_pathv[0], F_OK), 0);
    assert_int_equal(path_remove(found.gl_pathv[0]), 0);
    assert_int_equal(access(found.gl_pathv[0], F_OK), -1);
    globfree(&found);
    assert_int_equal(rmdir(folder), 0);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(rmdir(folder), 0);
}

static void names_are_found(void **state)
{
    static const char *const names[] = {FOLDER "/a/one.pcap", FOLDER "/a/two.pcap", FOLDER "/a/two.csv",
                                        FOLDER "/b/.pcap"};
    glob_t found;
    (void)state;
    assert_int_equal(mkdir(FOLDER, 0700), 0);
    assert_int_equal(mkdir(FOLDER "/a", 0700), 0);
    assert_int_equal(mkdir(FOLDER "/b", 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        make(names[i]);
    assert_int_equal(glob(FOLDER "/*/*.pcap", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    assert_string_equal(found.gl_pathv[0], names[0]);
    assert_string_equal(found.gl_pathv[1], names[1]);
    globfree(&found);
    assert_int_equal(glob(FOLDER "/a/t?o.[c]sv", GLOB_NOSORT, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_string_equal(found.gl_pathv[0], names[2]);
    globfree(&found);
    assert_int_equal(glob(FOLDER "/a/t\\wo.csv", 0, NULL, &found), 0);
    assert_string_equal(found.gl_pathv[0], names[2]);
    globfree(&found);
    assert_int_equal(glob(FOLDER "/*/*.mcap", 0, NULL, &found), GLOB_NOMATCH);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    rmdir(FOLDER "/a");
    rmdir(FOLDER "/b");
    names_are_found_in_long_folders();
    assert_int_equal(rmdir(FOLDER), 0);
    assert_int_equal(access(FOLDER, F_OK), -1);
}

static int by_text(const void *one, const void *other)
{
    return strcmp(one, other);
}

static void trees_are_freed(void **state)
{
    enum { COUNT = 1000 };
    void *root = NULL;
    (void)state;
    for (unsigned i = 0; i < COUNT; i++) { /* under -fsanitize=address what is left is told */
        char key[20];
        snprintf(key, sizeof key, "%u", i * 7919 % COUNT);
        char *copy = strdup(key);
        assert_ptr_equal(*(char **)tsearch(copy, &root, by_text), copy);
    }
    tdestroy(root, free);
}

static void dates(void **state)
{
    static const struct {
        time_t time;
        const char *text; /* of date -u -d @TIME '+...' */
    } rows[] = {
        {0, "70 01/01/70|1970-01-01|00:00|00:00:00|Jan| 1|4|01 1970 70|19"},
        {1704067199, "23 12/31/23|2023-12-31|23:59|23:59:59|Dec|31|7|52 2023 23|20"},
        {1735603200, "24 12/31/24|2024-12-31|00:00|00:00:00|Dec|31|2|01 2025 25|20"},
        {1609459200, "21 01/01/21|2021-01-01|00:00|00:00:00|Jan| 1|5|53 2020 20|20"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tm utc;
        char text[100];
        assert_non_null(gmtime_r(&rows[i].time, &utc));
        assert_true(strftime(text, sizeof text, "%y %D|%F|%R|%T|%h|%e|%u|%V %G %g|%C", &utc) > 0);
        assert_string_equal(text, rows[i].text);
    }
}

static void zones(void **state)
{
    static const struct {
        const char *zone;
        time_t time;
        const char *text; /* of TZ=ZONE date -d @TIME '+%F %T %a %j' */
    } rows[] = {
        {"UTC", 0, "1970-01-01 00:00:00 Thu 001"},
        {"EST5", 1704067199, "2023-12-31 18:59:59 Sun 365"},
        {"EST5", 3600, "1969-12-31 20:00:00 Wed 365"},
        {"EST5", -86400 * 366, "1968-12-30 19:00:00 Mon 365"},
        {"JST-9", -9000000000, "1684-10-19 17:00:00 Thu 293"},
        {"IST-5:30", 951782400, "2000-02-29 05:30:00 Tue 060"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tm shown;
        char text[100];
        assert_int_equal(setenv("TZ", rows[i].zone, 1), 0);
        tzset();
        assert_null(zone_ignored());
        assert_non_null(localtime_r(&rows[i].time, &shown));
        assert_true(strftime(text, sizeof text, "%F %T %a %j", &shown) > 0);
        assert_string_equal(text, rows[i].text);
    }
#ifdef _WIN32
    static const char *const strangers[] = {"Japan", "GB", "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3"};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        assert_int_equal(setenv("TZ", strangers[i], 1), 0);
        assert_string_equal(zone_ignored(), strangers[i]);
    }
#endif
}

static void the_rest(void **state)
{
    unsigned char one[16] = {0}, other[16] = {0};
    (void)state;
    assert_int_equal(setenv("ARMTAP_TEST", "a", 1), 0);
    assert_int_equal(setenv("ARMTAP_TEST", "b", 0), 0);
    assert_string_equal(getenv("ARMTAP_TEST"), "a");
    assert_int_equal(unsetenv("ARMTAP_TEST"), 0);
    assert_null(getenv("ARMTAP_TEST"));
    assert_int_equal(getrandom(one, sizeof one, 0), sizeof one);
    assert_int_equal(getrandom(other, sizeof other, 0), sizeof other);
    assert_memory_not_equal(one, other, sizeof one);
    assert_true(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_fit),    cmocka_unit_test(texts),           cmocka_unit_test(places_in_files),
        cmocka_unit_test(names_are_found), cmocka_unit_test(trees_are_freed), cmocka_unit_test(dates),
        cmocka_unit_test(zones),           cmocka_unit_test(the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
