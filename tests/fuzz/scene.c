#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 20000
#define SPOKEN_MAX (4u << 20)
#define BIT7 0x80

void scene_begin(struct scene *scene)
{
    static const uint8_t header[24] = {0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0,
                                       0,    0,    0,    0,    0, 0, 4, 0, 1, 0, 0, 0};
    *scene = (struct scene){.next_port = 40000};
    scene->capture = (struct bytes){malloc(SCENE_CAPTURE_MAX), 0, SCENE_CAPTURE_MAX};
    scene->message = (struct bytes){malloc(SCENE_MESSAGE_MAX), 0, SCENE_MESSAGE_MAX};
    CHECK(scene->capture.at && scene->message.at);
    bytes_add(&scene->capture, header, sizeof header);
}

void free_scene(struct scene *scene)
{
    free(scene->capture.at);
    free(scene->message.at);
}

static void send_message(struct scene *scene, struct talk *talk, unsigned side, bool deflated)
{
    size_t plain = scene->message.used;
    if (talk->is_web) {
        web_frame(&scene->message, scene->message.at, plain, side == 1, deflated);
        scene_send(scene, talk, side, scene->message.at + plain, scene->message.used - plain);
    } else {
        scene_send(scene, talk, side, scene->message.at, plain);
    }
    scene->message.used = 0;
}

/* The same message again and again, neighbours in one segment where they fit. */
static void send_often(struct scene *scene, struct talk *talk, unsigned side, size_t many)
{
    struct bytes *message = &scene->message;
    size_t length = message->used;
    if (length == 0)
        return;
    for (size_t i = 1; i < many && message->used + length <= message->room; i++)
        bytes_add(message, message->at, length);
    for (size_t sent = 0; sent < many && !scene_is_full(scene); sent += message->used / length) {
        scene->messages += message->used / length;
        scene_send(scene, talk, side, message->at, message->used);
    }
    message->used = 0;
}

/* ---- the beginning and end of connections ---- */

static void open_rtde(struct scene *scene, struct talk *talk, unsigned version)
{
    uint8_t asked[2] = {0, (uint8_t)version};
    talk->version = version > 0 ? version : 1;
    if (version == 0)
        return;
    rtde_package(&scene->message, 'V', asked, 2);
    send_message(scene, talk, 1, false);
    rtde_package(&scene->message, 'V', "\1", 1);
    send_message(scene, talk, 0, false);
}

static void open_talk(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    static const uint16_t ports[] = {30004, 30003, 30010, 9013, 30013, 30001, 12345, 29999};
    unsigned kind = operation->kind % 8;
    *talk = (struct talk){.port = {ports[kind], scene->next_port++},
                          .host = (uint8_t)(2 + operation->where / SCENE_CONNECTIONS % 4),
                          .sequence = {1000, 2000},
                          .opened = true,
                          .is_expected = (kind == 2 || kind == 3) && !(operation->value & BIT7),
                          .version = 2};
    if (operation->value & BIT7) /* its beginning was not captured */
        talk->version = operation->value % 4;
    else
        scene_handshake(scene, talk);
    if (kind == 3) {
        scene_send(scene, talk, 1, web_request, strlen(web_request));
        scene_send(scene, talk, 0, web_answer, strlen(web_answer));
        talk->is_web = true;
    }
    if (kind == 0 && !(operation->value & BIT7))
        open_rtde(scene, talk, operation->value % 4);
}

static void close_talk(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    unsigned side = operation->where / SCENE_CONNECTIONS & 1;
    if (operation->kind & 1) {
        scene_packet(scene, talk, side, TCP_RST, NULL, 0);
    } else {
        scene_packet(scene, talk, side, TCP_FIN | TCP_ACK, NULL, 0);
        scene_packet(scene, talk, !side, TCP_FIN | TCP_ACK, NULL, 0);
    }
}

