/* Every way to run a plan on this processor gives the same bits as plain C. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "table/recipe.h"
#include "inside.h"

#define ROUNDS 300
#define STATE_BYTES sizeof(struct armtap_state)

/* Cells at the limits of each integer type, and bits that are not numbers. */
static const uint64_t edges[] = {
    0x0000000000000000, /* 0 */
    0x8000000000000000, /* -0 */
    0x3fe0000000000000, /* 0.5 */
    0xbff0000000000000, /* -1 */
    0x41dfffffffc00000, /* 2^31 - 1 */
    0x41e0000000000000, /* 2^31 */
    0xc1e0000000000000, /* -2^31 */
    0xc1e0000000200000, /* -2^31 - 1 */
    0x41dfffffffe00000, /* 2^31 - 0.5 */
    0x41efffffffe00000, /* 2^32 - 1 */
    0x41f0000000000000, /* 2^32 */
    0x43e0000000000000, /* 2^63 */
    0x43dfffffffffffff, /* the double below it */
    0x43f0000000000000, /* 2^64 */
    0x43efffffffffffff, /* the double below it */
    0xc3e0000000000000, /* -2^63 */
    0x7ff0000000000000, /* infinity */
    0xfff0000000000000, /* the negative one */
    0x7ff8000000000000, /* NaN */
    0x7ff0000000000001, /* a signalling NaN */
    0xfff8123456789abc, /* a NaN with a payload */
    0x000000000003ffff, /* a raw integer */
    0x000fffffffffffff, /* the largest one */
    0x0010000000000000, /* no raw integer any more */
};
#define EDGES (sizeof edges / sizeof edges[0])

static void put_bits(uint8_t *at, uint64_t bits)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(bits >> (56 - 8 * i));
}

/* Random bytes; in `wholes` of eight cells integers, so that most mode cells hold one, else sometimes an edge value. */
static void fill(uint8_t *wire, size_t length, unsigned wholes, uint64_t *seed)
{
    for (size_t i = 0; i < length; i++)
        wire[i] = (uint8_t)random_bits(seed);
    for (size_t at = 0; at + 8 <= length; at += 8) {
        double number = (double)(int32_t)random_bits(seed);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        if (random_bits(seed) % 8 < wholes)
            put_bits(wire + at, random_bits(seed) % 3 ? bits & INT64_MAX : bits);
        else if (random_bits(seed) % 4 == 0)
            put_bits(wire + at, edges[random_bits(seed) % EDGES]);
    }
}

/* All but what is private. */
static void assert_same(const struct armtap_state *one, const struct armtap_state *other)
{
    const size_t fields = offsetof(struct armtap_state, own) + sizeof one->own;
    assert_memory_equal(&one->known, &other->known, sizeof one->known);
    assert_memory_equal((const char *)one + fields, (const char *)other + fields, STATE_BYTES - fields);
}

/* Decodes the same bytes over the same old state in plain C and in every other way. The bytes end with their block, so
 * that the sanitizer detects reads beyond them. */
static void compare(struct armtap_recipe *recipe, const uint8_t *wire, size_t length, uint64_t *seed)
{
    struct armtap_state *states[2] = {armtap_state_new(), armtap_state_new()};
    struct armtap_set updated[2];
    size_t skew = 1 + random_bits(seed) % 64; /* wire data is unaligned */
    uint8_t *block = malloc(skew + length), *bytes = block + skew;
    assert_true(states[0] && states[1] && block);
    memcpy(bytes, wire, length);
    for (size_t way = 0; armtap_plan_decoder_at(way); way++) {
        uint64_t own[sizeof states[0]->own / sizeof states[0]->own[0]];
        memcpy(own, states[0]->own, sizeof own);
        fill((uint8_t *)states[0], STATE_BYTES, 0, seed);
        memcpy(states[0]->own, own, sizeof own);
        armtap_state_copy(states[1], states[0]);
        recipe->plan.decode = armtap_plan_decode;
        armtap_recipe_decode(recipe, bytes, length, states[0], &updated[0]);
        recipe->plan.decode = armtap_plan_decoder_at(way);
        armtap_recipe_decode(recipe, bytes, length, states[1], &updated[1]);
        assert_memory_equal(&updated[0], &updated[1], sizeof updated[0]);
        assert_same(states[0], states[1]);
        if (length < recipe->size)
            continue;
        bool whole = armtap_plan_decode(&recipe->plan, bytes, states[0], NULL, recipe->plan.count);
        assert_int_equal(whole, armtap_plan_decoder_at(way)(&recipe->plan, bytes, states[1], NULL, recipe->plan.count));
        assert_same(states[0], states[1]);
    }
    free(block);
    armtap_state_free(states[0]);
    armtap_state_free(states[1]);
}

