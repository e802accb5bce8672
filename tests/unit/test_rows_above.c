/* Rows of text in a batch: each reads as it would alone, without a row above from which cells are copied, and as on the
 * plain way, on which each value is read by its recipe. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "export/formats/format.h"
#include "export/formats/line_cells.h"

#define ROWS 600
#define BYTES 400
#define LAYOUTS 3

static int object_rows(const struct row_batch *batch, struct buffer *out)
{
    for (size_t i = 0; i < batch->count; i++)
        json_rows_object(batch, i, JSON_ROWS_LEFT_OUT, out);
    return 0;
}

static const struct writer writer_objects = {.rows = object_rows};
extern const struct writer writer_csv, writer_ndjson, writer_gnuplot, writer_recordpy;

/* The same columns in another order, and some of them. */
static const char *const recipes[LAYOUTS][2] = {
    {"timestamp,actual_q,robot_mode,joint_mode,actual_digital_input_bits,safety_mode,payload,tool_mode,runtime_state,"
     "input_bit_registers0_to_31,output_bit_register_64,mystery",
     "DOUBLE,VECTOR6D,INT32,VECTOR6INT32,UINT64,INT32,DOUBLE,UINT32,UINT32,UINT32,BOOL,VECTOR3D"},
    {"mystery,runtime_state,timestamp,actual_q,robot_mode", "VECTOR3D,UINT32,DOUBLE,VECTOR6D,INT32"},
    {"actual_q,safety_mode", "VECTOR6D,INT32"},
};

struct world {
    struct armtap_recipe *recipe[LAYOUTS];
    size_t entry_of[LAYOUTS][32];
    struct table_layout layout[LAYOUTS];
    struct pick pick[64];
    struct view view;
    uint8_t values[ROWS][BYTES];
    struct output_row rows[ROWS];
    struct number_cell above[256];
    struct pick_above picks_above[64];
};

static struct pick *add_pick(struct world *w, size_t column, const char *name, unsigned count)
{
    struct pick *pick = &w->pick[w->view.picks.count++];
    *pick = (struct pick){.column = column, .count = count, .name = name};
    return pick;
}

/* The columns are the entries of the first recipe. */
static void add_columns(struct world *w)
{
    for (size_t i = 0; i < armtap_recipe_count(w->recipe[0]); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(w->recipe[0], i);
        add_pick(w, i, entry->name, entry->count);
        if (entry->count > 1) {
            struct pick *one = add_pick(w, i, entry->name, 1);
            one->element = true;
            one->first = 2;
        }
        add_pick(w, i, entry->name, entry->count)->by_name = entry->type == ARMTAP_INT32;
        for (size_t k = 0; k < LAYOUTS; k++) {
            w->entry_of[k][i] = TABLE_NONE;
            for (size_t e = 0; e < armtap_recipe_count(w->recipe[k]); e++)
                if (strcmp(armtap_recipe_at(w->recipe[k], e)->name, entry->name) == 0)
                    w->entry_of[k][i] = e;
        }
    }
    struct pick *mixed = add_pick(w, 2, "mixed", 1);
    mixed->if_mixed = true;
    w->pick[w->view.picks.count++] = (struct pick){.row_column = ROW_COLUMN_packet, .count = 1, .name = "packet"};
}

static void world_begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    for (size_t i = 0; i < LAYOUTS; i++) {
        assert_int_equal(armtap_recipe_rtde(recipes[i][0], recipes[i][1], &w->recipe[i]), ARMTAP_OK);
        w->layout[i] = (struct table_layout){.recipe = w->recipe[i], .entry_of = w->entry_of[i]};
    }
    w->view.picks.pick = w->pick;
    add_columns(w);
    for (size_t i = 0; i < w->view.picks.count; i++)
        w->view.cells += w->pick[i].count;
    assert_in_range(w->view.cells, 1, sizeof w->above / sizeof *w->above);
}

static void world_end(struct world *w)
{
    for (size_t i = 0; i < w->view.picks.count; i++)
        free(w->pick[i].key);
    for (size_t i = 0; i < LAYOUTS; i++)
        armtap_recipe_release(w->recipe[i]);
    free(w);
}

/* Overwrites eight bytes: with zeros of both signs, NaNs of two payloads, an infinity, small whole numbers, any bits.
 */
