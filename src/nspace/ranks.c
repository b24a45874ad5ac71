/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rank lists as text. The text is from hosts and peers: digits are checked one by one, a range must
 * not run backwards, and one list must not name more than PX_RANKS_MAX ranks, so that
 * "0-4294967295" costs nothing.
 *
 * There are two parsers: read_plain for lists without ranges and blanks, which is nearly every
 * list, and the general loop of px_ranks_parse, which takes over where the first one stops. */

#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix_common.h>

#include "src/base/assert.h"

/* First capacity at most, in ranks. */
enum { FEW = 1024 };

/* Changes the capacity; a lent array is copied to memory of the list's own. PMIX_ERR_NOMEM:
 * unchanged. */
static __attribute__((noinline)) int grow(struct px_ranks *ranks, size_t room)
{
    uint32_t *at = realloc(ranks->lent ? NULL : ranks->at, room * sizeof(*at));

    if (!at) {
        return PMIX_ERR_NOMEM;
    }
    if (ranks->lent) {
        memcpy(at, ranks->at, ranks->n * sizeof(*at));
    }
    ranks->at = at;
    ranks->room = room;
    ranks->lent = false;
    return PMIX_SUCCESS;
}

/* Inline for the loops of this file. */
static inline int append_rank(struct px_ranks *ranks, uint32_t rank)
{
    px_assert(ranks->n <= ranks->room);
    if (ranks->n == ranks->room && grow(ranks, ranks->room ? ranks->room * 2 : 8)) {
        return PMIX_ERR_NOMEM;
    }
    ranks->at[ranks->n++] = rank;
    return PMIX_SUCCESS;
}

int px_ranks_add(struct px_ranks *ranks, uint32_t rank)
{
    return append_rank(ranks, rank);
}

/* Blanks are accepted around every number; returns the position behind them. */
static inline const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return at;
}

/* Parses a number with blanks around it; returns the position behind it. NULL: no digit, or no
 * valid rank. */
static inline const char *parse_rank(const char *at, const char *end, uint32_t *ret)
{
    uint64_t v = 0;
    const char *from = skip_blanks(at, end);

    for (at = from; at < end && (unsigned char) (*at - '0') <= 9; at++) {
        v = v * 10 + (uint64_t) (*at - '0');
        if (v > PMIX_RANK_VALID) {
            return NULL;
        }
    }
    *ret = (uint32_t) v;
    return at == from ? NULL : skip_blanks(at, end);
}

/* Appends first to last. The limit counts from `base`, the length before this text. */
static int add_range(struct px_ranks *ranks, size_t base, uint32_t first, uint32_t last)
{
    if (last < first || last - first >= PX_RANKS_MAX ||
        ranks->n - base + (last - first) >= PX_RANKS_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (uint32_t r = first; r <= last; r++) {
        if (append_rank(ranks, r)) {
            return PMIX_ERR_NOMEM;
        }
    }
    return PMIX_SUCCESS;
}

/* Fast loop for the usual text of numbers and commas: reads as far as that holds and the memory
 * suffices, and returns the position behind. The general parser reads on from there. */
static const char *read_plain(struct px_ranks *ranks, const char *at, const char *end)
{
    size_t room = ranks->room - ranks->n;
    uint32_t *out = ranks->at + ranks->n;
    const uint32_t *limit = out + (room < PX_RANKS_MAX ? room : PX_RANKS_MAX);

    while (out < limit && at < end) {
        const char *from = at;
        uint32_t v = 0;

        for (; at < end && (unsigned char) (*at - '0') <= 9; at++) {
            v = v * 10 + (uint32_t) (*at - '0');
        }
        if (at == from || at - from > 9 || (at < end && *at != ',')) {
            at = from;
            break;
        }
        *out++ = v;
        at += at < end;
    }
    ranks->n = (size_t) (out - ranks->at);
    return at;
}

/* The capacity for a short list is reserved before, so that most texts are read by read_plain
 * alone. */
int px_ranks_parse(struct px_ranks *ranks, const char *text, size_t len)
{
    size_t base = ranks->n;
    const char *at = text;
    const char *end = text ? text + len : NULL;
    size_t guess = len / 2 + 1 < FEW ? len / 2 + 1 : FEW; /* what a short list holds at most */
    int rc = ranks->room ? PMIX_SUCCESS : grow(ranks, guess);

    at = rc ? at : read_plain(ranks, skip_blanks(at, end), end);
    while (!rc && at < end) {
        uint32_t first = 0;
        uint32_t last = 0;

        at = parse_rank(at, end, &first);
        last = first;
        if (at && at < end && *at == '-') {
            at = parse_rank(at + 1, end, &last);
        }
        if (!at || (at < end && *at != ',')) {
            rc = PMIX_ERR_BAD_PARAM;
            break;
        }
        rc = add_range(ranks, base, first, last);
        at += at < end;
    }
    if (rc) {
        ranks->n = base;
    }
    return rc;
}

/* Ranges are written out rank by rank, which every reader of PMIX_LOCAL_PEERS understands. */
char *px_ranks_text(const struct px_ranks *ranks)
{
    struct px_buf buf = {0};
    char number[16];

    for (size_t i = 0; i < ranks->n; i++) {
        (void) snprintf(number, sizeof(number), "%u", ranks->at[i]);
        px_buf_item(&buf, number);
    }
    return px_buf_take_text(&buf);
}

/* Only memory of the list itself is freed. */
void px_ranks_fini(struct px_ranks *ranks)
{
    if (!ranks->lent) {
        free(ranks->at);
    }
    *ranks = (struct px_ranks){0};
}
