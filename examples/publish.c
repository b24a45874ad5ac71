/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publish and lookup: finding data by name, without knowing who has it; the way in which separate
 * jobs meet.
 *
 *     pmixrun -n 3 examples/publish
 */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "publish: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void publish(void)
{
    pmix_info_t *info = PMIx_Info_create(2);
    uint32_t port = 4711;

    check(PMIx_Info_load(&info[0], "example.address", "here", PMIX_STRING), "load");
    check(PMIx_Info_load(&info[1], "example.port", &port, PMIX_UINT32), "load");
    check(PMIx_Publish(info, 2), "publish");
    PMIx_Info_free(info, 2);
}

/* PMIX_WAIT: until the names are there (0: all of them); PMIX_TIMEOUT: but not longer than this. */
static void look_up(pmix_rank_t rank)
{
    int all = 0;
    int seconds = 60;
    pmix_info_t *how = PMIx_Info_create(2);
    pmix_pdata_t *data = PMIx_Pdata_create(2);

    check(PMIx_Info_load(&how[0], PMIX_WAIT, &all, PMIX_INT), "load");
    check(PMIx_Info_load(&how[1], PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
    PMIX_LOAD_KEY(data[0].key, "example.address");
    PMIX_LOAD_KEY(data[1].key, "example.port");
    check(PMIx_Lookup(data, 2, how, 2), "lookup");
    printf("rank %u finds %s:%u, published by rank %u\n", rank, data[0].value.data.string,
           data[1].value.data.uint32, data[0].proc.rank);
    PMIx_Pdata_free(data, 2);
    PMIx_Info_free(how, 2);
}

static void withdraw(void)
{
    char address[] = "example.address";
    char port[] = "example.port";
    char *keys[] = {address, port, NULL};
    pmix_pdata_t *data = PMIx_Pdata_create(1);

    check(PMIx_Unpublish(keys, NULL, 0), "unpublish");
    PMIX_LOAD_KEY(data[0].key, "example.address");
    if (PMIx_Lookup(data, 1, NULL, 0) == PMIX_SUCCESS) {
        check(PMIX_ERR_DUPLICATE_KEY, "what was withdrawn is still there");
    }
    PMIx_Pdata_free(data, 1);
}

int main(void)
{
    pmix_proc_t me;

    check(PMIx_Init(&me, NULL, 0), "init (is this program started by pmixrun?)");
    if (me.rank == 0) {
        publish();
    }
    look_up(me.rank);
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence"); /* until all have found it */
    if (me.rank == 0) {
        withdraw();
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
