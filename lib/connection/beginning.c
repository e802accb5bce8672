/* What a robot's first bytes are, for those who wanted one protocol and may have got another. */
#include "connection.h"

/* How well first bytes fit a decoder: WELL if they tell it from others, MORE if further bytes may, else NO. */
static enum armtap_fit fits(const struct armtap_decoder *decoder, const struct armtap_beginning_bytes *first)
{
    enum armtap_fit fit = armtap_decoder_begins(decoder, ARMTAP_FROM_ROBOT, first->bytes, first->length);
    bool is_of_port = decoder->info.protocol == first->port;
    if (fit == ARMTAP_FIT_MORE)
        return fit;
    return fit >= ARMTAP_FIT_YES || (fit == ARMTAP_FIT_MAYBE && is_of_port) ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

/* Whether the bytes may be of the protocol that is wanted. */
static enum armtap_fit fits_wanted(const struct armtap_beginning_bytes *first)
{
    const struct armtap_decoder *wanted = armtap_decoder_for(first->wanted);
    return wanted ? armtap_decoder_begins(wanted, ARMTAP_FROM_ROBOT, first->bytes, first->length) : ARMTAP_FIT_NO;
}

enum armtap_protocol armtap_conn_begins_with(const struct armtap_beginning_bytes *first, bool *more, size_t *message)
{
    const struct armtap_decoder *decoder;
    enum armtap_fit wanted = fits_wanted(first);
    *more = wanted == ARMTAP_FIT_MORE;
    *message = 0;
    if (wanted >= ARMTAP_FIT_MORE)
        return *more ? ARMTAP_PROTOCOL_NONE : first->wanted;
    for (size_t i = 0; (decoder = armtap_decoder_at(i)); i++) {
        enum armtap_fit fit = fits(decoder, first);
        *more |= fit == ARMTAP_FIT_MORE;
        if (fit != ARMTAP_FIT_WELL)
            continue;
        long length = decoder->frame(NULL, ARMTAP_FROM_ROBOT, first->bytes, first->length);
        *message = length > 0 ? (size_t)length : 0;
        return decoder->info.protocol;
    }
    return ARMTAP_PROTOCOL_NONE;
}
