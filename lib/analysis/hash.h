/* A keyed hash of texts (SipHash-1-3, Aumasson and Bernstein): whoever chooses the names cannot choose them so that
 * they collide. Every table draws a key of its own. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

struct hash_key {
    uint64_t word[2];
};
struct hash_key hash_draw_key(void);
uint64_t hash_text(const struct hash_key *key, const char *text);
/* Of two numbers. */
uint64_t hash_numbers(const struct hash_key *key, uint64_t a, uint64_t b);

#endif
