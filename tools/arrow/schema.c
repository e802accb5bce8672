#include "field.h"

/* Of union Type in Schema.fbs. */
enum { INT = 2, FLOATING_POINT = 3, BINARY = 4, UTF8 = 5, BOOL = 6, TIMESTAMP = 10, FIXED_SIZE_LIST = 16 };
/* Members of table Field. */
enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, METADATA, FIELD_MEMBERS };

static const char item[] = "item", time_zone[] = "UTC";

const struct arrow_type_row *arrow_type_row(enum arrow_type type)
{
    static const struct arrow_type_row rows[ARROW_TYPES] = {
#define ARROW_TYPE(id, width, kind, first, second) [ARROW_##id] = {(width), (kind), (first), (second)},
#include "types.def"
    };
    return &rows[type];
}

/* A type's table. */
static size_t put_type(struct buffer *out, unsigned kind, int first, int second)
{
    static const unsigned char of_int[] = {4, 1}, of_float[] = {2}, of_time[] = {2, FLAT_OFFSET}, of_list[] = {4};
    struct flat_table table = kind == INT               ? flat_table(out, of_int, 2)
                              : kind == FLOATING_POINT  ? flat_table(out, of_float, 1)
                              : kind == TIMESTAMP       ? flat_table(out, of_time, 2)
                              : kind == FIXED_SIZE_LIST ? flat_table(out, of_list, 1)
                                                        : flat_table(out, NULL, 0);
    if (kind == INT)
        flat_set(out, table.slot[1], (uint64_t)second, 1);
    if (kind == INT || kind == FIXED_SIZE_LIST)
        flat_set(out, table.slot[0], (uint64_t)first, 4);
    else if (kind == FLOATING_POINT || kind == TIMESTAMP)
        flat_set(out, table.slot[0], (uint64_t)first, 2);
    if (kind == TIMESTAMP)
        flat_point(out, table.slot[1], flat_text(out, time_zone, strlen(time_zone)));
    return table.at;
}

/* Table DictionaryEncoding: the numbers are of the type INT32. */
static size_t put_encoding(struct buffer *out, const struct arrow_dictionary *dictionary)
{
    static const unsigned char sizes[] = {8, FLAT_OFFSET};
    const struct arrow_type_row *number = arrow_type_row(ARROW_INT32);
    struct flat_table table = flat_table(out, sizes, 2);
    flat_set(out, table.slot[0], (uint64_t)dictionary->id, 8);
    flat_point(out, table.slot[1], put_type(out, number->kind, number->first, number->second));
    return table.at;
}

/* Appends a text that ends with NUL, and points to it. */
static void point_to_text(struct buffer *out, size_t slot, const char **text)
{
    size_t length = strlen(*text);
    flat_point(out, slot, flat_text(out, *text, length));
    *text += length + 1;
}

void arrow_put_notes(struct buffer *out, size_t slot, size_t count, const char **notes)
{
    static const unsigned char sizes[] = {FLAT_OFFSET, FLAT_OFFSET}; /* of table KeyValue */
    size_t all = flat_offsets(out, count);
    flat_point(out, slot, all);
    for (size_t i = 0; i < count; i++) {
        struct flat_table table = flat_table(out, sizes, 2);
        flat_point(out, flat_offset(all, i), table.at);
        point_to_text(out, table.slot[0], notes);
        point_to_text(out, table.slot[1], notes);
    }
}

size_t arrow_put_field(struct buffer *out, const struct arrow_field *field, const char *name, const char **notes)
{
    const struct arrow_type_row *row = arrow_type_row(field->type);
    const unsigned char sizes[FIELD_MEMBERS] = {FLAT_OFFSET,
                                                1,
                                                1,
                                                FLAT_OFFSET,
                                                field->dictionary ? FLAT_OFFSET : 0,
                                                FLAT_OFFSET,
                                                field->notes > 0 ? FLAT_OFFSET : 0};
    struct flat_table table = flat_table(out, sizes, FIELD_MEMBERS);
    flat_point(out, table.slot[NAME], flat_text(out, name, strlen(name)));
    flat_set(out, table.slot[NULLABLE], true, 1);
    flat_set(out, table.slot[TYPE_KIND], field->is_list ? FIXED_SIZE_LIST : row->kind, 1);
    flat_point(out, table.slot[TYPE],
               field->is_list ? put_type(out, FIXED_SIZE_LIST, (int)field->columns, 0)
                              : put_type(out, row->kind, row->first, row->second));
    if (field->dictionary)
        flat_point(out, table.slot[DICTIONARY], put_encoding(out, field->dictionary));
    size_t children = flat_offsets(out, field->is_list);
    flat_point(out, table.slot[CHILDREN], children);
    const struct arrow_field element = {.type = field->type, .columns = 1};
    if (field->is_list)
        flat_point(out, flat_offset(children, 0), arrow_put_field(out, &element, item, NULL));
    if (field->notes > 0)
        arrow_put_notes(out, table.slot[METADATA], field->notes, notes);
    return table.at;
}
