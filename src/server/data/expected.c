/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "expected.h"

#include <pmix_server.h>

#include "nspace.h"
#include "src/base/assert.h"
#include "src/nspace/job_pack.h"
#include "src/server/state.h"

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

/* A namespace that is unknown here has no local processes: all of it is on other nodes. */
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
