#include "driver.h"

#include <math.h>
#include <stdlib.h>

enum { WORD = 4, WORDS_MOST = 28, COMMAND_WORDS = 8, MODE_SERVOJ = 1, CYCLES_AHEAD = 2 };

static void put_word(uint8_t *message, size_t word, int64_t number)
{
    for (unsigned i = 0; i < WORD; i++)
        message[word * WORD + i] = (uint8_t)((uint64_t)number >> (8 * (WORD - 1 - i)));
}

static void send_words(struct session *session, enum armtap_direction direction, const uint8_t *message, size_t words,
                       int64_t time)
{
    wire_send(&session->connection, direction, message, words * WORD, time);
    session->tally->records[direction]++;
}

void driver_session_words(struct session *session, const struct client_step *step, int64_t time)
{
    uint8_t message[WORDS_MOST * WORD] = {0};
    const char *at = step->words[0];
    char *end;
    if (step->count > WORDS_MOST) {
        session_fail(session, step, "more words than any message has", NULL);
        return;
    }
    for (size_t word = 0; word < step->count; word++) {
        long number = strtol(at, &end, 10);
        if (end == at)
            break; /* those that are not given are 0 */
        put_word(message, word, number);
        at = end;
    }
    send_words(session, ARMTAP_TO_ROBOT, message, step->count, time);
}

void driver_session_result(struct session *session, const struct client_step *step, int64_t time)
{
    uint8_t message[WORD];
    put_word(message, 0, step->count);
    send_words(session, ARMTAP_FROM_ROBOT, message, 1, time);
}

void driver_session_command(struct session *session, int64_t time)
{
    uint8_t message[COMMAND_WORDS * WORD];
    const struct armtap_state *state = session->motion->state;
    double ahead = CYCLES_AHEAD * session->motion->robot->cycle_ms / 1000.0;
    if (session->command_timeout == 0)
        return;
    put_word(message, 0, session->command_timeout);
    for (size_t i = 0; i < ARM_JOINTS; i++)
        put_word(message, 1 + i, (int64_t)round((state->target_q[i] + ahead * state->target_qd[i]) * 1e6));
    put_word(message, COMMAND_WORDS - 1, MODE_SERVOJ);
    send_words(session, ARMTAP_TO_ROBOT, message, COMMAND_WORDS, time);
}
