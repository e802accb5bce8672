/* armtap explain: the annotated dump, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/buffer.h"
#include "export/formats/line_cells.h"
#include "explain.h"
#include "icmp.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "base/terminal/fold.h"
#include "base/text/utf8.h"
#include "base/numbers/timestamp.h"
#include "input/robots/labels.h"

#define BYTES_AT 7
#define NARROW_COLUMNS 60 /* a terminal with fewer has shorter lines of bytes, without blanks */
#define NAME_WIDTH 20
#define SIDE_MAX 65536
#define HEX_MAX 24

/* ---- the right side: words in lines ---------------------------------------------------------------------------- */

struct side {
    char text[SIDE_MAX]; /* NUL terminated; longer texts are cut, their bytes stand on the left */
    size_t length;
};

static void side_bytes(struct side *side, const char *bytes, size_t length)
{
    for (size_t i = 0, used; i < length && side->length + UTF8_SHOWN_MAX < sizeof side->text; i += used)
        side->length += utf8_show(side->text + side->length, bytes + i, length - i, &used);
    side->text[side->length] = '\0';
}

static void side_word(struct side *side, const char *before, const char *word, const char *after)
{
    if (*word == '\0')
        return;
    side_bytes(side, before, strlen(before));
    side_bytes(side, word, strlen(word));
    side_bytes(side, after, strlen(after));
}

static void fill_side(struct side *side, const struct pieces *pieces, const struct piece *piece)
{
    char column[16] = "", name[PIECE_FIELD_MAX + 32];
    bool says = piece->kind != PIECE_BARE;
    side->length = 0;
    if (piece->column > 0)
        snprintf(column, sizeof column, "%u ", piece->column);
    snprintf(name, sizeof name, "%s%s", column, piece->field);
    side_word(side, "", name, "");
    while (says && side->length < NAME_WIDTH)
        side_bytes(side, " ", 1);
    if (piece->kind == PIECE_TEXT) {
        side_bytes(side, " \"", 2);
        side_bytes(side, pieces_text(pieces, piece), piece->text_length);
        side_bytes(side, "\"", 1);
    } else if (says) {
        side_word(side, " ", piece->number, "");
    }
    side_word(side, " ", piece->unit, "");
    side_word(side, side->length == 0 ? "(" : says ? " " : " (", piece->remark, says ? "" : ")");
}

/* How much of a text goes on a line of `width` characters: up to a blank, if there is one. */
static size_t line_of(const char *text, size_t length, size_t width)
{
    size_t end = 0, blank = 0;
    for (size_t characters = 0; end < length; characters++) {
        if (text[end] == ' ' && characters > width / 5)
            blank = end;
        if (characters == width)
            return blank > 0 ? blank : end;
        do
            end++;
        while (end < length && ((unsigned char)text[end] & 0xC0) == 0x80);
    }
    return length;
}

/* How lines are laid out. */
struct layout {
    size_t bytes;  /* of a line */
    size_t digits; /* columns of a byte */
    size_t room;   /* columns of the right side */
};

static struct layout layout_of_terminal(void)
{
    int columns = text_columns(stdout);
    struct layout layout = columns < NARROW_COLUMNS ? (struct layout){4, 2, 0} : (struct layout){8, 3, 0};
    layout.room = (size_t)columns - BYTES_AT - layout.bytes * layout.digits - 1;
    return layout;
}

