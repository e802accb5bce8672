/* armtap explain --packet: the messages that end in one packet of a capture, and what else is known of the packet. */
#ifndef EXPLAIN_FROM_CAPTURE_H
#define EXPLAIN_FROM_CAPTURE_H

#include "explain.h"
#include "input/replay/replay.h"
#include "analysis/armtap-analysis.h"

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
