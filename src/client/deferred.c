/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "deferred.h"

#include <stdlib.h>

#include "request.h"
#include "src/base/bytes.h"

struct later_value {
    struct px_task task;
    pmix_status_t status;
    pmix_value_t *value;
    bool ours;
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
};

static void run_value(struct px_task *task)
{
    struct later_value *later = px_container_of(task, struct later_value, task);

    later->cbfunc(later->status, later->value, later->cbdata);
    if (later->ours && later->value != NULL) {
        PMIx_Value_free(later->value, 1);
    }
    free(later);
}

int px_defer_value(struct px_loop *loop, pmix_status_t status, pmix_value_t *value, bool ours,
                   pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct later_value *later = malloc(sizeof(*later));

    if (later == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *later = (struct later_value){.task.run = run_value,
                                  .status = status,
                                  .value = value,
                                  .ours = ours,
                                  .cbfunc = cbfunc,
                                  .cbdata = cbdata};
    px_loop_post(loop, &later->task);
    return 0;
}

struct later_infos {
    struct px_task task;
    pmix_status_t status;
    struct px_infos *infos;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

static void run_infos(struct px_task *task)
{
    struct later_infos *later = px_container_of(task, struct later_infos, task);

    later->cbfunc(later->status, later->infos->info, later->infos->n, later->cbdata,
                  px_infos_release, later->infos);
    free(later);
}

int px_defer_infos(struct px_loop *loop, pmix_status_t status, pmix_info_t *info, size_t ninfo,
                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct later_infos *later = malloc(sizeof(*later));
    struct px_infos *infos = malloc(sizeof(*infos));

    if (later == NULL || infos == NULL) {
        free(later);
        free(infos);
        return PMIX_ERR_NOMEM;
    }
    *infos = (struct px_infos){.info = info, .n = ninfo};
    *later = (struct later_infos){.task.run = run_infos,
                                  .status = status,
                                  .infos = infos,
                                  .cbfunc = cbfunc,
                                  .cbdata = cbdata};
    px_loop_post(loop, &later->task);
    return 0;
}
