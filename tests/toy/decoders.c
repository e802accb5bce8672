/* The library's list of decoders once more, with the toy in it: the program links this in place of lib/decoder.c. */
#define ARMTAP_DECODERS "../tests/toy/decoders.def"
#include "../../lib/decoder.c"
