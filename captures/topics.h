/* AUBO's topics: the value that a controller with up to two arms sends under each name, as JSON. */
#ifndef TOPICS_H
#define TOPICS_H

#include "json.h"
#include "motion.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPICS_REGISTERS = 64, TOPICS_KINDS = 3 };

struct topics {
    const struct motion *arms; /* R1 first */
    size_t arm_count;
    bool numbers;                                     /* enumerations as numbers, not names */
    double registers[TOPICS_KINDS][TOPICS_REGISTERS]; /* that clients write: int, float, double */
    int64_t message_time;                             /* ms since the epoch */
    const char *message_level;
    const char *message_source;
    const char *message; /* R1's latest, NULL if none yet */
};

/* The current value of a topic; null for topics that this controller does not know. */
void topics_put(const struct topics *topics, const char *name, size_t length, struct json *json);
/* Writes a client's value to the register of that name; false if there is none. */
bool topics_write(struct topics *topics, const char *name, size_t length, double value);

#endif
