/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* px_hash_bytes is part of the segment format and public, so anybody can make any number of strings
 * with one hash value. Where that matters this hash is used: SipHash of J.-P. Aumasson and D. J.
 * Bernstein, with one round per word and three at the end. */

#include "src/base/seed.h"

#include <sys/random.h>
#include <time.h>

#include "src/base/atomic.h"

/* The four words of SipHash's internal state. */
struct state {
    uint64_t a;
    uint64_t b;
    uint64_t c;
    uint64_t d;
};

static inline uint64_t rotate(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

/* One round. */
static inline void mix(struct state *s)
{
    s->a += s->b;
    s->c += s->d;
    s->b = rotate(s->b, 13) ^ s->a;
    s->d = rotate(s->d, 16) ^ s->c;
    s->a = rotate(s->a, 32);
    s->c += s->b;
    s->a += s->d;
    s->b = rotate(s->b, 17) ^ s->c;
    s->d = rotate(s->d, 21) ^ s->a;
    s->c = rotate(s->c, 32);
}

/* Absorbs one word of the message, with one round. */
static inline void take(struct state *s, uint64_t word)
{
    s->d ^= word;
    mix(s);
    s->a ^= word;
}

/* The next len <= 8 bytes, little-endian. */
static inline uint64_t load(const unsigned char *p, size_t len)
{
    uint64_t word = 0;

    for (size_t i = 0; i < len; i++) {
        word |= (uint64_t) p[i] << (8 * i);
    }
    return word;
}

uint64_t px_sip_hash(const uint64_t key[2], const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    size_t left = len;
    struct state s = {
        .a = key[0] ^ UINT64_C(0x736f6d6570736575),
        .b = key[1] ^ UINT64_C(0x646f72616e646f6d),
        .c = key[0] ^ UINT64_C(0x6c7967656e657261),
        .d = key[1] ^ UINT64_C(0x7465646279746573),
    };

    for (; left >= 8; left -= 8, p += 8) {
        take(&s, load(p, 8));
    }
    take(&s, load(p, left) | (uint64_t) len << 56);
    s.c ^= 0xff;
    mix(&s);
    mix(&s);
    mix(&s);
    return s.a ^ s.b ^ s.c ^ s.d;
}

/* The key of this process. 0: not chosen yet. Atomic words; the first thread that needs one chooses
 * it. */
static uint64_t own_key[2];

/* Word i of the key, chosen at first use. Two threads that choose at once agree by px_cas. */
static uint64_t own_word(unsigned i)
{
    uint64_t word = px_load_acquire(&own_key[i]); /* pairs with the px_cas below */
    struct timespec now = {0};

    if (__builtin_expect(word != 0, 1)) {
        return word;
    }
    if (getrandom(&word, sizeof(word), GRND_NONBLOCK) != sizeof(word)) {
        /* the kernel has no randomness yet, soon after boot: clock and stack address instead */
        (void) clock_gettime(CLOCK_MONOTONIC, &now);
        word = (uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec ^ (uint64_t) (uintptr_t) &now;
    }
    (void) px_cas(&own_key[i], 0, word | 1);
    return px_load_acquire(&own_key[i]);
}

uint64_t px_seeded_hash(const void *bytes, size_t len)
{
    uint64_t key[2] = {own_word(0), own_word(1)};

    return px_sip_hash(key, bytes, len);
}
