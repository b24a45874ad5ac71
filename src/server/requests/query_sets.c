/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One walk over the list of all sets for each answer; a range of processes is looked for in the
 * members of each. */

#include "query_sets.h"

#include "src/base/array.h"
#include "src/nspace/query_args.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/proc_match.h"

/* This server knows the sets of one session: its own. */
pmix_data_range_t px_sets_range(const pmix_query_t *query)
{
    const pmix_value_t *range = px_query_qualifier(query, PMIX_RANGE);

    if (!range) {
        return PMIX_RANGE_SESSION;
    }
    return range->type == PMIX_DATA_RANGE ? range->data.range : PMIX_RANGE_INVALID;
}

/* True if the set has a process of the asker's namespace. */
static bool is_of_job(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    pmix_proc_t job;

    PMIX_LOAD_PROCID(&job, asked->asker->nspace, PMIX_RANK_WILDCARD);
    return px_procs_overlap(set->members, set->n, &job, 1);
}

/* True if the set has a client of this server. */
static bool is_here(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    return px_expected_of(asked->s, set->members, set->n).n > 0;
}

static bool is_in_range(const struct px_sets_asked *asked, const struct px_proc_set *set)
{
    switch (asked->range) {
    case PMIX_RANGE_PROC_LOCAL:
        return px_procs_overlap(set->members, set->n, asked->asker, 1);
    case PMIX_RANGE_NAMESPACE:
        return is_of_job(asked, set);
    case PMIX_RANGE_LOCAL:
        return is_here(asked, set);
    case PMIX_RANGE_SESSION:
    case PMIX_RANGE_GLOBAL:
    case PMIX_RANGE_UNDEF:
        return true;
    default:
        return false;
    }
}

const struct px_proc_set *px_sets_next(const struct px_sets_asked *asked,
                                       const struct px_proc_set *from)
{
    const struct px_proc_set *set = from;

    do {
        set = px_proc_set_next(asked->s->proc_sets, set, asked->kind, NULL, asked->member);
    } while (set && !is_in_range(asked, set));
    return set;
}

size_t px_sets_count(const struct px_sets_asked *asked)
{
    const struct px_proc_set *set = NULL;
    size_t n = 0;

    while ((set = px_sets_next(asked, set))) {
        n++;
    }
    return n;
}

int px_sets_names(const struct px_sets_asked *asked, char ***ret, size_t *ret_n)
{
    const struct px_proc_set *set = NULL;
    size_t room = 0;
    int rc = PMIX_SUCCESS;

    *ret = NULL;
    *ret_n = 0;
    while (!rc && (set = px_sets_next(asked, set))) {
        rc = px_array_room(ret, *ret_n, &room, sizeof(**ret));
        if (!rc) {
            (*ret)[(*ret_n)++] = set->name;
        }
    }
    return rc;
}
