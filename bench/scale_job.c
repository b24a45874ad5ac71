/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Where the ranks of the large job are, and what all of them posted. */

#include "scale.h"

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

void scale_locality(unsigned local_rank, char ret[SCALE_TEXT])
{
    snprintf(ret, SCALE_TEXT, "NM%u:SK%u:L3%u:L2%u:L1%u:CR%u:HT%u", local_rank / 64,
             local_rank / 64, local_rank / 8, local_rank, local_rank, local_rank, local_rank);
}

/* This library's answer of one node is a head (4 bytes of magic, 8 of length) and one record per
 * rank. The records of ranks 0 and 1, which posted the same, differ only in the last byte of the
 * rank (4 bytes, big endian): that is the pattern for all ranks. Another layout is refused (no
 * data), and the clients then fail. */
static size_t pattern(const char *data, size_t len, size_t *ret_rank_at)
{
    enum { HEAD = 12 };
    size_t size = len > HEAD ? (len - HEAD) / 2 : 0;
    size_t at = 0;

    while (at < size && data[HEAD + at] == data[HEAD + size + at]) {
        at++;
    }
    if ((len - HEAD) % 2 || at < 3 || at >= size ||
        memcmp(data + HEAD + at + 1, data + HEAD + size + at + 1, size - at - 1) != 0) {
        return 0;
    }
    *ret_rank_at = at - 3;
    return size;
}

char *scale_blob(const char *data, size_t len, size_t *ret_len)
{
    enum { HEAD = 12 };
    size_t rank_at;
    size_t size = len > HEAD ? pattern(data, len, &rank_at) : 0;
    size_t body = size * n_ranks;
    char *all = size ? malloc(HEAD + body) : NULL;

    *ret_len = 0;
    if (!all) {
        fprintf(stderr, "scale: a fence's data have another form than expected\n");
        return NULL;
    }
    memcpy(all, data, HEAD);
    for (unsigned i = 0; i < 8; i++) {
        all[4 + i] = (char) (body >> (8 * i));
    }
    for (unsigned r = 0; r < n_ranks; r++) {
        char *record = all + HEAD + size * r;

        memcpy(record, data + HEAD, size);
        for (unsigned i = 0; i < 4; i++) {
            record[rank_at + i] = (char) (r >> (24 - 8 * i));
        }
    }
    *ret_len = HEAD + body;
    return all;
}
