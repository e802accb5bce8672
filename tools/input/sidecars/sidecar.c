#define _POSIX_C_SOURCE 200809L
#include "sidecar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"
#include "base/os/names.h"
#include "base/text/base64.h"
#include "base/bytes/checksum.h"
#include "base/text/json_reader.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "inside.h"

#define LINK_TYPE_MAX 65535
#define BLOCK 65536
#define HEAD_BYTES 8192 /* have room for two names with all bytes escaped */

/* CRC-32 of the text before their values: a flipped bit in base64 or in a number would otherwise change rows. */
#define HEAD_SUM "head_crc32" /* before the packets, for those who read only the head */
#define SUM "crc32"

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Of all that comes before its key's value. */
static void write_sum(struct json *json, const char *key)
{
    json_key(json, key);
    json_unsigned(json, json->text->failed ? 0 : checksum(CHECKSUM_BEGIN, json->text->data, json->text->length));
}

static void write_time(struct json *json, const char *key, int64_t time)
{
    if (key)
        json_key(json, key);
    if (time == ARMTAP_NO_TIME)
        json_null(json);
    else
        json_signed(json, time);
}

static void write_section(struct json *json, const struct section_comment *section)
{
    json_member_object(json, "recording", false);
    json_member_text(json, "id", section->recording);
    json_member_unsigned(json, "part", section->part);
    json_member_unsigned(json, "repeated", section->repeated);
    json_close(json);
}

/* [packet, time, "bytes"] for a stretch; a packet's has its link type and length on the wire before the bytes. */
static void write_kept(struct json *json, const struct armtap_kept *kept)
{
    const struct armtap_packet *packet = &kept->packet;
    json_array(json, false);
    json_unsigned(json, packet->where.packet);
    write_time(json, NULL, packet->where.time);
    if (!kept->is_stretch) {
        json_signed(json, packet->link_type);
        json_unsigned(json, packet->length);
    }
    json_base64(json, packet->data, packet->captured);
    json_close(json);
}

static void write_members(struct json *json, const struct sidecar *sidecar, const struct armtap_digest *digest)
{
    struct armtap_kept kept;
    json_member_unsigned(json, "armtap_sidecar", SIDECAR_VERSION);
    json_member_text(json, "capture", sidecar->capture);
    json_member_text(json, "after", sidecar->after);
    json_member_unsigned(json, "packets", sidecar->packets);
    write_time(json, "first_time_ns", sidecar->first_time);
    write_time(json, "last_time_ns", sidecar->last_time);
    json_member_bool(json, "from_socket", sidecar->section.from_socket);
    if (sidecar->section.recording[0] != '\0')
        write_section(json, &sidecar->section);
    write_sum(json, HEAD_SUM);
    json_member_array(json, "kept", true);
    for (size_t i = 0; armtap_digest_at(digest, i, &kept); i++)
        write_kept(json, &kept);
    json_close(json);
    write_sum(json, SUM);
}

