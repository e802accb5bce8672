/* What lines of the dashboard server mean. */
#ifndef ARMTAP_DASHBOARD_LINE_H
#define ARMTAP_DASHBOARD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row of dashboard_lines.def. */
struct armtap_dashboard_row {
    const char *request, *reply;
    const char *field; /* of which the reply names a value; NULL: none */
    bool stops;
};
struct armtap_dashboard_refusal {
    const char *words, *advice;
};

/* Length of a line without its end and the blanks before it. */
size_t armtap_dashboard_text(const uint8_t *line, size_t length);
/* The next row after `row` of that request, the first for NULL; NULL: no more. */
const struct armtap_dashboard_row *armtap_dashboard_command(const uint8_t *text, size_t length,
                                                            const struct armtap_dashboard_row *row);
/* The row of that request which that reply answers; NULL: none. */
const struct armtap_dashboard_row *armtap_dashboard_answer(const uint8_t *request, size_t request_length,
                                                           const uint8_t *reply, size_t length);
/* NULL: it is no known refusal. */
const struct armtap_dashboard_refusal *armtap_dashboard_refusal(const uint8_t *reply, size_t length);
/* Whether it answers nothing, and whether it is what UR's controllers say on connecting. */
bool armtap_dashboard_greets(const uint8_t *reply, size_t length);
bool armtap_dashboard_is_greeting(const uint8_t *reply, size_t length);
/* Whether it is what a server says: the greeting, a refusal, or an answer that only a dashboard server gives. */
bool armtap_dashboard_is_servers(const uint8_t *reply, size_t length);
/* The value that the reply names. False: none that is known. */
bool armtap_dashboard_state(const struct armtap_dashboard_row *row, const uint8_t *reply, size_t length,
                            int64_t *value);

#endif
