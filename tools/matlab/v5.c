/* MAT-files of version 5, by libmatio. It takes a variable as a whole, so each is put together in a file without a name
 * that is mapped into memory. */
#define _XOPEN_SOURCE 700
#include "content.h"

#include <errno.h>

#include "base/process/message.h"

#ifdef ARMTAP_WITH_MATIO
#include <matio.h>
#include <stdio.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/libraries.h"

enum { HEAD_BYTES = 128, BLOCK_ROWS = 4096 };

#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(Mat_Close)                                                                                                \
    FUNCTION(Mat_CreateVer)                                                                                            \
    FUNCTION(Mat_VarCreate)                                                                                            \
    FUNCTION(Mat_VarCreateStruct)                                                                                      \
    FUNCTION(Mat_VarFree)                                                                                              \
    FUNCTION(Mat_VarSetStructFieldByIndex)                                                                             \
    FUNCTION(Mat_VarWrite)

/* The library, once it is loaded. */
struct matio {
#define FUNCTION(name) __typeof__(&name) name;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
};

struct writer {
    struct matio matio;
    const struct matlab_content *content;
    const char *path;
    mat_t *file;
    enum matio_compression compression;
    bool has_reported;
    int error; /* the system's; 0: none */
};

static int lack_memory(struct writer *writer)
{
    message_no_memory();
    writer->has_reported = true;
    return -1;
}

static int failed(struct writer *writer, int error)
{
    if (writer->error == 0)
        writer->error = error != 0 ? error : EIO;
    return -1;
}

