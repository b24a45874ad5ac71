/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publish, lookup and unpublish with several nodes: node 0 keeps what is published (publish.c), the
 * others ask it. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

#define KEEPER 0

/* A request of another node while publish.c works on it. */
struct asked {
    uint32_t node;
    uint64_t id;
    pmix_info_t *info;
    size_t n_info;
    char **keys;
};

/* ---- asking */

static enum px_run_frame_type type_of(enum entry entry)
{
    return entry == ON_PUBLISH  ? PX_RUN_PUBLISH
           : entry == ON_LOOKUP ? PX_RUN_LOOKUP
                                : PX_RUN_UNPUBLISH;
}

static enum entry entry_of(uint16_t type)
{
    return type == PX_RUN_PUBLISH ? ON_PUBLISH : type == PX_RUN_LOOKUP ? ON_LOOKUP : ON_UNPUBLISH;
}

static void put_keys(struct px_run_bytes *b, char **keys)
{
    uint32_t n = 0;

    while (keys != NULL && keys[n] != NULL) {
        n++;
    }
    px_run_put_u32(b, keys != NULL ? n : PX_RUN_NONE);
    for (uint32_t i = 0; i < n; i++) {
        px_run_put_string(b, keys[i]);
    }
}

static void forward(struct px_run_task *task)
{
    struct px_run_bytes b = {0};

    px_run_put_proc(&b, &task->proc);
    put_keys(&b, task->upcall.keys);
    px_run_put_array(&b, task->upcall.infos, task->upcall.n_infos, PMIX_INFO);
    uint64_t id = px_run_remote_keep(task);
    pmix_status_t rc = id != 0 ? px_run_remote_send(type_of(task->upcall.entry), KEEPER, id, 0, &b)
                               : PMIX_ERR_NOMEM;
    if (id == 0) {
        free(b.at);
    }
    struct px_run_task ignored;
    if (rc != PMIX_SUCCESS && (id == 0 || px_run_remote_take(id, &ignored))) {
        px_host_reply_status(&task->upcall, rc);
    }
}

void px_run_names(struct px_run_task *task)
{
    if (px_run.place == PX_RUN_NODE && px_run.node != KEEPER) {
        forward(task);
    } else if (task->upcall.entry == ON_PUBLISH) {
        px_run_publish(task);
    } else if (task->upcall.entry == ON_LOOKUP) {
        px_run_lookup(task);
    } else {
        px_run_unpublish(task);
    }
}

void px_run_names_answered(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct px_run_task task;
    size_t n = 0;

    if (!px_run_remote_take(head->id, &task)) {
        return;
    }
    if (head->type == PX_RUN_DONE) {
        px_host_reply_status(&task.upcall, head->status);
        return;
    }
    pmix_pdata_t *data = px_run_get_array(payload, sizeof(*data), PMIX_PDATA, &n);
    task.upcall.reply.lookup(payload->failed ? PMIX_ERR_NOMEM : head->status, data, n,
                             task.upcall.cbdata);
    PMIx_Pdata_free(data, n);
}

/* ---- answering */

static void asked_free(struct asked *a)
{
    PMIx_Info_free(a->info, a->n_info);
    px_env_free(a->keys);
    free(a);
}

static void on_done(pmix_status_t status, void *cbdata)
{
    struct asked *a = cbdata;

    (void) px_run_remote_send(PX_RUN_DONE, a->node, a->id, status, NULL);
    asked_free(a);
}

static void on_found(pmix_status_t status, pmix_pdata_t data[], size_t n, void *cbdata)
{
    struct asked *a = cbdata;
    struct px_run_bytes b = {0};

    px_run_put_array(&b, data, n, PMIX_PDATA);
    if (b.failed) {
        free(b.at);
        b = (struct px_run_bytes){0};
        px_run_put_u32(&b, 0);
        status = PMIX_ERR_NOMEM;
    }
    (void) px_run_remote_send(PX_RUN_FOUND, a->node, a->id, status, &b);
    asked_free(a);
}

/* NULL when all are meant. */
static char **get_keys(struct px_run_reader *r)
{
    uint32_t n = px_run_get_u32(r);
    if (n == PX_RUN_NONE) {
        return NULL;
    }
    char **keys = n <= r->left ? calloc((size_t) n + 1, sizeof(*keys)) : NULL;
    for (uint32_t i = 0; keys != NULL && i < n; i++) {
        keys[i] = strdup(px_run_get_string(r));
        r->failed = r->failed || keys[i] == NULL;
    }
    r->failed = r->failed || keys == NULL;
    return keys;
}

void px_run_names_asked(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct asked *a = calloc(1, sizeof(*a));
    struct px_run_task task = {.upcall = {.entry = entry_of(head->type), .cbdata = a}};
    if (a == NULL) {
        return;
    }
    a->node = head->from;
    a->id = head->id;
    px_run_get_proc(payload, &task.proc);
    a->keys = get_keys(payload);
    a->info = px_run_get_array(payload, sizeof(*a->info), PMIX_INFO, &a->n_info);
    task.upcall.keys = a->keys;
    task.upcall.infos = a->info;
    task.upcall.n_infos = a->n_info;
    if (head->type == PX_RUN_LOOKUP) {
        task.upcall.reply.lookup = on_found;
    } else {
        task.upcall.reply.op = on_done;
    }
    if (payload->failed && head->type == PX_RUN_LOOKUP) {
        on_found(PMIX_ERR_NOMEM, NULL, 0, a);
    } else if (payload->failed) {
        on_done(PMIX_ERR_NOMEM, a);
    } else {
        px_run_names(&task);
    }
}
