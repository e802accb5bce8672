/* What is learned about the robots of a capture; a first pass hands it to a second. */
#ifndef ARMTAP_KNOWLEDGE_H
#define ARMTAP_KNOWLEDGE_H

#include "packet/link.h"
#include "protocol/robot.h"

/* Adds a holder, which frees it too; always OK. */
int armtap_knowledge_hold(struct armtap_knowledge *knowledge);
/* Finds or adds the robot at an address, held for the caller; if there is no room, a private one. */
int armtap_knowledge_robot(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                           struct armtap_robot **robot);
/* Keeps the place of a robot that sent telemetry to one of its connections. False if it has no place. */
bool armtap_knowledge_prove(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                            struct armtap_robot *robot);
/* The guess about a connection; NULL if there is no room or the first pass made none. */
int armtap_knowledge_guess(struct armtap_knowledge *knowledge, uint64_t connection, struct armtap_guess **guess);
/* Whether no later packet can explain earlier ones: nothing had to be guessed or doubted, no release was missed. */
bool armtap_knowledge_is_certain(const struct armtap_knowledge *knowledge);
/* Bytes of memory of samples and recipes. */
size_t armtap_knowledge_bytes(const struct armtap_knowledge *knowledge);
/* Drops the oldest sample unless only a few bytes of samples are left; false if it dropped none. */
bool armtap_knowledge_shrink(struct armtap_knowledge *knowledge);
/* Creates a sample for one of its guesses; other guesses may lose theirs. */
int armtap_knowledge_sample(struct armtap_knowledge *knowledge, struct armtap_guess *guess, size_t length);

#endif
