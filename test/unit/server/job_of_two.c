/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "job_of_two.h"

#include <unistd.h>

pmix_server_module_t job_of_two_module;

int job_of_two_start(void **state)
{
    pmix_nspace_t nspace;
    pmix_proc_t proc;
    int rc;

    (void) state;
    PMIX_LOAD_NSPACE(nspace, JOB);
    rc = PMIx_server_init(&job_of_two_module, NULL, 0);
    rc = rc ? rc : PMIx_server_register_nspace(nspace, 2, NULL, 0, NULL, NULL);
    for (pmix_rank_t rank = 0; rank < 2 && !rc; rank++) {
        PMIX_LOAD_PROCID(&proc, JOB, rank);
        rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    }
    return rc;
}

int job_of_two_stop(void **state)
{
    (void) state;
    return PMIx_server_finalize();
}
