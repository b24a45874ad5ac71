/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Where the ranks of the large job are, and what all of them posted. */

#include "scale.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned n_ranks;

void scale_set(unsigned ranks)
{
    n_ranks = ranks;
}

unsigned scale_node(unsigned rank)
{
    return rank < SCALE_LOCAL ? 0 : 1 + (rank - SCALE_LOCAL) / SCALE_PER_NODE;
}

unsigned scale_local_rank(unsigned rank)
{
    return rank < SCALE_LOCAL ? rank : (rank - SCALE_LOCAL) % SCALE_PER_NODE;
}

void scale_node_name(unsigned node, char ret[SCALE_TEXT])
{
    if (node) {
        snprintf(ret, SCALE_TEXT, "scale%05u", node);
    } else {
        gethostname(ret, SCALE_TEXT);
        ret[SCALE_TEXT - 1] = '\0';
    }
}

void scale_value(unsigned rank, char ret[SCALE_POSTED])
{
    memset(ret, 'v', SCALE_POSTED);
    for (unsigned i = 8; i-- > 0; rank /= 10) {
        ret[i] = (char) ('0' + rank % 10);
    }
}

enum { HEAD = 24, LENGTH = 8, ORIGIN = 16, RANK_BYTES = 5 };

struct pattern {
    size_t size;
    size_t rank_at;  /* one byte, of rank 0 */
    size_t value_at; /* SCALE_POSTED bytes */
};

/* A number in groups of seven bits, lowest first. UINT64_MAX: there is none. */
static uint64_t take_number(const char *data, size_t len, size_t *at)
{
    uint64_t number = 0;

    for (unsigned shift = 0; *at < len && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char) data[(*at)++];

        number |= (uint64_t) (byte & 127) << shift;
        if (byte < 128) {
            return number;
        }
    }
    return UINT64_MAX;
}

/* This library's answer of one node is a head (docs/wire-format.md: 8 bytes of length at 8, little
 * endian, the origin at 16) and one part for each rank. That of rank 0 is whole: flags that say
 * that it is named, the name, the rank, two numbers, the length of its values, and these. It is the
 * pattern for all ranks. Another layout is refused (no data), and the clients then fail. */
static bool pattern(const char *data, size_t len, struct pattern *ret)
{
    char value[SCALE_POSTED];
    size_t at = HEAD + 1;
    const char *found;
    uint64_t n;

    if (len <= HEAD || data[HEAD] != 1) {
        return false;
    }
    n = take_number(data, len, &at) / 2; /* of a string: signed, and folded */
    if (n >= len - at) {
        return false;
    }
    at += n;
    ret->rank_at = at - HEAD;
    if (take_number(data, len, &at) != 0) {
        return false;
    }
    (void) take_number(data, len, &at);
    (void) take_number(data, len, &at);
    n = take_number(data, len, &at);
    if (n > len - at) {
        return false;
    }
    scale_value(0, value);
    found = memmem(data + at, n, value, SCALE_POSTED);
    ret->size = at + n - HEAD;
    ret->value_at = found ? (size_t) (found - data) - HEAD : 0;
    return found != NULL;
}

static char *put_rank(char *at, unsigned rank)
{
    for (; rank > 127; rank >>= 7) {
        *at++ = (char) (rank | 128);
    }
    *at++ = (char) rank;
    return at;
}

static char *put_record(char *at, const char *from, const struct pattern *p, unsigned rank)
{
    size_t between = p->value_at - p->rank_at - 1;
    size_t after = p->size - p->value_at - SCALE_POSTED;

    memcpy(at, from, p->rank_at);
    at = put_rank(at + p->rank_at, rank);
    memcpy(at, from + p->rank_at + 1, between);
    at += between;
    scale_value(rank, at);
    at += SCALE_POSTED;
    memcpy(at, from + p->value_at + SCALE_POSTED, after);
    return at + after;
}

char *scale_blob(const char *data, size_t len, size_t *ret_len)
{
    struct pattern p;
    char *all;
    char *at;

    *ret_len = 0;
    if (!len) {
        return NULL;
    }
    all = pattern(data, len, &p) ? malloc(HEAD + (p.size + RANK_BYTES) * n_ranks) : NULL;
    if (!all) {
        fprintf(stderr, "scale: a fence's data have another form than expected\n");
        return NULL;
    }
    at = all + HEAD;
    for (unsigned r = 0; r < n_ranks; r++) {
        at = put_record(at, data + HEAD, &p, r);
    }
    *ret_len = (size_t) (at - all);
    memcpy(all, data, HEAD);
    all[ORIGIN] ^= 1; /* another server's: what is one's own is not read */
    for (unsigned i = 0; i < 8; i++) {
        all[LENGTH + i] = (char) ((*ret_len - HEAD) >> (8 * i));
    }
    return all;
}
