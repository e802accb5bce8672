/* URScript that is sent to a robot, over several interfaces, and what the robot says about itself and its programs. */
#ifndef ARMTAP_URSCRIPT_H
#define ARMTAP_URSCRIPT_H

#include "protocol/decoder.h"

/* ---- urscript.c: a record for each line ---- */

struct armtap_urscript {
    struct armtap_recipe *recipe;
    bool line_is_cut; /* the beginning of the line was lost */
};

/* `open` and `starts` of a decoder whose context begins with it: what comes before the first beginning is no line. */
int armtap_urscript_open(void *context);
void armtap_urscript_starts(void *context, enum armtap_direction direction);
/* As a decoder's `frame` answers: a line with its end; a longer one comes in parts. */
long armtap_urscript_frame(const uint8_t *bytes, size_t length);
/* Delivers a line, unless its beginning was lost. Of a line that need not be URScript. */
int armtap_urscript_deliver(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                            struct armtap_conn *conn, const struct armtap_frame *frame);
/* Delivers a line of URScript: it may belong to a program. */
int armtap_urscript_decode(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                           struct armtap_conn *conn, const struct armtap_frame *frame);
/* Bytes are missing, or were skipped. */
void armtap_urscript_lost(struct armtap_urscript *script, struct armtap_conn *conn);
void armtap_urscript_close(struct armtap_urscript *script);

struct armtap_pieces;
void armtap_urscript_describe(struct armtap_pieces *pieces);
/* Whether it may be a statement: a call, an assignment, or the end of a block. Other lines may be of any protocol. */
bool armtap_urscript_is_statement(const uint8_t *line, size_t length);
/* Whether it is a program of its own, or a command of the controller's that ends the running one. */
bool armtap_urscript_ends_program(const uint8_t *line, size_t length);
/* As a decoder's `speaks` answers: the first line that is no comment is a statement, or a command. */
enum armtap_fit armtap_urscript_speaks(const uint8_t *bytes, size_t length, bool whole);
/* As a decoder's `shows` answers: lines prove nothing unless the user says so. */
enum armtap_fit armtap_urscript_shows(const struct armtap_sight *sight, size_t *need);
/* Whether no control characters are in it but those of text. */
bool armtap_urscript_is_text(const uint8_t *bytes, size_t length);
/* Takes a message for a line, if it is text; else says so in `doubt`. */
enum armtap_fit armtap_urscript_identify(struct armtap_subject *subject, struct armtap_line *doubt);

/* ---- sent_program.c ----
 *
 * The program that a client of a robot sent last, so that the line at which it fails can be quoted. It is doubted as
 * soon as the capture does not show that this program runs: a doubted one is never quoted. */

/* A line of URScript to the robot, without its end. Notes a program once it is whole, and a statement that is one of
 * its own. */
int armtap_sent_program_line(struct armtap_conn *conn, const struct armtap_frame *frame, const void *line,
                             size_t length, bool is_statement);
/* The robot says that a program starts: the packet in which it was sent, if it is this one; else 0. */
uint64_t armtap_sent_program_starts(struct armtap_conn *conn, const struct armtap_frame *frame,
                                    const struct armtap_text *start);
/* The robot says that its program stopped. */
void armtap_sent_program_stops(struct armtap_conn *conn, const struct armtap_frame *frame);
/* What robot or client said is missing. */
void armtap_sent_program_doubt(struct armtap_conn *conn);
/* The line at which an exception says that a program failed. */
struct armtap_failed_line {
    const char *program, *line; /* NULL: not known */
    size_t program_length, length;
    uint64_t packet; /* in which the program was sent */
};
struct armtap_failed_line armtap_sent_program_line_of(struct armtap_conn *conn, const struct armtap_frame *frame,
                                                      const struct armtap_text *exception);

/* ---- robot_message.c: a robot's errors, exceptions, popups, programs and messages become notes ---- */

/* Notes a text from the robot, if its kind is one that people act upon. `level`: the name of its report level, as the
 * controller's documents write it; NULL: unknown. ERR_MEMORY, or what the sink returned. */
int armtap_robot_message_say(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                             const char *level);

#endif
