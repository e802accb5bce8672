/* One capture in every file format, and split into several files: the program prints the same. */
#define _POSIX_C_SOURCE 200809L
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const samples[] = {"rtde-v2.pcapng.gz", "cb3-1060.pcap.gz", "rtde-v1.pcap"};
enum { SAMPLES = sizeof samples / sizeof samples[0], FILES = 3 };

static struct dialogue dialogues[SAMPLES];
static char folder[64];
static char names[FILES][128];

static int set_up(void **state)
{
    const char *source = getenv("srcdir");
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        char name[512];
        assert_in_range(snprintf(name, sizeof name, "%s/captures/%s", source ? source : ".", samples[i]), 1, 511);
        dialogue_read(&dialogues[i], name, 0);
    }
    snprintf(folder, sizeof folder, "forms-%ld.tmp", (long)getpid());
    for (int i = 0; i < FILES; i++)
        snprintf(names[i], sizeof names[i], "%s%d", folder, i);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        dialogue_free(&dialogues[i]);
    for (int i = 0; i < FILES; i++)
        remove(names[i]);
    return 0;
}

/* ---- the program ---- */

static int run(const char *arguments, struct bytes *output)
{
    char command[1024], chunk[16384];
    size_t got;
    const char *program = getenv("ARMTAP");
    assert_in_range(snprintf(command, sizeof command, "'%s' %s", program ? program : "./armtap", arguments), 1, 1023);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((got = fread(chunk, 1, sizeof chunk, pipe)) > 0)
        bytes_add(output, chunk, got);
    bytes_add(output, "", 1);
    output->length--;
    return pclose(pipe);
}

/* Removes what depends on the packets: time, file, packet, addresses. */
static void strip(struct bytes *lines)
{
    static const char *const keys[] = {"\"time\":", "\"file\":", "\"packet\":", "\"robot\":"};
    char *text = (char *)lines->at, *to = text;
    for (char *at = text; *at;) {
        size_t skip = 0;
        for (size_t i = 0; i < 4 && skip == 0; i++)
            if ((at == text || at[-1] == '{' || at[-1] == ',') && strncmp(at, keys[i], strlen(keys[i])) == 0)
                skip = strcspn(at, ",}") + 1;
        if (skip > 0)
            at += skip;
        else
            *to++ = *at++;
    }
    *to = '\0';
    lines->length = (size_t)(to - text);
}

static void exported(const char *arguments, struct bytes *lines)
{
    char all[512];
    assert_in_range(snprintf(all, sizeof all, "export -f ndjson --threads 1 %s", arguments), 1, 511);
    assert_int_equal(run(all, lines), 0);
    strip(lines);
    assert_true(lines->length > 1000);
}

/* ---- forms ---- */

static void make(size_t sample, const struct cutting *cutting, const struct clothing *clothing,
                 struct capture_list *list)
{
    struct segments segments = {0};
    cut(&dialogues[sample], cutting, &segments);
    dress(&dialogues[sample], &segments, clothing, list);
    segments_free(&segments);
}

static void write_part(const struct capture_list *list, size_t from, size_t to, const struct file_form *form,
                       const char *name)
{
    struct bytes file = {0};
    capture_form(list, from, to, form, &file);
    file_write(name, file.at, file.length);
    bytes_free(&file);
}

static const struct cutting whole = {.handshake = true, .end = true};
static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};

static void original(size_t sample, struct bytes *lines)
{
    struct capture_list list = {0};
    struct file_form form = {.nanoseconds = true};
    make(sample, &whole, &plain, &list);
    write_part(&list, 0, list.count, &form, names[0]);
    exported(names[0], lines);
    capture_list_free(&list);
}

static void assert_same(const struct bytes *a, const struct bytes *b, const char *what)
{
    if (a->length != b->length || memcmp(a->at, b->at, a->length) != 0)
        fail_msg("%s: the output differs", what);
}

