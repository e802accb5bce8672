/* MAT-files of version 7.3 and HDF5. Objects have the attributes that libmatio gives them. Dimensions are in HDF5's
 * order, the reverse of MATLAB's. */
#define _POSIX_C_SOURCE 200809L
#include "content.h"

#include <errno.h>

#include "base/os/names.h"
#include "base/os/file.h"
#include "base/process/message.h"

#ifdef ARMTAP_WITH_HDF5
#include <hdf5.h>
#include <stdio.h>

#include "base/process/libraries.h"

enum { HEAD_BYTES = 512, AT_ONCE = PACKER_RESULTS, TEXT_CHUNK_BYTES = 1 << 20, KEPT_BYTES = 1 << 16, SMALL_ROWS = 64 };

#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
#define HAS_LOCKING 1
#endif

/* Constants that would call the library. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

/* The library, once it is loaded. */
struct hdf5 {
#define HDF5_FUNCTION(name) __typeof__(&name) name;
#define HDF5_NUMBER(name) const hid_t *name;
#include "hdf5_names.def"
};

struct writer {
    struct hdf5 hdf5;
    const struct matlab_content *content;
    hid_t file;
    bool is_mat; /* a MAT-file */
    bool is_packed;
    bool is_small; /* a table of few rows */
    bool out_of_memory;
    int error; /* the system's, of the first call that failed; 0: none */
};

/* A data set that is being written. */
struct dataset {
    hid_t handle;
    hid_t type;
    size_t rows; /* of a chunk */
};

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* libhdf5 keeps the system's error number in a sentence. */
static herr_t look_for_error(unsigned depth, const H5E_error2_t *entry, void *user)
{
    static const char key[] = "errno = ";
    const char *at = entry->desc ? strstr(entry->desc, key) : NULL;
    int *error = user;
    (void)depth;
    if (at)
        *error = (int)strtol(at + strlen(key), NULL, 10);
    return 0;
}

/* Remembers why the call failed. Returns -1. */
static int failed(struct writer *writer)
{
    int error = 0;
    writer->hdf5.H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_for_error, &error);
    if (writer->error == 0)
        writer->error = error != 0 ? error : EIO;
    return -1;
}