static uint8_t *block_of(size_t size)
{
    uint8_t *block = malloc(size);
    assert_non_null(block);
    return block;
}

static void test_legacy_sizes_of_random_bytes(void **unused)
{
    uint64_t seed = 1;
    (void)unused;
    for (size_t i = 0; i < legacy_size_count(); i++) {
        struct armtap_recipe *recipe;
        uint8_t *wire = block_of(legacy_size(i) - 4);
        assert_int_equal(armtap_recipe_realtime(legacy_size(i), &recipe), ARMTAP_OK);
        for (unsigned round = 0; round < ROUNDS; round++) {
            fill(wire, legacy_size(i) - 4, round % 9, &seed);
            compare(recipe, wire, legacy_size(i) - 4, &seed);
        }
        armtap_recipe_release(recipe);
        free(wire);
    }
}

/* One cell at a time has an edge value, in an otherwise ordinary packet. */
static void test_each_cell_on_each_edge(void **unused)
{
    uint8_t wire[1216], one[1216];
    uint64_t seed = 2;
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_realtime(1220, &recipe), ARMTAP_OK);
    fill(wire, sizeof wire, 8, &seed);
    for (size_t cell = 80; cell < 152; cell++)
        for (size_t edge = 0; edge < EDGES; edge++) {
            memcpy(one, wire, sizeof one);
            put_bits(one + 8 * cell, edges[edge]);
            compare(recipe, one, sizeof one, &seed);
        }
    armtap_recipe_release(recipe);
}

/* As in a program compiled with -ffast-math: the bits of raw integers are denormal doubles, which then equal zero. */
static void test_each_cell_where_denormals_are_zero(void **unused)
{
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    test_each_cell_on_each_edge(unused);
    _mm_setcsr(before);
#else
    (void)unused;
#endif
}

static void test_every_truncation(void **unused)
{
    uint64_t seed = 3;
    (void)unused;
    for (size_t i = 0; i < legacy_size_count(); i++) {
        struct armtap_recipe *recipe;
        uint8_t *wire = block_of(legacy_size(i) - 4);
        assert_int_equal(armtap_recipe_realtime(legacy_size(i), &recipe), ARMTAP_OK);
        fill(wire, legacy_size(i) - 4, 7, &seed);
        for (size_t length = 0; length <= legacy_size(i) - 4; length++)
            compare(recipe, wire, length, &seed);
        armtap_recipe_release(recipe);
        free(wire);
    }
}

/* A recipe of random fields of the table, some in types narrower than the state's, some twice. */
static struct armtap_recipe *random_recipe(uint64_t *seed)
{
    struct bytes names = {0}, types = {0};
    struct armtap_recipe *recipe;
    size_t count = 1 + random_size(60, seed), id = random_size(armtap_field_count(), seed);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_field *field = armtap_field_at(id);
        bool widened = field->type == ARMTAP_UINT32 && random_bits(seed) % 2;
        bytes_text(&names, i ? "," : "");
        bytes_text(&types, i ? "," : "");
        bytes_text(&names, field->name);
        bytes_text(&types, widened ? "UINT8" : armtap_type_name(field->type, field->count));
        /* runs of neighbours */
        id = random_bits(seed) % 3 ? (id + 1) % armtap_field_count() : random_size(armtap_field_count(), seed);
    }
    bytes_number(&names, 0, 1);
    bytes_number(&types, 0, 1);
    assert_int_equal(armtap_recipe_rtde((const char *)names.at, (const char *)types.at, &recipe), ARMTAP_OK);
    bytes_free(&names);
    bytes_free(&types);
    return recipe;
}

static void test_rtde_recipes(void **unused)
{
    uint64_t seed = 4;
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct armtap_recipe *recipe = random_recipe(&seed);
        size_t size = armtap_recipe_size(recipe);
        uint8_t *wire = malloc(size);
        assert_non_null(wire);
        fill(wire, size, 0, &seed);
        compare(recipe, wire, size, &seed);
        for (unsigned cut = 0; cut < 5; cut++)
            compare(recipe, wire, random_size(size + 1, &seed), &seed);
        free(wire);
        armtap_recipe_release(recipe);
    }
}