static const struct {
    enum matio_classes class;
    enum matio_types type;
    int flags;
} kinds[MATLAB_CLASSES] = {
    [MATLAB_CLASS_DOUBLE] = {MAT_C_DOUBLE, MAT_T_DOUBLE, 0},
    [MATLAB_CLASS_LOGICAL] = {MAT_C_UINT8, MAT_T_UINT8, MAT_F_LOGICAL},
    [MATLAB_CLASS_UINT8] = {MAT_C_UINT8, MAT_T_UINT8, 0},
    [MATLAB_CLASS_INT32] = {MAT_C_INT32, MAT_T_INT32, 0},
    [MATLAB_CLASS_UINT32] = {MAT_C_UINT32, MAT_T_UINT32, 0},
    [MATLAB_CLASS_INT64] = {MAT_C_INT64, MAT_T_INT64, 0},
    [MATLAB_CLASS_UINT64] = {MAT_C_UINT64, MAT_T_UINT64, 0},
    [MATLAB_CLASS_CHAR] = {MAT_C_CHAR, MAT_T_UINT16, 0},
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Of a file beside the output: a full disk is an error here and no signal later. */
static void *map(struct writer *writer, size_t length)
{
    char *folder = path_folder(writer->path);
    void *memory = folder ? file_memory(folder, length) : NULL;
    if (!memory)
        failed(writer, errno);
    free(folder);
    return memory;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static int fill_numbers(struct writer *writer, const struct matlab_variable *variable, char *out)
{
    size_t rows = (size_t)writer->content->store->pieces.rows, width = matlab_class_row(variable->class)->width;
    struct matlab_block block = {0};
    int outcome = 0;
    for (size_t from = 0, some; from < rows && outcome == 0; from += some) {
        some = rows - from < BLOCK_ROWS ? rows - from : BLOCK_ROWS;
        outcome = matlab_block_load(&block, writer->content, variable, from, some);
        for (size_t i = 0; i < variable->columns && outcome == 0; i++)
            matlab_block_column(&block, writer->content, variable, i, out + (i * rows + from) * width);
    }
    matlab_block_free(&block);
    writer->has_reported = writer->has_reported || outcome != 0;
    return outcome;
}

static int fill_texts(struct writer *writer, const struct matlab_variable *variable, uint16_t *out)
{
    size_t rows = (size_t)writer->content->store->pieces.rows;
    struct column_texts texts = {.pieces = &writer->content->store->pieces, .column = variable->first};
    int outcome = 0;
    for (size_t i = 0; i < rows && outcome == 0; i++)
        outcome = matlab_texts_row(&texts, writer->content, variable, out + i, rows);
    column_texts_free(&texts);
    writer->has_reported = writer->has_reported || outcome != 0;
    return outcome;
}

static matvar_t *make_variable(const struct writer *writer, const char *name, enum matlab_class class, size_t rows,
                               size_t columns, const void *values, int flags)
{
    size_t size[] = {rows, columns};
    return writer->matio.Mat_VarCreate(name, kinds[class].class, kinds[class].type, 2, size, (void *)(uintptr_t)values,
                                       kinds[class].flags | flags);
}

static int put(struct writer *writer, matvar_t *variable)
{
    if (!variable)
        return lack_memory(writer);
    errno = 0;
    int outcome =
        writer->matio.Mat_VarWrite(writer->file, variable, writer->compression) == 0 ? 0 : failed(writer, errno);
    writer->matio.Mat_VarFree(variable);
    return outcome;
}

static int put_variable(struct writer *writer, const struct matlab_variable *variable)
{
    bool is_text = variable->class == MATLAB_CLASS_CHAR;
    size_t rows = (size_t)writer->content->store->pieces.rows,
           columns = is_text ? variable->characters : variable->columns;
    size_t length = rows * columns * matlab_class_row(variable->class)->width;
    void *values = length == 0 ? NULL : map(writer, length);
    if (length > 0 && !values)
        return -1;
    int outcome = length == 0 ? 0
                  : is_text   ? fill_texts(writer, variable, values)
                              : fill_numbers(writer, variable, values);
    if (outcome == 0)
        outcome = put(writer, make_variable(writer, variable->name, variable->class, rows, columns, values,
                                            MAT_F_DONT_COPY_DATA));
    if (values)
        file_memory_free(values, length);
    return outcome;
}

/* ---- meta -------------------------------------------------------------------------------------------------------- */

/* NULL without memory. */
static matvar_t *make_node(const struct writer *writer, const struct matlab_node *node)
{
    size_t one[] = {1, 1}, width;
    if (node->kind == MATLAB_NODE_NUMBERS)
        return make_variable(writer, node->name, MATLAB_CLASS_INT32, node->count, 1, node->numbers, 0);
    if (node->kind == MATLAB_NODE_TEXTS) {
        uint16_t *units = matlab_characters(node->texts, node->count, &width);
        matvar_t *made =
            units ? make_variable(writer, node->name, MATLAB_CLASS_CHAR, node->count, width, units, 0) : NULL;
        free(units);
        return made;
    }
    const char **names = calloc(node->count + 1, sizeof *names);
    size_t i = 0;
    for (const struct matlab_node *child = node->children; names && child; child = child->next)
        names[i++] = child->name;
    matvar_t *made = names ? writer->matio.Mat_VarCreateStruct(node->name, 2, one, names, (unsigned)node->count) : NULL;
    free(names);
    i = 0;
    for (const struct matlab_node *child = node->children; made && child; child = child->next) {
        matvar_t *field = make_node(writer, child);
        if (!field) {
            writer->matio.Mat_VarFree(made);
            return NULL;
        }
        writer->matio.Mat_VarSetStructFieldByIndex(made, i++, 0, field);
    }
    return made;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool read_all(int file, void *bytes, size_t length, off_t at)
{
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(file, (char *)bytes + done, length - done, at + (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* libmatio does not tell whether its bytes reached the disk: the file must be a chain of all elements up to its end. */
static int check_chain(struct writer *writer)
{
    uint32_t tag[2];
    struct file_status status;
    int file = file_open(writer->path, O_RDONLY);
    bool is_whole = file >= 0 && file_status_of_open(file, &status) == 0;
    off_t at = HEAD_BYTES;
    size_t count = 0;
    while (is_whole && at < (off_t)status.size) {
        is_whole = read_all(file, tag, sizeof tag, at) && tag[0] != 0;
        at += (off_t)sizeof tag + tag[1];
        count++;
    }
    if (file >= 0)
        close(file);
    return is_whole && at == (off_t)status.size && count == writer->content->count + 1 ? 0 : failed(writer, ENOSPC);
}

static int put_content(struct writer *writer)
{
    for (size_t i = 0; i < writer->content->count; i++)
        if (put_variable(writer, &writer->content->variables[i]) != 0)
            return -1;
    return put(writer, make_node(writer, writer->content->meta));
}

/* 0, or -1 after a message. */
static int load(struct matio *matio)
{
    void *handle = load_library(LOAD_FILE(ARMTAP_MATIO_FILE));
    if (!handle)
        return -1;
#define FUNCTION(name)                                                                                                 \
    if (load_name(handle, #name, &matio->name) != 0)                                                                   \
        return -1;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    return 0;
}

int matlab_v5_load(void)
{
    struct matio matio;
    return load(&matio);
}

enum matlab_outcome matlab_v5_write(const struct matlab_content *content, const char *path, int *error)
{
    struct writer writer = {.content = content, .path = path};
    bool is_packed = packer_compression(content->packer) != COMPRESSION_NONE;
    if (load(&writer.matio) != 0)
        return MATLAB_FAILED;
    writer.compression = is_packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE;
    errno = 0;
    writer.file = writer.matio.Mat_CreateVer(path, content->head, MAT_FT_MAT5);
    int outcome = writer.file ? put_content(&writer) : failed(&writer, errno);
    errno = 0;
    if (writer.file && writer.matio.Mat_Close(writer.file) != 0)
        outcome = failed(&writer, errno);
    if (outcome == 0)
        check_chain(&writer);
    *error = writer.error;
    return writer.has_reported ? MATLAB_FAILED : writer.error != 0 ? MATLAB_SYSTEM : MATLAB_OK;
}

const char *matlab_matio_library(char text[64])
{
    snprintf(text, 64, "%s version %d.%d.%d", library_name(LIBRARY_MATIO), MATIO_MAJOR_VERSION, MATIO_MINOR_VERSION,
             MATIO_RELEASE_LEVEL);
    return text;
}
#else
int matlab_v5_load(void)
{
    return -1;
}

enum matlab_outcome matlab_v5_write(const struct matlab_content *content, const char *path, int *error)
{
    (void)content;
    (void)path;
    *error = ENOSYS;
    return MATLAB_SYSTEM;
}

const char *matlab_matio_library(char text[64])
{
    (void)text;
    return library_absence(LIBRARY_MATIO);
}
#endif