static void change(uint8_t *values, uint64_t *seed)
{
    static const uint64_t some[] = {0,
                                    UINT64_C(1) << 63,
                                    UINT64_C(0x7FF8000000000000),
                                    UINT64_C(0x7FF8000000000001),
                                    UINT64_C(0x7FF0000000000000),
                                    UINT64_C(0x3FB999999999999A),
                                    UINT64_C(0x0000000700000007)};
    uint64_t which = random_bits(seed) % (sizeof some / sizeof *some + 1), place = random_bits(seed) % (BYTES / 4 - 1);
    uint64_t bits = which < sizeof some / sizeof *some ? some[which] : random_bits(seed);
    for (unsigned i = 0; i < 8; i++)
        values[4 * place + i] = (uint8_t)(bits >> 8 * (7 - i));
}

/* Each row is the one before with a few changes: of values, of the recipe, of the generation, of the length. */
static void fill(struct world *w, uint64_t *seed)
{
    struct output_row row = {.robot = "10.0.0.1:30004", .client = "10.0.0.2:5", .protocol = ARMTAP_RTDE};
    size_t layout = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (i > 0)
            memcpy(w->values[i], w->values[i - 1], BYTES);
        for (uint64_t n = random_bits(seed) % 4; n > 0; n--)
            change(w->values[i], seed);
        layout = random_bits(seed) % 16 == 0 ? random_size(LAYOUTS, seed) : layout;
        row.generation = random_bits(seed) % 16 == 0 ? (enum armtap_generation)(random_bits(seed) % 3) : row.generation;
        row.is_mixed ^= random_bits(seed) % 16 == 0;
        row.layout = &w->layout[layout];
        row.values = w->values[i];
        row.values_length =
            random_bits(seed) % 8 == 0 ? random_size(BYTES, seed) : armtap_recipe_size(w->recipe[layout]);
        row.stream = random_bits(seed) % 16 == 0 ? row.stream + 1 : row.stream;
        row.protocol = random_bits(seed) % 16 == 0 ? ARMTAP_REALTIME : row.protocol;
        row.where.packet = i + 1;
        row.where.time = random_bits(seed) % 8 == 0 ? ARMTAP_NO_TIME : (int64_t)i;
        w->rows[i] = row;
    }
}

/* The plain way, of which one row knows nothing of another. */
static void put_plainly(struct world *w, const struct writer *writer, struct buffer *out)
{
    struct row_batch batch = {.view = &w->view, .rows = w->rows, .count = ROWS};
    assert_int_equal(writer->rows(&batch, out), 0);
    assert_false(out->failed);
}

static void put(struct world *w, const struct writer *writer, size_t from, size_t count, struct buffer *out)
{
    struct row_batch batch = {
        .view = &w->view, .rows = &w->rows[from], .count = count, .above = w->above, .picks_above = w->picks_above};
    memset(w->above, 0, sizeof w->above);
    memset(w->picks_above, 0xA5, sizeof w->picks_above);
    assert_int_equal(writer->rows(&batch, out), 0);
    assert_false(out->failed);
}

static void rows_read_as_alone(const struct writer *writer)
{
    struct world *w = malloc(sizeof *w);
    uint64_t seed = 7;
    assert_non_null(w);
    world_begin(w);
    if (writer == &writer_ndjson || writer == &writer_objects)
        assert_int_equal(json_rows_set_keys(&w->view, (const char *const[]){NULL}), 0);
    for (unsigned round = 0; round < 20; round++) {
        struct buffer plain = {0}, alone = {0}, together = {0};
        fill(w, &seed);
        put_plainly(w, writer, &plain);
        for (size_t i = 0; i < ROWS; i++)
            put(w, writer, i, 1, &alone);
        for (size_t i = 0, count; i < ROWS; i += count) {
            count = 1 + random_size(ROWS, &seed);
            count = count < ROWS - i ? count : ROWS - i;
            put(w, writer, i, count, &together);
        }
        assert_int_equal(plain.length, alone.length);
        assert_memory_equal(plain.data, alone.data, plain.length);
        assert_int_equal(alone.length, together.length);
        assert_memory_equal(alone.data, together.data, alone.length);
        free(plain.data);
        free(alone.data);
        free(together.data);
    }
    world_end(w);
}

static void csv(void **state)
{
    (void)state;
    rows_read_as_alone(&writer_csv);
}

static void ndjson(void **state)
{
    (void)state;
    rows_read_as_alone(&writer_ndjson);
}

static void objects(void **state)
{
    (void)state;
    rows_read_as_alone(&writer_objects);
}

static void gnuplot(void **state)
{
    (void)state;
    rows_read_as_alone(&writer_gnuplot);
}

static void recordpy(void **state)
{
    (void)state;
    rows_read_as_alone(&writer_recordpy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv),     cmocka_unit_test(ndjson),   cmocka_unit_test(objects),
        cmocka_unit_test(gnuplot), cmocka_unit_test(recordpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
