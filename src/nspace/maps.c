/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The node map lists the nodes of the job in order; field i of the process map lists the ranks that
 * run on node i.
 *
 * Example: node map "n1,n2", process map "0,1;2,3". Ranks 0 and 1 run on n1, ranks 2 and 3 on n2.
 * Hosts send the maps in the forms that PMIx_generate_regex and PMIx_generate_ppn make, as a
 * list, or raw (PMIX_NODE_MAP_RAW, PMIX_PROC_MAP_RAW); src/wire/regex.h reads them all. */

#include "maps.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/assert.h"
#include "src/wire/regex.h"
#include "src/wire/regex2.h"

/* The text of a map. */
struct map_text {
    const char *at; /* borrowed from the value, or `owned` */
    size_t len;     /* with its NUL; 0: there is none */
    char *owned;    /* NULL, or what the reader frees */
};

/* The length of a regex. One without a size was unpacked from a message; its own content bounds
 * it. 0, PMIX_ERR_BAD_PARAM. */
static int regex_text(const pmix_byte_object_t *regex, struct map_text *ret_text)
{
    size_t len = 0;

    if (regex->bytes && regex->bytes[0] &&
        px_regex_length(regex->bytes, regex->size ? regex->size : SIZE_MAX, &len)) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret_text = (struct map_text){.at = regex->bytes, .len = len};
    return PMIX_SUCCESS;
}

/* The text of a string; NULL is an empty one. */
static struct map_text string_text(const char *string)
{
    size_t len = string ? strlen(string) : 0;

    return (struct map_text){.at = string, .len = len ? len + 1 : 0};
}

/* 0, PMIX_ERR_TYPE_MISMATCH (a value of another type), PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
static int map_text(const pmix_value_t *value, struct map_text *ret_text)
{
    char *list = NULL;
    int rc;

    switch (value->type) {
    case PMIX_STRING:
        *ret_text = string_text(value->data.string);
        return PMIX_SUCCESS;
    case PMIX_REGEX:
        return regex_text(&value->data.bo, ret_text);
    case PMIX_REGEX2:
        rc = value->data.regex2 ? px_regex2_list(value->data.regex2, &list) : PMIX_ERR_BAD_PARAM;
        if (rc) {
            return rc == PMIX_ERR_NOT_SUPPORTED ? PMIX_ERR_BAD_PARAM : rc;
        }
        *ret_text = string_text(list);
        ret_text->owned = list;
        return PMIX_SUCCESS;
    default:
        return PMIX_ERR_TYPE_MISMATCH;
    }
}

/* A name that occurs twice is one node with two positions in the order. */
int px_job_node_map(struct px_job *job, const pmix_value_t *value)
{
    struct map_text text = {0};
    char **names = NULL;
    size_t n = 0;
    int rc = map_text(value, &text);

    if (rc == PMIX_SUCCESS && text.len > 0) {
        rc = px_regex_nodes(text.at, text.len, &names, &n);
    }
    free(text.owned);
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t index;

        rc = px_job_node(job, names[i], &index);
        rc = rc ? rc : px_ranks_add(&job->map_order, index);
    }
    job->has_node_map |= !rc && text.len > 0;
    PMIx_Argv_free(names);
    return rc;
}

/* Places the ranks of one field on a node. A rank that two fields list is placed by the later one.
 * 0 or the status of px_job_rank. */
static int place_ranks(struct px_job *job, uint32_t node, const struct px_rank_list *list)
{
    px_assert(node < job->n_nodes);
    for (size_t i = 0; i < list->n; i++) {
        struct px_job_rank *rank;
        int rc = px_job_rank(job, list->ranks[i], &rank);

        if (rc) {
            return rc;
        }
        rank->node = node;
    }
    return PMIX_SUCCESS;
}

/* A separator at the end makes an empty field beyond the nodes, which is accepted. */
int px_job_proc_map(struct px_job *job, const pmix_value_t *value)
{
    struct map_text text = {0};
    struct px_rank_list *lists = NULL;
    size_t n = 0;
    int rc = map_text(value, &text);

    if (rc == PMIX_SUCCESS && text.len > 0) {
        rc = px_regex_ranks(text.at, text.len, &lists, &n);
    }
    free(text.owned);
    for (size_t i = 0; !rc && i < n; i++) {
        if (i < job->map_order.n) {
            rc = place_ranks(job, job->map_order.at[i], &lists[i]);
        } else if (lists[i].n) {
            rc = PMIX_ERR_BAD_PARAM;
        }
    }
    job->has_proc_map |= !rc && text.len > 0;
    px_rank_lists_free(lists, n);
    return rc;
}
