#include "decoder.h"

#include <string.h>

#include "bytes.h"
#include "port.h"

#ifndef ARMTAP_DECODERS /* tests add decoders of their own */
#define ARMTAP_DECODERS "../decoders/decoders.def"
#endif

#define DECODER(name) extern const struct armtap_decoder armtap_decoder_##name;
#include ARMTAP_DECODERS
#undef DECODER

/* Those that were left out too. */
static const struct armtap_decoder *const decoders[] = {
#define DECODER(name) &armtap_decoder_##name,
#include ARMTAP_DECODERS
#undef DECODER
};
#define DECODERS (sizeof decoders / sizeof decoders[0])
_Static_assert(DECODERS <= ARMTAP_DECODERS_MAX, "a connection remembers what it knows by decoder");

const struct armtap_decoder *armtap_decoder_at(size_t number)
{
    for (size_t i = 0; i < DECODERS; i++)
        if (!decoders[i]->info.left_out && number-- == 0)
            return decoders[i];
    return NULL;
}

const struct armtap_decoder *armtap_decoder_for(enum armtap_protocol protocol)
{
    for (size_t i = 0; i < DECODERS; i++)
        if (decoders[i]->info.protocol == protocol && !decoders[i]->info.left_out)
            return decoders[i];
    return NULL;
}

const struct armtap_protocol_info *armtap_protocol_at(size_t i)
{
    return i < DECODERS ? &decoders[i]->info : NULL;
}

const struct armtap_protocol_info *armtap_protocol_info(enum armtap_protocol protocol)
{
    for (size_t i = 0; i < DECODERS; i++)
        if (decoders[i]->info.protocol == protocol)
            return &decoders[i]->info;
    return NULL;
}

bool armtap_protocol_has(enum armtap_protocol protocol, enum armtap_trait trait)
{
    const struct armtap_protocol_info *info = armtap_protocol_info(protocol);
    return info && (info->traits & (unsigned)trait) != 0;
}

const char *armtap_protocol_name(enum armtap_protocol protocol)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(protocol);
    return decoder ? decoder->info.name : NULL;
}

enum armtap_protocol armtap_protocol_find(const char *name)
{
    const struct armtap_decoder *decoder;
    for (size_t i = 0; name && (decoder = armtap_decoder_at(i)); i++)
        if (strcmp(decoder->info.name, name) == 0)
            return decoder->info.protocol;
    return ARMTAP_PROTOCOL_NONE;
}

const char *armtap_direction_name(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? "from the robot" : direction == ARMTAP_TO_ROBOT ? "to the robot" : "";
}

const char *armtap_text_kind_name(enum armtap_text_kind kind)
{
    static const char *const names[] = {"message", "error",   "exception", "popup",    "program", "safety", "request",
                                        "label",   "version", "hardware",  "variable", "other",   "reply"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "";
}

const char *armtap_command_ending_name(enum armtap_command_ending ending)
{
    static const char *const names[] = {"done", "sent", "abandoned", "failed", "replaced", "unfinished"};
    return (size_t)ending < sizeof names / sizeof names[0] ? names[ending] : "";
}

const char *armtap_command_evidence_name(enum armtap_command_evidence evidence)
{
    static const char *const names[] = {"script", "recipes", "packages"};
    return (size_t)evidence < sizeof names / sizeof names[0] ? names[evidence] : "";
}

/* Of a port in the table of decoders. Starts with zeros. */
struct place {
    size_t decoder, port;
};

/* The port at a place, which becomes that of the next one; false: there are no more. */
static bool next_port(struct place *place, struct armtap_port *port)
{
    for (; place->decoder < DECODERS; place->decoder++, place->port = 0) {
        const struct armtap_protocol_info *info = &decoders[place->decoder]->info;
        if (info->left_out || info->ports[place->port] == 0)
            continue;
        *port = (struct armtap_port){sizeof *port, info->ports[place->port++], info->protocol};
        return true;
    }
    return false;
}

bool armtap_port_at(size_t number, struct armtap_port *port)
{
    struct place place = {0, 0};
    struct armtap_port found = {.size = sizeof found};
    while (port && armtap_is_sized(port->size, sizeof *port) && next_port(&place, &found))
        if (number-- == 0) {
            found.size = port->size;
            *port = found;
            return true;
        }
    return false;
}

enum armtap_protocol armtap_port_protocol(uint16_t port)
{
    struct place place = {0, 0};
    struct armtap_port found = {.size = sizeof found};
    while (next_port(&place, &found))
        if (found.port == port)
            return found.protocol;
    return ARMTAP_PROTOCOL_NONE;
}
