/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_REGEX_H
#define PX_WIRE_REGEX_H

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

struct px_piece;

/* Node maps and process maps: the compact forms in which hosts give the nodes of a job and the
 * ranks on them (docs/wire-format.md, "Maps"):
 *
 *     pmix[n[3:1-3,10],m[1:1]]             node names: prefix, digits, ranges; a suffix may follow
 *     pmix[0-3;4-7]                        ranks per node
 *     raw:a,b,c                            a list as it is
 *     blob:\0component=zlib:\0size=N:\0    followed by N bytes: the list, deflated
 *     a,b,c                                a list without a tag
 *
 * Results are malloc'd and the caller's. Any thread. */
enum {
    PX_REGEX_NODES = 1 << 20, /* names that one text may stand for */
    PX_REGEX_RANKS = 1 << 24, /* ranks, in all lists together */
};

/* The number of bytes of a map, with its last NUL, at most limit (SIZE_MAX: the text is trusted to
 * end). 0, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER (no end within the limit),
 * PMIX_ERR_UNPACK_FAILURE (malformed head of a blob). O(length). */
int px_regex_length(const char *regex, size_t limit, size_t *ret_len);

/* The functions below take a text of at most len bytes (SIZE_MAX: it is known to end), which they
 * borrow for the call. They return 0, PMIX_ERR_BAD_PARAM (the text is malformed or stands for too
 * much), or PMIX_ERR_NOMEM; outputs are set on success only. */

/* The node names in order, NULL-terminated, released with PMIx_Argv_free. Empty names are
 * skipped. */
int px_regex_nodes(const char *regex, size_t len, char ***ret_names, size_t *ret_n);

/* The ranks on one node. */
struct px_rank_list {
    uint32_t *ranks; /* as given: not sorted, doubles kept */
    size_t n;
};

/* One list per node, in order; an empty field gives an empty list. An empty text gives *ret_n 0.
 * Release the lists with px_rank_lists_free. */
int px_regex_ranks(const char *ppn, size_t len, struct px_rank_list **ret_lists, size_t *ret_n);
void px_rank_lists_free(struct px_rank_list *lists, size_t n); /* takes NULL */

/* Cuts a piece off the front of `rest`, up to the next `mark`, which is dropped, or to the end.
 * False if nothing is left (rest->at is NULL). A text that ends with the mark has an empty last
 * piece. */
bool px_map_cut(struct px_piece *rest, char mark, struct px_piece *ret_piece);

/* Reads a decimal number. True if the text is digits only, at least one, and the number at most
 * max; otherwise *ret is unchanged. */
bool px_map_number(struct px_piece text, uint32_t max, uint32_t *ret);

#endif