static void crowd(struct scene *scene, const struct operation *operation)
{
    static const char *const words[] = {"", "\0\4V\2", "\0\5V\0\2", "\0\0\4\xC4", "[0,1]", "\0\4O\1"};
    static const uint8_t lengths[] = {0, 4, 5, 4, 5, 4};
    struct operation each = *operation;
    size_t many = scene_count(operation->many);
    unsigned form = operation->value % 6;
    bool is_silent = false; /* a crowd that never fills the capture */
    for (size_t i = 0; i < many && !is_silent && !scene_is_full(scene); i++) {
        struct talk talk;
        size_t before = scene->capture.used;
        each.value = operation->kind & BIT7;
        each.where = (uint8_t)(operation->where + SCENE_CONNECTIONS * i);
        open_talk(scene, &talk, &each);
        scene_send(scene, &talk, operation->where & 1, words[form], lengths[form]);
        scene_send(scene, &talk, 0, words[form], lengths[form]);
        if (operation->value & BIT7)
            close_talk(scene, &talk, &each);
        is_silent = scene->capture.used == before;
    }
}

/* ---- what is sent ---- */

static void set_up(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    if (operation->what == SCENE_REQUEST)
        rtde_request(&scene->message, operation, talk, scene->round);
    else
        talk->recipe_size = rtde_reply(&scene->message, operation, talk);
    send_message(scene, talk, operation->what == SCENE_REQUEST, false);
}

static void start(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    char kind = operation->kind & 1 ? 'P' : 'S';
    rtde_package(&scene->message, kind, NULL, 0);
    send_message(scene, talk, 1, false);
    rtde_package(&scene->message, kind, operation->value & 1 ? "\0" : "\1", 1);
    send_message(scene, talk, 0, false);
}

static void data(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    size_t many = scene_count(operation->many);
    unsigned side = operation->what == SCENE_DATA && operation->kind & BIT7;
    for (size_t i = 0; i < many && !scene_is_full(scene); i++) {
        if (operation->what == SCENE_DATA)
            rtde_data(&scene->message, operation, talk, (unsigned)i);
        else
            realtime_packet(&scene->message, operation, (unsigned)i);
        scene->messages++;
        if (operation->kind & 0x40 || scene->message.used > 1300 || i + 1 == many) {
            scene->microseconds += operation->kind & 0x40 ? 2000 : 0;
            send_message(scene, talk, side, false);
        }
    }
    scene->message.used = 0;
}

static void text(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    uint8_t body[1024];
    size_t length = scene_count(operation->size) % sizeof body;
    struct operation name = *operation;
    struct bytes words = {body, 0, sizeof body};
    name.what = SCENE_REQUEST;
    bytes_number(&words, length, talk->version > 1 ? 1 : 0);
    while (words.used < length)
        bytes_number(&words, 'a' + name.value % 26, 1);
    bytes_add(&words, "\3abc\2", 5);
    rtde_package(&scene->message, 'M', body, words.used);
    send_often(scene, talk, 0, scene_count(operation->many));
}

static void speak(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    bool is_asked = operation->what == SCENE_SUBSCRIBE, to_server = operation->kind & BIT7;
    talk->is_text = true;
    if (is_asked)
        aubo_subscription(&scene->message, operation, scene->round);
    else
        aubo_values(&scene->message, operation);
    size_t plain = scene->message.used;
    scene->spoken += plain;
    if (talk->is_web) {
        talk->is_deflated = talk->is_deflated || (!is_asked && to_server);
        web_frame(&scene->message, scene->message.at, plain, is_asked, !is_asked && to_server);
        memmove(scene->message.at, scene->message.at + plain, scene->message.used - plain);
        scene->message.used -= plain;
    }
    send_often(scene, talk, is_asked, is_asked ? 1 : scene_count(operation->many));
}

static void raw(struct scene *scene, struct talk *talk, const struct operation *operation)
{
    static const char *const units[] = {"\0", "\0\4U\1", "[0]",       "\0\0\4\xC4", "\0\3",
                                        "[",  "\x81\0",  "\x01\x01x", "\0\4O\1",    "\r\n"};
    static const uint8_t lengths[] = {1, 4, 3, 4, 2, 1, 2, 3, 4, 2};
    unsigned unit = operation->kind % (sizeof lengths);
    size_t size = scene_count(operation->size) % 4096;
    while (scene->message.used < size) {
        bytes_add(&scene->message, units[unit], lengths[unit]);
        scene->messages++;
    }
    bytes_add(&scene->message, &operation->value, operation->value > 0);
    send_often(scene, talk, operation->kind >= BIT7, scene_count(operation->many));
}

/* ---- the row of operations ---- */

