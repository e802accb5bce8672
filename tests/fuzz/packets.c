#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

#define HEADERS 54 /* of Ethernet, IPv4 and TCP */
#define SEGMENT 1448

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
    if (length == 0 || bytes->room - bytes->used < length)
        return;
    memcpy(bytes->at + bytes->used, data, length);
    bytes->used += length;
}

void bytes_number(struct bytes *bytes, uint64_t number, unsigned width)
{
    uint8_t octets[8];
    for (unsigned i = 0; i < width; i++)
        octets[i] = (uint8_t)(number >> (8 * (width - 1 - i)));
    bytes_add(bytes, octets, width);
}

void bytes_text(struct bytes *bytes, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(length >= 0);
    bytes_add(bytes, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

bool scene_is_full(const struct scene *scene)
{
    return scene->capture.room - scene->capture.used < 16 + HEADERS + SEGMENT;
}

static void little(struct bytes *bytes, uint32_t number)
{
    uint8_t octets[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
    bytes_add(bytes, octets, 4);
}

static void internet_header(struct bytes *out, const struct talk *talk, unsigned side, size_t length)
{
    uint32_t robot = 0x0A000000u + talk->host, client = 0x0A000101u;
    bytes_add(out, "\2\2\2\2\2\2\2\2\2\2\2\2\10\0", 14);
    bytes_number(out, 0x4500, 2);
    bytes_number(out, 40 + length, 2);
    bytes_number(out, 0x4000, 4);
    bytes_number(out, 0x4006, 2);
    bytes_number(out, 0, 2);
    bytes_number(out, side == 0 ? robot : client, 4);
    bytes_number(out, side == 0 ? client : robot, 4);
}

static void transport_header(struct bytes *out, const struct talk *talk, unsigned side, unsigned flags)
{
    bytes_number(out, talk->port[side], 2);
    bytes_number(out, talk->port[!side], 2);
    bytes_number(out, talk->sequence[side], 4);
    bytes_number(out, flags & TCP_ACK ? talk->sequence[!side] : 0, 4);
    bytes_number(out, 0x5000 | flags, 2);
    bytes_number(out, 64000, 2);
    bytes_number(out, 0, 4);
}

void scene_packet(struct scene *scene, struct talk *talk, unsigned side, unsigned flags, const void *bytes,
                  size_t length)
{
    struct bytes *out = &scene->capture;
    if (length > SEGMENT || scene_is_full(scene))
        return;
    scene->last_packet = out->used;
    scene->messages++;
    scene->text_bytes += talk->is_text ? 16 + HEADERS + length : 0;
    scene->deflated_bytes += talk->is_text && talk->is_deflated ? 16 + HEADERS + length : 0;
    scene->searched_bytes += talk->is_text && !talk->is_deflated && !talk->is_expected ? 16 + HEADERS + length : 0;
    scene->mixed_bytes += !talk->is_text && (talk->spoken & (talk->spoken - 1)) ? 16 + HEADERS + length : 0;
    scene->microseconds += 100;
    little(out, (uint32_t)(1700000000 + scene->microseconds / 1000000));
    little(out, (uint32_t)(scene->microseconds % 1000000));
    little(out, (uint32_t)(HEADERS + length));
    little(out, (uint32_t)(HEADERS + length));
    internet_header(out, talk, side, length);
    transport_header(out, talk, side, flags);
    bytes_add(out, bytes, length);
    talk->sequence[side] += (uint32_t)length + (flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
}

void scene_send(struct scene *scene, struct talk *talk, unsigned side, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    while (length > 0 && !scene_is_full(scene)) {
        size_t piece = length < SEGMENT ? length : SEGMENT;
        scene_packet(scene, talk, side, TCP_PUSH | TCP_ACK, at, piece);
        at += piece;
        length -= piece;
    }
}

void scene_repeat(struct scene *scene)
{
    size_t length = scene->capture.used - scene->last_packet;
    uint8_t packet[16 + HEADERS + SEGMENT];
    if (scene->last_packet == 0 || length > sizeof packet || scene_is_full(scene))
        return;
    memcpy(packet, scene->capture.at + scene->last_packet, length);
    scene->last_packet = scene->capture.used;
    scene->messages++;
    bytes_add(&scene->capture, packet, length);
}

void scene_handshake(struct scene *scene, struct talk *talk)
{
    scene_packet(scene, talk, 1, TCP_SYN, NULL, 0);
    scene_packet(scene, talk, 0, TCP_SYN | TCP_ACK, NULL, 0);
    scene_packet(scene, talk, 1, TCP_ACK, NULL, 0);
}
