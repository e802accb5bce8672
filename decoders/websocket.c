#include "websocket.h"

#include <stdlib.h>
#include <string.h>

#include <wslay/wslay.h>
#define ZLIB_CONST
#include <zlib.h>

#include "armtap.h"

#define MESSAGE_BYTES 1024         /* initially */
#define MESSAGE_KEPT (16 * 1024)   /* an empty buffer is not kept larger */
#define READER_BYTES (4096 + 256)  /* about what wslay allocates: a buffer and its state */
#define WINDOW_BITS (-15)          /* raw deflate; the largest window reads what was written with any smaller one */
#define METHOD_MAX 16              /* letters */
#define NAME_MAX_LENGTH 256        /* of a header */
#define ANSWER_LINE "HTTP/1.# ###" /* # is a digit */
#define REQUEST_VERSION "HTTP/1.#"

const char *armtap_websocket_libraries(void)
{
    return "wslay " WSLAY_VERSION ", zlib " ZLIB_VERSION;
}

/* ---- the HTTP head --------------------------------------------------------------------------------------------- */

static bool is_between(uint8_t c, char first, char last)
{
    return c >= (uint8_t)first && c <= (uint8_t)last;
}

static bool is_token_char(uint8_t c)
{
    return is_between(c, '0', '9') || is_between(c, 'A', 'Z') || is_between(c, 'a', 'z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* Whether the bytes present match the pattern. */
static bool looks_like(const uint8_t *bytes, size_t length, const char *pattern)
{
    for (size_t i = 0; i < length && pattern[i]; i++)
        if (pattern[i] == '#' ? !is_between(bytes[i], '0', '9') : bytes[i] != (uint8_t)pattern[i])
            return false;
    return true;
}

/* The three kinds of lines; an incomplete one only has to match so far. */

static bool is_answer_line(const uint8_t *line, size_t length, bool whole)
{
    const size_t fixed = sizeof ANSWER_LINE - 1;
    if (!looks_like(line, length, ANSWER_LINE))
        return false;
    return length > fixed ? line[fixed] == ' ' : !whole || length == fixed;
}

static bool is_request_line(const uint8_t *line, size_t length, bool whole)
{
    size_t at = 0;
    while (at < length && at <= METHOD_MAX && is_between(line[at], 'A', 'Z'))
        at++;
    if (at > METHOD_MAX)
        return false;
    if (at == length)
        return !whole;
    if (at == 0 || line[at++] != ' ')
        return false;
    size_t target = at;
    while (at < length && line[at] > ' ')
        at++;
    if (at == length)
        return !whole;
    if (at == target || line[at++] != ' ')
        return false;
    const size_t version = sizeof REQUEST_VERSION - 1;
    return looks_like(line + at, length - at, REQUEST_VERSION) &&
           (whole ? length - at == version : length - at <= version);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_header_line(const uint8_t *line, size_t length, bool whole)
{
    size_t name = 0;
    if (length > 0 && is_blank(line[0]))
        return true; /* continues the line before, as old senders do */
    while (name < length && name <= NAME_MAX_LENGTH && is_token_char(line[name]))
        name++;
    return name == length ? !whole : name > 0 && line[name] == ':';
}

/* Length of the line with its CRLF; 0: not whole; -1: no line. *text: bytes before the CRLF, as far as they are there;
 * at first those that were read before. */
static long line_length(const uint8_t *bytes, size_t length, size_t *text)
{
    for (; *text < length; ++*text) {
        uint8_t c = bytes[*text];
        if (c == '\r' && *text + 1 == length)
            return 0;
        if (c == '\r')
            return bytes[*text + 1] == '\n' ? (long)*text + 2 : -1;
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return -1;
    }
    return 0;
}

long armtap_websocket_http_on(const uint8_t *bytes, size_t length, struct armtap_websocket_progress *progress)
{
    size_t end = length < ARMTAP_WEBSOCKET_HEAD_MAX ? length : ARMTAP_WEBSOCKET_HEAD_MAX;
    if (progress->line + progress->text > end)
        *progress = (struct armtap_websocket_progress){0, 0};
    for (;;) {
        size_t at = progress->line;
        const uint8_t *line = bytes + at;
        long whole = line_length(line, end - at, &progress->text);
        if (whole == 2 && at > 0)
            return (long)at + 2;
        size_t text = progress->text;
        bool fits = at > 0 ? text == 0 || is_header_line(line, text, whole > 0)
                           : is_answer_line(line, text, whole > 0) || is_request_line(line, text, whole > 0);
        if (whole < 0 || !fits)
            return -1;
        if (whole == 0)
            return end < ARMTAP_WEBSOCKET_HEAD_MAX ? 0 : -1;
        *progress = (struct armtap_websocket_progress){at + (size_t)whole, 0};
    }
}

long armtap_websocket_http(const uint8_t *bytes, size_t length)
{
    struct armtap_websocket_progress progress = {0, 0};
    return armtap_websocket_http_on(bytes, length, &progress);
}

static uint8_t lower(uint8_t c)
{
    return is_between(c, 'A', 'Z') ? (uint8_t)(c + ('a' - 'A')) : c;
}

static bool is_word(const uint8_t *bytes, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        if (!word[i] || lower(bytes[i]) != (uint8_t)word[i])
            return false;
    return !word[length];
}

/* Whether a list such as "keep-alive, Upgrade" or "x; a=1, y" has an item of that name. */
static bool list_has(const uint8_t *list, size_t length, const char *word)
{
    for (size_t at = 0; at < length; at++) {
        size_t begin = at;
        while (at < length && list[at] != ',')
            at++;
        const uint8_t *semicolon = memchr(list + begin, ';', at - begin);
        size_t end = semicolon ? (size_t)(semicolon - list) : at;
        while (begin < end && is_blank(list[begin]))
            begin++;
        while (end > begin && is_blank(list[end - 1]))
            end--;
        if (is_word(list + begin, end - begin, word))
            return true;
    }
    return false;
}

/* Length of a header with its CRLF and those of the lines that continue it. */
static size_t header_length(const uint8_t *bytes, size_t length)
{
    size_t end = 0;
    do {
        const uint8_t *feed = memchr(bytes + end, '\n', length - end);
        if (!feed)
            return length;
        end = (size_t)(feed - bytes) + 1;
    } while (end < length && (bytes[end] == ' ' || bytes[end] == '\t'));
    return end;
}

void armtap_websocket_head_read(const uint8_t *bytes, size_t length, struct armtap_websocket_head *head)
{
    bool websocket = false, upgrade = false;
    memset(head, 0, sizeof *head);
    head->kind = ARMTAP_WEBSOCKET_OTHER;
    if (length >= sizeof ANSWER_LINE - 1 && looks_like(bytes, length, ANSWER_LINE))
        head->status = 100u * (bytes[9] - 48u) + 10u * (bytes[10] - 48u) + (bytes[11] - 48u);
    size_t size;
    for (size_t at = header_length(bytes, length); at < length; at += size) {
        const uint8_t *header = bytes + at;
        size = header_length(header, length - at);
        const uint8_t *colon = memchr(header, ':', size);
        if (!colon)
            continue;
        size_t name = (size_t)(colon - header);
        const uint8_t *value = colon + 1;
        size_t value_length = size - name - 1;
        if (is_word(header, name, "upgrade"))
            websocket |= list_has(value, value_length, "websocket");
        else if (is_word(header, name, "connection"))
            upgrade |= list_has(value, value_length, "upgrade");
        else if (is_word(header, name, "sec-websocket-extensions"))
            head->deflate |= list_has(value, value_length, "permessage-deflate");
    }
    if (!websocket || !upgrade)
        return;
    if (head->status == 101)
        head->kind = ARMTAP_WEBSOCKET_ANSWER;
    else if (head->status == 0 && length >= 4 && memcmp(bytes, "GET ", 4) == 0)
        head->kind = ARMTAP_WEBSOCKET_REQUEST;
}

/* ---- the length of a frame ------------------------------------------------------------------------------------- */

/* Without wslay, which gives a length only with the first byte of the payload, and allocates memory for it, a failure
 * that this function could not report. */
long armtap_websocket_header(const uint8_t *bytes, size_t length, uint64_t *payload)
{
    if (length < 1)
        return 0;
    unsigned opcode = bytes[0] & 0x0fu;
    bool control = opcode & 8;
    if (opcode > (control ? WSLAY_PONG : WSLAY_BINARY_FRAME) || bytes[0] & 0x30 || (control && !(bytes[0] & 0x80)))
        return -1;
    if (length < 2)
        return 0;
    *payload = bytes[1] & 0x7fu;
    if (control && *payload > 125)
        return -1;
    size_t extended = *payload == 126 ? 2 : *payload == 127 ? 8 : 0;
    if (length < 2 + extended)
        return 0;
    if (extended > 0)
        *payload = 0;
    for (size_t i = 0; i < extended; i++)
        *payload = *payload << 8 | bytes[2 + i];
    if ((extended == 2 && *payload < 126) || (extended == 8 && *payload < 65536))
        return -1;
    return (long)(2 + extended + (bytes[1] & 0x80 ? 4 : 0));
}

long armtap_websocket_frame(const uint8_t *bytes, size_t length)
{
    uint64_t payload;
    long header = armtap_websocket_header(bytes, length, &payload);
    if (header <= 0)
        return header;
    return payload > ARMTAP_WEBSOCKET_PAYLOAD_MAX ? -1 : header + (long)payload;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

void armtap_websocket_init(struct armtap_websocket *websocket, size_t limit)
{
    memset(websocket, 0, sizeof *websocket);
    websocket->limit = limit < ARMTAP_WEBSOCKET_PAYLOAD_MAX ? limit : ARMTAP_WEBSOCKET_PAYLOAD_MAX;
    websocket->allowed = UINT64_MAX;
}

static void free_message(struct armtap_websocket *websocket)
{
    free(websocket->message);
    websocket->message = NULL;
    websocket->capacity = 0;
}

void armtap_websocket_free(struct armtap_websocket *websocket)
{
    free_message(websocket);
    if (websocket->reader)
        wslay_frame_context_free(websocket->reader);
    if (websocket->inflater)
        inflateEnd(websocket->inflater);
    free(websocket->inflater);
    armtap_websocket_init(websocket, websocket->limit);
}

size_t armtap_websocket_held(const struct armtap_websocket *websocket)
{
    return websocket->capacity + websocket->inflater_bytes + (websocket->reader ? READER_BYTES : 0);
}

/* Room for `more` bytes behind the message; together at most one over the limit. */
static int make_room(struct armtap_websocket *websocket, size_t more)
{
    size_t needed = websocket->length + more;
    size_t capacity = websocket->capacity ? websocket->capacity : MESSAGE_BYTES;
    if (needed <= websocket->capacity)
        return 0;
    while (capacity < needed)
        capacity *= 2;
    if (capacity > websocket->limit + 1 && websocket->limit >= MESSAGE_BYTES)
        capacity = websocket->limit + 1;
    uint8_t *moved = realloc(websocket->message, capacity);
    if (!moved)
        return ARMTAP_ERR_MEMORY;
    websocket->message = moved;
    websocket->capacity = capacity;
    return 0;
}

static voidpf inflater_alloc(voidpf user, uInt count, uInt size)
{
    struct armtap_websocket *websocket = user;
    void *block = malloc((size_t)count * size);
    if (block)
        websocket->inflater_bytes += (size_t)count * size;
    return block;
}

static void inflater_free(voidpf user, voidpf block)
{
    (void)user;
    free(block);
}

/* ---- inflating ------------------------------------------------------------------------------------------------- */

static int make_inflater(struct armtap_websocket *websocket)
{
    if (websocket->inflater)
        return 0;
    z_stream *inflater = calloc(1, sizeof *inflater);
    if (!inflater)
        return ARMTAP_ERR_MEMORY;
    inflater->zalloc = inflater_alloc;
    inflater->zfree = inflater_free;
    inflater->opaque = websocket;
    if (inflateInit2(inflater, WINDOW_BITS) != Z_OK) {
        free(inflater);
        return ARMTAP_ERR_MEMORY;
    }
    websocket->inflater = inflater;
    websocket->inflater_bytes += sizeof *inflater;
    return 0;
}

static int emit(const struct armtap_websocket *websocket, struct armtap_websocket_event *event,
                enum armtap_websocket_event_kind kind)
{
    event->kind = kind;
    event->compressed = websocket->compressed;
    return 0;
}

/* Forgets the window that later messages refer to. */
static void forget_window(struct armtap_websocket *websocket)
{
    if (websocket->inflater)
        inflateReset(websocket->inflater);
}

static int drop(struct armtap_websocket *websocket, struct armtap_websocket_event *event, const char *fault)
{
    websocket->state = ARMTAP_WEBSOCKET_DROPPED;
    websocket->length = 0;
    if (websocket->compressed)
        forget_window(websocket);
    event->fault = fault;
    return emit(websocket, event, ARMTAP_WEBSOCKET_BAD);
}

static int overflow(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    websocket->state = ARMTAP_WEBSOCKET_OVERFLOWN;
    websocket->length = 0;
    return emit(websocket, event, ARMTAP_WEBSOCKET_TOO_LONG);
}

/* Counts what the inflater wrote; more than allowed is a fault that ends the direction. */
static bool count_inflated(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    const uint8_t *begin = websocket->message + websocket->length;
    websocket->inflated += (uint64_t)(websocket->inflater->next_out - begin);
    if (websocket->inflated <= websocket->allowed)
        return true;
    drop(websocket, event, "too much to inflate");
    event->kind = ARMTAP_WEBSOCKET_SPENT;
    return false;
}

/* Adds what the inflater wrote to the message, unless that is too long. */
static int keep_inflated(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    if (websocket->state == ARMTAP_WEBSOCKET_OVERFLOWN)
        return 0;
    websocket->length = (size_t)(websocket->inflater->next_out - websocket->message);
    return websocket->length > websocket->limit ? overflow(websocket, event) : 0;
}

static int take_compressed(struct armtap_websocket *websocket, const uint8_t *bytes, size_t length,
                           struct armtap_websocket_event *event)
{
    z_stream *z = websocket->inflater;
    z->next_in = bytes;
    z->avail_in = (uInt)length;
    while (length > 0) {
        if (make_room(websocket, 1))
            return ARMTAP_ERR_MEMORY;
        z->next_out = websocket->message + websocket->length;
        z->avail_out = (uInt)(websocket->capacity - websocket->length);
        int result = inflate(z, Z_SYNC_FLUSH);
        if (result == Z_MEM_ERROR)
            return ARMTAP_ERR_MEMORY;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return drop(websocket, event, "compressed data that cannot be inflated");
        if (!count_inflated(websocket, event))
            return 0;
        keep_inflated(websocket, event);
        if (result == Z_BUF_ERROR) /* nothing in, nothing out */
            return 0;
        websocket->ended = result == Z_STREAM_END;
        if (websocket->ended)
            inflateResetKeep(z); /* more may follow the block marked as the last, on the same window */
        if (z->avail_in == 0 && (websocket->ended || z->avail_out > 0))
            return 0;
    }
    return 0;
}

/* Adds the end of the flush, which senders leave out, and checks that the message ends between two blocks. */
static int end_compressed(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    static const uint8_t flush[] = {0x00, 0x00, 0xff, 0xff};
    enum { UNUSED_BITS = 63, BETWEEN_BLOCKS = 128 };

    if (websocket->ended)
        return 0;
    int error = take_compressed(websocket, flush, sizeof flush, event);
    if (error || websocket->state == ARMTAP_WEBSOCKET_DROPPED)
        return error;
    if ((websocket->inflater->data_type & (BETWEEN_BLOCKS | UNUSED_BITS)) != BETWEEN_BLOCKS)
        return drop(websocket, event, "compressed data that ends too early");
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

static int take_plain(struct armtap_websocket *websocket, const uint8_t *bytes, size_t length,
                      struct armtap_websocket_event *event)
{
    if (websocket->state == ARMTAP_WEBSOCKET_OVERFLOWN || length == 0)
        return 0;
    if (length > websocket->limit - websocket->length) {
        free_message(websocket);
        return overflow(websocket, event);
    }
    if (make_room(websocket, length + 1))
        return ARMTAP_ERR_MEMORY;
    memcpy(websocket->message + websocket->length, bytes, length);
    websocket->length += length;
    return 0;
}

/* Bytes of the UTF-8 character that begins at p, 0 if none does. */
static size_t utf8_length(const uint8_t *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || size > left)
        return 0;
    /* no overlong forms, no surrogates, nothing above U+10FFFF */
    uint8_t least = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t most = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < least || p[1] > most)
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

static bool are_ascii(const uint8_t bytes[8])
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (word & UINT64_C(0x8080808080808080)) == 0;
}

static bool is_utf8(const uint8_t *bytes, size_t length)
{
    for (size_t at = 0, size; at < length; at += size) {
        size = length - at >= 8 && are_ascii(bytes + at) ? 8 : utf8_length(bytes + at, length - at);
        if (!size)
            return false;
    }
    return true;
}

static int end_message(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    int error = websocket->compressed ? end_compressed(websocket, event) : 0;
    if (error || websocket->state != ARMTAP_WEBSOCKET_WITHIN)
        return error;
    if (make_room(websocket, 1))
        return ARMTAP_ERR_MEMORY;
    websocket->message[websocket->length] = '\0';
    if (websocket->text && !is_utf8(websocket->message, websocket->length)) {
        event->fault = "text that is not UTF-8"; /* later messages can still refer to it: no drop */
        return emit(websocket, event, ARMTAP_WEBSOCKET_BAD);
    }
    event->bytes = websocket->message;
    event->length = websocket->length;
    event->text = websocket->text;
    return emit(websocket, event, ARMTAP_WEBSOCKET_MESSAGE);
}

/* The first bytes of a frame of a message: what the frame may be there. */
static int begin_data(struct armtap_websocket *websocket, const struct wslay_frame_iocb *frame,
                      struct armtap_websocket_event *event)
{
    bool rsv1 = wslay_get_rsv1(frame->rsv);
    bool open = websocket->state == ARMTAP_WEBSOCKET_WITHIN || websocket->state == ARMTAP_WEBSOCKET_OVERFLOWN;
    if (frame->opcode == WSLAY_CONTINUATION_FRAME) {
        if (open && rsv1)
            return drop(websocket, event, "RSV1 on a continuation");
        if (websocket->state != ARMTAP_WEBSOCKET_BETWEEN)
            return 0;
        websocket->compressed = rsv1;
        forget_window(websocket); /* the beginning may have been compressed */
        return drop(websocket, event, "a continuation without a beginning");
    }
    if (open) {
        websocket->compressed |= rsv1;
        return drop(websocket, event, "a new message within a fragmented one");
    }
    websocket->state = ARMTAP_WEBSOCKET_WITHIN;
    websocket->text = frame->opcode == WSLAY_TEXT_FRAME;
    websocket->compressed = rsv1;
    websocket->ended = true;
    websocket->length = 0;
    return rsv1 ? make_inflater(websocket) : 0;
}

static int take_data(struct armtap_websocket *websocket, const uint8_t *bytes, size_t length,
                     struct armtap_websocket_event *event)
{
    if (websocket->state == ARMTAP_WEBSOCKET_DROPPED)
        return 0;
    return websocket->compressed ? take_compressed(websocket, bytes, length, event)
                                 : take_plain(websocket, bytes, length, event);
}

static int end_data(struct armtap_websocket *websocket, const struct wslay_frame_iocb *frame,
                    struct armtap_websocket_event *event)
{
    if (!frame->fin)
        return 0;
    int error = websocket->state == ARMTAP_WEBSOCKET_DROPPED ? 0 : end_message(websocket, event);
    websocket->state = ARMTAP_WEBSOCKET_BETWEEN;
    return error;
}

/* ---- control frames -------------------------------------------------------------------------------------------- */

static void take_control(struct armtap_websocket *websocket, const uint8_t *bytes, size_t length)
{
    if (length > sizeof websocket->control - 1 - websocket->control_length)
        length = sizeof websocket->control - 1 - websocket->control_length;
    memcpy(websocket->control + websocket->control_length, bytes, length);
    websocket->control_length += length;
}

static void bad_control(struct armtap_websocket_event *event, const char *fault)
{
    event->kind = ARMTAP_WEBSOCKET_BAD;
    event->fault = fault;
}

static void end_control(struct armtap_websocket *websocket, const struct wslay_frame_iocb *frame,
                        struct armtap_websocket_event *event)
{
    bool close = frame->opcode == WSLAY_CONNECTION_CLOSE;
    size_t code = close && websocket->control_length >= 2 ? 2 : 0;
    if (wslay_get_rsv1(frame->rsv)) {
        bad_control(event, "RSV1 on a control frame");
        return;
    }
    if (close && websocket->control_length == 1) {
        bad_control(event, "half a code in a close frame");
        return;
    }
    websocket->control[websocket->control_length] = '\0';
    event->bytes = websocket->control + code;
    event->length = websocket->control_length - code;
    event->kind = close                         ? ARMTAP_WEBSOCKET_CLOSED
                  : frame->opcode == WSLAY_PING ? ARMTAP_WEBSOCKET_PING
                                                : ARMTAP_WEBSOCKET_PONG;
    if (close)
        event->code = code ? (unsigned)websocket->control[0] << 8 | websocket->control[1] : ARMTAP_WEBSOCKET_NO_CODE;
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static ssize_t feed_reader(uint8_t *to, size_t room, int flags, void *user)
{
    struct armtap_websocket *websocket = user;
    size_t length = (size_t)(websocket->source_end - websocket->source);
    (void)flags;
    if (length > room)
        length = room;
    memcpy(to, websocket->source, length);
    websocket->source += length;
    return (ssize_t)length;
}

static int make_reader(struct armtap_websocket *websocket)
{
    static const struct wslay_frame_callbacks callbacks = {NULL, feed_reader, NULL};
    if (websocket->reader)
        return 0;
    return wslay_frame_context_init(&websocket->reader, &callbacks, websocket) ? ARMTAP_ERR_MEMORY : 0;
}

/* Reads the frame piece by piece, as wslay returns it, unmasked. */
static int read_frame(struct armtap_websocket *websocket, struct armtap_websocket_event *event)
{
    struct wslay_frame_iocb piece;
    uint64_t read = 0;
    bool begun = false, control = false;
    int error = 0;
    do {
        memset(&piece, 0, sizeof piece);
        if (wslay_frame_recv(websocket->reader, &piece) < 0)
            return ARMTAP_ERR_ARGUMENT;
        if (!begun)
            control = wslay_is_ctrl_frame(piece.opcode);
        if (!begun && !control)
            error = begin_data(websocket, &piece, event);
        begun = true;
        if (control)
            take_control(websocket, piece.data, piece.data_length);
        else if (!error)
            error = take_data(websocket, piece.data, piece.data_length, event);
        read += piece.data_length;
    } while (!error && read < piece.payload_length);
    if (control)
        end_control(websocket, &piece, event);
    else if (!error)
        error = end_data(websocket, &piece, event);
    return error;
}

int armtap_websocket_take(struct armtap_websocket *websocket, const uint8_t *frame, size_t length,
                          struct armtap_websocket_event *event)
{
    memset(event, 0, sizeof *event);
    websocket->control_length = 0;
    if (websocket->state == ARMTAP_WEBSOCKET_BETWEEN && websocket->capacity > MESSAGE_KEPT)
        free_message(websocket);
    long told = armtap_websocket_frame(frame, length);
    if (told <= 0 || (size_t)told != length)
        return ARMTAP_ERR_ARGUMENT;
    websocket->source = frame;
    websocket->source_end = frame + length;
    int error = make_reader(websocket);
    if (!error)
        error = read_frame(websocket, event);
    if (error) {
        memset(event, 0, sizeof *event);
        armtap_websocket_free(websocket);
    }
    return error;
}

void armtap_websocket_pass(struct armtap_websocket *websocket, const uint8_t *header)
{
    bool whole = header[0] & 0x80, begins = (header[0] & 0x0f) != WSLAY_CONTINUATION_FRAME;
    if (begins ? header[0] & 0x40 : websocket->compressed)
        forget_window(websocket);
    if (begins)
        websocket->compressed = header[0] & 0x40;
    websocket->length = 0;
    websocket->state = whole ? ARMTAP_WEBSOCKET_BETWEEN : ARMTAP_WEBSOCKET_DROPPED;
}