static void write_hex(char hex[HEX_MAX + 1], const struct layout *layout, const uint8_t *bytes, size_t count)
{
    hex[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(hex + layout->digits * i, 4, layout->digits == 2 ? "%02x" : "%02x ", bytes[i]);
}

static void print_piece(const struct layout *layout, const uint8_t *bytes, const struct pieces *pieces,
                        const struct piece *piece, struct side *side)
{
    size_t done = 0, at = 0;
    int bytes_width = (int)(layout->bytes * layout->digits);
    fill_side(side, pieces, piece);
    for (bool first = true; done < piece->length || at < side->length; first = false) {
        char hex[HEX_MAX + 1];
        size_t left = piece->length - done, count = left < layout->bytes ? left : layout->bytes;
        size_t indent = first ? 0 : 2;
        size_t length = line_of(side->text + at, side->length - at, layout->room - indent);
        write_hex(hex, layout, bytes + piece->offset + done, count);
        if (count > 0)
            printf("%5zu  ", piece->offset + done);
        else
            printf("%*s", BYTES_AT, "");
        size_t shown = length;
        while (shown > 0 && side->text[at + shown - 1] == ' ')
            shown--;
        if (length > 0)
            printf("%-*s %*s%.*s\n", bytes_width, hex, (int)indent, "", (int)shown, side->text + at);
        else
            printf("%.*s\n", (int)(layout->digits * (count - 1) + 2), hex);
        done += count;
        at += length;
        at += strspn(side->text + at, " ");
    }
}

static const char *take_apart(const struct subject *subject, struct pieces *pieces)
{
    const struct armtap_subject *message = &subject->message;
    return subject->is_icmp ? icmp_annotate(subject->link_type, message->bytes, message->length, pieces)
                            : annotate(subject, pieces);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void put_words(struct text_wrap *wrap, const char *before, const char *words, const char *after)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", before, words, after);
    text_wrap_words(wrap, text);
}

static void print_place(const struct explained *explained, enum timestamp_zone zone)
{
    const struct armtap_stream *stream = &explained->stream;
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 2);
    char number[WHEN_DATE_MAX + 40];
    snprintf(number, sizeof number, "stream %ld,", explained->number);
    text_wrap_words(&wrap, explained->number < 0 ? "no telemetry stream," : number);
    if (stream->robot[0] != '\0')
        put_words(&wrap, "robot ", labels_name(explained->labels, stream->robot), ",");
    if (stream->client[0] != '\0')
        put_words(&wrap, "client ", labels_name(explained->labels, stream->client), ",");
    if (explained->where.time != ARMTAP_NO_TIME) {
        timestamp_date(number, explained->where.time, zone);
        put_words(&wrap, "", number, ",");
    }
    bool begins_before = explained->first.packet != explained->where.packet;
    bool is_guessed = (explained->flags & ARMTAP_GUESSED) != 0, is_after = (explained->flags & ARMTAP_AFTER_GAP) != 0;
    snprintf(number, sizeof number, "byte %" PRIu64 " of its direction%s", explained->offset,
             begins_before || is_guessed || is_after ? "," : "");
    text_wrap_words(&wrap, number);
    if (begins_before) {
        snprintf(number, sizeof number, "begun in packet %" PRIu64 "%s%s", explained->first.packet,
                 explained->first.file == explained->where.file ? "" : " of an earlier file",
                 is_guessed || is_after ? "," : "");
        text_wrap_words(&wrap, number);
    }
    if (is_guessed)
        text_wrap_words(&wrap, is_after ? "its recipe guessed," : "its recipe guessed");
    if (is_after)
        text_wrap_words(&wrap, "the first after missing or skipped bytes");
    text_wrap_end(&wrap);
}

/* The kinds of legacy messages say whose they are, and their version is their size. */
static void print_kind(const struct armtap_subject *message, const char *what, size_t whole)
{
    const struct armtap_protocol_info *info = armtap_protocol_info(message->protocol);
    bool is_legacy = armtap_protocol_has(message->protocol, ARMTAP_TRAIT_UR_COLUMNS);
    char version[40] = "", cut[40] = "";
    if (whole > 0)
        snprintf(cut, sizeof cut, " of %zu: cut", whole);
    if (message->version > 0 && !is_legacy)
        snprintf(version, sizeof version, "protocol %d, ", message->version);
    text_line(stdout, 2, "%s%s%s%s%s %s, %s%zu bytes%s", text_paint(stdout, PAINT_HEADING),
              info && !is_legacy ? info->title : "", info && !is_legacy ? " " : "", what, text_plain(stdout),
              armtap_direction_name(message->direction), version, message->length, cut);
}

static void print_title(const struct explained *explained, const char *what)
{
    const struct subject *subject = &explained->subject;
    const struct armtap_subject *message = &subject->message;
    if (subject->is_icmp) {
        text_line(stdout, 2, "%s%s%s packet, %zu bytes", text_paint(stdout, PAINT_HEADING), what, text_plain(stdout),
                  message->length);
        return;
    }
    if (!subject->skipped || subject->whole > 0) {
        print_kind(message, what, subject->whole);
        return;
    }
    text_line(stdout, 2, "%s, %s%s%zu byte%s", what,
              explained->captured ? armtap_direction_name(message->direction) : "", explained->captured ? ", " : "",
              message->length, message->length == 1 ? "" : "s");
}

static const char *columns_of(const struct armtap_subject *message)
{
    bool has_columns = armtap_protocol_has(message->protocol, ARMTAP_TRAIT_UR_COLUMNS);
    return has_columns && message->direction == ARMTAP_FROM_ROBOT ? "column, field, value, unit" : "field, value, unit";
}

