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
#include "src/base/map.h"
#include "src/request/reply.h"
#include "src/server/collectives/open_waits.h"
#include "src/wire/codec.h"

/* The name of a process, as a key of s->dmodex_asked. */
struct asked_name {
    uint32_t rank;
    char nspace[PMIX_MAX_NSLEN + 1];
};

/* A local process that has not committed yet, and whose data the host has requested: in
 * s->dmodex_asked by its name, and in s->dmodex_requests, as long as there are requests. So a
 * commit costs no walk over requests for others. */
struct asked_proc {
    struct px_list link;
    struct asked_name name;
    struct px_list requests; /* struct dmodex_request, in the order of arrival */
};

/* A request of the host for the data of such a process, then on its way to run_response. */
struct dmodex_request {
    struct px_list link;
    struct px_completion to;
    uint32_t wait; /* in the area of open waits */
    struct px_task task;
    struct px_reply reply; /* of the response */
};

/* Makes the name of a process; returns its length. */
static size_t make_name(const char *nspace, pmix_rank_t rank, struct asked_name *ret)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);

    *ret = (struct asked_name){.rank = rank};
    memcpy(ret->nspace, nspace, len);
    return offsetof(struct asked_name, nspace) + len + 1;
}

/* The record of a process, or NULL. */
static struct asked_proc *find_asked(struct px_server *s, const char *nspace, pmix_rank_t rank)
{
    struct asked_name name;
    size_t len = make_name(nspace, rank, &name);

    return px_map_find(&s->dmodex_asked, &name, len);
}

/* The record of a process, made if it is missing; then it has no request yet. NULL: no memory. */
static struct asked_proc *make_asked(struct px_server *s, const pmix_proc_t *proc)
{
    struct asked_proc *asked = find_asked(s, proc->nspace, proc->rank);
    size_t len;

    if (asked) {
        return asked;
    }
    asked = calloc(1, sizeof(*asked));
    if (!asked) {
        return NULL;
    }
    len = make_name(proc->nspace, proc->rank, &asked->name);
    if (px_map_set(&s->dmodex_asked, &asked->name, len, asked)) {
        free(asked);
        return NULL;
    }
    px_list_init(&asked->requests);
    px_list_append(&s->dmodex_requests, &asked->link);
    return asked;
}

/* Frees a record without requests. */
static void asked_destroy(struct px_server *s, struct asked_proc *asked)
{
    struct asked_name name;
    size_t len = make_name(asked->name.nspace, asked->name.rank, &name);

    px_assert(px_list_empty(&asked->requests));
    (void) px_map_remove(&s->dmodex_asked, &name, len);
    px_list_remove(&asked->link);
    free(asked);
}

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
    struct asked_proc *asked = request ? make_asked(s, proc) : NULL;

    if (!asked) {
        free(request);
        return PMIX_ERR_NOMEM;
    }
    request->to = *to;
    request->wait = px_open_waits_transfer(s, proc);
    px_list_append(&asked->requests, &request->link);
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

/* Ends all requests for a process: with its data, or with PMIX_ERR_NOT_FOUND if no commit can
 * follow. */
static void answer_asks(struct px_server *s, struct px_local_proc *rank, bool gone)
{
    struct asked_proc *asked = find_asked(s, rank->ns->name, rank->rank);

    if (!asked) {
        return;
    }
    px_list_for(struct dmodex_request, request, &asked->requests, link) {
        respond(s, request,
                gone ? PMIX_ERR_NOT_FOUND : pack_committed(rank, &request->reply.bytes));
    }
    asked_destroy(s, asked);
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
    px_list_for(struct asked_proc, asked, &s->dmodex_requests, link) {
        px_list_for(struct dmodex_request, request, &asked->requests, link) {
            respond(s, request, PMIX_ERR_LOST_CONNECTION);
        }
        asked_destroy(s, asked);
    }
}
