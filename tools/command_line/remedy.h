/* What to do about a kind of finding, for people. */
#ifndef COMMAND_LINE_REMEDY_H
#define COMMAND_LINE_REMEDY_H

#include "input/replay.h"
#include "base/word_wrap.h"

/* The first replies that refused a set-up in part: where recipe --accepted has something to print. */
struct remedy_offers {
    size_t count;
    struct armtap_where places[64];
};
void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup);
/* Whether the remedy of `kind` leads to a command that has something to print for that finding. */
bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct armtap_where *where);

/* Ends the line of `wrap` with the remedy of `kind`. A command in it comes on a line of its own, never broken, so that
 * it can be pasted: with the names of `source`, and with the packet of `where`, the first finding. A command that needs
 * a packet is left out where there is none, and so is one that would print nothing. */
void remedy_print(struct text_wrap *wrap, const struct armtap_note_kind *kind, const struct replay_source *source,
                  const struct remedy_offers *offers, const struct armtap_where *where);

#endif