int explain_print(const struct explained *explained, enum timestamp_zone zone)
{
    struct pieces pieces = {0};
    struct side side;
    const char *what = take_apart(&explained->subject, &pieces);
    if (pieces.failed) {
        pieces_free(&pieces);
        return message_no_memory();
    }
    print_title(explained, what);
    if (explained->captured)
        print_place(explained, zone);
    struct layout layout = layout_of_terminal();
    int column = BYTES_AT + (int)(layout.bytes * layout.digits);
    printf("%s%5s  %-*s%s", text_paint(stdout, PAINT_HEADING), "at", column - BYTES_AT, "bytes", text_plain(stdout));
    struct text_wrap wrap = text_wrap_begin(stdout, column, column + 1);
    text_wrap_paint(&wrap, PAINT_HEADING);
    text_wrap_words(&wrap, columns_of(&explained->subject.message));
    text_wrap_end(&wrap);
    for (size_t i = 0; i < pieces.count; i++)
        print_piece(&layout, explained->subject.message.bytes, &pieces, &pieces.piece[i], &side);
    pieces_free(&pieces);
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Through `hex`, which the caller empties and frees. */
static void hex_json(struct json *json, const uint8_t *bytes, size_t length, struct buffer *hex)
{
    hex->length = 0;
    cells_hex((const char *)bytes, length, hex);
    json_span(json, hex->data, hex->length);
}

static void value_json(struct json *json, const struct pieces *pieces, const struct piece *piece)
{
    bool is_finite = !strpbrk(piece->number, "nif");
    json_key(json, "value");
    if (piece->kind == PIECE_TEXT)
        json_span(json, pieces_text(pieces, piece), piece->text_length);
    else if (piece->kind == PIECE_TRUTH)
        json_bool(json, piece->number[0] == 't');
    else if (piece->kind == PIECE_NUMBER && is_finite)
        json_number(json, piece->number);
    else
        json_null(json);
}

static void piece_json(struct json *json, const uint8_t *bytes, const struct pieces *pieces, const struct piece *piece,
                       struct buffer *hex)
{
    json_object(json, false);
    json_member_unsigned(json, "offset", piece->offset);
    json_member_unsigned(json, "length", piece->length);
    json_key(json, "bytes");
    hex_json(json, bytes + piece->offset, piece->length, hex);
    json_member_text_or_null(json, "field", piece->field);
    json_key(json, "column");
    if (piece->column == 0)
        json_null(json);
    else
        json_unsigned(json, piece->column);
    value_json(json, pieces, piece);
    json_member_text_or_null(json, "unit", piece->unit);
    json_member_text_or_null(json, "remark", piece->remark);
    json_close(json);
}

static void place_json(struct json *json, const struct explained *explained)
{
    json_key(json, "stream");
    if (explained->number < 0)
        json_null(json);
    else
        json_signed(json, explained->number);
    json_member_text_or_null(json, "robot", explained->stream.robot);
    json_member_text_or_null(json, "client", explained->stream.client);
    labels_json(explained->labels, json, "label", explained->stream.robot);
    labels_json(explained->labels, json, "client_label", explained->stream.client);
    json_key(json, "time");
    if (explained->where.time == ARMTAP_NO_TIME)
        json_null(json);
    else
        json_decimal(json, explained->where.time, 9);
    json_member_unsigned(json, "first_packet", explained->first.packet);
    json_member_unsigned(json, "stream_offset", explained->offset);
}

int explain_json(struct json *json, const struct explained *explained)
{
    const struct subject *subject = &explained->subject;
    struct pieces pieces = {0};
    struct buffer hex = {0};
    bool is_nothing = subject->skipped && subject->whole == 0;
    const char *what = take_apart(subject, &pieces);
    /* Whatever memory is needed is there before anything is written. */
    if (pieces.failed || !buffer_room(&hex, 2 * subject->message.length + 1)) {
        pieces_free(&pieces);
        return message_no_memory();
    }
    json_object(json, true);
    json_member_text(json, "message", is_nothing ? NULL : what);
    json_member_text(json, "protocol", is_nothing ? NULL : armtap_protocol_name(subject->message.protocol));
    json_key(json, "version");
    if (subject->message.version == 0)
        json_null(json);
    else
        json_signed(json, subject->message.version);
    json_member_text(json, "direction",
                     subject->is_icmp                                  ? NULL
                     : subject->message.direction == ARMTAP_FROM_ROBOT ? "from-robot"
                                                                       : "to-robot");
    if (explained->captured)
        place_json(json, explained);
    json_member_unsigned(json, "length", subject->message.length);
    if (subject->whole > 0)
        json_member_unsigned(json, "whole_length", subject->whole);
    json_member_array(json, "parts", true);
    for (size_t i = 0; i < pieces.count; i++)
        piece_json(json, subject->message.bytes, &pieces, &pieces.piece[i], &hex);
    json_close(json);
    json_close(json);
    pieces_free(&pieces);
    free(hex.data);
    return 0;
}
