/* A net that is given the digest of a capture's beginning says of the rest what one says that read all of it: every
 * sample capture cut at every packet into two (in `make check` at some), and into several parts whose digests were made
 * without each other. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share.h"
#include "sample_packets.h"
#include "connection/conn.h"
#include "inside.h"

#define DIGEST_BYTES (8 << 20)
/* The decoders need no more; the default is for those who judge rates, and to get over a hole at the beginning. */
#define FIRST_RECORDS 2
#define ROUNDS 40
#define CUTS 31 /* a sample tries one cut in so many, and so many fewer rounds */

static size_t step;

/* ---- captures in memory ---- */

struct scene {
    struct sample_packets of;
    bool disturbed;
    char *log;    /* of the whole capture */
    size_t *said; /* by packet: where in the log its words begin; one more for the end */
};

/* Loses some packets, captures some late and some twice. */
static void disturb(struct sample_packets *sample, uint64_t *seed)
{
    struct sample_packets other = {.packets = calloc(2 * sample->count + 1, sizeof *other.packets)};
    assert_non_null(other.packets);
    for (size_t i = 0; i < sample->count; i++) {
        uint64_t what = random_bits(seed) % 50;
        if (what == 0 && i + 1 < sample->count) {
            struct armtap_packet late = sample->packets[i];
            size_t by = 1 + random_size(3, seed);
            for (size_t k = i; k < i + by && k + 1 < sample->count; k++)
                sample->packets[k] = sample->packets[k + 1];
            sample->packets[i + by < sample->count ? i + by : sample->count - 1] = late;
        }
        if (what != 1)
            other.packets[other.count++] = sample->packets[i];
        if (what == 2)
            other.packets[other.count++] = sample->packets[i];
    }
    for (size_t i = 0; i < other.count; i++) {
        uint8_t *data = malloc(other.packets[i].captured + 1);
        assert_non_null(data);
        memcpy(data, other.packets[i].data, other.packets[i].captured);
        other.packets[i].data = data;
        other.packets[i].where.packet = i + 1;
    }
    sample_free(sample);
    *sample = other;
}

static struct armtap_net *net_new(struct log *log)
{
    struct armtap_net *net;
    struct armtap_sink sink = log_sink();
    assert_int_equal(armtap_net_new(NULL, &sink, log, &net), ARMTAP_OK);
    return net;
}

static void read_packets(struct armtap_net *net, const struct scene *scene, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        assert_int_equal(armtap_net_packet(net, &scene->of.packets[i]), ARMTAP_OK);
}

/* What is said of the whole capture, packet by packet. */
static void scene_listen(struct scene *scene)
{
    struct log log = {0};
    struct armtap_net *net = net_new(&log);
    scene->said = calloc(scene->of.count + 1, sizeof *scene->said);
    assert_non_null(scene->said);
    for (size_t i = 0; i < scene->of.count; i++) {
        scene->said[i] = log.length;
        read_packets(net, scene, i, i + 1);
    }
    scene->said[scene->of.count] = log.length;
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    log_line(&log, "end");
    scene->log = log.text;
}

static void scene_free(struct scene *scene)
{
    sample_free(&scene->of);
    free(scene->log);
    free(scene->said);
}

/* ---- digests ---- */

/* The digest of packets [from, to), made by a net that saw no others. */
static struct armtap_digest *digest_alone(const struct scene *scene, size_t from, size_t to, unsigned first)
{
    struct log log = {0};
    struct armtap_net *net = net_new(&log);
    struct armtap_digest *digest;
    const struct armtap_digest_options options = {sizeof options, DIGEST_BYTES, first};
    assert_int_equal(armtap_digest_new(&options, &digest), ARMTAP_OK);
    assert_int_equal(armtap_net_digest(net, digest), ARMTAP_OK);
    read_packets(net, scene, from, to);
    assert_int_equal(armtap_net_digest(net, NULL), ARMTAP_OK);
    assert_true(armtap_digest_is_whole(digest));
    armtap_net_free(net);
    log_free(&log);
    return digest;
}

