/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_REGEX_H
#define PX_WIRE_REGEX_H

#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* The compact forms in which hosts give the nodes of a job and the ranks on them (docs/wire-format.md, "Maps"):
 *   pmix[n[3:1-3,10],m[1:1]]    node names: prefix, digits, ranges, an optional suffix after the bracket
 *   pmix[0-3;4-7]               ranks per node
 *   raw:a,b,c                   a list as it is
 *   blob:\0component=zlib:\0size=N:\0<N bytes>   the list deflated
 *   a,b,c                       a list without a tag
 * Results are malloc'd and the caller's. Input is hostile: what is malformed, or grows beyond PX_REGEX_MAX, is
 * PMIX_ERR_BAD_PARAM. Any thread. */

enum { PX_REGEX_MAX = 1 << 24 }; /* names, or ranks, that one text may stand for */

/* Bytes that a text takes, with its last NUL, at most limit. PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER when it does
 * not end before, PMIX_ERR_UNPACK_FAILURE when a blob's head is malformed. O(length). */
int px_regex_length(const char *regex, size_t limit, size_t *ret_len);

/* The node names, in order, as a NULL-terminated array (PMIx_Argv_free releases it). len as px_regex_length would
 * say, or SIZE_MAX for trusted text. */
int px_regex_nodes(const char *regex, size_t len, char ***ret_names, size_t *ret_n);

/* The ranks of one node of a map. */
struct px_rank_list {
    uint32_t *ranks;
    size_t n;
};

/* One list per node, in order; empty fields give empty lists. */
int px_regex_ranks(const char *ppn, size_t len, struct px_rank_list **ret_lists, size_t *ret_n);
void px_rank_lists_free(struct px_rank_list *lists, size_t n); /* takes NULL */

/* The same, as text ("0,1,2") per node. */
int px_regex_rank_texts(const char *ppn, size_t len, char ***ret_texts, size_t *ret_n);

/* Compact text, without any NUL but the last, for a comma-separated list of names and for a semicolon-separated
 * list of rank ranges. The order is kept. */
int px_regex_make_nodes(const char *list, char **ret_regex);
int px_regex_make_ranks(const char *list, char **ret_regex);

#endif
