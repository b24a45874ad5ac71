/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A call of this process on its way to the host: the upcall is filled in the caller's thread and
 * goes from the loop thread. */

#include "self_call.h"

#include <stdlib.h>
#include <string.h>

#include "src/context/context.h"
#include "src/server/peers/dispatch.h"
#include "src/value/infos.h"

struct own {
    struct px_task task;
    struct px_upcall *up;
    void (*go)(struct px_upcall *up);
};

static void own_run(struct px_task *task)
{
    struct own *own = px_container_of(task, struct own, task);
    struct px_upcall *up = own->up;

    own->go(up);
    free(own);
}

struct px_upcall *px_self_create(struct px_ctx *ctx, const struct px_reply_to *reply_to)
{
    struct px_server *s = ctx->role;

    return px_upcall_create(s, reply_to, &s->self, px_done_status);
}

pmix_status_t px_self_post(struct px_upcall *up, int rc, bool identify,
                           void (*go)(struct px_upcall *up))
{
    struct own *own = NULL;

    if (!rc && up && identify) {
        rc = px_upcall_identify(up, up->server->uid, up->server->gid);
    }
    if (!rc && up) {
        own = calloc(1, sizeof(*own));
    }
    if (!own) {
        px_upcall_destroy(up);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    own->task.run = own_run;
    own->up = up;
    own->go = go;
    px_loop_post(up->server->loop, &own->task);
    return PMIX_SUCCESS;
}

int px_self_copy_infos(struct px_upcall *up, const pmix_info_t *info, size_t ninfo)
{
    int rc = up ? px_infos_copy(info, ninfo, &up->info) : PMIX_ERR_NOMEM;

    if (!rc) {
        up->ninfo = up->info ? ninfo : 0;
    }
    return rc;
}

int px_self_copy_procs(struct px_upcall *up, const pmix_proc_t *procs, size_t nprocs)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    if (!procs || !nprocs) {
        return PMIX_SUCCESS;
    }
    up->procs = malloc(nprocs * sizeof(*procs));
    if (!up->procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(up->procs, procs, nprocs * sizeof(*procs));
    up->nprocs = nprocs;
    return PMIX_SUCCESS;
}

int px_self_copy_keys(struct px_upcall *up, char **keys)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    up->keys = keys ? PMIx_Argv_copy(keys) : NULL;
    return keys && !up->keys ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

int px_self_copy_bytes(struct px_upcall *up, const pmix_byte_object_t *bytes)
{
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    if (!bytes || !bytes->size) {
        return PMIX_SUCCESS;
    }
    up->bytes.bytes = malloc(bytes->size);
    if (!up->bytes.bytes) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(up->bytes.bytes, bytes->bytes, bytes->size);
    up->bytes.size = bytes->size;
    return PMIX_SUCCESS;
}
