/* Prints what to do about a kind of finding. */
#ifndef COMMAND_LINE_REMEDY_H
#define COMMAND_LINE_REMEDY_H

#include "analysis/armtap-analysis.h"
#include "input/shell_command.h"
#include "base/terminal/fold.h"

#define REMEDY_MAX 1000

/* The first replies that refused part of a set-up: for these recipe --accepted prints something. */
struct remedy_offers {
    size_t count;
    struct armtap_where places[64];
};
void remedy_offer(struct remedy_offers *offers, const struct armtap_refused_setup *setup);
/* Whether the remedy of `kind` has a command that would print something for that finding. */
bool remedy_is_offered(const struct remedy_offers *offers, const struct armtap_note_kind *kind,
                       const struct armtap_where *where);

/* What to do, and the command that does it or shows more: with the names of the source and the packet of the finding,
 * so that it can be pasted. */
struct remedy {
    char advice[REMEDY_MAX];
    char command[SHELL_MAX]; /* "": none, or none that would print something */
};
/* `where`: of the first finding. */
void remedy_find(struct remedy *remedy, const struct armtap_note_kind *kind, const struct replay_source *source,
                 const struct remedy_offers *offers, const struct armtap_where *where);
/* The same, if the snapshot length of the capture made every gap of the streams; else nothing. */
void remedy_find_cut(struct remedy *remedy, const struct armtap_note_kind *kind, const struct armtap_streams *streams);
/* Ends the line of `wrap` with it. The command gets its own line, which only a narrow terminal breaks. */
void remedy_print(struct text_wrap *wrap, const struct remedy *remedy);

#endif