struct sums {
    size_t packets, stretches, refused;
};

static int give(struct armtap_net *net, const struct armtap_digest *digest, struct sums *sums)
{
    struct armtap_kept kept;
    int error = ARMTAP_OK;
    for (size_t i = 0; armtap_digest_at(digest, i, &kept) && error == ARMTAP_OK; i++) {
        sums->stretches += kept.is_stretch;
        sums->packets += !kept.is_stretch;
        error = kept.is_stretch ? armtap_net_pass(net, &kept.packet.where, kept.packet.data, kept.packet.captured)
                                : armtap_net_packet(net, &kept.packet);
    }
    return error;
}

/* The rest of a capture after `from`, by a net that was given what came before otherwise. */
static void check_rest(struct armtap_net *net, struct log *log, const struct scene *scene, size_t from,
                       const char *name)
{
    log_clear(log);
    read_packets(net, scene, from, scene->of.count);
    assert_int_equal(armtap_net_finish(net), ARMTAP_OK);
    armtap_net_free(net);
    log_line(log, "end");
    const char *expected = scene->log + scene->said[from];
    if (strcmp(log->text, expected) != 0) {
        size_t i = 0;
        while (log->text[i] == expected[i])
            i++;
        while (i > 0 && log->text[i - 1] != '\n')
            i--;
        fail_msg("%s after packet %zu:\n%.300s\ninstead of\n%.300s", name, from, log->text + i, expected + i);
    }
    log_free(log);
}

static void cut_in_two(const char *name, struct scene *scene, struct sums *sums)
{
    for (size_t cut = 1; cut < scene->of.count; cut += step) {
        struct log log = {0};
        struct armtap_digest *digest = digest_alone(scene, 0, cut, FIRST_RECORDS);
        struct armtap_net *net = net_new(&log);
        assert_int_equal(give(net, digest, sums), ARMTAP_OK);
        armtap_digest_free(digest);
        check_rest(net, &log, scene, cut, name);
    }
}

/* Digests of parts, each made alone, in a row. One that does not follow is refused: its part began within a hole. */
static void cut_in_parts(const char *name, const struct scene *scene, uint64_t *seed, struct sums *sums)
{
    struct log log = {0};
    struct armtap_net *net = net_new(&log);
    size_t from = 0, parts = 2 + random_size(5, seed), to = 0;
    for (size_t i = 0; i < parts && to < scene->of.count; i++) {
        to = from + 1 + random_size(2 * scene->of.count / parts, seed);
        to = to < scene->of.count ? to : scene->of.count;
        struct armtap_digest *digest = digest_alone(scene, from, to, scene->disturbed ? 0 : FIRST_RECORDS);
        int error = give(net, digest, sums);
        armtap_digest_free(digest);
        if (error == ARMTAP_ERR_NOT_READY) {
            sums->refused++;
            armtap_net_free(net);
            log_free(&log);
            return;
        }
        assert_int_equal(error, ARMTAP_OK);
        from = to;
    }
    check_rest(net, &log, scene, from, name);
}

static void in_parts(const char *name, struct scene *scene, struct sums *sums)
{
    uint64_t seed = 7;
    for (unsigned i = 0; i < (step == 1 ? ROUNDS : ROUNDS / 4); i++)
        cut_in_parts(name, scene, &seed, sums);
}

/* Runs a check on every sample, as it is or disturbed. */
static void each_sample(void (*check)(const char *name, struct scene *scene, struct sums *sums), bool disturbed)
{
    uint64_t seed = 11;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct scene scene = {.disturbed = disturbed};
        struct sums sums = {0};
        sample_read(&scene.of, sample_names[i]);
        if (disturbed)
            disturb(&scene.of, &seed);
        scene_listen(&scene);
        check(sample_names[i], &scene, &sums);
        print_message("%s: %zu packets; kept in all digests: %zu packets, %zu stretches; refused: %zu\n",
                      sample_names[i], scene.of.count, sums.packets, sums.stretches, sums.refused);
        assert_true(sums.refused <= (disturbed ? ROUNDS / 2 : 0));
        scene_free(&scene);
    }
}

