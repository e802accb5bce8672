/* What a part of a capture told its sink, until the calls of all parts are made in order. A record of a steady stream
 * takes 40 bytes: what it changed in its stream; with a pose 136.
 *
 * Of records only what commands without rows look at is kept: all members but `offset`, `frame` and `values`, and of
 * the states the modes, the timestamp, and joints with the pose of the tool. */
#ifndef INPUT_CALL_LOG_H
#define INPUT_CALL_LOG_H

#include "armtap.h"
#include "base/buffer.h"

/* ---- writing ---- */

/* Calls in their order. Starts as all zeros. */
struct call_log {
    struct buffer bytes;
    size_t at; /* what was played */
};
void call_log_free(struct call_log *log);
/* Whether all of it was played; then it is empty again. */
bool call_log_is_played(struct call_log *log);

struct call_writer;
/* For the sink that is called later with that user, from the time of writing asked by several threads what it wants.
 * NULL without memory. */
struct call_writer *call_writer_new(const struct armtap_sink *wanted, void *user);
void call_writer_free(struct call_writer *writer);
/* Where the calls go that follow, and the packet that causes them: its number in its block, and its place. */
void call_writer_begin(struct call_writer *writer, struct call_log *log, uint32_t packet,
                       const struct armtap_where *where);
/* Whether something came that the log does not keep: rows of drivers' commands, guesses. */
bool call_writer_is_strained(const struct call_writer *writer);
/* The callbacks to give to a net, with the writer as its user: those that the commands' sink has. A sink with other
 * callbacks than these gives false. */
bool call_writer_sink(const struct armtap_sink *wanted, struct armtap_sink *sink);

/* ---- playing ---- */

struct call_player;
/* For the logs of so many parts, which are told to that sink. NULL without memory. */
struct call_player *call_player_new(unsigned parts, const struct armtap_sink *sink, void *user);
void call_player_free(struct call_player *player);

#define CALL_LOG_NONE UINT32_MAX
/* The packet of the next call; CALL_LOG_NONE if there is none. */
uint32_t call_log_next(const struct call_log *log);
/* Whether the next call says that an attempt to connect got no answer in time. */
bool call_log_next_is_overdue(const struct call_log *log);
/* The connection of the next call in the numbering of all parts; UINT64_MAX if there is none, or it has none. */
uint64_t call_player_connection(const struct call_player *player, unsigned part, const struct call_log *log);
/* Makes the calls that a packet at `where` caused, the next ones; with `only_overdue` only those which say that an
 * attempt to connect got no answer. Returns 0, what a callback answered, or ARMTAP_ERR_MEMORY. */
int call_player_play(struct call_player *player, unsigned part, struct call_log *log, uint32_t packet,
                     const struct armtap_where *where, bool only_overdue);
/* Makes the next call, which no packet of a block caused. */
int call_player_play_one(struct call_player *player, unsigned part, struct call_log *log);

#endif
