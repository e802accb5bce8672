/* Robots that are not what they were on an earlier connection. */
#ifndef ANALYSIS_ROBOT_CHANGES_H
#define ANALYSIS_ROBOT_CHANGES_H

#include "analysis/facts/findings.h"

#define REFUSED_MAX 64

/* Output fields that controllers did not know, of the first connections of a capture. Starts as zeros. */
struct refused_fields {
    struct refused_field {
        uint64_t connection;
        char name[64];
    } all[REFUSED_MAX];
    size_t count;
};
void armtap_refused_note(struct refused_fields *refused, const struct armtap_note *note);
/* Adds robot.changed. Call after armtap_streams_number. `file`: only of connections that begin in that one; UINT32_MAX:
 * in any. 0, or -1 if memory runs out. */
int armtap_robot_changes_find(struct findings *findings, const struct armtap_streams *streams,
                              const struct refused_fields *refused, uint32_t file);

#endif
