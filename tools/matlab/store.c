#include "store.h"

#include "base/process/message.h"

/* A piece has this many rows at most, and its values this many bytes; texts as many again. */
enum { PIECE_ROWS = 16384, PIECE_BYTES = 4 << 20, ROWS_MIN = 64 };

static size_t width_of(const struct matlab_column *column)
{
    return matlab_type_row(column->type)->width;
}

int matlab_store_add_column(struct matlab_store *store, enum matlab_type type)
{
    if ((store->column_count & (store->column_count - 1)) == 0) {
        struct matlab_column *columns = realloc(store->columns, (2 * store->column_count + 1) * sizeof *columns);
        if (!columns)
            return -1;
        store->columns = columns;
    }
    bool is_text = matlab_type_is_text(type);
    store->columns[store->column_count++] =
        (struct matlab_column){.type = type, .before = is_text ? store->text_count : store->width};
    store->width += matlab_type_row(type)->width;
    store->text_count += is_text;
    size_t rows = PIECE_BYTES / (store->width + 1);
    rows = rows < PIECE_ROWS ? rows - rows % ROWS_MIN : PIECE_ROWS;
    store->rows_max = rows > ROWS_MIN ? rows : ROWS_MIN;
    return 0;
}

static void free_rows(struct matlab_store *store)
{
    for (size_t i = 0; store->texts && i < store->text_count; i++)
        free(store->texts[i].data);
    free(store->texts);
    free(store->values);
    free(store->present);
    store->texts = NULL;
    store->values = NULL;
    store->present = NULL;
    store->room = 0;
}

void matlab_store_free(struct matlab_store *store)
{
    free_rows(store);
    free(store->columns);
    free(store->pieces);
    *store = (struct matlab_store){0};
}

size_t matlab_store_held(const struct matlab_store *store)
{
    size_t present = store->column_count * matlab_words_of(store->room) * sizeof(uint64_t);
    /* Half as much again while it grows. */
    return (store->room * store->width + present + store->text_bytes) / 2 * 3;
}

/* ---- in memory --------------------------------------------------------------------------------------------------- */

/* Moves the columns to memory with room for more rows. 0, or -1 without memory. */
static int enlarge(struct matlab_store *store, size_t room)
{
    size_t words = matlab_words_of(room), words_before = matlab_words_of(store->room);
    char *values = malloc(room * store->width + 1);
    uint64_t *present = calloc(store->column_count * words + 1, sizeof *present);
    if (!values || !present) {
        free(values);
        free(present);
        return -1;
    }
    for (size_t i = 0; i < store->column_count && store->held_rows > 0; i++) {
        const struct matlab_column *column = &store->columns[i];
        size_t width = width_of(column);
        memcpy(present + i * words, store->present + i * words_before,
               matlab_words_of(store->held_rows) * sizeof *present);
        if (width > 0)
            memcpy(values + room * column->before, store->values + store->room * column->before,
                   store->held_rows * width);
    }
    free(store->values);
    free(store->present);
    store->values = values;
    store->present = present;
    store->room = room;
    return 0;
}

/* Makes room for at least one row, and for `rows` if a piece may have so many. 0, or -1 without memory. */
static int make_room(struct matlab_store *store, size_t rows)
{
    size_t room = store->held_rows + rows;
    if (!store->texts)
        store->texts = calloc(store->text_count + 1, sizeof *store->texts);
    if (!store->texts)
        return -1;
    if (room <= store->room || store->room == store->rows_max)
        return 0;
    room = room > 2 * store->room ? room : 2 * store->room;
    room += (ROWS_MIN - room % ROWS_MIN) % ROWS_MIN;
    return enlarge(store, room < store->rows_max ? room : store->rows_max);
}

static void add_texts(struct matlab_store *store, struct matlab_column *column, struct matlab_run *run, size_t from,
                      size_t count)
{
    const char *begin = run->values;
    uint64_t bit;
    for (size_t i = from; i < from + count; i++) {
        size_t length;
        memcpy(&bit, run->present + i / 64 * sizeof bit, sizeof bit);
        if (bit >> i % 64 & 1)
            matlab_text_next(&run->values, &length);
    }
    size_t bytes = (size_t)(run->values - begin);
    buffer_put(&store->texts[column->before], begin, bytes);
    store->text_bytes += bytes;
    column->text_bytes += bytes;
}

static int add_some(struct matlab_store *store, struct matlab_run *runs, size_t from, size_t count)
{
    for (size_t i = 0; i < store->column_count; i++) {
        struct matlab_column *column = &store->columns[i];
        struct matlab_run *run = &runs[i];
        size_t width = width_of(column);
        matlab_bits_copy(run->present, from, count, store->present + i * matlab_words_of(store->room),
                         store->held_rows);
        column->has_absent = column->has_absent || run->has_absent;
        column->is_wide = column->is_wide || run->is_wide;
        column->kinds |= run->kinds;
        column->characters = column->characters > run->characters ? column->characters : run->characters;
        if (width > 0)
            memcpy(store->values + store->room * column->before + store->held_rows * width, run->values + from * width,
                   count * width);
        else
            add_texts(store, column, run, from, count);
        if (width == 0 && store->texts[column->before].failed)
            return -1;
    }
    store->held_rows += count;
    store->rows += count;
    return 0;
}

static int add_runs(struct matlab_store *store, struct matlab_run *runs, size_t count)
{
    for (size_t from = 0, some; from < count; from += some) {
        if (make_room(store, count - from) != 0)
            return message_no_memory();
        some = store->room - store->held_rows;
        some = some < count - from ? some : count - from;
        if (add_some(store, runs, from, some) != 0)
            return message_no_memory();
        if ((store->held_rows == store->rows_max || store->text_bytes >= PIECE_BYTES) &&
            matlab_store_set_aside(store) != 0)
            return -1;
    }
    return 0;
}

