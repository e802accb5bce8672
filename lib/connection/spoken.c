/* Whether a client's first bytes are what another port takes: RTDE to 30003, say. It is told when the robot has
 * answered in another language, or not at all: a port may be forwarded to the one that was meant. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

/* Ports that only tell, and take no script. */
static const uint16_t read_only[] = {30011, 30012, 30013};

#define HEARD_MOST 256 /* bytes that are looked at */

struct language {
    enum armtap_word name;
    enum armtap_protocol protocol; /* its decoder knows it; NONE: its first bytes do */
    uint16_t port;                 /* that was probably meant */
    const char *begins;
};

/* In this order. */
static const struct language languages[] = {
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "GET /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "POST /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "PUT /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "HEAD /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "DELETE /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "PATCH /"},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "OPTIONS "},
    {ARMTAP_WORD_http, ARMTAP_PROTOCOL_NONE, 80, "PRI * HTTP/2"},
    {ARMTAP_WORD_tls, ARMTAP_PROTOCOL_NONE, 443, "\x16\x03"},
    {ARMTAP_WORD_rtde, ARMTAP_RTDE, 30004, NULL},
    {ARMTAP_WORD_aubo, ARMTAP_AUBO, 30010, NULL},
    {ARMTAP_WORD_dashboard, ARMTAP_DASHBOARD, 29999, NULL},
    {ARMTAP_WORD_script, ARMTAP_REALTIME, 30003, NULL},
};
#define LANGUAGES (sizeof languages / sizeof *languages)

/* ---- what is spoken ---------------------------------------------------------------------------------------------- */

static enum armtap_fit begins_with(const char *words, const uint8_t *bytes, size_t length)
{
    size_t size = strlen(words), same = length < size ? length : size;
    return memcmp(words, bytes, same) != 0 ? ARMTAP_FIT_NO : same < size ? ARMTAP_FIT_MORE : ARMTAP_FIT_WELL;
}

static enum armtap_fit spoken_by(enum armtap_protocol protocol, const uint8_t *bytes, size_t length, bool whole)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(protocol);
    if (!decoder)
        return ARMTAP_FIT_NO;
    if (decoder->speaks)
        return decoder->speaks(bytes, length, whole);
    enum armtap_fit fit = armtap_decoder_begins(decoder, ARMTAP_TO_ROBOT, bytes, length);
    return fit == ARMTAP_FIT_MAYBE ? ARMTAP_FIT_NO : fit;
}

static bool is_read_only(uint16_t port)
{
    for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
        if (port == read_only[i])
            return true;
    return false;
}

/* Looks at the first bytes, and takes what they say. */
static void understand(struct armtap_conn *conn, const uint8_t *bytes, size_t length, bool whole)
{
    struct armtap_spoken *spoken = &conn->spoken;
    enum armtap_fit own = spoken_by(conn->hint, bytes, length, whole);
    bool is_open = own == ARMTAP_FIT_MORE, is_web = conn->hint == ARMTAP_AUBO; /* which begins with HTTP, too */
    bool is_own = own >= ARMTAP_FIT_YES, is_in_vain = is_own && is_read_only(conn->port);
    for (size_t i = is_in_vain ? LANGUAGES - 1 : 0; i < LANGUAGES && is_own == is_in_vain && !(is_open && is_web);
         i++) {
        const struct language *language = &languages[i];
        enum armtap_fit fit = language->begins ? begins_with(language->begins, bytes, length)
                                               : spoken_by(language->protocol, bytes, length, whole);
        is_open = is_open || fit == ARMTAP_FIT_MORE;
        if (fit < ARMTAP_FIT_YES || (language->protocol == conn->hint && !is_in_vain))
            continue;
        spoken->state = ARMTAP_SPOKEN_HEARD;
        spoken->language = (uint8_t)i;
        return;
    }
    if (!is_open || whole || length == HEARD_MOST)
        spoken->state = ARMTAP_SPOKEN_SETTLED;
}

