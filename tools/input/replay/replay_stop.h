/* Remembers why a callback stopped the reading: the library only says that one did. */
#ifndef INPUT_REPLAY_STOP_H
#define INPUT_REPLAY_STOP_H

#include "replay.h"

struct replay_stop {
    const struct replay_source *source; /* whose packets the snapshot length cut is said once; NULL: never */
    const struct armtap_sink *sink;
    void *user;
    enum replay_answer why; /* the first answer other than REPLAY_GO_ON */
};

/* The sink to give to the library, with the replay_stop as its user: it forwards to the callbacks of `stop->sink`. */
struct armtap_sink replay_stop_wrap(const struct replay_stop *stop);

#endif
