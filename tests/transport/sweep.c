/* Damage sweep: every sample with bytes flipped, the end cut off, blocks zeroed and blocks swapped. The program must
 * end with status 0, 1 or 2 within its limits of time and memory, and every record that lies wholly before the damage
 * must come out unchanged.
 *
 * Sampled by default, more of it with CHECK=all; SWEEP=full in the environment (make sweep) takes every byte and every
 * length of the smaller ones.
 * Most cases run the program's own reader and the library in child processes, a batch in each; some run the program
 * itself. */
#define _DEFAULT_SOURCE
#include "outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../share.h"
#include "input/capture/capture.h"
#include "input/replay/replay.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
#define SECONDS 10
#define MEGABYTES 64
#define BATCH 64
#define EVERY_BYTE_OF 65536  /* files up to so many bytes, in full */
#define SAMPLES_IN_FULL 5000 /* of larger ones */

static const char *const samples[] = {
    "both-streams.pcap.gz",    "cb2-812.pcap.gz",      "cb3-1060.pcap.gz",  "driver-stop.pcap.gz",
    "e-series-1220.pcapng.gz", "primary-stop.pcap.gz", "rtde-refused.pcap", "rtde-stop.pcap",
    "rtde-two-recipes.pcap",   "rtde-v1.pcap",         "rtde-v2.pcapng.gz", "rtde-v3.pcapng",
    "several-clients.pcapng",
};
#define SAMPLES (sizeof samples / sizeof samples[0])

enum damage { FLIP, CUT, ZERO, SWAP, KINDS };
static const char *const damage_names[] = {"flipped", "cut off", "zeroed", "swapped"};

struct place {
    enum damage damage;
    size_t at, length; /* of the file */
    uint8_t mask;      /* what is flipped of the byte */
};

struct sample {
    const char *name;
    struct bytes file;        /* as it is damaged */
    struct bytes content;     /* unpacked */
    struct capture_list list; /* of the content: where each packet ends */
    struct outcome outcome;   /* without damage */
    char path[64];            /* of the damaged file */
};

static bool is_full(void)
{
    const char *sweep = getenv("SWEEP");
    return sweep && strcmp(sweep, "full") == 0;
}

/* ---- damage ---- */

static void spoil(const struct bytes *file, const struct place *place, struct bytes *damaged)
{
    uint8_t block[512];
    bytes_add(damaged, file->at, file->length);
    switch (place->damage) {
    case FLIP:
        damaged->at[place->at] ^= place->mask;
        break;
    case CUT:
        damaged->length = place->at;
        break;
    case ZERO:
        memset(damaged->at + place->at, 0, place->length);
        break;
    default:
        memcpy(block, damaged->at + place->at, place->length);
        memcpy(damaged->at + place->at, damaged->at + place->at + place->length, place->length);
        memcpy(damaged->at + place->at + place->length, block, place->length);
    }
}

/* Returns up to where the damaged file equals the original, both decompressed. */
static size_t agreement(const struct sample *sample, const struct bytes *damaged)
{
    struct bytes unpacked = {0};
    bool packed = gunzip(damaged, &unpacked);
    const struct bytes *other = packed ? &unpacked : damaged;
    size_t end = other->length < sample->content.length ? other->length : sample->content.length, at = 0;
    if (!packed && sample->file.length > 1 && sample->file.at[0] == 0x1f)
        end = 0;
    while (at < end && other->at[at] == sample->content.at[at])
        at++;
    bytes_free(&unpacked);
    return at;
}

/* ---- one run, in a child ---- */

static enum exit_status run_inside(const char *path, struct outcome *outcome)
{
    struct armtap_sink sink = outcome_sink();
    const char *const names[] = {path};
    struct replay_source source = {.names = names, .count = 1, .quiet = true};
    struct replay_totals totals;
    return replay(&source, &sink, outcome, &totals);
}