int matlab_store_add(struct matlab_store *store, const char *rows)
{
    struct matlab_run *runs = malloc((store->column_count + 1) * sizeof *runs);
    if (!runs)
        return message_no_memory();
    size_t count = matlab_rows_count(&rows);
    for (size_t i = 0; i < store->column_count; i++)
        runs[i] = matlab_rows_next(&rows, count);
    int outcome = add_runs(store, runs, count);
    free(runs);
    return outcome;
}

/* ---- in the spool ------------------------------------------------------------------------------------------------ */

/* A piece: the lengths of all texts, the values of all columns, their presence bits, the texts. */

static uint64_t values_place(const struct matlab_store *store, const struct matlab_piece *piece, size_t column)
{
    return piece->place + store->text_count * sizeof(uint64_t) + piece->rows * store->columns[column].before;
}

static uint64_t present_place(const struct matlab_store *store, const struct matlab_piece *piece, size_t column)
{
    return piece->place + store->text_count * sizeof(uint64_t) + piece->rows * store->width +
           column * matlab_words_of(piece->rows) * sizeof(uint64_t);
}

static int put(struct matlab_store *store, const void *bytes, size_t length)
{
    uint64_t place;
    return spool_put(store->spool, bytes, length, &place);
}

static int put_all(struct matlab_store *store)
{
    size_t words = matlab_words_of(store->held_rows), room = matlab_words_of(store->room);
    for (size_t i = 0; i < store->text_count; i++) {
        uint64_t length = store->texts[i].length;
        if (put(store, &length, sizeof length) != 0)
            return -1;
    }
    for (size_t i = 0; i < store->column_count; i++) {
        const struct matlab_column *column = &store->columns[i];
        size_t width = width_of(column);
        if (width > 0 && put(store, store->values + store->room * column->before, store->held_rows * width) != 0)
            return -1;
    }
    for (size_t i = 0; i < store->column_count; i++)
        if (put(store, store->present + i * room, words * sizeof(uint64_t)) != 0)
            return -1;
    for (size_t i = 0; i < store->text_count; i++)
        if (put(store, store->texts[i].data, store->texts[i].length) != 0)
            return -1;
    return 0;
}

int matlab_store_set_aside(struct matlab_store *store)
{
    struct matlab_piece piece = {.first = store->rows - store->held_rows, .rows = store->held_rows};
    if (store->held_rows == 0)
        return 0;
    if ((store->piece_count & (store->piece_count - 1)) == 0) {
        struct matlab_piece *pieces = realloc(store->pieces, (2 * store->piece_count + 1) * sizeof *pieces);
        if (!pieces)
            return message_no_memory();
        store->pieces = pieces;
    }
    if (spool_put(store->spool, "", 0, &piece.place) != 0 || put_all(store) != 0)
        return -1;
    store->pieces[store->piece_count++] = piece;
    bool is_full = store->held_rows == store->rows_max;
    store->held_rows = 0;
    for (size_t i = 0; i < store->text_count; i++)
        store->texts[i].length = 0;
    store->text_bytes = 0;
    if (!is_full)
        free_rows(store);
    return 0;
}

/* The piece that has the row. */
static const struct matlab_piece *find_piece(const struct matlab_store *store, uint64_t row)
{
    size_t low = 0, high = store->piece_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (store->pieces[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return &store->pieces[low];
}

/* Copies presence bits of a piece to bit `at` and on. */
static int get_present(const struct matlab_store *store, const struct matlab_piece *piece, size_t column, size_t from,
                       size_t count, uint64_t *present, size_t at)
{
    size_t first = from / 64, words = matlab_words_of(from + count) - first;
    uint64_t *some = malloc(words * sizeof *some);
    if (!some)
        return message_no_memory();
    int outcome =
        spool_get(store->spool, present_place(store, piece, column) + first * sizeof *some, some, words * sizeof *some);
    if (outcome == 0)
        matlab_bits_copy((const char *)some, from % 64, count, present, at);
    free(some);
    return outcome;
}

int matlab_store_get(const struct matlab_store *store, size_t column, uint64_t from, size_t count, char *values,
                     uint64_t *present)
{
    size_t width = width_of(&store->columns[column]);
    for (size_t done = 0, some; done < count; done += some) {
        const struct matlab_piece *piece = find_piece(store, from + done);
        size_t skipped = (size_t)(from + done - piece->first);
        some = piece->rows - skipped < count - done ? piece->rows - skipped : count - done;
        if (spool_get(store->spool, values_place(store, piece, column) + skipped * width, values + done * width,
                      some * width) != 0 ||
            get_present(store, piece, column, skipped, some, present, done) != 0)
            return -1;
    }
    return 0;
}

int matlab_store_texts(const struct matlab_store *store, size_t column, const struct matlab_piece *piece,
                       struct buffer *bytes, struct matlab_run *run)
{
    size_t text = store->columns[column].before, words = matlab_words_of(piece->rows) * sizeof(uint64_t);
    uint64_t place = present_place(store, piece, store->column_count), length = 0;
    for (size_t i = 0; i <= text; i++) {
        place += length;
        if (spool_get(store->spool, piece->place + i * sizeof length, &length, sizeof length) != 0)
            return -1;
    }
    bytes->length = 0;
    char *at = buffer_room(bytes, words + (size_t)length);
    if (!at)
        return message_no_memory();
    *run = (struct matlab_run){.present = at, .values = at + words, .bytes = (size_t)length};
    if (spool_get(store->spool, present_place(store, piece, column), at, words) != 0)
        return -1;
    return spool_get(store->spool, place, at + words, (size_t)length);
}
