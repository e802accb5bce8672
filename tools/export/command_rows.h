/* A command of ur_rtde as a row: of JSON lines, or of CSV. */
#ifndef EXPORT_COMMAND_ROWS_H
#define EXPORT_COMMAND_ROWS_H

#include "armtap.h"
#include "base/text/buffer.h"

struct command_row {
    const struct armtap_command *command;
    unsigned stream;
    const char *file; /* NULL: there are not several */
    bool is_shown;    /* on a terminal: escape hidden characters */
};

void command_row_json(const struct command_row *row, struct buffer *out);
void command_row_csv_header(struct buffer *out);
void command_row_csv(const struct command_row *row, struct buffer *out);

#endif
