/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "expected.h"

#include <string.h>

#include <pmix_server.h>

#include "nspace.h"
#include "src/base/assert.h"
#include "src/nspace/job_pack.h"
#include "src/nspace/normal_form.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* Adds a process of this node that has a record. */
static void expect(struct px_expected *expected, const struct px_local_proc *local)
{
    if (local->departed) {
        expected->lost = true;
        return;
    }
    expected->n++;
    if (local->waits) {
        expected->rows[(local->waits - 1) / 64] |= UINT64_C(1) << (local->waits - 1) % 64;
    }
}

/* Adds all of a namespace: the registered number of local processes, or those with a record if
 * there are more, less the departed ones. The job's size shows whether there are others. */
static void expect_all(struct px_expected *expected, const struct px_nspace *ns)
{
    uint32_t registered = ns->n_local > 0 ? (uint32_t) ns->n_local : 0;
    uint32_t known = 0;

    px_list_for(const struct px_local_proc, local, &ns->rank_list, link) {
        known++;
        expect(expected, local);
    }
    expected->n += registered > known ? registered - known : 0;
    expected->remote |=
        px_job_number(ns->store, PMIX_JOB_SIZE, 0) > (registered ? registered : known);
}

/* Adds one process, which counts as soon as it is known to be local, before it connects. */
static void expect_rank(struct px_expected *expected, const struct px_nspace *ns, pmix_rank_t rank)
{
    const struct px_local_proc *local = px_local_proc_find(ns, rank);

    if (local) {
        expect(expected, local);
    } else if (px_nspace_is_local(ns, rank)) {
        expected->n++;
    } else {
        expected->remote = true;
    }
}

/* True if the host has registered all the processes of the namespace that it has here. */
static bool all_recorded(const struct px_nspace *ns)
{
    int registered = 0;

    px_list_for(const struct px_local_proc, local, &ns->rank_list, link) {
        registered += local->registered;
    }
    return ns->n_local >= 0 && registered >= ns->n_local;
}

/* Adds those of n ranks of a namespace that have a record: by as many searches among the ranks,
 * which are sorted. No other is of this node. */
static void expect_recorded(struct px_expected *expected, const struct px_nspace *ns,
                            const pmix_proc_t *ranks, size_t n)
{
    pmix_proc_t proc = ranks[0];
    size_t found = 0;

    px_list_for(const struct px_local_proc, local, &ns->rank_list, link) {
        proc.rank = local->rank;
        if (px_procs_ordered_has(ranks, n, &proc)) {
            expect(expected, local);
            found++;
        }
    }
    expected->remote |= found < n;
}

/* Adds the n processes of one namespace of a set in normal form. */
static void expect_run(struct px_expected *expected, const struct px_nspace *ns,
                       const pmix_proc_t *run, size_t n)
{
    if (run[0].rank == PMIX_RANK_WILDCARD) {
        expect_all(expected, ns);
    } else if (ns->n_ranks < n && all_recorded(ns)) {
        expect_recorded(expected, ns, run, n);
    } else {
        for (size_t i = 0; i < n; i++) {
            expect_rank(expected, ns, run[i].rank);
        }
    }
}

/* A set that is looked for one namespace after the other. */
struct look {
    struct px_expected *expected;
    const pmix_proc_t *set;
    const struct px_nspace_runs *runs;
    size_t n_found; /* namespaces */
};

/* Adds the processes of one of its namespaces. */
static void look_at_run(struct look *look, const struct px_nspace *ns, size_t which)
{
    size_t first = px_nspace_run_first(look->runs, which);

    look->n_found++;
    expect_run(look->expected, ns, &look->set[first], look->runs->ends[which] - first);
}

/* Adds the processes of a namespace, if the set has any. */
static int look_for(void *arg, const void *key, size_t len, void *value)
{
    struct look *look = arg;
    const struct px_nspace *ns = value;
    size_t first = 0;
    size_t behind = look->runs->n;

    (void) key, (void) len;
    while (first < behind) {
        size_t middle = first + (behind - first) / 2;
        const pmix_proc_t *run = &look->set[px_nspace_run_first(look->runs, middle)];
        int order = strncmp(run->nspace, ns->name, PMIX_MAX_NSLEN);

        if (order == 0) {
            look_at_run(look, ns, middle);
            return 0;
        }
        first = order < 0 ? middle + 1 : first;
        behind = order < 0 ? behind : middle;
    }
    return 0;
}

/* If the set has more namespaces than this server knows, the known ones are searched for in the
 * set. A namespace that is unknown here has no local processes: all of it is on other nodes. */
struct px_expected px_expected_of_set(struct px_server *s, const pmix_proc_t *set,
                                      const struct px_nspace_runs *runs)
{
    struct px_expected expected = {0};
    struct look look = {.expected = &expected, .set = set, .runs = runs};

    px_assert(px_loop_inside(s->loop));
    if (runs->n > s->nspaces.used) {
        (void) px_map_each(&s->nspaces, look_for, &look);
    }
    for (size_t i = 0; runs->n <= s->nspaces.used && i < runs->n; i++) {
        const char *name = set[px_nspace_run_first(runs, i)].nspace;
        const struct px_nspace *ns = px_nspace_find(s, name);

        if (ns) {
            look_at_run(&look, ns, i);
        }
    }
    expected.remote |= look.n_found < runs->n;
    return expected;
}

struct px_expected px_expected_of(struct px_server *s, const pmix_proc_t *procs, size_t n)
{
    struct px_expected expected = {0};
    struct px_nspace *ns = NULL;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; i < n; i++) {
        ns = px_nspace_next(s, procs, i, ns);
        if (!ns) {
            expected.remote = true;
        } else if (procs[i].rank == PMIX_RANK_WILDCARD) {
            expect_all(&expected, ns);
        } else {
            expect_rank(&expected, ns, procs[i].rank);
        }
    }
    return expected;
}
