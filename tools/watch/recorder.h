/* The key r: what robots said from half a minute back on, as a capture. */
#ifndef WATCH_RECORDER_H
#define WATCH_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;
struct robot_event;

/* Of so many robots. NULL if memory runs out. */
struct recorder *recorder_new(size_t robots);
/* Ends a recording, too. Accepts NULL. */
void recorder_free(struct recorder *recorder);
/* Keeps what happened, and writes it if it is being recorded. 0, or -1 if memory runs out. */
int recorder_take(struct recorder *recorder, const struct robot_event *event);
/* Begins a capture with what is kept. 0, or -1 after a message. */
int recorder_begin(struct recorder *recorder);
/* Ends it. 0, or -1 after a message: something is missing. */
int recorder_end(struct recorder *recorder);
/* Call it often. `now`: of a clock that nobody sets. */
void recorder_turn(struct recorder *recorder, int64_t now);
bool recorder_is_running(const struct recorder *recorder);
/* The capture that is being written, or was last; and its bytes so far. */
const char *recorder_name(const struct recorder *recorder);
uint64_t recorder_bytes(const struct recorder *recorder);

#endif
