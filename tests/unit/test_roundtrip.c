/* Decoding and encoding again gives the same bytes: legacy packets of every size, RTDE values of every variable. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "inside.h"

#define ROUNDS 2000 /* for each size */

/* Bits of a double, often a troublesome one: NaN with a payload, -0.0, denormal, infinity; else random. */
static uint64_t random_double(uint64_t *seed)
{
    static const uint64_t odd[] = {
        UINT64_C(0x8000000000000000), UINT64_C(0),
        UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000001),
        UINT64_C(0xfff4deadbeef0001), UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000), UINT64_C(0x0000000000000001),
        UINT64_C(0x800fffffffffffff), UINT64_C(0x7fefffffffffffff),
    };
    uint64_t bits = random_bits(seed);
    return bits % 4 == 0 ? odd[(bits >> 8) % (sizeof odd / sizeof odd[0])] : random_bits(seed);
}

/* A whole number that fits the field's type, as a double. */
static double random_whole(uint64_t *seed, const struct armtap_field *field)
{
    uint64_t bits = random_bits(seed);
    switch (field->type) {
    case ARMTAP_INT32:
        return (double)(int32_t)(uint32_t)(bits >> (bits % 32));
    case ARMTAP_UINT32:
        return (double)(uint32_t)(bits >> (bits % 32));
    default:
        return (double)(bits >> (11 + bits % 53)); /* up to 2^53: every whole number is a double */
    }
}

/* A packet whose doubles hold random bits, and whose modes and digital cells hold whole numbers. */
static void fill_packet(struct bytes *packet, size_t size, uint64_t *seed)
{
    bytes_number(packet, size, 4);
    while (packet->length < size)
        bytes_number(packet, random_double(seed), 8);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        unsigned column = size <= 812 ? field->column_cb2 : field->column_cb3e;
        if (column == 0 || field->type == ARMTAP_DOUBLE)
            continue;
        for (unsigned i = 0; i < field->count && 4 + 8 * (column + i) <= size; i++)
            put_cell(packet->at, column + i, random_whole(seed, field));
    }
}

static void test_legacy_packets_come_back(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    (void)unused;
    assert_non_null(state);
    for (size_t s = 0; s < legacy_size_count(); s++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct bytes packet = {0};
            fill_packet(&packet, legacy_size(s), &seed);
            uint8_t *again = malloc(legacy_size(s));
            assert_non_null(again);
            memset(again, 0xaa, legacy_size(s));
            assert_int_equal(armtap_decode_realtime(packet.at, legacy_size(s), state), legacy_size(s));
            assert_int_equal(armtap_encode_realtime(state, legacy_size(s), again), ARMTAP_OK);
            assert_memory_equal(again, packet.at, legacy_size(s));
            free(again);
            bytes_free(&packet);
        }
    armtap_state_free(state);
}

/* The same through a recipe, from a record's state. */
static int encode_again(void *user, const struct armtap_record *record)
{
    unsigned *records = user;
    uint8_t *values = malloc(record->values_length);
    assert_non_null(values);
    int length = armtap_encode_values(record->recipe, record->state, values, record->values_length);
    assert_int_equal(length, record->values_length);
    assert_memory_equal(values, record->values, record->values_length);
    assert_int_equal(armtap_encode_values(record->recipe, record->state, values, record->values_length - 1),
                     ARMTAP_ERR_SPACE);
    free(values);
    ++*records;
    return 0;
}

static void test_legacy_records_come_back(void **unused)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = encode_again};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    uint64_t seed = 4711;
    (void)unused;
    for (size_t s = 0; s < legacy_size_count(); s++) {
        struct armtap_conn *conn;
        unsigned records = 0;
        assert_int_equal(armtap_conn_new(&options, &sink, &records, &conn), ARMTAP_OK);
        for (unsigned round = 0; round < 200; round++) {
            struct bytes packet = {0};
            fill_packet(&packet, legacy_size(s), &seed);
            put_cell(packet.at, 1, 1 + round * 0.008);
            assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet.at, packet.length, NULL), ARMTAP_OK);
            bytes_free(&packet);
        }
        assert_int_equal(records, 200);
        armtap_conn_free(conn);
    }
}

