/* Prints what to do about a kind of finding. */
#ifndef COMMAND_LINE_REMEDY_H
#define COMMAND_LINE_REMEDY_H

#include "input/replay.h"
#include "base/word_wrap.h"

/* The first replies that refused part of a set-up: for these recipe --accepted prints something. */
struct remedy_offers {
    size_t count;
    struct armtap_where places[64];
};
void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup);
/* Whether the remedy of `kind` has a command that would print something for that finding. */
bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct armtap_where *where);

/* Ends the line of `wrap` with the remedy of `kind`. A command gets its own line, never broken, so that it can be
 * pasted: with the names of `source` and the packet of `where`, the first finding. Leaves out a command that would
 * print nothing, or needs a packet where there is none. */
void remedy_print(struct text_wrap *wrap, const struct armtap_note_kind *kind, const struct replay_source *source,
                  const struct remedy_offers *offers, const struct armtap_where *where);

#endif
