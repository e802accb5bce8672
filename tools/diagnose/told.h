/* Findings and remedies as people can read them: of a flood of one id and stream the largest and a sum, and of each
 * kind what to do about it, once. */
#ifndef DIAGNOSE_TOLD_H
#define DIAGNOSE_TOLD_H

#include "diagnosis.h"

/* Calls `tell` for each finding that is shown, in order of time; where others of a flood begin, once for all of them,
 * with a text that sums them up. 0, or -1 if memory runs out. */
int findings_tell(const struct diagnosis *diagnosis,
                  void (*tell)(void *user, const struct armtap_finding *finding, const char *text), void *user);

/* Calls `tell` for each kind of fault that is shown, the worst first. 0, or -1 if memory runs out. */
int remedies_tell(const struct diagnosis *diagnosis,
                  void (*tell)(void *user, const struct armtap_note_kind *kind, const struct remedy *remedy),
                  void *user);

#endif
