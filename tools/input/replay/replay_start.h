/* Where the wanted part of a reading begins. All before it is decoded, too: it holds the streams' set-ups, and the
 * numbers of streams, packages and counts follow from it. */
#ifndef INPUT_REPLAY_START_H
#define INPUT_REPLAY_START_H

#include "base/numbers/timestamp.h"
#include "input/replay/replay.h"

/* From so many bytes of files on, this takes long enough to be worth a message. */
#define REPLAY_START_SAY_BYTES ((uint64_t)256 << 20)

/* Says so on standard error, if `from` is given and the files are that large. */
void replay_start_say(const struct replay_source *source, const struct timestamp *from);

#endif
