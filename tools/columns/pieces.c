#include "table.h"

#include "array.h"
#include "base/numbers/byte_order.h"
#include "base/process/message.h"

static size_t bytes_of(size_t words)
{
    return words * sizeof(uint64_t);
}

void column_pieces_free(struct column_pieces *pieces)
{
    free(pieces->piece);
}

/* Sets places[i] for each part, and for the end. */
static int put_parts(const struct column_pieces *pieces, size_t parts,
                     void (*put)(void *user, size_t part, struct buffer *out), void *user, uint64_t *places)
{
    struct buffer bytes = {0};
    int outcome = 0;
    for (size_t i = 0; i < parts && outcome == 0; i++) {
        bytes.length = 0;
        put(user, i, &bytes);
        outcome = bytes.failed ? message_no_memory() : spool_put(pieces->spool, bytes.data, bytes.length, &places[i]);
        places[i + 1] = places[i] + bytes.length;
    }
    free(bytes.data);
    return outcome;
}

int column_pieces_add_parts(struct column_pieces *pieces, size_t rows, size_t parts,
                            void (*put)(void *user, size_t part, struct buffer *out), void *user)
{
    struct column_piece piece = {.first = pieces->rows, .rows = rows};
    uint64_t *places = calloc(parts + 1, sizeof *places);
    if (!places)
        return message_no_memory();
    int outcome = MAKE_ROOM(pieces->piece, pieces->count) ? 0 : message_no_memory();
    if (outcome == 0)
        outcome = put_parts(pieces, parts, put, user, places);
    if (outcome == 0)
        outcome = spool_put(pieces->spool, places, bytes_of(parts + 1), &piece.places);
    free(places);
    if (outcome != 0)
        return -1;
    pieces->piece[pieces->count++] = piece;
    pieces->rows += piece.rows;
    return 0;
}

/* Its presence bits, then its values or texts. */
static void put_column(void *user, size_t column, struct buffer *out)
{
    const struct column_table *table = user;
    column_table_present(table, column, out);
    column_table_values(table, column, out);
}

int column_pieces_add(struct column_pieces *pieces, const struct column_table *table)
{
    return column_pieces_add_parts(pieces, table->rows, table->column_count, put_column, (void *)table);
}

/* The piece that has the row. */
static const struct column_piece *find_piece(const struct column_pieces *pieces, uint64_t row)
{
    size_t low = 0, high = pieces->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (pieces->piece[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return &pieces->piece[low];
}

/* Where a column is, and where it ends. */
static int find_column(const struct column_pieces *pieces, const struct column_piece *piece, size_t column,
                       uint64_t places[2])
{
    return spool_get(pieces->spool, piece->places + bytes_of(column), places, bytes_of(2));
}

/* Copies presence bits of a column to bit `at` and on. */
static int get_present(const struct column_pieces *pieces, uint64_t place, size_t from, size_t count, uint64_t *present,
                       size_t at)
{
    size_t first = from / COLUMN_WORD_BITS, words = column_words_of(from + count) - first;
    uint64_t *some = malloc(bytes_of(words));
    if (!some)
        return message_no_memory();
    int outcome = spool_get(pieces->spool, place + bytes_of(first), some, bytes_of(words));
    if (outcome == 0)
        column_bits_copy(some, from % COLUMN_WORD_BITS, count, present, at);
    free(some);
    return outcome;
}

int column_pieces_get(const struct column_pieces *pieces, size_t column, unsigned width, uint64_t from, size_t count,
                      char *values, uint64_t *present)
{
    for (size_t done = 0, some; done < count; done += some) {
        const struct column_piece *piece = find_piece(pieces, from + done);
        size_t skipped = (size_t)(from + done - piece->first), rest = piece->rows - skipped;
        uint64_t places[2];
        some = rest < count - done ? rest : count - done;
        if (find_column(pieces, piece, column, places) != 0 ||
            (present && get_present(pieces, places[0], skipped, some, present, done) != 0) ||
            spool_get(pieces->spool, places[0] + bytes_of(column_words_of(piece->rows)) + skipped * width,
                      values + done * width, some * width) != 0)
            return -1;
    }
    return 0;
}

int column_pieces_part(const struct column_pieces *pieces, size_t part, const struct column_piece *piece, size_t from,
                       size_t length, void *bytes)
{
    uint64_t places[2];
    return find_column(pieces, piece, part, places) == 0 ? spool_get(pieces->spool, places[0] + from, bytes, length)
                                                         : -1;
}

int column_pieces_texts(const struct column_pieces *pieces, size_t column, const struct column_piece *piece,
                        struct buffer *bytes, const char **texts)
{
    uint64_t places[2];
    if (find_column(pieces, piece, column, places) != 0)
        return -1;
    bytes->length = 0;
    char *at = buffer_room(bytes, (size_t)(places[1] - places[0]));
    if (!at)
        return message_no_memory();
    *texts = at + bytes_of(column_words_of(piece->rows));
    return spool_get(pieces->spool, places[0], at, (size_t)(places[1] - places[0]));
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

const char *column_text_next(const char **at, size_t *length)
{
    const char *text = *at + sizeof(uint32_t);
    *length = le32_load(*at);
    *at = text + *length;
    return text;
}

int column_texts_next(struct column_texts *texts, const char **text, size_t *length)
{
    const struct column_pieces *pieces = texts->pieces;
    uint64_t bits;
    if (texts->row == texts->rows) {
        const struct column_piece *piece = &pieces->piece[texts->piece++];
        if (column_pieces_texts(pieces, texts->column, piece, &texts->bytes, &texts->at) != 0)
            return -1;
        texts->row = 0;
        texts->rows = piece->rows;
    }
    size_t row = texts->row++;
    memcpy(&bits, texts->bytes.data + row / COLUMN_WORD_BITS * sizeof bits, sizeof bits);
    *text = bits >> row % COLUMN_WORD_BITS & 1 ? column_text_next(&texts->at, length) : NULL;
    return 0;
}

void column_texts_free(struct column_texts *texts)
{
    free(texts->bytes.data);
}
