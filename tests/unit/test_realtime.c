/* Legacy packets: every size, both kinds of truncation, bits and modes. The packets are built by hand. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/decoder.h"
#include "table/recipe.h"

/* A field's gnuplot column in the layout of a size; 0 if it has none. */
static unsigned column_in(const struct armtap_field *field, size_t size)
{
    return size <= 812 ? field->column_cb2 : field->column_cb3e;
}

/* Whether the field's last cell ends within the first `size` bytes of the layout of packets of `layout` bytes. */
static bool is_whole(const struct armtap_field *field, size_t layout, size_t size)
{
    unsigned column = column_in(field, layout);
    return column > 0 && 4 + 8 * (size_t)(column - 1 + field->count) <= size;
}

/* Element i of a value as a number, whatever its type. */
static double number_of(const struct armtap_value *value, unsigned i)
{
    return value->type == ARMTAP_DOUBLE  ? value->f64[i]
           : value->type == ARMTAP_INT32 ? (double)value->i64[i]
                                         : (double)value->u64[i];
}

/* Every field that is whole in the packet holds its columns; all others are absent. */
static void check_columns(const struct armtap_state *state, size_t layout, size_t size)
{
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        struct armtap_value value;
        armtap_state_get(state, field, &value);
        if (value.present != is_whole(field, layout, size))
            fail_msg("%s in %zu bytes of a packet of %zu: present %d", field->name, size, layout, value.present);
        for (unsigned i = 0; value.present && i < field->count; i++)
            assert_true(number_of(&value, i) == column_in(field, layout) + i);
    }
}

/* A packet in a block of exactly `length` bytes whose length word says `word`. */
static uint8_t *packet_of(size_t word, size_t length)
{
    struct bytes bytes = {0};
    bytes_packet(&bytes, word < length ? length : word, 1);
    uint8_t *block = malloc(length ? length : 1);
    assert_non_null(block);
    memcpy(block, bytes.at, length);
    bytes_free(&bytes);
    for (unsigned i = 0; i < 4 && i < length; i++)
        block[i] = (uint8_t)(word >> (24 - 8 * i));
    return block;
}

/* ---- cell k holds k ---- */

static void test_cell_k_is_found_in_every_field(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t i = 0; i < legacy_size_count(); i++) {
        uint8_t *packet = packet_of(legacy_size(i), legacy_size(i));
        assert_int_equal(armtap_decode_realtime(packet, legacy_size(i), state), legacy_size(i));
        check_columns(state, legacy_size(i), legacy_size(i));
        free(packet);
    }
    armtap_state_free(state);
}

static void test_recipes_read_cell_k(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < legacy_size_count(); i++) {
        struct armtap_recipe *recipe;
        struct armtap_value value;
        unsigned column = 1;
        uint8_t *packet = packet_of(legacy_size(i), legacy_size(i));
        assert_int_equal(armtap_recipe_realtime(legacy_size(i), &recipe), ARMTAP_OK);
        for (size_t k = 0; k < armtap_recipe_count(recipe); k++) {
            armtap_recipe_read(recipe, k, packet + 4, legacy_size(i) - 4, &value);
            assert_true(value.present);
            assert_string_equal(value.name, armtap_recipe_at(recipe, k)->name);
            for (unsigned e = 0; e < value.count; e++)
                assert_true(number_of(&value, e) == column++);
        }
        assert_int_equal(4 + 8 * (column - 1), legacy_size(i));
        armtap_recipe_release(recipe);
        free(packet);
    }
}

/* What a connection's record reported: its state is read during the callback. */
struct heard {
    unsigned records, notes;
    int version;
    size_t size;
    enum armtap_generation generation;
    uint8_t frame[4096];
    size_t frame_length;
};

