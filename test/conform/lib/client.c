/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The life of a rank or a tool: a process of its own, started with what its host gave it. */

#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pmix_proc_t me;

static void be_rank(const struct conform_case *c)
{
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    if (!check_status(PMIX_SUCCESS, rc, "PMIx_Init")) {
        return;
    }
    check(strcmp(me.nspace, self.job) == 0 && (int) me.rank == self.rank, "PMIx_Init says %s:%u",
          me.nspace, me.rank);
    world_check_rank();
    if (c->client != NULL) {
        c->client();
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "PMIx_Finalize");
}

int client_main(void)
{
    const char *about = getenv("CONFORM_SELF");
    const struct conform_case *c;
    int before;
    int more;

    if (about != NULL) {
        sscanf(about, "%d:%d:%d:%255s", &self.node, &self.rank, &self.tool, self.job);
    }
    c = the_case();
    world_enter_rank();
    before = open_descriptors();
    if (self.tool >= 0) {
        c->tool();
    } else if (c->raw || c->alone) {
        PMIX_LOAD_PROCID(&me, self.job, (pmix_rank_t) self.rank);
        c->client();
    } else {
        be_rank(c);
    }
    more = open_descriptors() - before;
    check(c->dirty || more <= 0, "%d descriptors were left open", more);
    return 0;
}
