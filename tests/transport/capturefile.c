#include "capturefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* ---- lists of packets ---- */

static struct packet *add_packet(struct capture_list *list)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 256;
        list->packets = realloc(list->packets, list->room * sizeof *list->packets);
        assert_non_null(list->packets);
    }
    return &list->packets[list->count++];
}

void capture_list_add(struct capture_list *list, int64_t time, const struct bytes *packet)
{
    *add_packet(list) = (struct packet){time, list->bytes.length, packet->length, 0};
    bytes_add(&list->bytes, packet->at, packet->length);
}

void capture_list_free(struct capture_list *list)
{
    bytes_free(&list->bytes);
    free(list->packets);
    *list = (struct capture_list){0};
}

/* ---- files ---- */

bool gunzip(const struct bytes *packed, struct bytes *content)
{
    uint8_t chunk[16384];
    z_stream stream = {0};
    int result = Z_OK;
    if (packed->length < 2 || packed->at[0] != 0x1f || packed->at[1] != 0x8b)
        return false;
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = packed->at;
    stream.avail_in = (uInt)packed->length;
    while (result == Z_OK) {
        stream.next_out = chunk;
        stream.avail_out = sizeof chunk;
        result = inflate(&stream, Z_SYNC_FLUSH);
        bytes_add(content, chunk, sizeof chunk - stream.avail_out);
        if (result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)
            break;
    }
    inflateEnd(&stream);
    return true;
}

void gzip(const struct bytes *content, struct bytes *packed)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, (uLong)content->length);
    uint8_t *out = malloc(room);
    assert_non_null(out);
    stream.next_in = content->at;
    stream.avail_in = (uInt)content->length;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_add(packed, out, room - stream.avail_out);
    deflateEnd(&stream);
    free(out);
}

void file_read_packed(const char *name, struct bytes *content)
{
    uint8_t chunk[16384];
    size_t got;
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("%s cannot be read", name);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        bytes_add(content, chunk, got);
    fclose(file);
}

void file_read(const char *name, struct bytes *content)
{
    struct bytes packed = {0};
    file_read_packed(name, &packed);
    if (gunzip(&packed, content)) {
        bytes_free(&packed);
        return;
    }
    *content = packed;
}

void file_write(const char *name, const void *content, size_t length)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* ---- reading ---- */

static uint64_t number_at(const uint8_t *at, unsigned width, bool big_endian)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < width; i++)
        number = number << 8 | at[big_endian ? i : width - 1 - i];
    return number;
}

static void parse_pcap(const struct bytes *file, struct capture_list *list)
{
    bool big = file->at[0] == 0xa1;
    bool nanoseconds = number_at(file->at, 4, big) == 0xa1b23c4d;
    list->link = (enum link)number_at(file->at + 20, 4, big);
    for (size_t at = 24; at + 16 <= file->length;) {
        const uint8_t *head = file->at + at;
        size_t captured = number_at(head + 8, 4, big);
        if (at + 16 + captured > file->length)
            break;
        int64_t second = (int64_t)number_at(head, 4, big), part = (int64_t)number_at(head + 4, 4, big);
        *add_packet(list) = (struct packet){second * 1000000000 + part * (nanoseconds ? 1 : 1000), at + 16, captured,
                                            at + 16 + captured};
        at += 16 + captured;
    }
}

/* Option if_tsresol of an interface block; its end and that of the options is near. */
static int64_t resolution_of(const uint8_t *block, size_t length, bool big)
{
    for (size_t at = 16; at + 8 < length;) {
        size_t size = number_at(block + at + 2, 2, big);
        if (number_at(block + at, 2, big) == 9)
            return block[at + 4] == 9 ? 1 : 1000;
        at += 4 + (size + 3) / 4 * 4;
    }
    return 1000;
}