/* armtap_decode_realtime keeps a plan with the state: sizes and cuts in any order give the same as a fresh state. */
static void test_one_state_for_many_sizes(void **unused)
{
    uint64_t seed = 5;
    struct armtap_state *used = armtap_state_new();
    (void)unused;
    assert_non_null(used);
    for (unsigned round = 0; round < 10 * ROUNDS; round++) {
        size_t word = legacy_size(random_size(legacy_size_count(), &seed));
        uint8_t *packet = block_of(word);
        size_t length = random_bits(&seed) % 2 ? word : 12 + random_size(word - 11, &seed);
        struct armtap_state *fresh = armtap_state_new();
        assert_non_null(fresh);
        fill(packet + 4, word - 4, round % 9, &seed);
        put_bits(packet, (uint64_t)word << 32 | 0x40000000);
        armtap_state_copy(fresh, used);
        assert_int_equal(armtap_decode_realtime(packet, length, used), length);
        assert_int_equal(armtap_decode_realtime(packet, length, fresh), length);
        assert_same(used, fresh);
        armtap_state_free(fresh);
        free(packet);
    }
    armtap_state_free(used);
}

/* What eight bytes are aligned to in a struct: four on 32-bit x86. */
struct gap {
    uint32_t before;
    double behind;
};

/* A run covers single cells that have eight bytes in the state, not one whose four bytes another field follows. */
static void test_what_a_run_covers(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_realtime(1220, &recipe), ARMTAP_OK);
    if (offsetof(struct gap, behind) == 8) {
        assert_int_equal(recipe->plan.count, 3); /* doubles, modes, doubles */
        assert_int_equal(recipe->plan.covered.count, 4);
    } else {
        assert_int_equal(recipe->plan.count, 7); /* two cells more, and the doubles that they part */
        assert_int_equal(recipe->plan.covered.count, 2);
    }
    armtap_recipe_release(recipe);
    assert_int_equal(armtap_recipe_realtime(764, &recipe), ARMTAP_OK);
    assert_int_equal(recipe->plan.covered.count, 1); /* digital_inputs; robot_mode is followed by the joints' modes */
    assert_int_equal(recipe->plan.covered.cells[0].op, ARMTAP_OP_CELL_BITS);
    assert_int_equal(recipe->plan.steps[recipe->plan.first - 1].op, ARMTAP_OP_CELL_INT32);
    armtap_recipe_release(recipe);
}

/* Cells that a run covers are encoded as numbers in doubles, the same as without plans. */
static void test_plans_encode(void **unused)
{
    uint64_t seed = 6;
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t i = 0; i < legacy_size_count(); i++) {
        struct armtap_recipe *recipe;
        size_t size = legacy_size(i);
        uint8_t *packet = block_of(size), *values = block_of(size - 4);
        assert_int_equal(armtap_recipe_realtime(size, &recipe), ARMTAP_OK);
        for (unsigned round = 0; round < ROUNDS; round++) {
            fill(packet, size, 7, &seed);
            armtap_state_clear(state);
            armtap_recipe_decode(recipe, packet + 4, size - 4, state, &state->known);
            assert_int_equal(armtap_encode_realtime(state, size, packet), ARMTAP_OK);
            assert_int_equal(armtap_encode_values(recipe, state, values, size - 4), recipe->size);
            assert_memory_equal(packet + 4, values, recipe->size);
        }
        armtap_recipe_release(recipe);
        free(packet);
        free(values);
    }
    armtap_state_free(state);
}

static void test_plain_comes_last(void **unused)
{
    size_t count = 0;
    (void)unused;
    while (armtap_plan_decoder_at(count))
        count++;
    assert_true(count > 0);
    assert_true(armtap_plan_decoder_at(count - 1) == armtap_plan_decode);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legacy_sizes_of_random_bytes),
        cmocka_unit_test(test_each_cell_on_each_edge),
        cmocka_unit_test(test_each_cell_where_denormals_are_zero),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_rtde_recipes),
        cmocka_unit_test(test_one_state_for_many_sizes),
        cmocka_unit_test(test_what_a_run_covers),
        cmocka_unit_test(test_plans_encode),
        cmocka_unit_test(test_plain_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