static void test_files(void **state)
{
    struct bytes expected = {0};
    struct capture_list list = {0};
    (void)state;
    original(0, &expected);
    make(0, &whole, &plain, &list);
    for (unsigned i = 0; i < 16; i++) {
        struct file_form form = {.pcapng = i & 1, .big_endian = i & 2, .nanoseconds = i & 4, .gzipped = i & 8};
        struct bytes lines = {0};
        char arguments[200];
        write_part(&list, 0, list.count, &form, names[1]);
        exported(names[1], &lines);
        assert_same(&expected, &lines, "a form");
        bytes_free(&lines);
        snprintf(arguments, sizeof arguments, "- < %s", names[1]);
        exported(arguments, &lines);
        assert_same(&expected, &lines, "standard input");
        bytes_free(&lines);
    }
    capture_list_free(&list);
    bytes_free(&expected);
}

static void test_links(void **state)
{
    static const struct clothing clothes[] = {
        {.link = LINK_ETHERNET, .tags = 2, .isn = {0xfffffff0, 7}},
        {.link = LINK_ETHERNET, .v6 = true, .extensions = true, .isn = {1, 2}},
        {.link = LINK_SLL, .isn = {1, 2}},
        {.link = LINK_SLL2, .v6 = true, .isn = {1, 2}},
        {.link = LINK_RAW, .isn = {1, 2}},
        {.link = LINK_NULL, .little_endian = true, .isn = {1, 2}},
        {.link = LINK_LOOP, .isn = {1, 2}},
    };
    static const struct cutting small = {.least = 1, .most = 300, .seed = 5, .handshake = true};
    (void)state;
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        struct bytes expected = {0};
        original(sample, &expected);
        for (size_t i = 0; i < sizeof clothes / sizeof clothes[0]; i++) {
            struct capture_list list = {0};
            struct bytes lines = {0};
            struct file_form form = {.pcapng = i % 2, .gzipped = i % 3 == 0};
            make(sample, i % 2 ? &small : &whole, &clothes[i], &list);
            write_part(&list, 0, list.count, &form, names[1]);
            exported(names[1], &lines);
            assert_same(&expected, &lines, "a link");
            bytes_free(&lines);
            capture_list_free(&list);
        }
        bytes_free(&expected);
    }
}

/* ---- several files ---- */

static void test_rotated(void **state)
{
    static const struct cutting small = {.least = 200, .most = 700, .seed = 9, .handshake = true, .end = true};
    (void)state;
    for (size_t sample = 0; sample < SAMPLES; sample++)
        for (unsigned round = 0; round < 3; round++) {
            struct bytes expected = {0}, lines = {0};
            struct capture_list list = {0};
            uint64_t seed = 77 + sample * 3 + round;
            char arguments[400];
            original(sample, &expected);
            make(sample, &small, &plain, &list);
            size_t first = 1 + random_bits(&seed) % (list.count - 2),
                   second = first + random_bits(&seed) % (list.count - first);
            struct file_form forms[FILES] = {
                {.gzipped = true}, {.pcapng = true}, {.big_endian = true, .nanoseconds = true}};
            write_part(&list, 0, first, &forms[round % 3], names[0]);
            write_part(&list, first, second, &forms[(round + 1) % 3], names[1]);
            write_part(&list, second, list.count, &forms[(round + 2) % 3], names[2]);
            snprintf(arguments, sizeof arguments, "%s %s %s", names[0], names[1], names[2]);
            exported(arguments, &lines);
            assert_same(&expected, &lines, "three files");
            capture_list_free(&list);
            bytes_free(&lines);
            bytes_free(&expected);
        }
}

/* ---- info accounts for every byte ---- */

