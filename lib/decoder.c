#include "decoder.h"

#include <string.h>

#define DECODER(name) extern const struct armtap_decoder armtap_decoder_##name;
#include "../decoders/decoders.def"
#undef DECODER

static const struct armtap_decoder *const decoders[] = {
#define DECODER(name) &armtap_decoder_##name,
#include "../decoders/decoders.def"
#undef DECODER
};
#define DECODERS (sizeof decoders / sizeof decoders[0])

const struct armtap_decoder *armtap_decoder_at(size_t i)
{
    return i < DECODERS ? decoders[i] : NULL;
}

const struct armtap_decoder *armtap_decoder_for(enum armtap_protocol protocol)
{
    for (size_t i = 0; i < DECODERS; i++)
        if (decoders[i]->protocol == protocol)
            return decoders[i];
    return NULL;
}

const char *armtap_protocol_name(enum armtap_protocol protocol)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(protocol);
    return decoder ? decoder->name : NULL;
}

enum armtap_protocol armtap_protocol_find(const char *name)
{
    for (size_t i = 0; name && i < DECODERS; i++)
        if (strcmp(decoders[i]->name, name) == 0)
            return decoders[i]->protocol;
    return ARMTAP_PROTOCOL_NONE;
}

const char *armtap_direction_name(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? "from the robot" : direction == ARMTAP_TO_ROBOT ? "to the robot" : "";
}

bool armtap_port_at(size_t number, struct armtap_port *port)
{
    for (size_t i = 0; port && i < DECODERS; i++)
        for (const uint16_t *p = decoders[i]->ports; *p; p++)
            if (number-- == 0) {
                *port = (struct armtap_port){*p, decoders[i]->protocol};
                return true;
            }
    return false;
}
