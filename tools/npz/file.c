#include "npz.h"

#include <inttypes.h>

#include "array.h"
#include "base/bytes/checksum.h"
#include "base/process/message.h"
#include "base/text/names_apart.h"
#include "npy.h"
#include "zip.h"

/* A piece has this many rows at most, and its values this many bytes; texts as many again. */
enum { PIECE_ROWS = 16384, PIECE_BYTES = 4 << 20 };
/* Bytes of an array of texts for each byte of them, and without any: a few long texts among many short ones would make
 * it huge. */
#define TEXTS_SHARE 64
#define TEXTS_FREE ((uint64_t)16 << 20)
/* Bytes of a name: longer ones are cut. */
enum { NAME_BYTES_MAX = 4096 };

static const char meta_name[] = "meta", mask_ending[] = ".known", member_ending[] = ".npy";

struct npz_file {
    struct column_file base;
    struct zip zip;
    struct column_pieces pieces;
    struct npz_array *arrays;
    size_t count;
    struct names_apart names;  /* none once the file is open */
    struct buffer description; /* names of each array and of its mask, then the text of meta; the same */
    struct buffer meta;        /* the same */
    uint64_t place;            /* of the description, in the spool */
    size_t description_bytes, meta_bytes;
};

static struct npz_file *file_of(struct column_file *base)
{
    return (struct npz_file *)base;
}

static void free_file(struct column_file *base)
{
    struct npz_file *file = file_of(base);
    column_pieces_free(&file->pieces);
    names_apart_free(&file->names);
    free(file->arrays);
    free(file->description.data);
    free(file->meta.data);
    free(file->zip.directory.data);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Parameters of numpy.savez(), to which users pass what they loaded; the array that is always there; names as masks
 * have. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"file", "allow_pickle", meta_name};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    size_t length = strlen(name), most = strlen(mask_ending);
    return length >= most && strcmp(name + length - most, mask_ending) == 0;
}

/* Bytes of a name that are kept: whole characters. */
static size_t name_bytes(const char *name, size_t length)
{
    if (length <= NAME_BYTES_MAX)
        return length;
    for (length = NAME_BYTES_MAX; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80;)
        length--;
    return length;
}

