/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Results that are known at once and delivered from the loop: each is a task that carries the
 * result to the loop thread, calls back and frees itself. */

#include "deferred.h"

#include <stdlib.h>

#include "src/base/bytes.h"
#include "src/request/reply.h"

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