static int hear_record(void *user, const struct armtap_record *record)
{
    struct heard *heard = user;
    heard->records++;
    heard->version = record->version;
    heard->generation = record->stream->generation;
    assert_int_equal(record->protocol, ARMTAP_REALTIME);
    assert_int_equal(record->frame_length, heard->size);
    assert_ptr_equal(record->values, record->frame + 4);
    assert_int_equal(record->flags, 0);
    check_columns(record->state, heard->size, heard->size);
    for (unsigned id = 0; id < armtap_field_count(); id++)
        assert_int_equal(armtap_set_has(record->updated, id), is_whole(armtap_field_at(id), heard->size, heard->size));
    return 0;
}

static int hear_note(void *user, const struct armtap_note *note)
{
    struct heard *heard = user;
    heard->notes++;
    assert_string_equal(note->kind->id, "rt.size.unknown");
    return 0;
}

static void push_alone(struct heard *heard, size_t size)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = hear_record, .on_note = hear_note};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    struct armtap_conn *conn;
    uint8_t *packet = packet_of(size, size);
    *heard = (struct heard){.size = size};
    assert_int_equal(armtap_conn_new(&options, &sink, heard, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet, size, NULL), ARMTAP_OK);
    free(packet);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(heard->records, 1);
    assert_int_equal(heard->version, size);
    armtap_conn_free(conn);
}

static void test_records_hold_cell_k(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < legacy_size_count(); i++) {
        struct heard heard;
        push_alone(&heard, legacy_size(i));
        if (heard.notes != 0)
            fail_msg("packet of %zu bytes: no row of decoders/realtime_sizes.def", legacy_size(i));
        assert_int_equal(heard.generation, legacy_size(i) <= 812 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E);
    }
}

/* ---- truncation ---- */

static void test_every_other_size_gives_its_known_prefix(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t size = 12; size <= 4096; size++) {
        uint8_t *packet = packet_of(size, size);
        assert_int_equal(armtap_decode_realtime(packet, size, state), size);
        check_columns(state, size, size);
        free(packet);
    }
    armtap_state_free(state);
}

static bool is_listed(size_t size)
{
    for (size_t i = 0; i < legacy_size_count(); i++)
        if (legacy_size(i) == size)
            return true;
    return false;
}

static void test_records_of_every_other_size(void **unused)
{
    (void)unused;
    for (size_t size = 12; size <= 4096; size += size < 1300 ? 1 : 37) {
        struct heard heard;
        push_alone(&heard, size);
        if (heard.notes != (is_listed(size) ? 0 : 1))
            fail_msg("packet of %zu bytes: %u notes; decoders/realtime_sizes.def and realtime_layout.csv differ", size,
                     heard.notes);
    }
}

static void test_fewer_bytes_than_the_word_says(void **unused)
{
    static const size_t words[] = {812, 1060, 1220};
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t w = 0; w < 3; w++)
        for (size_t length = 0; length <= words[w]; length++) {
            uint8_t *packet = packet_of(words[w], length);
            int used = armtap_decode_realtime(packet, length, state);
            assert_int_equal(used, length < 12 ? ARMTAP_ERR_SHORT : (int)length);
            if (used > 0)
                check_columns(state, words[w], length);
            free(packet);
        }
    armtap_state_free(state);
}

static void test_recipes_read_what_is_at_hand(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_realtime(1220, &recipe), ARMTAP_OK);
    for (size_t length = 0; length <= 1216; length++) {
        uint8_t *packet = packet_of(1220, 1220), *exact = malloc(length ? length : 1);
        assert_non_null(exact);
        memcpy(exact, packet + 4, length);
        for (size_t k = 0; k < armtap_recipe_count(recipe); k++) {
            struct armtap_value value;
            armtap_recipe_read(recipe, k, exact, length, &value);
            assert_int_equal(value.present, is_whole(value.field, 1220, length + 4));
        }
        free(packet);
        free(exact);
    }
    armtap_recipe_release(recipe);
}

