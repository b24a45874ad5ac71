/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The node map lists the nodes of the job in order; field i of the process map lists the ranks that
 * run on node i.
 *
 * Example: node map "n1,n2", process map "0,1;2,3". Ranks 0 and 1 run on n1, ranks 2 and 3 on n2.
 * Hosts send the maps in the forms that PMIx_generate_regex and PMIx_generate_ppn make, as a
 * list, or raw (PMIX_NODE_MAP_RAW, PMIX_PROC_MAP_RAW); src/wire/regex.h reads them all. */

#include "maps.h"

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/assert.h"
#include "src/wire/regex.h"

/* The text of a map from either type of value, borrowed; a length of 0: there is none. A regex
 * without a size is one that was unpacked from a message; its own content bounds it. */
static int map_text(const pmix_value_t *value, const char **ret_text, size_t *ret_len)
{
    const char *text = NULL;
    size_t len = 0;
    int rc = PMIX_SUCCESS;

    if (value->type == PMIX_STRING) {
        text = value->data.string;
        len = text && text[0] ? strlen(text) + 1 : 0;
    } else if (value->type == PMIX_REGEX) {
        text = value->data.bo.bytes;
        if (text && text[0]) {
            rc = px_regex_length(text, value->data.bo.size ? value->data.bo.size : SIZE_MAX, &len);
        }
    } else {
        rc = PMIX_ERR_TYPE_MISMATCH;
    }
    if (rc) {
        return rc == PMIX_ERR_TYPE_MISMATCH ? rc : PMIX_ERR_BAD_PARAM;
    }
    *ret_text = text;
    *ret_len = len;
    return PMIX_SUCCESS;
}

/* A name that occurs twice is one node with two positions in the order. */
int px_job_node_map(struct px_job *job, const pmix_value_t *value)
{
    const char *text;
    size_t len;
    char **names = NULL;
    size_t n = 0;
    int rc = map_text(value, &text, &len);

    if (rc || !len) {
        return rc;
    }
    rc = px_regex_nodes(text, len, &names, &n);
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t index;

        rc = px_job_node(job, names[i], &index);
        rc = rc ? rc : px_ranks_add(&job->map_order, index);
    }
    job->has_node_map |= !rc;
    PMIx_Argv_free(names);
    return rc;
}

/* Places the ranks of one field on a node. A rank that two fields list is placed by the later one.
 * PMIX_ERR_BAD_PARAM: px_job_rank refused the rank. */
static int place_ranks(struct px_job *job, uint32_t node, const struct px_rank_list *list)
{
    px_assert(node < job->n_nodes);
    for (size_t i = 0; i < list->n; i++) {
        struct px_job_rank *rank = px_job_rank(job, list->ranks[i]);

        if (!rank) {
            return PMIX_ERR_BAD_PARAM;
        }
        rank->node = node;
    }
    return PMIX_SUCCESS;
}

/* A separator at the end makes an empty field beyond the nodes, which is accepted. */
int px_job_proc_map(struct px_job *job, const pmix_value_t *value)
{
    const char *text;
    size_t len;
    struct px_rank_list *lists = NULL;
    size_t n = 0;
    int rc = map_text(value, &text, &len);

    if (rc || !len) {
        return rc;
    }
    rc = px_regex_ranks(text, len, &lists, &n);
    if (rc) {
        return rc;
    }
    for (size_t i = 0; !rc && i < n; i++) {
        if (i < job->map_order.n) {
            rc = place_ranks(job, job->map_order.at[i], &lists[i]);
        } else if (lists[i].n) {
            rc = PMIX_ERR_BAD_PARAM;
        }
    }
    job->has_proc_map |= !rc;
    px_rank_lists_free(lists, n);
    return rc;
}