/* Takes the name of an array, or of its mask, and appends it to the description. 0, or -1 without memory. */
static int take_name(struct npz_file *file, const char *name, size_t length, const char *ending)
{
    char *taken = malloc(length + strlen(ending) + 1 + NAMES_APART_ROOM);
    if (!taken)
        return -1;
    memcpy(taken, name, length);
    strcpy(taken + length, ending);
    if (*ending == '\0' && is_reserved(taken))
        strcat(taken, "_");
    int outcome = names_apart_take(&file->names, taken, SIZE_MAX);
    if (outcome == 0)
        buffer_put(&file->description, taken, strlen(taken) + 1);
    free(taken);
    return outcome;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static int begin_array(struct npz_file *file, enum npz_type type, size_t columns, bool is_vector)
{
    if (!MAKE_ROOM(file->arrays, file->count))
        return -1;
    file->arrays[file->count] = (struct npz_array){.type = type,
                                                   .part = file->count,
                                                   .first = file->base.table.column_count,
                                                   .columns = columns,
                                                   .is_vector = is_vector,
                                                   .characters = 1};
    file->count++;
    for (size_t i = 0; i < columns; i++)
        if (column_table_add_column(&file->base.table, npz_type_row(type)->width) != 0)
            return -1;
    return 0;
}

const char *npz_file_add_array(struct column_file *base, const char *name, size_t length, enum npz_type type,
                               size_t columns, bool is_vector)
{
    struct npz_file *file = file_of(base);
    size_t at = file->description.length;
    length = name_bytes(name, length);
    if (take_name(file, name, length, "") != 0 || file->description.failed ||
        begin_array(file, type, columns, is_vector) != 0) {
        file->base.failed = true;
        return "";
    }
    const char *taken = file->description.data + at;
    if (npz_type_row(type)->has_mask && take_name(file, taken, strlen(taken), mask_ending) != 0)
        file->base.failed = true;
    return file->description.failed ? "" : file->description.data + at;
}

void npz_file_set_meta(struct column_file *base, const char *text, size_t length)
{
    struct npz_file *file = file_of(base);
    buffer_put(&file->meta, text, length);
}

static int open_file(struct column_file *base)
{
    struct npz_file *file = file_of(base);
    file->meta_bytes = file->meta.length;
    buffer_put(&file->description, file->meta.data, file->meta.length);
    if (file->base.failed || file->description.failed || file->meta.failed)
        return message_no_memory();
    file->description_bytes = file->description.length;
    int outcome = spool_put(file->base.output.spool, file->description.data, file->description.length, &file->place);
    free(file->description.data);
    free(file->meta.data);
    file->description = file->meta = (struct buffer){0};
    names_apart_free(&file->names);
    return outcome;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_part(void *user, size_t part, struct buffer *out)
{
    struct npz_file *file = user;
    npz_put_part(&file->arrays[part], &file->base.table, out);
}

static int flush(struct column_file *base)
{
    struct npz_file *file = file_of(base);
    return base->table.rows == 0
               ? 0
               : column_pieces_add_parts(&file->pieces, base->table.rows, file->count, put_part, file);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* An array, or its mask, on its way into the file. */
struct made {
    const char *name;
    const struct npz_array *array;
    bool is_mask;
    struct buffer header, bytes;
};

/* Passes over the array's bytes: for their checksum, or to write them. 0, or -1 after a message. */
static int pass(struct npz_file *file, struct made *made, uint32_t *checksum_of)
{
    struct npz_reader reader = {.pieces = &file->pieces, .array = made->array, .is_mask = made->is_mask};
    int outcome = 0;
    do {
        made->bytes.length = 0;
        outcome = npz_read(&reader, &made->bytes);
        if (outcome == 0 && checksum_of)
            *checksum_of = checksum(*checksum_of, made->bytes.data, made->bytes.length);
        else if (outcome == 0)
            outcome = zip_put(&file->zip, made->bytes.data, made->bytes.length);
    } while (outcome == 0 && made->bytes.length > 0);
    npz_reader_free(&reader);
    return outcome;
}

/* A member of the zip file begins, with its header. 0, or -1 after a message. */
static int begin_member(struct npz_file *file, const char *name, const struct buffer *header, uint32_t checksum_of,
                        uint64_t bytes)
{
    struct buffer full = {0};
    buffer_string(&full, name);
    buffer_string(&full, member_ending);
    const struct zip_member member = {full.data, full.length, checksum_of, header->length + bytes};
    int outcome = full.failed || header->failed ? message_no_memory() : zip_begin(&file->zip, &member);
    free(full.data);
    return outcome == 0 ? zip_put(&file->zip, header->data, header->length) : -1;
}

static int write_made(struct npz_file *file, struct made *made)
{
    const struct npz_array *array = made->array;
    const struct npz_type_row *type = npz_type_row(made->is_mask ? NPZ_BOOL : array->type);
    npz_put_header(&made->header, type->descr, type->width > 0 ? 0 : array->characters, file->pieces.rows,
                   array->is_vector ? array->columns : 0);
    if (made->header.failed)
        return message_no_memory();
    uint32_t sum = checksum(CHECKSUM_BEGIN, made->header.data, made->header.length);
    uint64_t bytes = file->pieces.rows * npz_row_bytes(array, made->is_mask);
    bool is_summed = !made->is_mask && npz_type_row(array->type)->width > 0;
    if (is_summed)
        sum = checksum_join(sum, array->checksum, (size_t)bytes);
    else if (pass(file, made, &sum) != 0)
        return -1;
    return begin_member(file, made->name, &made->header, sum, bytes) == 0 ? pass(file, made, NULL) : -1;
}

static int write_array(struct npz_file *file, const char *name, const struct npz_array *array, bool is_mask)
{
    struct made made = {.name = name, .array = array, .is_mask = is_mask};
    int outcome = write_made(file, &made);
    free(made.header.data);
    free(made.bytes.data);
    return outcome;
}

static int write_meta(struct npz_file *file, const char *text)
{
    struct buffer header = {0}, characters = {0};
    size_t count = npz_put_text(&characters, text, file->meta_bytes, SIZE_MAX);
    npz_put_header_of_one(&header, npz_type_row(NPZ_TEXT)->descr, count);
    uint32_t sum = header.failed ? 0 : checksum(CHECKSUM_BEGIN, header.data, header.length);
    sum = characters.failed ? sum : checksum(sum, characters.data, characters.length);
    int outcome =
        characters.failed ? message_no_memory() : begin_member(file, meta_name, &header, sum, characters.length);
    if (outcome == 0)
        outcome = zip_put(&file->zip, characters.data, characters.length);
    free(header.data);
    free(characters.data);
    return outcome;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* How wide an array of texts may be. */
static void limit_width(const struct npz_file *file, struct npz_array *array, const char *name)
{
    size_t character = npz_row_bytes(array, false) / array->characters;
    uint64_t most = (TEXTS_FREE + TEXTS_SHARE * array->text_bytes) / (file->pieces.rows + 1) / character + 1;
    if (array->characters <= most)
        return;
    message_warning("%s: a text of %zu characters was cut to %" PRIu64
                    ", since every text of an array takes the room of the longest; -f ndjson keeps it",
                    name, array->characters, most);
    array->characters = (size_t)most;
}

static int write_arrays(struct npz_file *file, const char *at)
{
    for (size_t i = 0; i < file->count; i++) {
        struct npz_array *array = &file->arrays[i];
        bool has_mask = npz_type_row(array->type)->has_mask;
        const char *name = at, *mask = name + strlen(name) + 1;
        at = has_mask ? mask + strlen(mask) + 1 : mask;
        if (npz_type_row(array->type)->width == 0)
            limit_width(file, array, name);
        if (write_array(file, name, array, false) != 0 ||
            (has_mask && array->has_absent && write_array(file, mask, array, true) != 0))
            return -1;
    }
    return write_meta(file, at) == 0 ? zip_end(&file->zip) : -1;
}

static int end_file(struct column_file *base, const char *name)
{
    struct npz_file *file = file_of(base);
    char *description = malloc(file->description_bytes + 1);
    (void)name;
    int outcome = description ? spool_get(base->output.spool, file->place, description, file->description_bytes)
                              : message_no_memory();
    if (outcome == 0)
        outcome = write_arrays(file, description);
    free(description);
    return outcome;
}

struct column_file *npz_file_new(const struct column_output *output)
{
    static const struct column_file_kind kind = {open_file, flush, end_file, free_file};
    struct npz_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->base = (struct column_file){
        .kind = &kind, .output = *output, .table = {.most_rows = PIECE_ROWS, .most_bytes = PIECE_BYTES}};
    file->zip = (struct zip){.write = output->write, .user = output->user};
    file->pieces.spool = output->spool;
    return &file->base;
}