static void test_more_bytes_than_the_word_says(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *packet = packet_of(1060, 3000);
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_decode_realtime(packet, 3000, state), 1060);
    check_columns(state, 1060, 1060);
    free(packet);
    armtap_state_free(state);
}

static void test_old_fields_are_not_taken_for_new(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *packet = packet_of(1220, 1220);
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_decode_realtime(packet, 1220, state), 1220);
    assert_true(armtap_set_has(&state->known, ARMTAP_ID_payload));
    assert_int_equal(armtap_decode_realtime(packet, 1000, state), 1000);
    assert_false(armtap_set_has(&state->known, ARMTAP_ID_payload));
    free(packet);
    armtap_state_free(state);
}

static void test_decode_refuses_what_is_no_packet(void **unused)
{
    static const uint8_t primary[12] = {0, 0, 16, 1}, huge[12] = {0x3f, 0xf0};
    struct armtap_state *state = armtap_state_new();
    uint8_t tiny[12] = {0, 0, 0, 11};
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_decode_realtime(tiny, 12, state), ARMTAP_ERR_NOT_OURS);
    assert_int_equal(armtap_decode_realtime(primary, 12, state), ARMTAP_ERR_NOT_OURS); /* 4097 */
    assert_int_equal(armtap_decode_realtime(huge, 12, state), ARMTAP_ERR_NOT_OURS);
    assert_int_equal(armtap_decode_realtime(tiny, 11, state), ARMTAP_ERR_SHORT);
    assert_int_equal(armtap_decode_realtime(NULL, 12, state), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_decode_realtime(tiny, 12, NULL), ARMTAP_ERR_ARGUMENT);
    tiny[3] = 12;
    assert_int_equal(armtap_decode_realtime(tiny, 12, state), 12);
    armtap_state_free(state);
}

/* ---- bits and modes ---- */

struct cell {
    uint64_t raw;
    bool present;
    uint64_t bits;
};

/* Doubles in IEEE 754 as Python's struct.pack('>d', x).hex() gives them. */
static const struct cell bit_cells[] = {
    {UINT64_C(0x4014000000000000), true, 5},                            /* 5.0 */
    {5, true, 5},                                                       /* the raw integer 5 */
    {0, true, 0},                                                       /* either way */
    {UINT64_C(0x8000000000000000), true, 0},                            /* -0.0 */
    {1, true, 1},                                                       /* raw */
    {UINT64_C(0x3ff0000000000000), true, 1},                            /* 1.0 */
    {UINT64_C(0x000fffffffffffff), true, UINT64_C(0x000fffffffffffff)}, /* the largest raw integer */
    {UINT64_C(0x0010000000000000), false, 0},                           /* 2.2e-308 */
    {UINT64_C(0xbff0000000000000), false, 0},                           /* -1.0 */
    {UINT64_C(0x3fe0000000000000), false, 0},                           /* 0.5 */
    {UINT64_C(0x43e0000000000000), true, UINT64_C(0x8000000000000000)}, /* 2^63 */
    {UINT64_C(0x43efffffffffffff), true, UINT64_C(0xfffffffffffff800)}, /* the last below 2^64 */
    {UINT64_C(0x43f0000000000000), false, 0},                           /* 2^64 */
    {UINT64_C(0x7ff8000000000000), false, 0},                           /* NaN */
    {UINT64_C(0xfff8000000000001), false, 0},                           /* NaN */
    {UINT64_C(0x7ff0000000000000), false, 0},                           /* infinity */
    {UINT64_C(0x410ffff800000000), true, 262143},                       /* 2^18 - 1: all eighteen */
};

