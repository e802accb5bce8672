/* How reliable recognition is: other protocols' streams, with and without their beginning, must never become records,
 * and ours must be found wherever a capture begins. Prints the counts.
 *
 *     test_sniffing [CONNECTIONS [SEED [full]]]     of each kind; otherwise 30, 1000 with CHECK=all, and a fixed seed
 *
 * Each connection is played with and without its beginning, on one of the ports in turn, or with `full` on all. Most
 * carry 16 to 20 kB from the robot's side, because the library stops searching for a protocol after 16 kB; one in ten
 * carries up to 64. SNIFFING_SHOW=1 prints those that fail. */
#include "genuine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share.h"
#include "connection/conn.h"

static size_t connections;
static uint64_t first_seed = 20240117;
static bool on_all_ports;

/* The telemetry ports, and another one. */
static const uint16_t ports[] = {30003, 30013, 30004, 30010, 9013, 30001, 40000};
#define PORTS (sizeof ports / sizeof ports[0])

static enum armtap_protocol protocol_of(uint16_t port)
{
    struct armtap_port known = {.size = sizeof known};
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == port)
            return known.protocol;
    return ARMTAP_PROTOCOL_NONE;
}

/* ---- what comes out ---- */

struct tally {
    enum armtap_protocol protocol;
    size_t decoded, opaque;
    const struct genuine *genuine; /* NULL: none of our protocols */
    size_t joined[2];              /* where the capture begins, by direction */
    size_t next, found, missed, spurious;
    bool says_packed; /* a note calls it a compressed WebSocket */
};

/* Finds which message of the stream this is. */
static void place(struct tally *tally, const struct armtap_record *record)
{
    const struct genuine *genuine = tally->genuine;
    size_t offset = tally->joined[0] + record->offset;
    while (tally->next < genuine->count && genuine->starts[tally->next] + genuine->between < offset)
        tally->missed += genuine->starts[tally->next++] >= tally->joined[0];
    bool is_one = tally->next < genuine->count && genuine->starts[tally->next] <= offset;
    tally->found += is_one;
    tally->spurious += !is_one;
    tally->next += is_one;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct tally *tally = user;
    if (record->recipe)
        tally->decoded++;
    else
        tally->opaque++;
    if (tally->genuine && record->direction == ARMTAP_FROM_ROBOT)
        place(tally, record);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct tally *tally = user;
    if (strstr(note->text, "compressed WebSocket"))
        tally->says_packed = true;
    return 0;
}

/* Pushes both directions in turn, from where they are joined, in chunks of any size. */
static void play(const struct talk *talk, uint16_t port, bool midstream, uint64_t seed, struct tally *tally)
{
    static const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_note = on_note};
    struct armtap_conn_setup setup = {.protocol = protocol_of(port), .midstream = midstream};
    struct armtap_where where = {.size = sizeof where, .file = 1};
    struct armtap_conn *conn;
    size_t at[2] = {tally->joined[0], tally->joined[1]}, most = (size_t)8 << random_below(&seed, 11);
    assert_int_equal(armtap_conn_create(&setup, &sink, tally, &conn), 0);
    while (at[0] < talk->side[0].length || at[1] < talk->side[1].length) {
        unsigned side = random_below(&seed, 4) == 0;
        size_t left = talk->side[side].length - at[side], chunk = 1 + random_below(&seed, most);
        chunk = chunk < left ? chunk : left;
        where.packet++;
        where.time += 2000000;
        assert_int_equal(
            armtap_conn_push(conn, (enum armtap_direction)side, talk->side[side].at + at[side], chunk, &where), 0);
        at[side] += chunk;
    }
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(armtap_conn_close(conn, (enum armtap_direction)side, &where), 0);
    tally->protocol = armtap_conn_stream(conn)->protocol;
    armtap_conn_free(conn);
}

/* ---- strangers ---- */

struct count {
    size_t connections, claimed, decoded, opaque, named, unnamed;
};

