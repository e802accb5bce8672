/* What an input may cost: three times as much as honest ones, plus a constant. Honest are conversations like those of
 * robots, built of the same operations and measured before the first input. */
#ifndef FUZZ_HONEST_H
#define FUZZ_HONEST_H

#include "scene.h"
#include "work.h"

enum honest {
    HONEST_RTDE,
    HONEST_REALTIME,
    HONEST_AUBO,
    HONEST_SET_UPS,
    HONEST_OPENINGS,
    HONEST_FOREIGN,
    HONEST_SMALL,
    HONEST_SMALL_TEXT,
    HONEST_KINDS
};
/* The operations of such a conversation; returns their bytes. */
size_t honest_scene(enum honest kind, const uint8_t **operations);

/* What an action on captures costs for honest ones. Before the first input only `memory` and `once` are known. */
enum manner { PLAIN, TEXT, SET_UP, OPENING, FOREIGN, MANNERS };
struct limits {
    uint64_t memory; /* may be held, for any capture */
    uint64_t once;   /* work allowed in addition to that for its bytes */
    bool measured;
    double work[MANNERS], output[MANNERS]; /* per byte of capture ... */
    double message_work, message_output;   /* ... and what a small message costs in addition */
    struct cost empty;                     /* of a capture without packets */
};

/* Plays the operations, lets `cost_of` do `what` with the capture, and fails if that costs more than allowed. Also
 * tells the fuzzer how close it comes (cost_judge). */
void honest_judge(struct limits *limits, struct cost (*cost_of)(const struct scene *scene), const char *what,
                  const uint8_t *operations, size_t length);

/* Of a target that mutator.c serves: how many bytes precede the operations of its inputs. */
#ifdef ARMTAP_FUZZ
extern const size_t operations_begin;
#define OPERATIONS_BEGIN(bytes) const size_t operations_begin = (bytes)
#else
#define OPERATIONS_BEGIN(bytes) _Static_assert((bytes) >= 0, "")
#endif

#endif
