/* A legacy packet: {int32 length, counting itself; cells of 8 bytes}, of which the first is the controller's clock.
 * The layouts: which fields a packet of a size holds. */
#ifndef ARMTAP_REALTIME_PACKET_H
#define ARMTAP_REALTIME_PACKET_H

#include "protocol/clock.h"
#include "protocol/decoder.h"
#include "table/recipe.h"

#define ARMTAP_REALTIME_LENGTH_WORD 4u
#define ARMTAP_REALTIME_HEADER 12u /* length word and clock cell */
#define ARMTAP_REALTIME_SMALLEST 12u
#define ARMTAP_REALTIME_LARGEST 4096u

/* Whether a length word can be one. */
static inline bool armtap_realtime_size_fits(size_t size)
{
    return size >= ARMTAP_REALTIME_SMALLEST && size <= ARMTAP_REALTIME_LARGEST;
}
/* A controller that has just started sends 0. */
static inline bool armtap_realtime_clock_fits(double clock)
{
    return clock == 0 || armtap_clock_may_show(clock);
}

/* ---- realtime_layout.c ---- */

/* Whether a size is documented. */
bool armtap_realtime_is_listed(size_t size);
/* The legacy layout of a size: generation, and its fields one after the other. */
enum armtap_generation armtap_realtime_generation(size_t size);
/* The id of the field that begins at *column, if it fits into `size` bytes. Advances *column past it. */
bool armtap_realtime_next(enum armtap_generation generation, size_t size, unsigned *column, unsigned *id);
/* A layout's modes: its fields that are signed whole numbers, as cells one after the other from a column on; column 0:
 * none of this layout. The last has count 0. */
struct armtap_realtime_cells {
    uint16_t column, count;
};
const struct armtap_realtime_cells *armtap_realtime_modes(enum armtap_generation generation);

/* ---- realtime_describe.c; as in struct armtap_decoder ---- */

int armtap_realtime_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_realtime_identify(struct armtap_subject *subject, bool directed, bool named,
                                         struct armtap_line *doubt);

#endif
