/* --fill NAME=VALUE: what clients get of a field where the capture lacks it. */
#ifndef SERVE_FILL_H
#define SERVE_FILL_H

#include "armtap.h"

struct fill {
    const char *text; /* as given */
    struct armtap_value value;
};

/* Reads an element for each of the field's, or one for all of them, as its type in the table demands. 0, or -1 after a
 * message. */
int fill_parse(struct fill *fill, const char *text);

#endif
