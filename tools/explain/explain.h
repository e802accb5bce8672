/* What armtap explain shows: messages with all their bytes, and remarks. */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "base/numbers/timestamp.h"
#include "hex_text.h"
#include "pieces.h"
#include "input/replay/replay.h"
#include "analysis/armtap-analysis.h"

/* A message, or bytes that are none. */
struct subject {
    struct armtap_subject message; /* of `skipped`: bytes, length and direction */
    bool skipped;                  /* it is no message, but for `whole` */
    bool is_icmp;                  /* it is a whole packet of it, with a link header of that type: */
    int link_type;
    size_t whole;                 /* bytes of the message that bytes skipped begin; 0: they begin none */
    char doubt[PIECE_REMARK_MAX]; /* of bytes skipped: what they may be, and what speaks against it; "" mostly */
};

/* Takes the message apart. Returns what kind it is, "DATA_PACKAGE". Without memory pieces->failed is set. */
const char *annotate(const struct subject *subject, struct pieces *pieces);

/* A message, and where it was found. */
struct explained {
    struct subject subject;
    uint8_t *copy;                       /* its bytes, then its content, where they were kept; owned */
    struct armtap_recipe *held, *set_up; /* its recipes, likewise */
    bool captured;                       /* the rest counts */
    struct armtap_stream stream;
    const struct labels *labels;
    long number; /* of the stream; -1: not telemetry */
    struct armtap_where where, first;
    uint64_t offset; /* in its direction's stream */
    unsigned flags;  /* enum armtap_record_flag */
};

/* As text for people. 0, or -1 after a message. */
int explain_print(const struct explained *explained, enum timestamp_zone zone);

struct json;
/* As one object. 0, or -1 after a message. */
int explain_json(struct json *json, const struct explained *explained);

/* Reads what was given to --hex; "-" reads it from standard input. 0, or -1 after a message. */
int explain_hex_read(const char *text, struct hex_text *read);

struct explain_hex {
    const uint8_t *bytes;
    size_t length;
    enum armtap_protocol protocol;      /* NONE: told by the bytes */
    bool to_robot;                      /* said so; otherwise told by the bytes */
    const struct armtap_recipe *recipe; /* of RTDE data packages, or NULL */
};
/* The message that begins at `at`; its length is that of the whole message, or of what is there of it. 0, or -1
 * after a message. */
int explain_hex_next(const struct explain_hex *hex, size_t at, struct subject *subject);

/* armtap explain --packet: the messages that end in one packet of a capture, and what else is known of the packet. */

/* A message that has bytes in the packet, or around it, but does not end there. */
struct passing {
    uint64_t connection;
    enum armtap_direction direction;
    struct armtap_where first, where;
    size_t length;
    bool skipped;
};
#define PASSING_MAX 4
#define HAPPENED_MAX 16
#define HAPPENED_LENGTH 400

struct explanation {
    uint64_t packet;
    uint32_t file;
    struct explained *message; /* whose last byte arrived in the packet */
    size_t count, room;
    struct passing passing[PASSING_MAX];
    size_t passing_count;
    char happened[HAPPENED_MAX][HAPPENED_LENGTH]; /* notes and events of the packet */
    size_t happened_count;
    size_t captured, length;  /* bytes of the packet, at hand and on the wire */
    bool heard;               /* telemetry was recognised in this reading */
    struct explained pending; /* what came of the bytes that on_message will bring */
    struct armtap_streams *streams;
    struct replay_totals totals;
};

/* Reads a capture and keeps what concerns the packet. The caller sets packet and file, and frees, whatever comes. */
enum exit_status explanation_read(struct explanation *explanation, const struct replay_source *source);
void explanation_free(struct explanation *explanation);

#endif