/* Compares the records of packets that end before the damage, in order. */
static bool same_before(const struct sample *sample, const struct outcome *damaged, size_t agreed)
{
    size_t packets = 0;
    while (packets < sample->list.count && sample->list.packets[packets].end <= agreed)
        packets++;
    for (int d = 0; d < 2; d++) {
        size_t next = 0;
        for (size_t i = 0; i < sample->outcome.count[d]; i++) {
            const struct outcome_record *record = &sample->outcome.records[d][i];
            if (record->packet > packets)
                continue;
            while (next < damaged->count[d] && damaged->records[d][next].packet > packets)
                next++;
            if (next == damaged->count[d] || !same_record(record, &damaged->records[d][next]) ||
                record->packet != damaged->records[d][next].packet)
                return false;
            next++;
        }
    }
    return true;
}

static void say_place(const struct sample *sample, const struct place *place, const char *what)
{
    print_error("%s: byte %zu, %zu bytes %s (mask %02x): %s\n", sample->name, place->at, place->length,
                damage_names[place->damage], place->mask, what);
}

static int check_inside(const struct sample *sample, const struct place *place)
{
    struct bytes damaged = {0};
    struct outcome outcome = {0};
    spoil(&sample->file, place, &damaged);
    size_t agreed = agreement(sample, &damaged);
    file_write(sample->path, damaged.at, damaged.length);
    int status = (int)run_inside(sample->path, &outcome), bad = 0;
    if (status < 0 || status > 2) {
        say_place(sample, place, "exit status");
        bad = 1;
    } else if (!same_before(sample, &outcome, agreed)) {
        say_place(sample, place, "records before the damage differ");
        bad = 1;
    }
    outcome_free(&outcome);
    bytes_free(&damaged);
    return bad;
}

static void limit(void)
{
    struct itimerval time = {.it_value = {.tv_sec = SECONDS}};
    setitimer(ITIMER_REAL, &time, NULL);
}

/* Runs the whole batch in one child, which reports through a pipe which case it is at. */
static void run_batch(const struct sample *sample, const struct place *places, size_t count)
{
    int ends[2], status;
    size_t last = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int bad = 0;
        close(ends[0]);
        for (size_t i = 0; i < count; i++) {
            if (write(ends[1], &i, sizeof i) != (ssize_t)sizeof i)
                _exit(3);
            limit();
            bad |= check_inside(sample, &places[i]);
        }
        _exit(bad ? 3 : 0);
    }
    close(ends[1]);
    for (size_t at; read(ends[0], &at, sizeof at) == (ssize_t)sizeof at;)
        last = at;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        say_place(sample, &places[last], "died");
        fail_msg("signal %d", WTERMSIG(status));
    }
    if (WEXITSTATUS(status) == 3)
        fail_msg("%s: see above", sample->name);
    if (WEXITSTATUS(status) != 0) {
        say_place(sample, &places[last], "ended the child");
        fail_msg("status %d", WEXITSTATUS(status));
    }
}

/* ---- places ---- */

struct places {
    struct place *at;
    size_t count, room;
};

static void add_place(struct places *places, enum damage damage, size_t at, size_t length, uint8_t mask)
{
    if (places->count == places->room) {
        places->room = places->room ? 2 * places->room : 1024;
        places->at = realloc(places->at, places->room * sizeof *places->at);
        assert_non_null(places->at);
    }
    places->at[places->count++] = (struct place){damage, at, length, mask};
}

/* The beginning, with the headers of the file and of the first packets, is always tried; the rest is sampled. */
static void choose(const struct bytes *file, size_t samples_of_each, struct places *places)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x10};
    uint64_t seed = 20240229;
    bool full = is_full(), every = full && file->length <= EVERY_BYTE_OF;
    size_t steps = every ? file->length : full ? SAMPLES_IN_FULL : samples_of_each;
    for (size_t i = 0; i < steps; i++) {
        size_t at = every || i < steps / 4 ? i % file->length : random_bits(&seed) % file->length;
        for (size_t k = 0; k < (full ? 4 : 1); k++)
            add_place(places, FLIP, at, 1, masks[full ? k : random_bits(&seed) % 4]);
        if (full || i % 2)
            add_place(places, CUT, at, 0, 0);
        size_t length = 1 + random_bits(&seed) % 512;
        if ((full || i % 4 == 0) && at + 2 * length < file->length) {
            add_place(places, ZERO, at, length, 0);
            add_place(places, SWAP, at, length, 0);
        }
    }
}