static void parse_pcapng(const struct bytes *file, struct capture_list *list)
{
    bool big = file->at[8] == 0x1a;
    int64_t unit = 1000;
    for (size_t at = 0; at + 12 <= file->length;) {
        const uint8_t *block = file->at + at;
        uint64_t type = number_at(block, 4, big), length = number_at(block + 4, 4, big);
        if (type == 0x0a0d0d0a)
            length = number_at(block + 4, 4, big);
        if (length < 12 || at + length > file->length)
            break;
        if (type == 1) {
            list->link = (enum link)number_at(block + 8, 2, big);
            unit = resolution_of(block, length, big);
        }
        uint64_t time = number_at(block + 12, 4, big) << 32 | number_at(block + 16, 4, big);
        if (type == 6)
            *add_packet(list) =
                (struct packet){(int64_t)time * unit, at + 28, number_at(block + 20, 4, big), at + length};
        at += length;
    }
}

void capture_parse(const struct bytes *file, struct capture_list *list)
{
    assert_true(file->length >= 24);
    bytes_add(&list->bytes, file->at, file->length);
    if (number_at(file->at, 4, true) == 0x0a0d0d0a)
        parse_pcapng(file, list);
    else
        parse_pcap(file, list);
    assert_true(list->count > 0);
}

/* ---- writing ---- */

static void put(struct bytes *file, uint64_t number, unsigned width, bool big)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)(number >> (8 * (big ? width - 1 - i : i)));
        bytes_add(file, &byte, 1);
    }
}

static void form_pcap(const struct capture_list *list, size_t from, size_t to, const struct file_form *form,
                      struct bytes *file)
{
    bool big = form->big_endian;
    put(file, form->nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4, big);
    put(file, 2, 2, big);
    put(file, 4, 2, big);
    put(file, 0, 8, big);
    put(file, 262144, 4, big);
    put(file, list->link, 4, big);
    for (size_t i = from; i < to; i++) {
        const struct packet *packet = &list->packets[i];
        put(file, (uint64_t)(packet->time / 1000000000), 4, big);
        put(file, (uint64_t)(packet->time % 1000000000 / (form->nanoseconds ? 1 : 1000)), 4, big);
        put(file, packet->length, 4, big);
        put(file, packet->length, 4, big);
        bytes_add(file, list->bytes.at + packet->at, packet->length);
    }
}

static void form_pcapng(const struct capture_list *list, size_t from, size_t to, const struct file_form *form,
                        struct bytes *file)
{
    static const uint8_t zeros[3] = {0};
    bool big = form->big_endian;
    put(file, 0x0a0d0d0a, 4, big);
    put(file, 28, 4, big);
    put(file, 0x1a2b3c4d, 4, big);
    put(file, 1, 2, big);
    put(file, 0, 2, big);
    put(file, UINT64_MAX, 8, big);
    put(file, 28, 4, big);
    put(file, 1, 4, big);
    put(file, 32, 4, big);
    put(file, list->link, 2, big);
    put(file, 0, 2, big);
    put(file, 0, 4, big);
    put(file, 9, 2, big); /* if_tsresol */
    put(file, 1, 2, big);
    put(file, form->nanoseconds ? 9 : 6, 1, big);
    bytes_add(file, zeros, 3);
    put(file, 0, 4, big);
    put(file, 32, 4, big);
    for (size_t i = from; i < to; i++) {
        const struct packet *packet = &list->packets[i];
        uint64_t time = (uint64_t)packet->time / (form->nanoseconds ? 1 : 1000);
        size_t padded = (packet->length + 3) / 4 * 4;
        put(file, 6, 4, big);
        put(file, 32 + padded, 4, big);
        put(file, 0, 4, big);
        put(file, time >> 32, 4, big);
        put(file, time & 0xffffffff, 4, big);
        put(file, packet->length, 4, big);
        put(file, packet->length, 4, big);
        bytes_add(file, list->bytes.at + packet->at, packet->length);
        bytes_add(file, zeros, padded - packet->length);
        put(file, 32 + padded, 4, big);
    }
}

void capture_form(const struct capture_list *list, size_t from, size_t to, const struct file_form *form,
                  struct bytes *file)
{
    struct bytes plain = {0};
    if (form->pcapng)
        form_pcapng(list, from, to, form, &plain);
    else
        form_pcap(list, from, to, form, &plain);
    if (form->gzipped)
        gzip(&plain, file);
    else
        bytes_add(file, plain.at, plain.length);
    bytes_free(&plain);
}