static void test_digital_bits_are_doubles_or_raw(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t i = 0; i < sizeof bit_cells / sizeof bit_cells[0]; i++)
        for (size_t size = 812; size <= 1060; size += 1060 - 812) {
            uint8_t *packet = packet_of(size, size);
            put_raw_cell(packet, 86, bit_cells[i].raw);
            assert_int_equal(armtap_decode_realtime(packet, size, state), size);
            assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_actual_digital_input_bits), bit_cells[i].present);
            if (bit_cells[i].present)
                assert_true(state->actual_digital_input_bits == bit_cells[i].bits);
            assert_true(armtap_set_has(&state->known, ARMTAP_ID_joint_temperatures));
            free(packet);
        }
    armtap_state_free(state);
}

static void test_digital_outputs_follow_the_same_rule(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t i = 0; i < sizeof bit_cells / sizeof bit_cells[0]; i++) {
        uint8_t *packet = packet_of(1220, 1220);
        put_raw_cell(packet, 131, bit_cells[i].raw);
        assert_int_equal(armtap_decode_realtime(packet, 1220, state), 1220);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_actual_digital_output_bits), bit_cells[i].present);
        if (bit_cells[i].present)
            assert_true(state->actual_digital_output_bits == bit_cells[i].bits);
        free(packet);
    }
    armtap_state_free(state);
}

struct mode {
    double number;
    bool as_int32, as_uint32;
};

static void test_modes_hold_whole_numbers(void **unused)
{
    static const struct mode modes[] = {
        {0, true, true},
        {-0.0, true, true},
        {7, true, true},
        {253, true, true},
        {-1, true, false},
        {2147483647.0, true, true},
        {2147483648.0, false, true},
        {4294967295.0, false, true},
        {4294967296.0, false, false},
        {-2147483648.0, true, false},
        {-2147483649.0, false, false},
        {1.5, false, false},
        {-0.25, false, false},
        {NAN, false, false},
        {INFINITY, false, false},
        {-INFINITY, false, false},
        {1e300, false, false},
        {5e-324, false, false},
    };
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        uint8_t *packet = packet_of(1220, 1220);
        put_cell(packet, 95, modes[i].number);
        put_cell(packet, 132, modes[i].number);
        put_cell(packet, 102, modes[i].number);
        put_cell(packet, 139, modes[i].number);
        put_cell(packet, 100, modes[i].number); /* the fifth joint mode */
        assert_int_equal(armtap_decode_realtime(packet, 1220, state), 1220);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_robot_mode), modes[i].as_int32);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_safety_mode), modes[i].as_int32);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_safety_status), modes[i].as_int32);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_joint_mode), modes[i].as_int32);
        assert_int_equal(armtap_set_has(&state->known, ARMTAP_ID_runtime_state), modes[i].as_uint32);
        if (modes[i].as_int32)
            assert_true(state->robot_mode == modes[i].number && state->joint_mode[4] == modes[i].number);
        if (modes[i].as_uint32)
            assert_true(state->runtime_state == modes[i].number);
        free(packet);
    }
    armtap_state_free(state);
}

/* Odd numbers in columns 95 to 101, and from CB3 on 102 and 139, are no modes; elsewhere they may be anything. */
static void test_modes_stand_in_their_columns(void **unused)
{
    static const size_t sizes[] = {764, 812, 1044, 1108, 1220};
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (unsigned column = 2; 4 + 8 * column <= sizes[i]; column++) {
            uint8_t *packet = packet_of(sizes[i], sizes[i]);
            bool is_mode = (column >= 95 && column <= 101) || (sizes[i] > 812 && (column == 102 || column == 139));
            put_cell(packet, 1, 10);
            for (unsigned k = 2; 4 + 8 * k <= sizes[i]; k++)
                put_cell(packet, k, 0);
            put_cell(packet, 95, 7);
            put_cell(packet, column, 1.5);
            assert_int_equal(armtap_decoder_for(ARMTAP_REALTIME)->begins(ARMTAP_FROM_ROBOT, packet, sizes[i]),
                             is_mode ? ARMTAP_FIT_MAYBE : ARMTAP_FIT_YES);
            free(packet);
        }
}

