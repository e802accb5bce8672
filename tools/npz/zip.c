#include "zip.h"

#include "base/process/message.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_64 = 0x06064b50,
    LOCATOR_64 = 0x07064b50,
    NEEDS_VERSION = 20,
    NEEDS_VERSION_64 = 45,
    NAMES_ARE_UTF8 = 1 << 11,
    STORED = 0,
    DATE = 1 << 5 | 1, /* 1980-01-01: files depend on their content alone */
    EXTRA_64 = 0x0001,
    EXTRA_PADDING = 0xd935, /* as others use it to align data */
    EXTRA_HEAD = 4,
    LOCAL_BYTES = 30,
    END_64_REST = 44, /* of its record, after the field that says so */
    ALIGNMENT = 64
};

static void put(struct buffer *out, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++, number >>= 8)
        buffer_char(out, (char)number);
}

static uint64_t at_most(uint64_t number, uint64_t most)
{
    return number < most ? number : most;
}

static int write(struct zip *zip, const char *bytes, size_t length)
{
    zip->offset += length;
    return zip->write(zip->user, bytes, length);
}

/* What both headers of a member have in common. */
static void put_shared(struct buffer *out, const struct zip_member *member, bool is_64, size_t extra)
{
    put(out, is_64 ? NEEDS_VERSION_64 : NEEDS_VERSION, 2);
    put(out, NAMES_ARE_UTF8, 2);
    put(out, STORED, 2);
    put(out, 0, 2);
    put(out, DATE, 2);
    put(out, member->checksum, 4);
    for (unsigned packed = 0; packed < 2; packed++)
        put(out, at_most(member->size, ZIP_SIZE_MAX), 4);
    put(out, member->length, 2);
    put(out, extra, 2);
}

/* The extra field with the numbers that are too large for the plain ones: in this order. */
static void put_extra_64(struct buffer *out, const uint64_t *numbers, size_t count)
{
    if (count == 0)
        return;
    put(out, EXTRA_64, 2);
    put(out, count * sizeof *numbers, 2);
    for (size_t i = 0; i < count; i++)
        put(out, numbers[i], sizeof *numbers);
}

static void put_central(struct zip *zip, const struct zip_member *member)
{
    uint64_t large[3];
    size_t count = 0;
    if (member->size >= ZIP_SIZE_MAX)
        large[count++] = member->size, large[count++] = member->size;
    if (zip->offset >= ZIP_SIZE_MAX)
        large[count++] = zip->offset;
    put(&zip->directory, CENTRAL, 4);
    put(&zip->directory, count > 0 ? NEEDS_VERSION_64 : NEEDS_VERSION, 2);
    put_shared(&zip->directory, member, count > 0, count == 0 ? 0 : EXTRA_HEAD + count * sizeof *large);
    put(&zip->directory, 0, 10); /* comment, disk, attributes */
    put(&zip->directory, at_most(zip->offset, ZIP_SIZE_MAX), 4);
    buffer_put(&zip->directory, member->name, member->length);
    put_extra_64(&zip->directory, large, count);
}

int zip_begin(struct zip *zip, const struct zip_member *member)
{
    const uint64_t sizes[] = {member->size, member->size};
    bool is_64 = member->size >= ZIP_SIZE_MAX;
    size_t extra = (is_64 ? EXTRA_HEAD + sizeof sizes : 0) + EXTRA_HEAD;
    size_t padding = (size_t)(0 - (zip->offset + LOCAL_BYTES + member->length + extra)) % ALIGNMENT;
    struct buffer head = {0};
    put_central(zip, member);
    put(&head, LOCAL, 4);
    put_shared(&head, member, is_64, extra + padding);
    buffer_put(&head, member->name, member->length);
    put_extra_64(&head, sizes, is_64 ? 2 : 0);
    put(&head, EXTRA_PADDING, 2);
    put(&head, padding, 2);
    for (size_t i = 0; i < padding; i++)
        buffer_char(&head, 0);
    zip->members++;
    int outcome = head.failed || zip->directory.failed ? message_no_memory() : write(zip, head.data, head.length);
    free(head.data);
    return outcome;
}

int zip_put(struct zip *zip, const char *bytes, size_t length)
{
    return write(zip, bytes, length);
}

/* The end of files that have too many members, or are too large. */
static void put_end_64(const struct zip *zip, uint64_t size, struct buffer *out)
{
    put(out, END_64, 4);
    put(out, END_64_REST, 8);
    put(out, NEEDS_VERSION_64, 2);
    put(out, NEEDS_VERSION_64, 2);
    put(out, 0, 8); /* disks */
    put(out, zip->members, 8);
    put(out, zip->members, 8);
    put(out, size, 8);
    put(out, zip->offset, 8);
    put(out, LOCATOR_64, 4);
    put(out, 0, 4);
    put(out, zip->offset + size, 8);
    put(out, 1, 4);
}

int zip_end(struct zip *zip)
{
    struct buffer *out = &zip->directory;
    uint64_t size = out->length;
    if (zip->members >= ZIP_COUNT_MAX || size >= ZIP_SIZE_MAX || zip->offset >= ZIP_SIZE_MAX)
        put_end_64(zip, size, out);
    put(out, END, 4);
    put(out, 0, 4); /* disks */
    put(out, at_most(zip->members, ZIP_COUNT_MAX), 2);
    put(out, at_most(zip->members, ZIP_COUNT_MAX), 2);
    put(out, at_most(size, ZIP_SIZE_MAX), 4);
    put(out, at_most(zip->offset, ZIP_SIZE_MAX), 4);
    put(out, 0, 2);
    return out->failed ? message_no_memory() : write(zip, out->data, out->length);
}
