/* Adds up what armtap diagnose --json printed. */
#ifndef MERGE_DIAGNOSES_H
#define MERGE_DIAGNOSES_H

#include "input/replay/replay.h"
#include "summaries.h"

/* Prints all or nothing: of the captures of an archive what diagnose prints of all of them at once, of others one after
 * another. EXIT_FOUND if a warning or an error is among it. */
enum exit_status diagnoses_merge(struct summaries *summaries);

#endif
