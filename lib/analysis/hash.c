#define _POSIX_C_SOURCE 200809L
#include "system.h"

#include <string.h>

#include "armtap-analysis.h"
#include "inside.h"

struct sip {
    uint64_t v0, v1, v2, v3;
};

/* If the kernel has no random numbers yet, an address is better than a constant. */
struct armtap_hash_key armtap_hash_draw_key(void)
{
    struct armtap_hash_key key;
    if (system_random(&key, sizeof key))
        return key;
    key.word[0] = key.word[1] = (uint64_t)(uintptr_t)&armtap_hash_draw_key;
    return key;
}

static uint64_t rotated(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static void turn(struct sip *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotated(s->v1, 13) ^ s->v0;
    s->v3 = rotated(s->v3, 16) ^ s->v2;
    s->v0 = rotated(s->v0, 32) + s->v3;
    s->v2 += s->v1;
    s->v1 = rotated(s->v1, 17) ^ s->v2;
    s->v3 = rotated(s->v3, 21) ^ s->v0;
    s->v2 = rotated(s->v2, 32);
}

static struct sip begin(const struct armtap_hash_key *key)
{
    return (struct sip){key->word[0] ^ UINT64_C(0x736f6d6570736575), key->word[1] ^ UINT64_C(0x646f72616e646f6d),
                        key->word[0] ^ UINT64_C(0x6c7967656e657261), key->word[1] ^ UINT64_C(0x7465646279746573)};
}

static void take(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    turn(s);
    s->v0 ^= word;
}

static uint64_t end(struct sip *s)
{
    s->v2 ^= 0xff;
    for (int i = 0; i < 3; i++)
        turn(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

uint64_t armtap_hash_text(const struct armtap_hash_key *key, const char *text)
{
    struct sip s = begin(key);
    size_t length = strlen(text), at = 0;
    uint64_t word = 0;
    for (; length - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        take(&s, word);
    }
    word = 0;
    memcpy(&word, text + at, length - at);
    take(&s, word ^ (uint64_t)length << 56);
    return end(&s);
}

uint64_t armtap_hash_numbers(const struct armtap_hash_key *key, uint64_t a, uint64_t b)
{
    struct sip s = begin(key);
    take(&s, a);
    take(&s, b);
    return end(&s);
}