static void test_a_vector_is_never_half_new(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *packet = packet_of(812, 812);
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_decode_realtime(packet, 812, state), 812);
    for (unsigned i = 0; i < 6; i++)
        put_cell(packet, 96 + i, 253);
    put_cell(packet, 101, 0.5);
    assert_int_equal(armtap_decode_realtime(packet, 812, state), 812);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(state->joint_mode[i], 96 + i);
    free(packet);
    armtap_state_free(state);
}

static void test_pose_and_speed_by_layout(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *old = packet_of(812, 812), *now = packet_of(1044, 1044);
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_decode_realtime(old, 812, state), 812);
    assert_true(state->actual_TCP_pose[0] == 74 && state->target_TCP_speed[5] == 85);
    assert_true(state->actual_tool_accelerometer[0] == 50);
    assert_false(armtap_set_has(&state->known, ARMTAP_ID_target_TCP_pose));
    assert_false(armtap_set_has(&state->known, ARMTAP_ID_actual_TCP_speed));
    assert_int_equal(armtap_decode_realtime(now, 1044, state), 1044);
    assert_true(state->actual_TCP_pose[0] == 56 && state->actual_TCP_speed[0] == 62);
    assert_true(state->target_TCP_pose[0] == 74 && state->target_TCP_speed[0] == 80);
    assert_true(state->actual_tool_accelerometer[2] == 111);
    free(old);
    free(now);
    armtap_state_free(state);
}

/* ---- cells that hold no number, in a connection ---- */

static void play(const struct bytes *bytes, struct log *log)
{
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    struct script script = {.count = 0};
    script_add(&script, ARMTAP_FROM_ROBOT, bytes);
    script_play(&script, &options, NULL, 0, log);
    script_free(&script);
}

static void test_a_bad_cell_is_noted_until_it_is_good(void **unused)
{
    static const double program[] = {1, -1, -1, 2, 2, 0.5, -1, 0};
    struct bytes bytes = {0};
    struct log log = {.values = true};
    (void)unused;
    for (size_t i = 0; i < 8; i++) {
        size_t begin = bytes.length;
        bytes_packet(&bytes, 1060, 1 + 0.008 * (double)i);
        put_cell(bytes.at + begin, 132, program[i]);
        put_cell(bytes.at + begin, 99, i == 6 ? NAN : 253);
    }
    play(&bytes, &log);
    assert_int_equal(log.records[ARMTAP_FROM_ROBOT], 8);
    assert_int_equal(log.notes, 3);
    assert_int_equal(log_count(&log, "note < rt.cell.not-integer: field=runtime_state offset=1052\n"), 2);
    assert_int_equal(log_count(&log, "note < rt.cell.not-integer: field=joint_mode offset=764\n"), 1);
    assert_int_equal(log_count(&log, "runtime_state=absent"), 4);
    assert_int_equal(log_count(&log, "runtime_state=2"), 2);
    assert_int_equal(log_count(&log, "joint_mode=absent"), 1);
    assert_int_equal(log_count(&log, "joint_mode=[96, 97, 98, 253, 100, 101]"), 7);
    log_free(&log);
    bytes_free(&bytes);
}

static int keep_frame(void *user, const struct armtap_record *record)
{
    struct heard *heard = user;
    heard->records++;
    memcpy(heard->frame, record->frame, record->frame_length);
    heard->frame_length = record->frame_length;
    assert_false(armtap_set_has(record->updated, ARMTAP_ID_runtime_state));
    assert_false(armtap_set_has(&record->state->known, ARMTAP_ID_runtime_state));
    assert_true(armtap_set_has(record->updated, ARMTAP_ID_elbow_position));
    return 0;
}

