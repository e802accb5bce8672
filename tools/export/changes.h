/* --changes: which records are rows, and the values before.
 *
 * A record is a row if a watched value differs from the last one of the same port of the robot; the first value differs
 * from none. The addresses of one label are one robot. NaN does not differ from NaN, nor -0.0 from 0.0. A record
 * without the value, since its recipe lacks the field, its message that part, or the snapshot length cut it off, says
 * nothing about it. Connections that exist at the same time are compared each by itself; one that begins goes on from
 * the last values of all. */
#ifndef EXPORT_CHANGES_H
#define EXPORT_CHANGES_H

#include "base/text/buffer.h"
#include "export/rows/field_selection.h"
#include "input/robots/labels.h"

struct changes;
/* NULL without memory. */
struct changes *changes_new(const struct labels *labels);
void changes_free(struct changes *changes);

/* Adds to the picks of a table, behind each that is watched, its value before, and in front of the first the packet. 0,
 * or -1 without memory. */
int changes_watch(struct changes *changes, struct picks *picks);

/* Bytes of memory that the next record needs in addition. */
uint64_t changes_cost(struct changes *changes, const struct armtap_record *record, const struct table_layout *layout,
                      const struct picks *picks);
/* Takes a record; *is_row: it differs. 0, or -1 without memory. */
int changes_see(struct changes *changes, const struct armtap_record *record, const struct table_layout *layout,
                const struct picks *picks, bool *is_row);
/* The values before that record, as an output row wants them. */
const struct buffer *changes_before(const struct changes *changes);
/* A connection has ended. */
void changes_close(struct changes *changes, uint64_t connection);

#endif
