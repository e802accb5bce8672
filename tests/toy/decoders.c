/* The library's list of decoders, plus the toy: the program links this instead of lib/protocol/decoder.c. */
#define ARMTAP_DECODERS "../tests/toy/decoders.def"
#include "protocol/decoder.c"