static void test_the_frame_keeps_what_is_absent(void **unused)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_frame};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    struct heard heard = {.records = 0};
    struct armtap_conn *conn;
    uint8_t *packet = packet_of(1108, 1108);
    (void)unused;
    put_cell(packet, 132, -1);
    assert_int_equal(armtap_conn_new(&options, &sink, &heard, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet, 1108, NULL), ARMTAP_OK);
    assert_int_equal(heard.records, 1);
    assert_int_equal(heard.frame_length, 1108);
    assert_memory_equal(heard.frame, packet, 1108);
    armtap_conn_free(conn);
    free(packet);
}

/* ---- sizes that change, text to the robot ---- */

static void test_a_size_that_changes_is_noted(void **unused)
{
    static const size_t run[] = {1108, 1108, 1116, 1116, 900, 900, 1108};
    struct bytes bytes = {0};
    struct log log = {.values = true};
    (void)unused;
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++)
        bytes_packet(&bytes, run[i], 1 + 0.002 * (double)i);
    play(&bytes, &log);
    assert_int_equal(log.records[ARMTAP_FROM_ROBOT], 7);
    assert_int_equal(log.recipes, 4);
    assert_int_equal(log_count(&log, "rt.size.changed: bytes=1116 bytes_before=1108"), 1);
    assert_int_equal(log_count(&log, "rt.size.changed: bytes=900 bytes_before=1116"), 1);
    assert_int_equal(log_count(&log, "rt.size.unknown: bytes=900\n"), 1);
    assert_int_equal(log.notes, 4);
    assert_true(log_has(&log, "stream realtime v1108 cb3e"));
    log_free(&log);
    bytes_free(&bytes);
}

static void test_script_lines_are_text_records(void **unused)
{
    static const char program[] = "def p():\r\n  set_digital_out(0, True)\n\nend\nmovej([0,0,0,0,0,0])";
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    struct script script = {.count = 0};
    struct bytes packet = {0}, text = {0};
    (void)unused;
    bytes_packet(&packet, 1220, 1);
    bytes_text(&text, program);
    script_add(&script, ARMTAP_TO_ROBOT, &text); /* before it is known that this is a realtime connection */
    script_add(&script, ARMTAP_FROM_ROBOT, &packet);
    struct log log = script_log(&script, &options);
    assert_int_equal(log.records[ARMTAP_TO_ROBOT], 5);
    assert_true(log_has(&log, "record > @0 +10 v0 id0 text=\"def p():\"\n"));
    assert_true(log_has(&log, "record > @10 +27 v0 id0 text=\"  set_digital_out(0, True)\"\n"));
    assert_true(log_has(&log, "record > @37 +1 v0 id0 text=\"\"\n"));
    assert_true(log_has(&log, "record > @42 +20 v1220 id0 text=\"movej([0,0,0,0,0,0])\"\n"));
    assert_true(log_has(&log, "> records 5 decoded 62 lost 0 skipped 0"));
    log_free(&log);
    bytes_free(&packet);
    bytes_free(&text);
    script_free(&script);
}

/* ---- the encoder's arguments ---- */

static void test_encode_fills_what_is_absent_with_zero(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    uint8_t *buffer = malloc(1300);
    (void)unused;
    assert_non_null(state);
    assert_non_null(buffer);
    state->runtime_state = 7; /* not known, so not sent */
    state->timestamp = 1;
    armtap_set_add(&state->known, ARMTAP_ID_timestamp);
    memset(buffer, 0xaa, 1300);
    assert_int_equal(armtap_encode_realtime(state, 1299, buffer), ARMTAP_OK);
    assert_memory_equal(buffer, "\0\0\x05\x13\x3f\xf0\0\0\0\0\0\0", 12);
    for (size_t i = 12; i < 1299; i++)
        assert_int_equal(buffer[i], 0);
    assert_int_equal(buffer[1299], 0xaa);
    assert_int_equal(armtap_encode_realtime(state, 11, buffer), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_realtime(state, 4097, buffer), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_realtime(NULL, 1220, buffer), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_realtime(state, 1220, NULL), ARMTAP_ERR_ARGUMENT);
    free(buffer);
    armtap_state_free(state);
}

