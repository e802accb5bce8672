/* What few packets need, beside what all of them need. */
#ifndef ARMTAP_RARE_H
#define ARMTAP_RARE_H

/* A function that is not made part of its only caller: that one would save registers, and guard its stack, for it. */
#define ARMTAP_RARE __attribute__((noinline))

#endif
