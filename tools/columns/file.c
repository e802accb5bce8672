#include "table.h"

#include "base/process/message.h"

int column_file_ease(struct column_file *file, bool all)
{
    int outcome = file->kind->flush(file);
    column_table_clear(&file->table, all);
    return outcome;
}

int column_file_rows(struct column_file *file, const struct column_batch *rows)
{
    for (size_t from = 0; from < rows->rows;) {
        from = column_table_add(&file->table, rows, from);
        if (from == SIZE_MAX)
            return message_no_memory();
        if (column_table_is_full(&file->table) && column_file_ease(file, false) != 0)
            return -1;
    }
    return 0;
}

int column_file_end(struct column_file *file, const char *name)
{
    return column_file_ease(file, true) == 0 ? file->kind->end(file, name) : -1;
}

void column_file_free(struct column_file *file)
{
    if (!file)
        return;
    column_table_free(&file->table);
    file->kind->free(file);
    free(file);
}

int column_file_write(struct column_file *file, const char *bytes, size_t length)
{
    file->offset += length;
    return file->output.write(file->output.user, bytes, length);
}
