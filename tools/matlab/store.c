#include "store.h"

#include "array.h"
#include "base/process/message.h"

/* A piece has this many rows at most, and its values this many bytes; texts as many again. */
enum { PIECE_ROWS = 16384, PIECE_BYTES = 4 << 20, ROWS_MIN = COLUMN_WORD_BITS };

void matlab_store_begin(struct matlab_store *store, struct column_table *table, struct spool *spool)
{
    *table = (struct column_table){.most_rows = PIECE_ROWS, .most_bytes = PIECE_BYTES};
    *store = (struct matlab_store){.table = table, .pieces = {.spool = spool}};
}

int matlab_store_add_column(struct matlab_store *store, enum matlab_type type)
{
    size_t count = store->table->column_count;
    if (!MAKE_ROOM(store->columns, count))
        return -1;
    if (column_table_add_column(store->table, matlab_type_row(type)->width) != 0)
        return -1;
    store->columns[count] = (struct matlab_column){.type = type};
    size_t rows = PIECE_BYTES / (store->table->width + 1);
    rows = rows < PIECE_ROWS ? rows - rows % ROWS_MIN : PIECE_ROWS;
    store->chunk_rows = rows > ROWS_MIN ? rows : ROWS_MIN;
    return 0;
}

void matlab_store_free(struct matlab_store *store)
{
    column_pieces_free(&store->pieces);
    free(store->columns);
}

/* ---- what is known of a column ----------------------------------------------------------------------------------- */

static void measure_text(struct matlab_column *column, const char *text, size_t length)
{
    bool is_json = column->type == MATLAB_JSON && length > 0;
    enum matlab_json_kind kind = is_json ? matlab_json_kind_of(text, length) : MATLAB_JSON_OTHER;
    size_t units = column->type == MATLAB_BYTES ? length
                   : kind == MATLAB_JSON_STRING ? matlab_json_text_units(text, length)
                                                : matlab_text_units(text, length);
    column->characters = units > column->characters ? units : column->characters;
    column->kinds |= kind;
}

static void measure_texts(struct matlab_column *column, const struct buffer *texts)
{
    const char *at = texts->data;
    while (texts->length > 0 && at < texts->data + texts->length) {
        size_t length;
        const char *text = column_text_next(&at, &length);
        measure_text(column, text, length);
    }
    column->text_bytes += texts->length;
}

static bool is_wide(enum matlab_type type, const struct buffer *values)
{
    bool wide = false;
    for (size_t i = 0; i < values->length; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, values->data + i, sizeof word);
        bool is_negative = type == MATLAB_INT64 && word >> 63 != 0;
        wide = wide || (is_negative ? 0 - word : word) > MATLAB_WHOLE_MAX;
    }
    return wide;
}

/* 0, or -1 without memory. */
static int measure(struct matlab_store *store)
{
    struct buffer values = {0};
    for (size_t i = 0; i < store->table->column_count; i++) {
        struct matlab_column *column = &store->columns[i];
        const struct held_column *held = &store->table->columns[i];
        column->has_absent = column->has_absent || held->count < store->table->rows;
        if (held->width == 0)
            measure_texts(column, &held->texts);
        if (column->type != MATLAB_INT64 && column->type != MATLAB_UINT64)
            continue;
        values.length = 0;
        column_table_values(store->table, i, &values);
        column->is_wide = column->is_wide || is_wide(column->type, &values);
    }
    free(values.data);
    return values.failed ? message_no_memory() : 0;
}

int matlab_store_set_aside(struct matlab_store *store)
{
    return store->table->rows == 0 || (measure(store) == 0 && column_pieces_add(&store->pieces, store->table) == 0)
               ? 0
               : -1;
}

const struct matlab_class_row *matlab_class_row(enum matlab_class class)
{
    static const struct matlab_class_row rows[MATLAB_CLASSES] = {
#define MATLAB_CLASS(id, name, width) [MATLAB_CLASS_##id] = {(name), (width)},
#include "classes.def"
    };
    return &rows[class];
}

const struct matlab_type_row *matlab_type_row(enum matlab_type type)
{
    static const struct matlab_type_row rows[MATLAB_TYPES] = {
#define MATLAB_TYPE(id, width, class) [MATLAB_##id] = {(width), MATLAB_CLASS_##class},
#include "types.def"
    };
    return &rows[type];
}