/* ---- clocks that a controller can show ---- */

static unsigned records_with_clock(double clock)
{
    struct bytes bytes = {0};
    struct log log = {0};
    for (unsigned i = 0; i < 20; i++)
        bytes_packet(&bytes, 1060, clock);
    play(&bytes, &log);
    unsigned records = log.records[ARMTAP_FROM_ROBOT];
    log_free(&log);
    bytes_free(&bytes);
    return records;
}

static void test_a_clock_that_no_controller_shows(void **unused)
{
    (void)unused;
    assert_int_equal(records_with_clock(0), 20);
    assert_int_equal(records_with_clock(1e-6), 20);
    assert_int_equal(records_with_clock(0.99e-6), 0);
    assert_int_equal(records_with_clock(1e9), 20);
    assert_int_equal(records_with_clock(1.01e9), 0);
    assert_int_equal(records_with_clock(-1), 0);
    assert_int_equal(records_with_clock(NAN), 0);
}

/* ---- a stream joined in mid-stream whose clock stands still ---- */

static unsigned records_behind_junk(unsigned packets)
{
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME, .midstream = true};
    struct script script = {.count = 0};
    struct bytes bytes = {0};
    struct log log = {0};
    bytes_text(&bytes, "not one");
    for (unsigned i = 0; i < packets; i++)
        bytes_packet(&bytes, 1060, 77);
    script_add(&script, ARMTAP_FROM_ROBOT, &bytes);
    script_play(&script, &options, NULL, 0, &log);
    unsigned records = log.records[ARMTAP_FROM_ROBOT];
    log_free(&log);
    script_free(&script);
    bytes_free(&bytes);
    return records;
}

static void test_one_packet_alone_is_not_believed(void **unused)
{
    (void)unused;
    assert_int_equal(records_behind_junk(1), 0);
    assert_int_equal(records_behind_junk(2), 2);
    assert_int_equal(records_behind_junk(9), 9);
}

static void test_the_usual_length_is_that_of_the_longest_size(void **unused)
{
    (void)unused;
    assert_int_equal(armtap_decoder_for(ARMTAP_REALTIME)->usual, legacy_size(legacy_size_count() - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_k_is_found_in_every_field),
        cmocka_unit_test(test_recipes_read_cell_k),
        cmocka_unit_test(test_records_hold_cell_k),
        cmocka_unit_test(test_every_other_size_gives_its_known_prefix),
        cmocka_unit_test(test_records_of_every_other_size),
        cmocka_unit_test(test_fewer_bytes_than_the_word_says),
        cmocka_unit_test(test_recipes_read_what_is_at_hand),
        cmocka_unit_test(test_more_bytes_than_the_word_says),
        cmocka_unit_test(test_old_fields_are_not_taken_for_new),
        cmocka_unit_test(test_decode_refuses_what_is_no_packet),
        cmocka_unit_test(test_digital_bits_are_doubles_or_raw),
        cmocka_unit_test(test_digital_outputs_follow_the_same_rule),
        cmocka_unit_test(test_modes_hold_whole_numbers),
        cmocka_unit_test(test_modes_stand_in_their_columns),
        cmocka_unit_test(test_a_vector_is_never_half_new),
        cmocka_unit_test(test_pose_and_speed_by_layout),
        cmocka_unit_test(test_a_bad_cell_is_noted_until_it_is_good),
        cmocka_unit_test(test_the_frame_keeps_what_is_absent),
        cmocka_unit_test(test_a_size_that_changes_is_noted),
        cmocka_unit_test(test_script_lines_are_text_records),
        cmocka_unit_test(test_encode_fills_what_is_absent_with_zero),
        cmocka_unit_test(test_a_clock_that_no_controller_shows),
        cmocka_unit_test(test_one_packet_alone_is_not_believed),
        cmocka_unit_test(test_the_usual_length_is_that_of_the_longest_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
