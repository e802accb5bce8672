/* Tables of the realtime packet: sizes, cells, values. */
#include "tables.h"

#include <string.h>

#include "realtime_packet.h"

#define CELL 8u

static const struct size {
    unsigned bytes;
    const char *software;
} sizes[] = {
#define SIZE(bytes, software) {bytes, software},
#include "realtime_sizes.def"
};
#define SIZES (sizeof sizes / sizeof *sizes)

static unsigned column_of(const struct armtap_field *field, enum armtap_generation generation)
{
    return generation == ARMTAP_GENERATION_CB2 ? field->column_cb2 : field->column_cb3e;
}

static unsigned offset_of(unsigned column)
{
    return ARMTAP_REALTIME_LENGTH_WORD + CELL * (column - 1);
}

/* The smallest listed packet of that generation which has the field. */
static unsigned least_size(const struct armtap_field *field, enum armtap_generation generation)
{
    unsigned end = offset_of(column_of(field, generation)) + CELL * field->count;
    for (size_t i = 0; i < SIZES; i++)
        if (armtap_realtime_generation(sizes[i].bytes) == generation && sizes[i].bytes >= end)
            return sizes[i].bytes;
    return 0;
}

static const struct armtap_field *last_of(unsigned size)
{
    unsigned column = 1, id = 0, next;
    while (armtap_realtime_next(armtap_realtime_generation(size), size, &column, &next))
        id = next;
    return armtap_field_at(id);
}

void put_realtime_sizes(FILE *to)
{
    fputs("| packet, bytes | doubles | software | family | last value |\n|---:|---:|---|---|---|\n", to);
    for (size_t i = 0; i < SIZES; i++) {
        const struct armtap_field *last = last_of(sizes[i].bytes);
        fprintf(to, "| %u | %u | %s | %s | ", sizes[i].bytes, (sizes[i].bytes - ARMTAP_REALTIME_LENGTH_WORD) / CELL,
                sizes[i].software, generation_words(armtap_realtime_generation(sizes[i].bytes)));
        put_cell(to, *last->legacy_name ? last->legacy_name : last->meaning);
        fputs(" |\n", to);
    }
}

/* Fields in a row that differ in their number alone. */
static unsigned alike(const struct armtap_field *first, enum armtap_generation generation)
{
    unsigned column = column_of(first, generation), count = 1;
    for (const struct armtap_field *next = first;; count++) {
        next = armtap_field_at_column(generation, column + count);
        if (first->count > 1 || !next || strcmp(next->meaning, first->meaning) != 0 ||
            strcmp(next->legacy_name, first->legacy_name) != 0 ||
            least_size(next, generation) != least_size(first, generation))
            return count;
    }
}

static void put_row(FILE *to, const struct armtap_field *field, unsigned run, enum armtap_generation generation)
{
    unsigned column = column_of(field, generation), count = field->count > 1 ? field->count : run;
    fprintf(to, "| %u | %u", offset_of(column), column);
    if (count > 1)
        fprintf(to, "-%u", column + count - 1);
    fputs(" | ", to);
    put_type(to, "double", count);
    fprintf(to, "%s | ", field->type == ARMTAP_DOUBLE ? "" : ", whole");
    put_cell(to, field->legacy_name);
    fputs(" | ", to);
    put_code(to, field->name);
    if (run > 1)
        fprintf(to, " to `%s`", armtap_field_at_column(generation, column + run - 1)->name);
    fprintf(to, " | %s | %u | ", field->unit, least_size(field, generation));
    put_cell(to, field->meaning);
    fputs(" |\n", to);
}

static void put_cells(FILE *to, enum armtap_generation generation)
{
    fputs("| offset | column | type | UR's name | RTDE name | unit | from | meaning |\n"
          "|---:|---|---|---|---|---|---:|---|\n",
          to);
    fprintf(to, "| 0 | | int32 | Message size | | bytes | | length of the packet, with these %u bytes |\n",
            ARMTAP_REALTIME_LENGTH_WORD);
    const struct armtap_field *field;
    for (unsigned column = 1; (field = armtap_field_at_column(generation, column));) {
        unsigned run = alike(field, generation);
        put_row(to, field, run, generation);
        column += field->count > 1 ? field->count : run;
    }
}

void put_realtime_cb3e(FILE *to)
{
    put_cells(to, ARMTAP_GENERATION_CB3E);
}

void put_realtime_cb2(FILE *to)
{
    put_cells(to, ARMTAP_GENERATION_CB2);
}

static bool is_cell(const struct armtap_field *field)
{
    return field->column_cb2 > 0 || field->column_cb3e > 0;
}

void put_realtime_enums(FILE *to)
{
    put_enums(to, is_cell, 1u << ARMTAP_GENERATION_CB2 | 1u << ARMTAP_GENERATION_CB3E);
}