/* ---- the samples ---- */

static void load(struct sample *sample, const char *name, bool unpack)
{
    const char *folder = getenv("srcdir");
    char whole[512];
    *sample = (struct sample){.name = name};
    assert_in_range(snprintf(whole, sizeof whole, "%s/captures/%s", folder ? folder : ".", name), 1, sizeof whole - 1);
    file_read(whole, &sample->content);
    if (unpack)
        bytes_add(&sample->file, sample->content.at, sample->content.length);
    else
        file_read_packed(whole, &sample->file);
    capture_parse(&sample->content, &sample->list);
    snprintf(sample->path, sizeof sample->path, "sweep-%ld.tmp", (long)getpid());
    file_write(sample->path, sample->file.at, sample->file.length);
    assert_int_equal(run_inside(sample->path, &sample->outcome), EXIT_DONE);
}

static void unload(struct sample *sample)
{
    remove(sample->path);
    outcome_free(&sample->outcome);
    capture_list_free(&sample->list);
    bytes_free(&sample->content);
    bytes_free(&sample->file);
}

static void sweep(bool unpack, size_t samples_of_each)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample sample;
        struct places places = {0};
        bool packed = strstr(samples[i], ".gz") != NULL;
        if (!unpack && !packed)
            continue;
        load(&sample, samples[i], unpack);
        choose(&sample.file, samples_of_each, &places);
        for (size_t at = 0; at < places.count; at += BATCH)
            run_batch(&sample, places.at + at, places.count - at < BATCH ? places.count - at : BATCH);
        free(places.at);
        unload(&sample);
    }
}

static void test_plain(void **state)
{
    (void)state;
    sweep(true, share_of(200, 20, "damages of each file and kind"));
}

static void test_packed(void **state)
{
    (void)state;
    sweep(false, share_of(100, 10, "damages of each packed file and kind"));
}

/* ---- the program itself ---- */

static void exec_program(const char *path)
{
    static const char *const none = "/dev/null";
    const char *program = getenv("ARMTAP");
    if (!SANITIZED) { /* a sanitizer's shadow memory exceeds any limit */
        struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};
        setrlimit(RLIMIT_AS, &memory);
    }
    limit();
    if (!freopen(none, "w", stdout) || !freopen(none, "w", stderr))
        _exit(99);
    execl(program ? program : "./armtap", "armtap", "export", "-f", "ndjson", path, (char *)NULL);
    _exit(99);
}

static void run_program(const struct sample *sample, const struct place *place)
{
    struct bytes damaged = {0};
    struct rusage usage;
    int status;
    spoil(&sample->file, place, &damaged);
    file_write(sample->path, damaged.at, damaged.length);
    bytes_free(&damaged);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        exec_program(sample->path);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    bool ends_well = WIFEXITED(status) && WEXITSTATUS(status) <= 2;
    bool fits = SANITIZED || usage.ru_maxrss <= MEGABYTES * 1024;
    if (ends_well && fits)
        return;
    say_place(sample, place, ends_well ? "too much memory" : "ended badly");
    fail_msg("wait status %x, %ld KB", (unsigned)status, (long)usage.ru_maxrss);
}

static void test_program(void **state)
{
    size_t runs = is_full() ? 2000 : share_of(24, 3, "runs of the program");
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct sample sample;
        struct places places = {0};
        uint64_t seed = 31 + i;
        load(&sample, samples[i], i % 2);
        choose(&sample.file, 200, &places);
        for (size_t k = 0; k < runs; k++)
            run_program(&sample, &places.at[random_bits(&seed) % places.count]);
        free(places.at);
        unload(&sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_program),
    };
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