void sidecar_write(struct buffer *text, const struct sidecar *sidecar, const struct armtap_digest *digest)
{
    struct json json;
    json_begin_text(&json, text);
    json_object(&json, true);
    write_members(&json, sidecar, digest);
    json_end(&json);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_time(const struct json_node *node, int64_t *time)
{
    *time = ARMTAP_NO_TIME;
    return node && (node->kind == ARMTAP_JSON_NULL || json_node_signed(node, time));
}

static bool read_section(const struct json_node *root, struct section_comment *section)
{
    const struct json_node *recording = json_node_member(root, "recording"), *id = json_node_member(recording, "id");
    const struct json_node *from_socket = json_node_member(root, "from_socket");
    uint64_t part, repeated;
    section->from_socket = from_socket && from_socket->kind == ARMTAP_JSON_TRUE;
    if (!recording)
        return true;
    if (!id || id->kind != ARMTAP_JSON_STRING || id->length > RECORDING_ID ||
        !json_node_unsigned(json_node_member(recording, "part"), &part) || part > UINT32_MAX ||
        !json_node_unsigned(json_node_member(recording, "repeated"), &repeated) || repeated > UINT32_MAX)
        return false;
    memcpy(section->recording, id->text, id->length);
    section->part = (uint32_t)part;
    section->repeated = (uint32_t)repeated;
    return true;
}

/* Numbers, in order of their places in the array; all but the last element, which is the bytes. */
static bool read_kept(const struct json_node *node, struct armtap_kept *kept, uint8_t **room)
{
    const struct json_node *at[6];
    struct armtap_packet *packet = &kept->packet;
    size_t count = 0;
    uint64_t link_type = 0, length = 0;
    if (node->kind != ARMTAP_JSON_ARRAY)
        return false;
    for (const struct json_node *next = json_node_first(node); next != json_node_end(node) && count < 6;
         next = json_node_next(next))
        at[count++] = next;
    if ((count != 3 && count != 5) || at[count - 1]->kind != ARMTAP_JSON_STRING ||
        !json_node_unsigned(at[0], &packet->where.packet) || packet->where.packet == 0 ||
        !read_time(at[1], &packet->where.time))
        return false;
    kept->is_stretch = count == 3;
    if (!kept->is_stretch && (!json_node_unsigned(at[2], &link_type) || link_type > LINK_TYPE_MAX ||
                              !json_node_unsigned(at[3], &length) || length > UINT32_MAX))
        return false;
    ptrdiff_t captured = base64_read(*room, at[count - 1]->text, at[count - 1]->length);
    if (captured < 0)
        return false;
    packet->size = sizeof *packet;
    packet->link_type = (int)link_type;
    packet->data = *room;
    packet->captured = (size_t)captured;
    packet->length = kept->is_stretch ? packet->captured : (size_t)length;
    *room += captured;
    return true;
}

static bool read_all_kept(const struct json_node *list, struct sidecar *sidecar)
{
    uint8_t *room = sidecar->bytes;
    uint64_t before = 0;
    if (!list || list->kind != ARMTAP_JSON_ARRAY)
        return false;
    for (const struct json_node *at = json_node_first(list); at != json_node_end(list); at = json_node_next(at)) {
        struct armtap_kept *kept = &sidecar->kept[sidecar->kept_count];
        if (!read_kept(at, kept, &room) || kept->packet.where.packet < before ||
            kept->packet.where.packet > sidecar->packets)
            return false;
        before = kept->packet.where.packet;
        sidecar->kept_count++;
    }
    return true;
}

static bool read_head(const struct json_node *root, struct sidecar *sidecar)
{
    sidecar->capture = json_node_text(json_node_member(root, "capture"));
    sidecar->after = json_node_text(json_node_member(root, "after"));
    return sidecar->capture && json_node_unsigned(json_node_member(root, "packets"), &sidecar->packets) &&
           read_time(json_node_member(root, "first_time_ns"), &sidecar->first_time) &&
           read_time(json_node_member(root, "last_time_ns"), &sidecar->last_time) &&
           read_section(root, &sidecar->section);
}

/* Whether the text up to the sum is what it was when the sum was made. */
static bool sum_agrees(const char *text, const struct json_node *root, const char *key)
{
    const struct json_node *sum = json_node_member(root, key);
    uint64_t wanted;
    return json_node_unsigned(sum, &wanted) && checksum(CHECKSUM_BEGIN, text, (size_t)(sum->text - text)) == wanted;
}

/* 0, or -1 after a message. `sum` is the name of that which covers what is read. */
static int take_sidecar(const char *path, const char *text, size_t length, const char *sum,
                        const struct json_node *root, struct sidecar *sidecar)
{
    uint64_t version;
    if (!json_node_unsigned(json_node_member(root, "armtap_sidecar"), &version)) {
        message_error("%s: not a sidecar; armtap index writes them", path);
        return -1;
    }
    if (version != SIDECAR_VERSION) {
        message_error("%s: a sidecar of version %" PRIu64 ", which this armtap cannot read; write it anew with armtap "
                      "index",
                      path, version);
        return -1;
    }
    const struct json_node *kept = json_node_member(root, "kept");
    sidecar->bytes = malloc(length / 4 * 3 + 4);
    sidecar->kept = calloc(kept ? kept->size : 1, sizeof *sidecar->kept);
    if (!sidecar->bytes || !sidecar->kept)
        return message_no_memory();
    if (read_head(root, sidecar) && read_all_kept(kept, sidecar) && sum_agrees(text, root, sum))
        return 0;
    message_error("%s: a damaged sidecar; write it anew with armtap index", path);
    return -1;
}

/* An ordinary file: a pipe would wait, a device never end. */
static FILE *open_file(const char *path)
{
    struct file_status status;
    if (file_status(path, &status) != 0)
        return NULL;
    if (status.kind == FILE_IS_ORDINARY)
        return fopen(path, "rb");
    errno = status.kind == FILE_IS_FOLDER ? EISDIR : EINVAL;
    return NULL;
}

/* The beginning of a file, on the heap; NULL after a message. */
static char *load(const char *path, size_t most, size_t *length)
{
    FILE *file = open_file(path);
    struct buffer text = {0};
    for (size_t got = 1; file && got > 0 && text.length < most; text.length += got) {
        size_t room = most - text.length < BLOCK ? most - text.length : BLOCK;
        got = buffer_room(&text, room) ? fread(text.data + text.length, 1, room, file) : 0;
    }
    *length = text.length;
    int error = !file || ferror(file) ? errno : 0;
    if (error == EINVAL)
        message_error("%s: not an ordinary file; give the folder or the sidecar that armtap index wrote", path);
    else if (error)
        message_error("%s: %s; give the folder or the sidecar that armtap index wrote", path, strerror(error));
    else if (text.failed)
        message_no_memory();
    if (file)
        fclose(file);
    if (!error && !text.failed)
        return text.data;
    free(text.data);
    return NULL;
}

/* Frees the text. */
static int parse(const char *path, char *text, size_t length, const char *sum, struct sidecar *sidecar)
{
    size_t at;
    enum json_fault fault;
    struct json_node *root = json_read(text, length, &fault, &at);
    int outcome = -1;
    if (root)
        outcome = take_sidecar(path, text, length, sum, root, sidecar);
    else if (fault == JSON_NO_MEMORY)
        message_no_memory();
    else
        message_error("%s: not JSON at byte %zu; write it anew with armtap index", path, at);
    free(root);
    free(text);
    return outcome;
}

int sidecar_read(const char *path, struct sidecar *sidecar)
{
    size_t length;
    *sidecar = (struct sidecar){0};
    char *text = load(path, SIDECAR_MAX + 1, &length);
    if (text && length <= SIDECAR_MAX)
        return parse(path, text, length, SUM, sidecar);
    if (text)
        message_error("%s: not a sidecar: it is too long", path);
    free(text);
    return -1;
}

/* Ends the JSON where the packets begin, so that there are none; false if they begin later. In a text, a backslash
 * would stand before each quotation mark. */
static bool cut_kept(char *text, size_t *length)
{
    static const char key[] = "\"kept\": [";
    for (size_t at = 0; at + sizeof key + 1 < *length; at++) {
        if (memcmp(text + at, key, sizeof key - 1) != 0)
            continue;
        memcpy(text + at + sizeof key - 1, "]}", 2);
        *length = at + sizeof key + 1;
        return true;
    }
    return false;
}

int sidecar_read_head(const char *path, struct sidecar *sidecar)
{
    size_t length;
    *sidecar = (struct sidecar){0};
    char *text = load(path, HEAD_BYTES, &length);
    if (!text)
        return -1;
    if (cut_kept(text, &length))
        return parse(path, text, length, HEAD_SUM, sidecar);
    free(text);
    return sidecar_read(path, sidecar);
}

void sidecar_free(struct sidecar *sidecar)
{
    free(sidecar->capture);
    free(sidecar->after);
    free(sidecar->kept);
    free(sidecar->bytes);
    *sidecar = (struct sidecar){0};
}
