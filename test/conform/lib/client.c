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

    if (!sound(rc == PMIX_SUCCESS, "PMIx_Init: %s", PMIx_Error_string(rc))) {
        setup_failed();
        return;
    }
    if (board->foreign) {
        self.rank = (int) me.rank;
        snprintf(self.job, sizeof(self.job), "%s", me.nspace);
        job_rename(me.nspace);
    }
    if (!sound(strcmp(me.nspace, self.job) == 0 && (int) me.rank == self.rank,
               "PMIx_Init says %s:%u", me.nspace, me.rank)) {
        setup_failed();
    }
    world_check_rank();
    if (c->client != NULL) {
        trial_begin();
        c->client();
        trial_end();
    }
    rc = PMIx_Finalize(NULL, 0);
    sound(rc == PMIX_SUCCESS, "PMIx_Finalize: %s", PMIx_Error_string(rc));
}

int client_main(void)
{
    const char *given = getenv("CONFORM_SELF");
    const struct conform_case *c;
    int before;
    int more;

    if (given != NULL) {
        sscanf(given, "%d:%d:%d:%255s", &self.node, &self.rank, &self.tool, self.job);
    } else if (board->foreign) {
        self.node = 0;
    }
    if (strcmp(self.job, FURTHER) == 0) {
        return further_main();
    }
    c = the_case();
    world_enter_rank();
    before = open_descriptors();
    if (self.tool >= 0) {
        trial_begin();
        c->tool();
        trial_end();
    } else if (c->raw || c->alone) {
        PMIX_LOAD_PROCID(&me, self.job, (pmix_rank_t) self.rank);
        trial_begin();
        c->client();
        trial_end();
    } else {
        be_rank(c);
    }
    more = open_descriptors() - before;
    sound(c->dirty || board->foreign || more <= 0, "%d descriptors were left open", more);
    return 0;
}
