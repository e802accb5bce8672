/* The program that a client of a robot sent last, so that the line at which it fails can be quoted. It is doubted as
 * soon as the capture does not show that this program runs: a doubted one is never quoted. */
#ifndef ARMTAP_SENT_PROGRAM_H
#define ARMTAP_SENT_PROGRAM_H

#include "protocol/decoder.h"

/* A line of URScript to the robot, without its end. Notes a program once it is whole. */
int armtap_sent_program_line(struct armtap_conn *conn, const struct armtap_frame *frame, const void *line,
                             size_t length);
/* The robot says that a program starts: adds where it was sent, if it is this one. */
void armtap_sent_program_starts(struct armtap_conn *conn, const struct armtap_frame *frame,
                                const struct armtap_text *start, struct armtap_line *to);
/* The robot says that its program stopped. */
void armtap_sent_program_stops(struct armtap_conn *conn, const struct armtap_frame *frame);
/* What robot or client said is missing. */
void armtap_sent_program_doubt(struct armtap_conn *conn);
/* Adds the line at which an exception says that it failed. */
void armtap_sent_program_quote(struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_text *exception, struct armtap_line *to);

#endif
