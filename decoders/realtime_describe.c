#include "realtime_packet.h"

#include <string.h>

#include "protocol/describe.h"
#include "urscript.h"

#define CELL 8u
#define CELL_MIN 1e-30 /* of values other than 0 */
#define CELL_MAX 1e9

/* ---- describing ---- */

static int describe_packet(struct armtap_pieces *pieces)
{
    const struct armtap_subject *subject = pieces->subject;
    const size_t at = ARMTAP_REALTIME_LENGTH_WORD;
    struct armtap_recipe *layout = NULL;
    if (subject->length < at)
        return ARMTAP_OK;
    armtap_pieces_size(pieces, 0, at, "length");
    int error = subject->recipe ? ARMTAP_OK : armtap_recipe_realtime(armtap_be32(subject->bytes), &layout);
    if (error == ARMTAP_OK)
        armtap_pieces_cells(pieces, subject->recipe ? subject->recipe : layout, at, subject->length - at);
    armtap_recipe_release(layout);
    return error;
}

int armtap_realtime_describe(struct armtap_pieces *pieces, const char **kind)
{
    bool is_line = pieces->subject->direction == ARMTAP_TO_ROBOT;
    *kind = is_line ? "URScript line" : "realtime packet";
    if (!is_line)
        return describe_packet(pieces);
    armtap_urscript_describe(pieces);
    return ARMTAP_OK;
}

/* ---- identifying ---- */

static bool is_printable(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((bytes[i] < ' ' || bytes[i] > '~') && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return false;
    return length > 0;
}

/* Counts implausible cells after the clock. A few may be odd: digital bits are, as raw integers. */
static bool has_odd_cells(const uint8_t *bytes, size_t end, size_t *odd, size_t *count)
{
    *odd = *count = 0;
    for (size_t at = ARMTAP_REALTIME_HEADER; at + CELL <= end; at += CELL, ++*count) {
        double cell = armtap_be_double(bytes + at), magnitude = cell < 0 ? -cell : cell;
        *odd += cell != 0 && !(magnitude >= CELL_MIN && magnitude <= CELL_MAX);
    }
    return *odd > 2 + *count / 10;
}

/* Whether the values of a packet of `size` bytes are plausible; `end` bytes are present. */
static bool is_plausible(const uint8_t *bytes, size_t size, size_t end, struct armtap_line *doubt)
{
    uint8_t first[CELL] = {0}; /* enough for its size, even if cut */
    size_t odd, count, here = end - ARMTAP_REALTIME_LENGTH_WORD;
    memcpy(first, bytes + ARMTAP_REALTIME_LENGTH_WORD, here < CELL ? here : CELL);
    double clock = armtap_be_double(first);
    if (!armtap_realtime_clock_fits(clock)) {
        armtap_line_format(doubt, "begins like a realtime packet of %u bytes, but its clock would be ", (uint64_t)size);
        armtap_line_double(doubt, clock);
        armtap_line_string(doubt, " s");
        return false;
    }
    if (!has_odd_cells(bytes, end, &odd, &count))
        return true;
    armtap_line_format(doubt, "begins like a realtime packet of %u bytes, but %u of its %u cells are implausible",
                       (uint64_t)size, (uint64_t)odd, (uint64_t)count);
    return false;
}

static enum armtap_fit identify_packet(struct armtap_subject *subject, struct armtap_line *doubt)
{
    size_t size = armtap_be32(subject->bytes);
    subject->direction = ARMTAP_FROM_ROBOT;
    subject->generation = armtap_realtime_generation(size);
    subject->version = (int)size;
    subject->values_at = ARMTAP_REALTIME_LENGTH_WORD;
    subject->length = size < subject->length ? size : subject->length;
    return is_plausible(subject->bytes, size, subject->length, doubt) ? ARMTAP_FIT_YES : ARMTAP_FIT_MAYBE;
}

enum armtap_fit armtap_realtime_identify(struct armtap_subject *subject, bool directed, bool named,
                                         struct armtap_line *doubt)
{
    bool may_be_packet = !directed || subject->direction == ARMTAP_FROM_ROBOT;
    bool may_be_line = !directed || subject->direction == ARMTAP_TO_ROBOT;
    bool has_size =
        subject->length >= ARMTAP_REALTIME_LENGTH_WORD && armtap_realtime_size_fits(armtap_be32(subject->bytes));
    subject->recipe = NULL;
    if (has_size && (may_be_packet || !named)) { /* give the doubt in either direction */
        enum armtap_fit fit = identify_packet(subject, doubt);
        return fit == ARMTAP_FIT_YES && !may_be_packet ? ARMTAP_FIT_NO : fit;
    }
    if (!may_be_line || !((named && directed) || is_printable(subject->bytes, subject->length)))
        return ARMTAP_FIT_NO;
    enum armtap_fit fit = armtap_urscript_identify(subject, doubt);
    if (fit != ARMTAP_FIT_NO && !named && !armtap_urscript_is_statement(subject->bytes, subject->length))
        armtap_line_format(doubt, "text, which may be of any protocol");
    return fit;
}