static void every_cut_goes_on_as_one(void **state)
{
    (void)state;
    each_sample(cut_in_two, false);
}

static void digests_of_parts_follow_each_other(void **state)
{
    (void)state;
    each_sample(in_parts, false);
}

static void holes_and_late_packets_go_on_too(void **state)
{
    (void)state;
    each_sample(cut_in_two, true);
}

static void parts_with_holes_follow_each_other(void **state)
{
    (void)state;
    each_sample(in_parts, true);
}

/* Stretches with wrong bytes are refused, or pass over something else, but the net goes on. */
static void cut_and_damaged(const char *name, struct scene *scene, struct sums *sums)
{
    uint64_t seed = 3;
    struct armtap_kept kept;
    struct armtap_digest *digest = digest_alone(scene, 0, scene->of.count - scene->of.count / 4, FIRST_RECORDS);
    (void)name;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct log log = {0};
        struct armtap_net *net = net_new(&log);
        int error = ARMTAP_OK;
        for (size_t i = 0; armtap_digest_at(digest, i, &kept) && error == ARMTAP_OK; i++) {
            uint8_t *bytes = malloc(kept.packet.captured);
            assert_non_null(bytes);
            memcpy(bytes, kept.packet.data, kept.packet.captured);
            for (unsigned k = 0; k < 3 && kept.is_stretch; k++)
                bytes[random_bits(&seed) % kept.packet.captured] ^= (uint8_t)(1u << random_bits(&seed) % 8);
            size_t length = random_bits(&seed) % 8 ? kept.packet.captured : random_size(kept.packet.captured, &seed);
            error = kept.is_stretch ? armtap_net_pass(net, &kept.packet.where, bytes, length)
                                    : armtap_net_packet(net, &kept.packet);
            sums->stretches += kept.is_stretch;
            free(bytes);
        }
        assert_true(error == ARMTAP_OK || error == ARMTAP_ERR_NOT_OURS || error == ARMTAP_ERR_NOT_READY);
        sums->refused += error != ARMTAP_OK;
        for (size_t i = scene->of.count - scene->of.count / 4; i < scene->of.count && error == ARMTAP_OK; i++)
            error = armtap_net_packet(net, &scene->of.packets[i]);
        if (error == ARMTAP_OK)
            armtap_net_finish(net);
        armtap_net_free(net);
        log_free(&log);
    }
    armtap_digest_free(digest);
    sums->refused = 0;
}

static void damaged_stretches_do_no_harm(void **state)
{
    (void)state;
    each_sample(cut_and_damaged, false);
}

/* Kinds of records by direction and number: eight are told apart, that there are more is noticed. */
static void kinds_that_are_watched(void **state)
{
    struct armtap_watch watch = {0};
    (void)state;
    for (unsigned i = 0; i < 12; i++)
        for (unsigned again = 0; again < 3; again++) {
            armtap_watch_record(&watch, (enum armtap_direction)(i % 2), 250 + i / 2);
            assert_int_equal(watch.id_count, i < 8 ? i + 1 : 8);
            assert_int_equal(watch.has_more_ids, i >= 8);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_are_watched),
        cmocka_unit_test(every_cut_goes_on_as_one),
        cmocka_unit_test(digests_of_parts_follow_each_other),
        cmocka_unit_test(holes_and_late_packets_go_on_too),
        cmocka_unit_test(parts_with_holes_follow_each_other),
        cmocka_unit_test(damaged_stretches_do_no_harm),
    };
    step = CUTS / share_of(CUTS, 1, "cuts");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