/* ---- RTDE: every variable that a controller sends or takes ---- */

struct menu {
    struct bytes names, types;
    size_t type_cell; /* 2: protocols 1 and 2; 3: protocol 3 */
    unsigned count;
};

static void add_to_menu(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct menu *menu = user;
    assert_int_equal(count, 5);
    bytes_text(&menu->names, menu->count ? "," : "");
    bytes_text(&menu->names, cells[0]);
    bytes_text(&menu->types, menu->count ? "," : "");
    bytes_text(&menu->types, cells[menu->type_cell]);
    menu->count++;
}

static struct armtap_recipe *menu_recipe(size_t type_cell)
{
    struct menu menu = {.type_cell = type_cell};
    struct armtap_recipe *recipe;
    assert_true(table_each("rtde_variables.csv", add_to_menu, &menu) > 0);
    bytes_number(&menu.names, 0, 1);
    bytes_number(&menu.types, 0, 1);
    assert_int_equal(armtap_recipe_rtde((char *)menu.names.at, (char *)menu.types.at, &recipe), ARMTAP_OK);
    bytes_free(&menu.names);
    bytes_free(&menu.types);
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++)
        assert_non_null(armtap_recipe_at(recipe, i)->field);
    return recipe;
}

/* Random values in wire types: doubles with odd bits, any integers, 0 or 1 in BOOL. */
static void fill_values(struct bytes *values, const struct armtap_recipe *recipe, uint64_t *seed)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        unsigned width = (unsigned)(entry->wire_size / entry->count);
        for (unsigned k = 0; k < entry->count; k++)
            bytes_number(values,
                         entry->type == ARMTAP_DOUBLE ? random_double(seed)
                         : entry->type == ARMTAP_BOOL ? random_bits(seed) & 1
                                                      : random_bits(seed),
                         width);
    }
}

static void check_recipe_comes_back(struct armtap_recipe *recipe, const char *head)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = encode_again};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_RTDE, .midstream = true};
    struct armtap_conn *conn;
    uint64_t seed = 12345;
    unsigned records = 0;
    assert_int_equal(armtap_conn_new(&options, &sink, &records, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_set_recipe(conn, recipe), ARMTAP_OK);
    for (unsigned round = 0; round < 1000; round++) {
        struct bytes payload = {0}, package = {0}, values = {0};
        bytes_hex(&payload, head);
        fill_values(&values, recipe, &seed);
        for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
            const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
            if (strcmp(entry->name, "timestamp") == 0) /* a clock that the connection accepts */
                put_cell(values.at + entry->offset - 4, 1, 1 + round * 0.002);
        }
        bytes_add(&payload, values.at, values.length);
        bytes_package(&package, 'U', &payload);
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package.at, package.length, NULL), ARMTAP_OK);
        bytes_free(&payload);
        bytes_free(&package);
        bytes_free(&values);
    }
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(records, 1000);
    armtap_conn_free(conn);
}

static void test_rtde_values_of_all_variables_come_back(void **unused)
{
    struct armtap_recipe *second = menu_recipe(2), *third = menu_recipe(3);
    (void)unused;
    assert_int_equal(armtap_recipe_size(third), armtap_recipe_size(second) + 6); /* two fields of 4 bytes, not 1 */
    check_recipe_comes_back(second, "01");
    check_recipe_comes_back(second, "");
    check_recipe_comes_back(third, "01");
    armtap_recipe_release(second);
    armtap_recipe_release(third);
}

/* ---- states that a caller fills ---- */

