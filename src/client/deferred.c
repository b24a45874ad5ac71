/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Results that are known at once and delivered from the loop: each is a task that carries the
 * result to the loop thread, calls back and frees itself. */

#include "deferred.h"

#include <stdlib.h>

#include "src/base/bytes.h"
#include "src/request/reply.h"

/* A value on its way to its callback. */
struct later_value {
    struct px_task task;
    pmix_status_t status;
    pmix_value_t *value;
    bool ours;
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
};

/* Delivers a value. Loop thread. */
static void run_value(struct px_task *task)
{
    struct later_value *later = px_container_of(task, struct later_value, task);

    later->cbfunc(later->status, later->value, later->cbdata);
    if (later->ours && later->value != NULL) {
        PMIx_Value_free(later->value, 1);
    }
    free(later);
}

/* The task is allocated before anything else, so that a failure leaves the value untouched. */
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

/* A reply on its way to its completion; owns its infos. */
struct later_reply {
    struct px_task task;
    struct px_completion to;
    struct px_reply reply;
};

/* Delivers a reply and frees it. Loop thread. */
static void run_reply(struct px_task *task)
{
    struct later_reply *later = px_container_of(task, struct later_reply, task);

    later->to.done(&later->to, &later->reply);
    px_reply_fini(&later->reply);
    free(later);
}

int px_defer_infos(struct px_loop *loop, pmix_status_t status, pmix_info_t *info, size_t ninfo,
                   const struct px_completion *to)
{
    struct later_reply *later = malloc(sizeof(*later));

    if (later == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *later = (struct later_reply){.task.run = run_reply,
                                  .to = *to,
                                  .reply = {.status = status, .info = info, .ninfo = ninfo}};
    px_loop_post(loop, &later->task);
    return 0;
}
