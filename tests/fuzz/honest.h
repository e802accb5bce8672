/* What an input may cost: as much as honest ones do, three times over, and a constant. Honest are conversations as
 * robots have them, made of the same operations and measured when the target begins. */
#ifndef FUZZ_HONEST_H
#define FUZZ_HONEST_H

#include "scene.h"
#include "work.h"

enum honest { HONEST_RTDE, HONEST_REALTIME, HONEST_AUBO, HONEST_KINDS };
/* The operations of such a conversation; returns their bytes. */
size_t honest_scene(enum honest kind, const uint8_t **operations);

/* Per byte of capture. Text takes longer to parse than numbers of fixed size, so that connections of AUBO have their
 * own; names to look up and connections to open may cost SET_UP_TIMES what data do, and deflated text DEFLATED_TIMES
 * what it does where it is not. */
#define SET_UP_TIMES 10
#define DEFLATED_TIMES 10
enum manner { PLAIN, TEXT, MANNERS };
struct limits {
    double work[MANNERS], output[MANNERS];
    struct cost constant; /* work and output beyond those in proportion; the memory that is promised */
};
/* `cost_of` is what the target does with a capture; the constant is the caller's. */
void honest_measure(struct limits *limits, struct cost (*cost_of)(const struct scene *scene));
struct cost honest_allows(const struct limits *limits, const struct scene *scene);

#endif
