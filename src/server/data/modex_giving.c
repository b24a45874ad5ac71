/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex, the end that gives: the host of another node asks for what a local process has
 * committed. The data is a KVAL stream in the plain encoding; for PMIX_RANK_WILDCARD it is the
 * job's information. Loop thread. */

#include "modex_giving.h"

#include <stdlib.h>
#include <string.h>

#include "nspace.h"
#include "src/base/assert.h"
#include "src/request/reply.h"
#include "src/server/collectives/open_waits.h"
#include "src/wire/codec.h"

/* A request of the host for the data of a local process that has not committed yet: in
 * s->dmodex_requests, then on its way to run_response. */
struct dmodex_request {
    struct px_list link;
    pmix_proc_t proc;
    struct px_completion to;
    uint32_t wait; /* in the area of open waits */
    struct px_task task;
    struct px_reply reply; /* of the response */
};

/* The task: ends the completion and frees the request. Nothing of the server is used. */
static void run_response(struct px_task *task)
{
    struct dmodex_request *request = px_container_of(task, struct dmodex_request, task);

    request->to.done(&request->to, &request->reply);
    px_reply_fini(&request->reply);
    free(request);
}

/* Ends a request of the list with its reply, whose status is `status`. The host is called back in a
 * task of its own: its function may deregister the process or its namespace, whose records the
 * caller still uses. */
static void respond(struct px_server *s, struct dmodex_request *request, pmix_status_t status)
{
    px_list_remove(&request->link);
    px_open_waits_close(s, &request->wait);
    request->reply.status = status;
    request->task.run = run_response;
    px_loop_post(s->loop, &request->task);
}

/* Packs the values that a process has committed for other nodes. *ret is untouched after an
 * error. */
static int pack_committed(struct px_local_proc *rank, pmix_byte_object_t *ret)
{
    struct px_buf packed = {0};
    int rc = px_modex_log_pack_values(&rank->modex_log, &packed);

    if (rc) {
        px_buf_fini(&packed);
        return rc;
    }
    *ret = (pmix_byte_object_t){.bytes = (char *) packed.data, .size = packed.len};
    return PMIX_SUCCESS;
}

/* A copy of the job's information, which the namespace keeps packed. *ret is untouched after an
 * error. */
static int copy_job(struct px_nspace *ns, pmix_byte_object_t *ret)
{
    const struct px_buf *packed = NULL;
    int rc = px_nspace_packed(ns, PX_WIRE_PLAIN, &packed);
    char *bytes = rc ? NULL : malloc(packed->len + 1);

    if (!bytes) {
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    memcpy(bytes, packed->data, packed->len);
    *ret = (pmix_byte_object_t){.bytes = bytes, .size = packed->len};
    return PMIX_SUCCESS;
}

/* Keeps a request until its process commits. 0 or PMIX_ERR_NOMEM. */
static int keep_request(struct px_server *s, const pmix_proc_t *proc,
                        const struct px_completion *to)
{
    struct dmodex_request *request = calloc(1, sizeof(*request));

    if (!request) {
        return PMIX_ERR_NOMEM;
    }
    request->proc = *proc;
    request->to = *to;
    request->wait = px_open_waits_transfer(s, proc);
    px_list_append(&s->dmodex_requests, &request->link);
    return PMIX_SUCCESS;
}

/* The request is kept only if the process may still commit: it is on this node, and has neither
 * finalized nor departed. */
int px_modex_serve(struct px_server *s, void *args)
{
    const struct px_completion *to = &((const struct px_dmodex_args *) args)->to;
    const pmix_proc_t *proc = &((const struct px_dmodex_args *) args)->proc;
    struct px_nspace *ns = px_nspace_find(s, proc->nspace);
    struct px_local_proc *rank = ns ? px_local_proc_find(ns, proc->rank) : NULL;
    struct px_reply reply = {.status = PMIX_ERR_NOT_FOUND};

    px_assert(px_loop_inside(s->loop));
    if (ns && proc->rank == PMIX_RANK_WILDCARD) {
        reply.status = copy_job(ns, &reply.bytes);
    } else if (ns && rank && rank->committed) {
        reply.status = pack_committed(rank, &reply.bytes);
    } else if (ns && px_nspace_is_local(ns, proc->rank) &&
               !(rank && (rank->departed || rank->finalized))) {
        reply.status = keep_request(s, proc, to);
        if (!reply.status) {
            return PMIX_SUCCESS;
        }
    }
    to->done(to, &reply);
    px_reply_fini(&reply);
    return PMIX_SUCCESS;
}

/* True if the request is for this process. */
static bool concerns(const struct dmodex_request *request, const struct px_local_proc *rank)
{
    return request->proc.rank == rank->rank &&
           strncmp(request->proc.nspace, rank->ns->name, PMIX_MAX_NSLEN) == 0;
}

/* Ends all requests for a process: with its data, or with PMIX_ERR_NOT_FOUND if no commit can
 * follow. */
static void answer_asks(struct px_server *s, struct px_local_proc *rank, bool gone)
{
    px_list_for(struct dmodex_request, request, &s->dmodex_requests, link) {
        if (concerns(request, rank)) {
            respond(s, request,
                    gone ? PMIX_ERR_NOT_FOUND : pack_committed(rank, &request->reply.bytes));
        }
    }
}

/* Called for each commit, the first of which has requests to answer. */
void px_dmodex_requests_committed(struct px_server *s, struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    answer_asks(s, rank, false);
}

/* Called when the process ends, is deregistered, or closes its last connection. */
void px_dmodex_requests_proc_departed(struct px_server *s, struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    answer_asks(s, rank, true);
}

/* Direct modex upcalls that the host has not answered end with px_upcalls_abandon. */
void px_dmodex_requests_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct dmodex_request, request, &s->dmodex_requests, link) {
        respond(s, request, PMIX_ERR_LOST_CONNECTION);
    }
}