void armtap_spoken_free(struct armtap_conn *conn)
{
    if (conn->spoken.bytes)
        conn->reserve->taken -= HEARD_MOST;
    free(conn->spoken.bytes);
    conn->spoken.bytes = NULL;
}

/* Keeps the bytes, with those before them. */
static int keep(struct armtap_conn *conn, const uint8_t *bytes, size_t length)
{
    struct armtap_spoken *spoken = &conn->spoken;
    if (!spoken->bytes && !(spoken->bytes = malloc(HEARD_MOST)))
        return ARMTAP_ERR_MEMORY;
    if (spoken->length == 0)
        conn->reserve->taken += HEARD_MOST;
    memcpy(spoken->bytes + spoken->length, bytes, length);
    spoken->length += (uint16_t)length;
    return ARMTAP_OK;
}

int armtap_spoken_hear(struct armtap_conn *conn, const uint8_t *bytes, size_t length, const struct armtap_where *where)
{
    struct armtap_spoken *spoken = &conn->spoken;
    const struct armtap_half *half = &conn->half[ARMTAP_TO_ROBOT];
    size_t room = HEARD_MOST - spoken->length;
    bool is_beginning = half->offset + half->used == spoken->length && !conn->stream.midstream;
    bool is_port_known = conn->hint && conn->port > 0 && !conn->roles_guessed && !conn->is_alone &&
                         !armtap_protocol_has(conn->hint, ARMTAP_TRAIT_ROBOT_CONNECTS);
    int error = ARMTAP_OK;
    length = length < room ? length : room;
    if (spoken->length == 0)
        spoken->where = *where;
    if (!is_beginning || !is_port_known)
        spoken->state = ARMTAP_SPOKEN_SETTLED;
    else if (spoken->length == 0)
        understand(conn, bytes, length, false);
    if (spoken->state == ARMTAP_SPOKEN_NOT)
        error = keep(conn, bytes, length);
    if (error == ARMTAP_OK && spoken->state == ARMTAP_SPOKEN_NOT && spoken->length > length)
        understand(conn, spoken->bytes, spoken->length, false);
    if (spoken->state != ARMTAP_SPOKEN_NOT)
        armtap_spoken_free(conn);
    return error;
}

/* ---- what the robot says to it ----------------------------------------------------------------------------------- */

int armtap_spoken_judge(struct armtap_conn *conn)
{
    struct armtap_spoken *spoken = &conn->spoken;
    const struct armtap_stream *stream = &conn->stream;
    bool is_end = conn->half[0].closed && conn->half[1].closed;
    bool answers = conn->decoder && stream->bytes_decoded[ARMTAP_FROM_ROBOT] > 0;
    if (is_end && spoken->state == ARMTAP_SPOKEN_NOT && spoken->bytes)
        understand(conn, spoken->bytes, spoken->length, true);
    if (spoken->state != ARMTAP_SPOKEN_HEARD || !(answers || is_end))
        return ARMTAP_OK;
    const struct language *language = &languages[spoken->language];
    bool is_forwarded = answers ? conn->decoder->info.protocol == language->protocol
                                : stream->payload[ARMTAP_FROM_ROBOT] > 0; /* in words that armtap does not know */
    spoken->state = ARMTAP_SPOKEN_SETTLED;
    if (is_forwarded && !(language->name == ARMTAP_WORD_script && is_read_only(conn->port)))
        return ARMTAP_OK;
    const struct armtap_frame here = armtap_place(ARMTAP_TO_ROBOT, 0, spoken->where);
    return armtap_conn_raise(conn, &here, ARMTAP_NOTE_protocol_wrong_port,
                             ARGS(arg_case(language->name), arg_port(conn->port), arg_port_meant(language->port),
                                  arg_protocol(armtap_protocol_name(conn->hint))));
}