static void check_stranger(const struct stranger *stranger, uint64_t seed, struct count *count)
{
    struct talk talk = {0};
    uint64_t dice = seed;
    bool is_packed = strcmp(stranger->name, "packed WebSocket") == 0;
    stranger->talk(&talk, &dice, 16384 + random_below(&dice, random_below(&dice, 10) ? 4096 : 49152));
    size_t turn = on_all_ports ? 0 : random_below(&dice, PORTS);
    for (size_t i = 2 * turn; i < (on_all_ports ? 2 * PORTS : 2 * turn + 2); i++) {
        bool midstream = i % 2 || is_packed;
        struct tally tally = {.protocol = ARMTAP_PROTOCOL_NONE};
        for (unsigned side = 0; side < 2 && midstream; side++)
            tally.joined[side] = talk.side[side].length ? random_below(&dice, talk.side[side].length) / 2 : 0;
        play(&talk, ports[i / 2], midstream, dice, &tally);
        bool is_claimed = tally.protocol != ARMTAP_PROTOCOL_NONE && !(is_packed && tally.says_packed);
        count->connections++;
        count->claimed += is_claimed;
        count->decoded += tally.decoded > 0;
        count->opaque += tally.opaque > 0;
        count->named += tally.says_packed;
        count->unnamed += is_packed && !tally.says_packed && protocol_of(ports[i / 2]) != ARMTAP_PROTOCOL_NONE;
        if ((is_claimed || (is_packed && !tally.says_packed)) && getenv("SNIFFING_SHOW"))
            printf("  %s on %u%s, seed %llu: %s, %zu decoded, %zu opaque\n", stranger->name, ports[i / 2],
                   midstream ? ", joined late" : "", (unsigned long long)seed,
                   tally.protocol ? armtap_protocol_name(tally.protocol) : "nothing", tally.decoded, tally.opaque);
    }
    bytes_free(&talk.side[0]);
    bytes_free(&talk.side[1]);
}

static void test_strangers(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t s = 0; s < stranger_count; s++) {
        struct count count = {0};
        for (size_t i = 0; i < connections; i++)
            check_stranger(&strangers[s], (first_seed + i) * 0x9e3779b97f4a7c15u + s + 1, &count);
        printf("%-17s %6zu connections: claimed %zu, with decoded records %zu, with opaque ones %zu, named %zu\n",
               strangers[s].name, count.connections, count.claimed, count.decoded, count.opaque, count.named);
        fflush(stdout);
        wrong += count.claimed + count.decoded + count.opaque + count.unnamed;
    }
    assert_int_equal(wrong, 0);
}

/* ---- our own, joined late ---- */

static void check_genuine(const struct genuine_kind *kind, uint64_t seed, size_t totals[4])
{
    struct genuine genuine = {.count = 0};
    uint64_t dice = seed;
    kind->make(&genuine, &dice, 30);
    size_t turn = random_below(&dice, kind->common ? 2 : PORTS) + (kind->common ? 3 : 0);
    for (size_t i = 0; i < PORTS; i++) {
        struct tally tally = {.genuine = &genuine};
        if ((kind->common && protocol_of(ports[i]) != kind->protocol) || (!on_all_ports && i != turn))
            continue;
        tally.joined[0] = random_below(&dice, genuine.starts[8]);
        tally.joined[1] = random_below(&dice, genuine.talk.side[1].length + 1);
        play(&genuine.talk, ports[i], true, dice, &tally);
        bool is_found = tally.protocol == kind->protocol && tally.found > 0;
        totals[0]++;
        totals[1] += is_found;
        totals[2] += tally.missed;
        totals[3] += tally.spurious;
        if ((!is_found || tally.missed || tally.spurious) && getenv("SNIFFING_SHOW"))
            printf("  %s on %u, seed %llu, %zu bytes each: %s, %zu found, %zu missed, %zu spurious\n", kind->name,
                   ports[i], (unsigned long long)seed, genuine.starts[1] - genuine.starts[0],
                   tally.protocol ? armtap_protocol_name(tally.protocol) : "nothing", tally.found, tally.missed,
                   tally.spurious);
    }
    genuine_free(&genuine);
}

static void test_genuine(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t k = 0; k < genuine_kind_count; k++) {
        size_t totals[4] = {0};
        for (size_t i = 0; i < connections; i++)
            check_genuine(&genuine_kinds[k], (first_seed + i) * 0x9e3779b97f4a7c15u + k + 1, totals);
        printf("%-17s %6zu joined late: found %zu, whole messages before the first found %zu, records that are none "
               "%zu\n",
               genuine_kinds[k].name, totals[0], totals[1], totals[2], totals[3]);
        wrong += totals[0] - totals[1] + totals[3];
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_genuine),
    };
    connections = share_of(1000, 30, "connections of each kind");
    if (argc > 1)
        connections = strtoul(argv[1], NULL, 10);
    on_all_ports = argc > 3 && strcmp(argv[3], "full") == 0;
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests_name("sniffing", tests, NULL, NULL);
}