static int lack_memory(struct writer *writer)
{
    if (!writer->out_of_memory)
        message_no_memory();
    writer->out_of_memory = true;
    return -1;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static hid_t type_of(const struct writer *writer, enum matlab_class class)
{
    switch (class) {
    case MATLAB_CLASS_DOUBLE:
        return *writer->hdf5.H5T_NATIVE_DOUBLE_g;
    case MATLAB_CLASS_INT32:
        return *writer->hdf5.H5T_NATIVE_INT32_g;
    case MATLAB_CLASS_UINT32:
        return *writer->hdf5.H5T_NATIVE_UINT32_g;
    case MATLAB_CLASS_INT64:
        return *writer->hdf5.H5T_NATIVE_INT64_g;
    case MATLAB_CLASS_UINT64:
        return *writer->hdf5.H5T_NATIVE_UINT64_g;
    case MATLAB_CLASS_CHAR:
        return *writer->hdf5.H5T_NATIVE_UINT16_g;
    default:
        return *writer->hdf5.H5T_NATIVE_UINT8_g;
    }
}

/* Writes an attribute and closes type and space. */
static int put_attribute(struct writer *writer, hid_t object, const char *name, hid_t type, hid_t space,
                         const void *value)
{
    hid_t attribute = writer->hdf5.H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int outcome = attribute >= 0 && writer->hdf5.H5Awrite(attribute, type, value) >= 0 ? 0 : failed(writer);
    if (attribute >= 0 && writer->hdf5.H5Aclose(attribute) < 0)
        outcome = failed(writer);
    writer->hdf5.H5Sclose(space);
    writer->hdf5.H5Tclose(type);
    return outcome;
}

static hid_t text_type(const struct writer *writer, size_t length)
{
    hid_t type = writer->hdf5.H5Tcopy(*writer->hdf5.H5T_C_S1_g);
    if (type >= 0)
        writer->hdf5.H5Tset_size(type, length);
    return type;
}

static int put_text(struct writer *writer, hid_t object, const char *name, const char *text)
{
    return put_attribute(writer, object, name, text_type(writer, strlen(text)), writer->hdf5.H5Screate(H5S_SCALAR),
                         text);
}

static int put_number(struct writer *writer, hid_t object, const char *name, hid_t type, int32_t number)
{
    return put_attribute(writer, object, name, writer->hdf5.H5Tcopy(type), writer->hdf5.H5Screate(H5S_SCALAR), &number);
}

/* What tells MATLAB the class. */
static int put_class(struct writer *writer, hid_t object, enum matlab_class class)
{
    if (put_text(writer, object, "MATLAB_class", matlab_class_row(class)->name) != 0)
        return -1;
    if (class == MATLAB_CLASS_LOGICAL)
        return put_number(writer, object, "MATLAB_int_decode", *writer->hdf5.H5T_NATIVE_INT32_g, 1);
    return class == MATLAB_CLASS_CHAR
               ? put_number(writer, object, "MATLAB_int_decode", *writer->hdf5.H5T_NATIVE_INT32_g, 2)
               : 0;
}

/* ---- whole data sets --------------------------------------------------------------------------------------------- */

/* Without the time of writing: the same rows make the same file. */
static hid_t creation(const struct writer *writer)
{
    hid_t list = writer->hdf5.H5Pcreate(*writer->hdf5.H5P_CLS_DATASET_CREATE_ID_g);
    if (list >= 0)
        writer->hdf5.H5Pset_obj_track_times(list, 0);
    return list;
}

/* Creates a data set and writes all its values; NULL: it has none. -1 after failed(). */
static hid_t put_values(struct writer *writer, hid_t place, const char *name, hid_t type, int dimensions,
                        const hsize_t *size, const void *values)
{
    hid_t list = creation(writer), space = writer->hdf5.H5Screate_simple(dimensions, size, NULL);
    hid_t id = writer->hdf5.H5Dcreate2(place, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool is_written =
        id >= 0 && (!values || writer->hdf5.H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (!is_written)
        failed(writer);
    if (!is_written && id >= 0)
        writer->hdf5.H5Dclose(id);
    writer->hdf5.H5Sclose(space);
    writer->hdf5.H5Pclose(list);
    return is_written ? id : -1;
}

/* In a MAT-file, a matrix without elements is stored as its size. */
static int put_empty(struct writer *writer, hid_t place, const char *name, enum matlab_class class, uint64_t rows,
                     size_t columns)
{
    const hsize_t two = 2;
    const uint64_t size[] = {rows, columns};
    hid_t id = put_values(writer, place, name, *writer->hdf5.H5T_NATIVE_UINT64_g, 1, &two, size);
    if (id < 0)
        return -1;
    int outcome = put_text(writer, id, "MATLAB_class", matlab_class_row(class)->name);
    if (outcome == 0)
        outcome = put_number(writer, id, "MATLAB_empty", *writer->hdf5.H5T_NATIVE_UINT32_g, 1);
    return writer->hdf5.H5Dclose(id) < 0 ? failed(writer) : outcome;
}

static int put_matrix(struct writer *writer, hid_t place, const char *name, enum matlab_class class, size_t rows,
                      size_t columns, const void *values)
{
    const hsize_t size[] = {columns, rows};
    bool has_none = rows == 0 || columns == 0;
    if (has_none && writer->is_mat)
        return put_empty(writer, place, name, class, rows, columns);
    hid_t id = put_values(writer, place, name, type_of(writer, class), 2, size, has_none ? NULL : values);
    if (id < 0)
        return -1;
    int outcome = put_class(writer, id, class);
    return writer->hdf5.H5Dclose(id) < 0 ? failed(writer) : outcome;
}

/* ---- meta -------------------------------------------------------------------------------------------------------- */

static int put_texts(struct writer *writer, hid_t place, const struct matlab_node *node)
{
    size_t width;
    uint16_t *units = matlab_characters(node->texts, node->count, &width);
    if (!units)
        return lack_memory(writer);
    int outcome = put_matrix(writer, place, node->name, MATLAB_CLASS_CHAR, node->count, width, units);
    free(units);
    return outcome;
}

/* The names of a structure's fields, in order: a sequence of characters for each. */
static int put_fields(struct writer *writer, hid_t group, const struct matlab_node *node)
{
    hsize_t count = node->count;
    hvl_t *names = calloc(node->count + 1, sizeof *names);
    if (!names)
        return lack_memory(writer);
    size_t i = 0;
    for (const struct matlab_node *child = node->children; child; child = child->next)
        names[i++] = (hvl_t){strlen(child->name), (void *)(uintptr_t)child->name};
    hid_t letter = text_type(writer, 1), type = writer->hdf5.H5Tvlen_create(letter);
    int outcome =
        put_attribute(writer, group, "MATLAB_fields", type, writer->hdf5.H5Screate_simple(1, &count, NULL), names);
    writer->hdf5.H5Tclose(letter);
    free(names);
    return outcome;
}

static int put_node(struct writer *writer, hid_t place, const struct matlab_node *node)
{
    if (node->kind == MATLAB_NODE_TEXTS)
        return put_texts(writer, place, node);
    if (node->kind == MATLAB_NODE_NUMBERS)
        return put_matrix(writer, place, node->name, MATLAB_CLASS_INT32, node->count, 1, node->numbers);
    hid_t group = writer->hdf5.H5Gcreate2(place, node->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int outcome = group >= 0 ? put_text(writer, group, "MATLAB_class", "struct") : failed(writer);
    if (outcome == 0 && node->count > 0)
        outcome = put_fields(writer, group, node);
    for (const struct matlab_node *child = node->children; outcome == 0 && child; child = child->next)
        outcome = put_node(writer, group, child);
    if (group >= 0 && writer->hdf5.H5Gclose(group) < 0)
        outcome = failed(writer);
    return outcome;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static size_t width_of(const struct matlab_variable *variable)
{
    return variable->class == MATLAB_CLASS_CHAR ? variable->characters : variable->columns;
}

static bool is_empty(const struct writer *writer, const struct matlab_variable *variable)
{
    return writer->content->store->pieces.rows == 0 || width_of(variable) == 0;
}

/* Chunks are written past libhdf5's cache. A small matrix has none: the directory of its chunks would be larger; nor
 * has one without elements. */
static int create(struct writer *writer, const struct matlab_variable *variable, struct dataset *dataset)
{
    hsize_t size[] = {width_of(variable), writer->content->store->pieces.rows};
    hsize_t chunk[] = {size[0], dataset->rows};
    hid_t list = creation(writer), space = writer->hdf5.H5Screate_simple(2, size, NULL),
          access = writer->hdf5.H5Pcreate(*writer->hdf5.H5P_CLS_DATASET_ACCESS_ID_g);
    bool is_ready = writer->hdf5.H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0,
         is_chunked = !writer->is_small && !is_empty(writer, variable);
    if (is_ready && is_chunked)
        is_ready =
            writer->hdf5.H5Pset_chunk(list, 2, chunk) >= 0 && writer->hdf5.H5Pset_chunk_cache(access, 1, 0, 1) >= 0;
    if (is_ready && is_chunked && writer->is_packed)
        is_ready = writer->hdf5.H5Pset_shuffle(list) >= 0 && writer->hdf5.H5Pset_deflate(list, 1) >= 0;
    dataset->type = type_of(writer, variable->class);
    dataset->handle = !is_ready
                          ? -1
                          : writer->hdf5.H5Dcreate2(writer->file, variable->name, type_of(writer, variable->class),
                                                    space, H5P_DEFAULT, list, access);
    int outcome = dataset->handle >= 0 ? put_class(writer, dataset->handle, variable->class) : failed(writer);
    if (outcome == 0 && *variable->unit != '\0')
        outcome = put_text(writer, dataset->handle, "unit", variable->unit);
    if (outcome == 0 && strcmp(variable->source, variable->name) != 0 && *variable->source != '\0')
        outcome = put_text(writer, dataset->handle, "name", variable->source);
    writer->hdf5.H5Pclose(access);
    writer->hdf5.H5Sclose(space);
    writer->hdf5.H5Pclose(list);
    return outcome;
}

static int put_chunk(struct writer *writer, const struct dataset *dataset, uint64_t row, const struct buffer *bytes)
{
    hsize_t offset[] = {0, row};
    if (bytes->failed)
        return lack_memory(writer);
    if (writer->is_small)
        return writer->hdf5.H5Dwrite(dataset->handle, dataset->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes->data) >= 0
                   ? 0
                   : failed(writer);
    return writer->hdf5.H5Dwrite_chunk(dataset->handle, H5P_DEFAULT, 0, offset, bytes->length, bytes->data) >= 0
               ? 0
               : failed(writer);
}

/* Eight values of eight bytes, as a matrix that is transposed: of halves, of their halves, of bytes. */
static void shuffle_eight(const char *values, size_t count, char *out)
{
    static const uint64_t masks[] = {0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff};
    uint64_t words[8];
    memcpy(words, values, sizeof words);
    for (unsigned step = 0; step < 3; step++) {
        unsigned far = 4u >> step, shift = 32u >> step;
        for (unsigned i = 0; i < 8; i++) {
            if (i & far)
                continue;
            uint64_t swapped = ((words[i] >> shift) ^ words[i + far]) & masks[step];
            words[i + far] ^= swapped;
            words[i] ^= swapped << shift;
        }
    }
    for (size_t k = 0; k < 8; k++)
        memcpy(out + k * count, &words[k], sizeof words[k]);
}

/* The first bytes of all values, then the second bytes ...: libhdf5's filter "shuffle". */
static void shuffle(const char *values, size_t width, size_t count, char *out)
{
    enum { TOGETHER = 8 };
    static const bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    size_t whole = width == TOGETHER && is_little_endian ? count - count % TOGETHER : 0;
    for (size_t i = 0; i < whole; i += TOGETHER)
        shuffle_eight(values + i * width, count, out + i);
    for (size_t k = 0; k < width; k++)
        for (size_t i = whole; i < count; i++)
            out[k * count + i] = values[i * width + k];
}

/* Appends values to `out` as they are in the file. */
static void pack(const struct writer *writer, const char *values, size_t width, size_t count, struct packer_desk *desk,
                 struct buffer *out)
{
    struct buffer *notes = &desk->notes;
    out->length = notes->length = 0;
    char *shuffled = writer->is_packed && width > 1 ? buffer_room(notes, width * count) : NULL;
    if (shuffled)
        shuffle(values, width, count, shuffled);
    out->failed = out->failed || notes->failed;
    if (writer->is_packed)
        compressor_pack(desk->compressor, COMPRESSION_BARE, shuffled ? shuffled : values, width * count, out);
    else
        buffer_put(out, values, width * count);
}

/* Some variables, and rows of a chunk of each. */
struct batch {
    const struct writer *writer;
    const struct matlab_variable *variables;
    size_t count;
    struct dataset datasets[AT_ONCE];
    struct matlab_block blocks[AT_ONCE];
    struct buffer *results;
};

/* A chunk beyond the last row is full of zeros. */
static void make_chunk(void *task, size_t part, struct packer_desk *desk)
{
    struct batch *batch = task;
    const struct matlab_variable *variable = &batch->variables[part];
    const struct matlab_block *block = &batch->blocks[part];
    size_t width = matlab_class_row(variable->class)->width, rows = batch->datasets[part].rows;
    struct buffer *values = &desk->scratch, *result = &batch->results[part];
    if (variable->class == MATLAB_CLASS_CHAR)
        return;
    values->length = 0;
    char *out = buffer_room(values, variable->columns * rows * width);
    result->failed = !out;
    for (size_t i = 0; out && i < variable->columns; i++, out += rows * width) {
        matlab_block_column(block, batch->writer->content, variable, i, out);
        memset(out + block->rows * width, 0, (rows - block->rows) * width);
    }
    if (out)
        pack(batch->writer, values->data, width, variable->columns * rows, desk, result);
}

static int put_chunks(struct writer *writer, struct batch *batch, uint64_t from, size_t rows)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->variables[i].class != MATLAB_CLASS_CHAR &&
            matlab_block_load(&batch->blocks[i], writer->content, &batch->variables[i], from, rows) != 0) {
            writer->out_of_memory = true;
            return -1;
        }
    packer_run(writer->content->packer, batch->count, make_chunk, batch);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->variables[i].class != MATLAB_CLASS_CHAR &&
            put_chunk(writer, &batch->datasets[i], from, &batch->results[i]) != 0)
            return -1;
    return 0;
}

static int put_numbers(struct writer *writer, struct batch *batch)
{
    const struct matlab_store *store = writer->content->store;
    size_t chunk = store->pieces.rows < store->chunk_rows ? (size_t)store->pieces.rows : store->chunk_rows;
    int outcome = 0;
    for (size_t i = 0; i < batch->count; i++)
        batch->datasets[i] = (struct dataset){.handle = -1, .rows = chunk};
    for (size_t i = 0; i < batch->count && outcome == 0; i++)
        if (batch->variables[i].class != MATLAB_CLASS_CHAR)
            outcome = create(writer, &batch->variables[i], &batch->datasets[i]);
    for (uint64_t from = 0; from < store->pieces.rows && outcome == 0; from += chunk) {
        uint64_t rest = store->pieces.rows - from;
        outcome = put_chunks(writer, batch, from, rest < chunk ? (size_t)rest : chunk);
    }
    for (size_t i = 0; i < batch->count; i++)
        if (batch->datasets[i].handle >= 0 && writer->hdf5.H5Dclose(batch->datasets[i].handle) < 0)
            outcome = failed(writer);
    return outcome;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

struct text_chunk {
    const struct writer *writer;
    uint16_t *units;
    size_t count; /* of units */
    struct buffer *result;
};

static void make_text_chunk(void *task, size_t part, struct packer_desk *desk)
{
    const struct text_chunk *chunk = task;
    (void)part;
    pack(chunk->writer, (const char *)chunk->units, sizeof *chunk->units, chunk->count, desk, chunk->result);
}

static int put_text_chunk(struct writer *writer, struct column_texts *texts, const struct matlab_variable *variable,
                          const struct dataset *dataset, uint64_t from, uint16_t *units)
{
    size_t width = variable->characters;
    uint64_t rest = writer->content->store->pieces.rows - from;
    struct text_chunk chunk = {writer, units, dataset->rows * width, packer_results(writer->content->packer)};
    memset(units, 0, chunk.count * sizeof *units);
    for (size_t i = 0; i < dataset->rows && i < rest; i++)
        if (matlab_texts_row(texts, writer->content, variable, units + i, dataset->rows) != 0) {
            writer->out_of_memory = true;
            return -1;
        }
    packer_run(writer->content->packer, 1, make_text_chunk, &chunk);
    return put_chunk(writer, dataset, from, chunk.result);
}

static int put_characters(struct writer *writer, const struct matlab_variable *variable)
{
    uint64_t count = writer->content->store->pieces.rows;
    size_t rows = TEXT_CHUNK_BYTES / sizeof(uint16_t) / variable->characters;
    struct dataset dataset = {.rows = rows < 1 ? 1 : rows < count ? rows : (size_t)count};
    dataset.rows = writer->is_small ? (size_t)count : dataset.rows;
    struct column_texts texts = {.pieces = &writer->content->store->pieces, .column = variable->first};
    uint16_t *units = malloc(dataset.rows * variable->characters * sizeof *units);
    if (!units)
        return lack_memory(writer);
    int outcome = create(writer, variable, &dataset);
    for (uint64_t from = 0; from < count && outcome == 0; from += dataset.rows)
        outcome = put_text_chunk(writer, &texts, variable, &dataset, from, units);
    if (dataset.handle >= 0 && writer->hdf5.H5Dclose(dataset.handle) < 0)
        outcome = failed(writer);
    column_texts_free(&texts);
    free(units);
    return outcome;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A variable without elements. */
static int put_none(struct writer *writer, const struct matlab_variable *variable)
{
    struct dataset dataset = {.handle = -1};
    if (writer->is_mat)
        return put_empty(writer, writer->file, variable->name, variable->class, writer->content->store->pieces.rows,
                         width_of(variable));
    int outcome = create(writer, variable, &dataset);
    if (dataset.handle >= 0 && writer->hdf5.H5Dclose(dataset.handle) < 0)
        outcome = failed(writer);
    return outcome;
}

static int put_batch(struct writer *writer, size_t first)
{
    const struct matlab_content *content = writer->content;
    size_t count = content->count - first < AT_ONCE ? content->count - first : AT_ONCE;
    struct batch batch = {.writer = writer,
                          .variables = content->variables + first,
                          .count = count,
                          .results = packer_results(content->packer)};
    int outcome = put_numbers(writer, &batch);
    for (size_t i = 0; i < count; i++)
        matlab_block_free(&batch.blocks[i]);
    for (size_t i = 0; i < count && outcome == 0; i++)
        if (batch.variables[i].class == MATLAB_CLASS_CHAR && !is_empty(writer, &batch.variables[i]))
            outcome = put_characters(writer, &batch.variables[i]);
    return outcome;
}

static int put_variables(struct writer *writer)
{
    const struct matlab_content *content = writer->content;
    for (size_t i = 0; i < content->count; i++) {
        const struct matlab_variable *variable = &content->variables[i];
        if (is_empty(writer, variable) && put_none(writer, variable) != 0)
            return -1;
    }
    for (size_t i = 0; i < content->count && content->store->pieces.rows > 0; i += AT_ONCE)
        if (put_batch(writer, i) != 0)
            return -1;
    return put_node(writer, writer->file, content->meta);
}

/* Older versions of MATLAB have libhdf5 1.8. Locks would need a system call that a live capture gives up. */
static hid_t create_file(const struct writer *writer, const char *path)
{
    hid_t list = writer->hdf5.H5Pcreate(*writer->hdf5.H5P_CLS_FILE_CREATE_ID_g),
          access = writer->hdf5.H5Pcreate(*writer->hdf5.H5P_CLS_FILE_ACCESS_ID_g), file = -1;
    bool is_ready = writer->hdf5.H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 &&
                    writer->hdf5.H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
                    (!writer->is_mat || writer->hdf5.H5Pset_userblock(list, HEAD_BYTES) >= 0);
#ifdef HAS_LOCKING
    is_ready = is_ready && writer->hdf5.H5Pset_file_locking(access, 0, 1) >= 0;
#endif
    if (is_ready)
        file = writer->hdf5.H5Fcreate(path, H5F_ACC_TRUNC, list, access);
    writer->hdf5.H5Pclose(access);
    writer->hdf5.H5Pclose(list);
    return file;
}

/* 0, or an error number. */
static int put_head(const char *path, const char *text)
{
    static const unsigned char version[] = {0x00, 0x02, 'I', 'M'};
    char head[128] = {0};
    memcpy(head, text, 116);
    memcpy(head + 124, version, sizeof version);
    int file = file_open(path, O_WRONLY | O_NOFOLLOW), error = file < 0 ? errno : 0;
    if (file >= 0 && pwrite(file, head, sizeof head, 0) != (ssize_t)sizeof head)
        error = errno;
    if (file >= 0 && close(file) != 0 && error == 0)
        error = errno;
    return error;
}

/* 0, or -1 after a message. */
static int load(struct hdf5 *hdf5)
{
    void *handle = load_library(LOAD_FILE(ARMTAP_HDF5_FILE));
    if (!handle)
        return -1;
#define HDF5_FUNCTION(name)                                                                                            \
    if (load_name(handle, #name, &hdf5->name) != 0)                                                                    \
        return -1;
#define HDF5_NUMBER(name) HDF5_FUNCTION(name)
#include "hdf5_names.def"
    return 0;
}

static void set_up(const struct writer *writer)
{
    writer->hdf5.H5dont_atexit();
    writer->hdf5.H5open();
    writer->hdf5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    /* Of each kind of list: what libhdf5 keeps for later. */
    writer->hdf5.H5set_free_list_limits(KEPT_BYTES, KEPT_BYTES, KEPT_BYTES, KEPT_BYTES, KEPT_BYTES, KEPT_BYTES);
}

int matlab_hdf5_load(void)
{
    struct hdf5 hdf5;
    return load(&hdf5);
}

enum matlab_outcome matlab_hdf5_write(const struct matlab_content *content, const char *path, bool is_mat, int *error)
{
    struct writer made = {.content = content, .is_mat = is_mat, .is_small = content->store->pieces.rows <= SMALL_ROWS};
    made.is_packed = !made.is_small && packer_compression(content->packer) != COMPRESSION_NONE;
    struct writer *writer = &made;
    if (load(&made.hdf5) != 0)
        return MATLAB_FAILED;
    set_up(writer);
    made.file = create_file(writer, path);
    int outcome = made.file >= 0 ? put_variables(writer) : failed(writer);
    if (made.file >= 0 && writer->hdf5.H5Fclose(made.file) < 0)
        outcome = failed(writer);
    if (outcome == 0 && is_mat)
        made.error = put_head(path, content->head);
    *error = made.error;
    return made.out_of_memory ? MATLAB_FAILED : made.error != 0 ? MATLAB_SYSTEM : MATLAB_OK;
}

const char *matlab_hdf5_library(char text[64])
{
    snprintf(text, 64, "%s version %d.%d.%d", library_name(LIBRARY_HDF5), H5_VERS_MAJOR, H5_VERS_MINOR,
             H5_VERS_RELEASE);
    return text;
}
#else
int matlab_hdf5_load(void)
{
    return -1;
}

enum matlab_outcome matlab_hdf5_write(const struct matlab_content *content, const char *path, bool is_mat, int *error)
{
    (void)content;
    (void)path;
    (void)is_mat;
    *error = ENOSYS;
    return MATLAB_SYSTEM;
}

const char *matlab_hdf5_library(char text[64])
{
    (void)text;
    return library_absence(LIBRARY_HDF5);
}
#endif
