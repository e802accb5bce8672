/* What is learned of the robots of a capture; a first pass leaves it to a second. */
#ifndef ARMTAP_KNOWLEDGE_H
#define ARMTAP_KNOWLEDGE_H

#include "link.h"
#include "robot.h"

/* One more who frees it; always OK. */
int armtap_knowledge_hold(struct armtap_knowledge *knowledge);
/* The robot at an address, held for the caller, made if need be; without room one that nobody else finds. */
int armtap_knowledge_robot(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                           struct armtap_robot **robot);
/* Telemetry came from there, to a connection of that robot: it keeps its place. False where there is none for it. */
bool armtap_knowledge_prove(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                            struct armtap_robot *robot);
/* The guess about a connection; NULL without room, or where the first pass made none. */
int armtap_knowledge_guess(struct armtap_knowledge *knowledge, uint64_t connection, struct armtap_guess **guess);
/* Bytes of memory that samples and recipes take. */
size_t armtap_knowledge_bytes(const struct armtap_knowledge *knowledge);
/* Drops the oldest sample, if more than a few bytes of samples are kept; false: there is none to drop. */
bool armtap_knowledge_shrink(struct armtap_knowledge *knowledge);
/* Makes a sample for one of its guesses; others may have to give up theirs. */
int armtap_knowledge_sample(struct armtap_knowledge *knowledge, struct armtap_guess *guess, size_t length);

#endif