static void test_a_state_crosses_between_the_protocols(void **unused)
{
    struct armtap_state *state = armtap_state_new(), *other = armtap_state_new();
    uint8_t packet[1220], values[8 + 48 + 4 + 8 + 24];
    struct armtap_recipe *recipe;
    (void)unused;
    assert_non_null(state);
    assert_non_null(other);
    state->timestamp = 12.5;
    state->runtime_state = 4294967295u;
    state->actual_digital_input_bits = 0x3ffff;
    for (int i = 0; i < 6; i++) {
        state->actual_q[i] = -0.1 * i;
        state->joint_mode[i] = -1 - i;
    }
    armtap_set_add(&state->known, ARMTAP_ID_timestamp);
    armtap_set_add(&state->known, ARMTAP_ID_runtime_state);
    armtap_set_add(&state->known, ARMTAP_ID_actual_digital_input_bits);
    armtap_set_add(&state->known, ARMTAP_ID_actual_q);
    armtap_set_add(&state->known, ARMTAP_ID_joint_mode);
    assert_int_equal(armtap_encode_realtime(state, sizeof packet, packet), ARMTAP_OK);
    assert_memory_equal(packet + 1052, "\x41\xef\xff\xff\xff\xe0\0\0", 8); /* 4294967295.0 */
    assert_memory_equal(packet + 684, "\x41\x0f\xff\xf8\0\0\0\0", 8);      /* 262143.0 */
    assert_memory_equal(packet + 764, "\xbf\xf0\0\0\0\0\0\0", 8);          /* -1.0 */
    assert_int_equal(armtap_decode_realtime(packet, sizeof packet, other), sizeof packet);
    assert_int_equal(armtap_recipe_rtde("timestamp,actual_q,runtime_state,actual_digital_input_bits,joint_mode",
                                        "DOUBLE,VECTOR6D,UINT32,UINT64,VECTOR6INT32", &recipe),
                     ARMTAP_OK);
    assert_int_equal(armtap_encode_values(recipe, other, values, sizeof values), sizeof values);
    assert_memory_equal(values, "\x40\x29\0\0\0\0\0\0", 8);
    assert_memory_equal(values + 56, "\xff\xff\xff\xff\0\0\0\0\0\x03\xff\xff\xff\xff\xff\xff", 16);
    assert_memory_equal(values + 88, "\xff\xff\xff\xfa", 4);
    armtap_recipe_release(recipe);
    armtap_state_free(state);
    armtap_state_free(other);
}

static void test_absent_and_unknown_become_zero(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    struct armtap_recipe *recipe;
    uint8_t values[8 + 4 + 24 + 1];
    (void)unused;
    assert_non_null(state);
    state->timestamp = 1;
    state->robot_mode = 7; /* set, but not known */
    armtap_set_add(&state->known, ARMTAP_ID_timestamp);
    assert_int_equal(
        armtap_recipe_rtde("timestamp,robot_mode,my_own,output_bit_register_64", "DOUBLE,INT32,VECTOR3D,BOOL", &recipe),
        ARMTAP_OK);
    memset(values, 0xaa, sizeof values);
    assert_int_equal(armtap_encode_values(recipe, state, values, sizeof values), sizeof values);
    assert_memory_equal(values, "\x3f\xf0\0\0\0\0\0\0", 8);
    for (size_t i = 8; i < sizeof values; i++)
        assert_int_equal(values[i], 0);
    assert_int_equal(armtap_encode_values(recipe, state, values, sizeof values - 1), ARMTAP_ERR_SPACE);
    assert_int_equal(armtap_encode_values(NULL, state, values, sizeof values), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_values(recipe, NULL, values, sizeof values), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_values(recipe, state, NULL, sizeof values), ARMTAP_ERR_ARGUMENT);
    armtap_recipe_release(recipe);
    armtap_state_free(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legacy_packets_come_back),
        cmocka_unit_test(test_legacy_records_come_back),
        cmocka_unit_test(test_rtde_values_of_all_variables_come_back),
        cmocka_unit_test(test_a_state_crosses_between_the_protocols),
        cmocka_unit_test(test_absent_and_unknown_become_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
