/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex: what a process of another node has posted is asked of that node. A key that is not
 * there yet is waited for over there, as long as the asker said. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* A question of another node that the library works on; any of its threads. */
struct asked {
    uint32_t node;
    uint64_t id;
};

/* ---- asking */

void px_run_modex(struct px_run_task *task)
{
    uint32_t node = px_run_node_of_proc(&task->proc);
    const pmix_info_t *info = task->upcall.infos;
    struct px_run_bytes b = {0};
    const char *key = NULL;
    uint32_t timeout_s = 0;

    for (size_t i = 0; i < task->upcall.n_infos; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_REQUIRED_KEY) && info[i].value.type == PMIX_STRING) {
            key = info[i].value.data.string;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_TIMEOUT) && info[i].value.type == PMIX_INT) {
            timeout_s = (uint32_t) info[i].value.data.integer;
        }
    }
    px_run_put_proc(&b, &task->proc);
    px_run_put_string(&b, key);
    px_run_put_u32(&b, timeout_s);
    uint64_t id = node != PX_RUN_NONE && node != px_run.node ? px_run_remote_keep(task) : 0;
    if (id == 0) {
        free(b.at);
        px_host_reply_status(&task->upcall, PMIX_ERR_NOT_FOUND);
        return;
    }
    (void) px_run_remote_send(PX_RUN_MODEX, node, id, 0, &b);
}

void px_run_modex_answered(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct px_run_task task;

    if (!px_run_remote_take(head->id, &task)) {
        return;
    }
    px_host_reply_bytes(&task.upcall, head->status, payload->at, payload->left);
}

/* ---- answering */

/* Main thread: cbdata is the question, data is ours, number the status. */
static void send_answer(struct px_run_task *task)
{
    struct asked *a = task->upcall.cbdata;
    struct px_run_bytes b = {.at = (char *) task->upcall.data, .len = task->upcall.n_data};

    (void) px_run_remote_send(PX_RUN_MODEX_DATA, a->node, a->id, task->upcall.number, &b);
    free(a);
}

static void on_data(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct asked *a = cbdata;
    char *copy = n > 0 ? malloc(n) : NULL;
    if (copy != NULL) {
        memcpy(copy, data, n);
    }
    struct px_run_task task = {.run = send_answer,
                               .upcall = {.cbdata = a,
                                          .number = n > 0 && copy == NULL ? PMIX_ERR_NOMEM : status,
                                          .data = copy,
                                          .n_data = copy != NULL ? n : 0}};
    if (px_run_task_post(&task) != PMIX_SUCCESS) {
        free(copy);
        free(a);
    }
}

void px_run_modex_asked(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct asked *a = calloc(1, sizeof(*a));
    pmix_proc_t proc;
    if (a == NULL) {
        return;
    }
    px_run_get_proc(payload, &proc);
    const char *key = px_run_get_string(payload);
    uint32_t timeout_s = px_run_get_u32(payload);
    a->node = head->from;
    a->id = head->id;
    px_host_fetch(&proc, key[0] != '\0' ? key : NULL, (int) timeout_s, on_data, a);
}