static uint64_t number_of(const struct bytes *json, const char *key)
{
    const char *at = strstr((const char *)json->at, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

static void test_info(void **state)
{
    static const struct cutting small = {.least = 1, .most = 900, .seed = 3, .handshake = true, .end = true};
    static const struct file_form form = {.pcapng = true};
    (void)state;
    for (size_t sample = 0; sample < SAMPLES; sample++) {
        const struct dialogue *dialogue = &dialogues[sample];
        struct segments segments = {0};
        struct capture_list list = {0};
        struct bytes json = {0};
        char arguments[200];
        uint64_t seed = 5, lost = 0, gaps = 0;
        cut(dialogue, &small, &segments);
        for (size_t i = segments.count - 20; i-- > 60;) {
            if (random_bits(&seed) % 10 || segments.at[i].to == segments.at[i].from)
                continue;
            lost += segments.at[i].to - segments.at[i].from;
            gaps++;
            memmove(segments.at + i, segments.at + i + 1, (segments.count - 1 - i) * sizeof *segments.at);
            segments.count--;
            i -= 8; /* so that no two of a direction are adjacent */
        }
        dress(dialogue, &segments, &plain, &list);
        write_part(&list, 0, list.count, &form, names[0]);
        snprintf(arguments, sizeof arguments, "info --json %s", names[0]);
        int status = run(arguments, &json);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1); /* a gap is a warning */
        assert_true(gaps > 0);
        assert_int_equal(number_of(&json, "\"bytes_lost\": "), lost);
        assert_int_equal(number_of(&json, "\"bytes_decoded\": ") + number_of(&json, "\"bytes_skipped\": ") + lost,
                         dialogue->stream[0].length + dialogue->stream[1].length);
        assert_int_equal(number_of(&json, "\"gaps\": "), gaps);
        assert_int_equal(number_of(&json, "\"stream.gap\": "), gaps);
        bytes_free(&json);
        capture_list_free(&list);
        segments_free(&segments);
    }
}

/* ---- a recipe given in a file ---- */

static void test_recipe_files(void **state)
{
    static const char xml[] =
        "<?xml version=\"1.0\"?>\n<rtde_config>\n<recipe key=\"out\">\n"
        "<field name=\"timestamp\" type=\"DOUBLE\"/>\n<field name=\"actual_q\" type=\"VECTOR6D\"/>\n"
        "<field name=\"output_bit_register_70\" type=\"BOOL\"/>\n</recipe>\n</rtde_config>\n";
    static const char plain_text[] = "timestamp DOUBLE\nactual_q VECTOR6D\noutput_bit_register_70 BOOL\n";
    const char *const texts[] = {xml, plain_text};
    static const struct cutting midstream = {.handshake = false};
    static const struct file_form form = {.pcapng = false};
    struct dialogue dialogue = {.robot_port = 30004, .client_port = 50001};
    struct segments segments = {0};
    struct capture_list list = {0};
    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        struct bytes payload = {0}, package = {0};
        bytes_hex(&payload, "01");
        for (unsigned k = 0; k < 7; k++)
            bytes_double(&payload, k ? 0.5 * k : 300 + i * 0.008);
        bytes_hex(&payload, "01");
        bytes_package(&package, 'U', &payload);
        dialogue_say(&dialogue, 1000000000 + i * INT64_C(8000000), ARMTAP_FROM_ROBOT, package.at, package.length);
        bytes_free(&payload);
        bytes_free(&package);
    }
    cut(&dialogue, &midstream, &segments);
    dress(&dialogue, &segments, &plain, &list);
    write_part(&list, 0, list.count, &form, names[0]);
    for (size_t i = 0; i < 2; i++) {
        struct bytes lines = {0};
        char arguments[300];
        file_write(names[1], texts[i], strlen(texts[i]));
        snprintf(arguments, sizeof arguments, "--recipe %s %s", names[1], names[0]);
        exported(arguments, &lines);
        assert_non_null(strstr((char *)lines.at, "\"timestamp\":300.04,\"actual_q\":[0.5,1.0,1.5,2.0,2.5,3.0],"
                                                 "\"output_bit_register_70\":true"));
        bytes_free(&lines);
    }
    capture_list_free(&list);
    segments_free(&segments);
    dialogue_free(&dialogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files), cmocka_unit_test(test_links),        cmocka_unit_test(test_rotated),
        cmocka_unit_test(test_info),  cmocka_unit_test(test_recipe_files),
    };
    return cmocka_run_group_tests_name("forms", tests, set_up, tear_down);
}
