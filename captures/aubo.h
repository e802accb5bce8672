/* AUBO's RTDE: a client's subscriptions and publications, and the messages that the controller sends for them. */
#ifndef AUBO_H
#define AUBO_H

#include "json.h"
#include "topics.h"
#include "websocket.h"

#include <stdbool.h>
#include <stddef.h>

#define AUBO_CHANNELS 100

struct aubo_subscription {
    const char *names; /* comma separated; NULL: none */
    unsigned every;    /* cycles between two messages */
};

struct aubo {
    struct topics topics;
    struct websocket websocket;
    struct aubo_subscription subscriptions[AUBO_CHANNELS];
    const char *published[AUBO_CHANNELS]; /* names, comma separated; NULL: none */
    const char *separator;                /* after each message from the controller */
    bool fragment;                        /* the next message is sent in two frames */
    bool asked;                           /* a ping from the controller is unanswered */
};

/* A new connection: nothing is set up. */
void aubo_begin(struct aubo *aubo);
/* [100,{...}]: names NULL and a frequency of 0 cancel it. */
void aubo_request(struct json *json, unsigned channel, double frequency, const char *names, bool to_server);
/* [1,2.5,...]: the values as written, for the registers that the channel's publication names. False if their number
 * differs. */
bool aubo_publish(struct aubo *aubo, unsigned channel, const char *const *values, size_t count, struct json *json);
/* A message of a subscription. */
void aubo_data(const struct aubo *aubo, unsigned channel, struct json *json);

#endif