/* The protocol of what an operation sends, as a bit of `spoken`; 0: none. */
static unsigned protocol_of(enum scene_kind what)
{
    switch (what) {
    case SCENE_REQUEST:
    case SCENE_REPLY:
    case SCENE_START:
    case SCENE_DATA:
    case SCENE_TEXT:
        return 1;
    case SCENE_REALTIME:
        return 2;
    case SCENE_SUBSCRIBE:
    case SCENE_VALUES:
        return 4;
    default:
        return 0;
    }
}

static void do_one(struct scene *scene, const struct operation *operation)
{
    struct talk *talk = &scene->talks[operation->where % SCENE_CONNECTIONS];
    size_t many = scene_count(operation->many);
    if (!talk->opened && operation->what != SCENE_OPEN && operation->what < SCENE_CROWD)
        open_talk(scene, talk, &(struct operation){.where = operation->where, .value = 2});
    if (operation->what != SCENE_SUBSCRIBE && operation->what != SCENE_VALUES &&
        (operation->what < SCENE_AGAIN || operation->what == SCENE_CLOSE))
        talk->is_expected = false;
    talk->spoken |= protocol_of((enum scene_kind)operation->what);
    switch ((enum scene_kind)operation->what) {
    case SCENE_OPEN:
        open_talk(scene, talk, operation);
        break;
    case SCENE_REQUEST:
    case SCENE_REPLY:
        set_up(scene, talk, operation);
        break;
    case SCENE_START:
        start(scene, talk, operation);
        break;
    case SCENE_DATA:
    case SCENE_REALTIME:
        data(scene, talk, operation);
        break;
    case SCENE_TEXT:
        text(scene, talk, operation);
        break;
    case SCENE_SUBSCRIBE:
    case SCENE_VALUES:
        speak(scene, talk, operation);
        break;
    case SCENE_RAW:
        raw(scene, talk, operation);
        break;
    case SCENE_HOLE:
        talk->sequence[operation->kind & 1] += (uint32_t)many;
        break;
    case SCENE_AGAIN:
        for (size_t i = 0; i < many && scene->last_packet > 0 && !scene_is_full(scene); i++)
            scene_repeat(scene);
        break;
    case SCENE_CLOSE:
        close_talk(scene, talk, operation);
        break;
    case SCENE_CROWD:
        crowd(scene, operation);
        break;
    case SCENE_WAIT:
        scene->microseconds += many * 1000;
        break;
    case SCENE_LOOP:
    case SCENE_KINDS:
        break;
    }
}

static struct operation nth(const uint8_t *operations, size_t n)
{
    const uint8_t *at = operations + n * SCENE_OPERATION;
    return (struct operation){at[0] % SCENE_KINDS, at[1], at[2], at[3], at[4], at[5]};
}

static bool step(struct scene *scene, const struct operation *operation)
{
    if (scene_is_full(scene) || scene->steps++ > STEPS_MAX || scene->spoken > SPOKEN_MAX)
        return false;
    size_t before = scene->capture.used;
    if (operation->what != SCENE_LOOP) /* no loops within loops */
        do_one(scene, operation);
    scene->bytes_by_kind[operation->what] += scene->capture.used - before;
    return true;
}

enum scene_kind scene_mostly(const struct scene *scene)
{
    unsigned most = 0;
    for (unsigned i = 1; i < SCENE_KINDS; i++)
        if (scene->bytes_by_kind[i] > scene->bytes_by_kind[most])
            most = i;
    return (enum scene_kind)most;
}

/* To inspect the capture with other programs. */
static void keep_capture(const struct scene *scene)
{
    const char *name = getenv("FUZZ_CAPTURE");
    FILE *file = name ? fopen(name, "wb") : NULL;
    if (!file)
        return;
    CHECK(fwrite(scene->capture.at, 1, scene->capture.used, file) == scene->capture.used);
    CHECK(fclose(file) == 0);
}

void scene_play(struct scene *scene, const uint8_t *operations, size_t length)
{
    bool going = true;
    for (size_t i = 0; i < length / SCENE_OPERATION && going; i++) {
        struct operation operation = nth(operations, i);
        going = step(scene, &operation);
        size_t back = operation.value % 8 + 1u, rounds = scene_count(operation.many);
        if (operation.what != SCENE_LOOP || back > i)
            continue;
        for (size_t round = 1; round <= rounds && going; round++) {
            scene->round = (unsigned)round;
            for (size_t j = i - back; j < i && going; j++) {
                struct operation again = nth(operations, j);
                going = step(scene, &again);
            }
        }
        scene->round = 0;
    }
    keep_capture(scene);
}
