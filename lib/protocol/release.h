/* Releases of controller software: compares a field's `since` with a controller's version. */
#ifndef ARMTAP_RELEASE_H
#define ARMTAP_RELEASE_H

#include "inside.h"
#include "note.h"

enum armtap_release_fit {
    ARMTAP_RELEASE_UNKNOWN, /* UR names no release, or the controller's is unknown */
    ARMTAP_RELEASE_OLDER,   /* the controller is older than the first release of its series that has the field */
    ARMTAP_RELEASE_NEVER,   /* UR names only releases of later series */
    ARMTAP_RELEASE_HAS
};
/* `since` as in the field table, `version` as in struct armtap_stream. A series that the table does not name has the
 * field from its first release on if an earlier series had it. */
enum armtap_release_fit armtap_release_judge(const char *since, const char *version);
/* "3.5.0 (CB3), 5.0.0 (e-Series)" */
void armtap_release_list(struct armtap_line *line, const char *since);
/* The release for the controller's own series; false if there is none. */
bool armtap_release_of_series(const char *since, const char *version, const char **text, size_t *length);

#endif
