/* What to do about a kind of finding, for people. */
#ifndef REMEDY_H
#define REMEDY_H

#include "replay.h"
#include "text.h"

/* Ends the line of `wrap` with the remedy of `kind`. A command in it comes on a line of its own, never broken, so that
 * it can be pasted: with the names of `source`, and with the packet of `where`, the first finding. A command that needs
 * a packet is left out where there is none. */
void remedy_print(struct text_wrap *wrap, const struct armtap_note_kind *kind, const struct replay_source *source,
                  const struct armtap_where *where);

#endif
