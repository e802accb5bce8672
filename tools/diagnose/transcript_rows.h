/* The parts of a transcript: the version, entries, and a sum of these bytes, so that damage is noticed. An entry is
 *
 *     kind and flags   one byte
 *     connection       if it is not that of the entry before
 *     names            of the stream, if they changed
 *     rows             the call, the stream, the modes of a record: each has the numbers that are not as expected
 *     texts            of notes and events; the fields of a set-up, after their number
 *     pose             of a few records: 12 or 18 doubles of 8 bytes, the lowest byte first
 *
 * A number is expected to grow as it did the last time in the same kind of entry of the same stream. Those that do
 * otherwise have a bit in the row's mask, and are written as the difference. All numbers are LEB128. */
#ifndef DIAGNOSE_TRANSCRIPT_ROWS_H
#define DIAGNOSE_TRANSCRIPT_ROWS_H

#include "by_connection.h"
#include "transcript.h"
#include "armtap.h"

enum {
    ENTRY_RECORD,
    ENTRY_RECIPE,
    ENTRY_NOTE,
    ENTRY_EVENT,
    ENTRY_MESSAGE,
    ENTRY_COMMAND,
    ENTRY_KINDS,
    ENTRY_FORGET = 7
};
enum { ENTRY_KIND = 7, ENTRY_HAS_STREAM = 8, ENTRY_OTHER_STREAM = 16, ENTRY_NAMES = 32, ENTRY_MOST = 63 };

#define TRANSCRIPT_VERSION 6
#define SUM_BYTES 8
/* Flags of a command. */
enum { COMMAND_HAS_TARGET = 1, COMMAND_IS_ASYNCHRONOUS = 2, COMMAND_AFTER_SENT = 4, COMMAND_WAS_PAUSED = 8 };

/* Of a set-up: more names than fields there are. */
#define FIELDS_MAX 1024
/* Streams known at once; then all are forgotten, by writer and player. */
#define STREAMS_MAX 4096
#define ARM_NUMBERS (2 + KEPT_MODES) /* its number, a bit for each mode that it has, the modes */
#define ROW_MAX 32

/* What a call says apart from its stream. */
struct call {
    struct armtap_where where, first;
    uint64_t frame_length, a;
    double clock, frequency, least;
    uint32_t direction, version, flags, recipe_id, arms, content, type, code;
    bool has_recipe, doubtful, has_text;
};

/* The numbers of a row as they were last, and by how much they had grown. */
struct row {
    uint64_t last[ROW_MAX], step[ROW_MAX];
};

struct told {
    struct armtap_stream stream;
    struct row of_stream, of_call[ENTRY_KINDS], of_modes;
    bool has_sent; /* commands without an answer, since the last entry of one */
};

/* As rows. The stream's times are relative to the call. */
size_t rows_from_stream(uint64_t numbers[ROW_MAX], const struct armtap_stream *stream, const struct call *call);
void rows_to_stream(struct armtap_stream *stream, const uint64_t numbers[ROW_MAX], const struct call *call);
size_t rows_from_call(uint64_t numbers[ROW_MAX], const struct call *call);
void rows_to_call(struct call *call, const uint64_t numbers[ROW_MAX]);

/* The numbers that come next if all grow as they did. */
void rows_expect(const struct row *row, uint64_t expected[ROW_MAX]);
void rows_advance(struct row *row, const uint64_t numbers[ROW_MAX], size_t count);

uint64_t rows_sum(const uint8_t *bytes, size_t length);
void rows_forget(struct by_connection *told);

/* What transcripts keep of a record's state and of a message. The analysis looks at no more. */

#define KEPT_MODES 5
extern const enum armtap_field_id kept_modes[KEPT_MODES];
int64_t kept_mode(const struct armtap_state *state, size_t i);
/* A value that kept_mode() gave. */
void set_kept_mode(struct armtap_state *state, size_t i, int64_t value);

/* Joints with the pose of the tool: the actual ones, or without them the targets; and the tool's offset, if it is told.
 */
enum kept_pose {
    KEPT_NO_POSE,
    KEPT_ACTUAL_POSE,
    KEPT_TARGET_POSE,
    KEPT_ACTUAL_POSE_OF_TOOL,
    KEPT_TARGET_POSE_OF_TOOL,
    KEPT_POSES
};
#define KEPT_POSE 18 /* at most: six joints, six numbers of the tool, six of its offset */
/* Numbers of a pose; 0 without one. */
size_t kept_pose_size(enum kept_pose which);
enum kept_pose kept_pose_of(const struct armtap_set *updated);
void get_kept_pose(const struct armtap_state *state, enum kept_pose which, double pose[KEPT_POSE]);
void set_kept_pose(struct armtap_state *state, enum kept_pose which, const double pose[KEPT_POSE]);
void add_kept_pose(struct armtap_set *updated, enum kept_pose which);

/* Only RTDE's are looked at, while there is no data, and only their type. */
bool is_kept_message(const struct armtap_message *message);
/* False if the message is too short to have one. */
bool kept_type(const struct armtap_message *message, uint8_t *type);
/* The bytes of a message of which only the type was kept: its length and its type. */
struct bare_message {
    uint8_t bytes[3];
};
struct bare_message bare_message_of(uint8_t type);

#endif
