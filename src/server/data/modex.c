/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex, both ends. Asking: the host is asked for the data of a process on another node,
 * once for all gets that wait for it. Giving: the host of another node asks for what a local
 * process has committed. The data is a KVAL stream in the plain encoding; for PMIX_RANK_WILDCARD it
 * is the job's information. Loop thread. */

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/collectives/open_waits.h"
#include "modex.h"
#include "gds/kval_reader.h"
#include "src/nspace/jobinfo.h"
#include "src/request/reply.h"
#include "src/request/schema.h"
#include "posted_values.h"
#include "compaction.h"
#include "deletion.h"
#include "nspace.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

/* --- asking --- */

/* One direct_modex upcall under way; in s->modexes. */
struct modex {
    struct px_list link;
    char nspace[PMIX_MAX_NSLEN + 1];
    uint32_t rank;
    char *key;       /* the key that the host was asked for; NULL: everything; owned */
    uint64_t number; /* px_get.modex of the gets that it is for */
    bool renews;     /* it is for one get, which renews the value of its key */
    const struct px_upcall *upcall; /* owns the directives that the host was given */
};

/* True if the host was given the directives of the get, in their order. */
static bool has_directives_of(const struct modex *modex, const struct px_get *get)
{
    const struct px_upcall *up = modex->upcall;

    if (up->ninfo != get->ninfo + (modex->key ? 1 : 0)) {
        return false;
    }
    for (size_t i = 0; i < get->ninfo; i++) {
        if (!px_infos_next(&up->info[i], 1, NULL, get->info[i].key) ||
            up->info[i].flags != get->info[i].flags ||
            PMIx_Value_compare(&up->info[i].value, &get->info[i].value) != PMIX_EQUAL) {
            return false;
        }
    }
    return true;
}

/* The upcall under way for this process that gets of that number share, or NULL. */
static struct modex *find_modex(struct px_server *s, const char *nspace, uint32_t rank,
                                uint64_t number)
{
    px_list_for(struct modex, modex, &s->modexes, link) {
        if (modex->number == number && modex->rank == rank && strcmp(modex->nspace, nspace) == 0) {
            return modex;
        }
    }
    return NULL;
}

uint64_t px_modex_choose(struct px_server *s, const struct px_get *get, uint32_t rank)
{
    px_assert(px_loop_inside(s->loop) && !get->renews);
    if (rank == PMIX_RANK_WILDCARD || !find_modex(s, get->target.nspace, rank, 0)) {
        return 0;
    }
    px_list_for(struct modex, modex, &s->modexes, link) {
        if (!modex->renews && modex->rank == rank &&
            strcmp(modex->nspace, get->target.nspace) == 0 && has_directives_of(modex, get)) {
            return modex->number;
        }
    }
    return ++s->modex_numbers;
}

/* Frees the record; the upcall is not affected. */
static void modex_destroy(struct modex *modex)
{
    px_list_remove(&modex->link);
    free(modex->key);
    free(modex);
}

/* Stores job information that arrived, in a namespace that is made if necessary. The namespace is
 * marked so that it is not asked for again, even if reading it fails. */
static int store_job(struct px_server *s, const char *nspace, struct px_in *in)
{
    struct px_nspace *ns = s->stopping ? NULL : px_nspace_make(s, nspace);
    int rc = ns ? px_jobinfo_unpack(in, ns->store, s->hostname) : PMIX_ERR_NOMEM;

    if (ns) {
        px_nspace_compact(s, ns);
        ns->asked_host = true;
    }
    return rc;
}

/* True if a renewal has not brought the key that it was for. */
static bool is_missing(const struct modex *modex, const struct px_kval_reader *reader)
{
    return modex->renews && modex->key && !px_kval_reader_batch(reader);
}

/* Publishes the committed values of a process that arrived. For a renewal only the value of the
 * get's key is taken, or goes if it is not among them. PMIX_ERR_NOT_FOUND if the namespace was
 * dropped meanwhile. */
static int store_committed(struct px_server *s, const struct modex *modex, struct px_in *in)
{
    struct px_nspace *ns = px_nspace_find(s, modex->nspace);
    struct px_kval_reader *reader;
    int rc = PMIX_ERR_NOMEM;

    if (!ns) {
        return PMIX_ERR_NOT_FOUND;
    }
    reader = px_kval_reader_create(false, modex->renews ? modex->key : NULL);
    if (reader) {
        rc = px_modex_values_read(s, reader, ns, modex->rank, in);
    }
    if (!rc && is_missing(modex, reader)) {
        rc = px_deletion_add_missing(s, reader, ns, modex->rank, modex->key);
    }
    return px_modex_values_publish(s, reader, ns, rc);
}

/* For a renewal without data: the value of the get's key goes. Without memory it stays, as if the
 * answer had been another error. */
static void drop_missing(struct px_server *s, const struct modex *modex)
{
    struct px_in nothing = px_in_make(NULL, 0, PX_WIRE_PLAIN);

    if (modex->renews && modex->key && modex->rank != PMIX_RANK_WILDCARD) {
        (void) store_committed(s, modex, &nothing);
    }
}

/* The host's answer: stores the data, then serves the gets that waited, or ends them with the
 * status. The record is off the list before that, so that a get that is decided again may ask the
 * host again. */
static void modex_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct modex *modex = up->arg;
    struct px_in in = px_in_make(up->data.bytes, up->data.size, PX_WIRE_PLAIN);
    int rc = up->reply.status;

    px_list_remove(&modex->link);
    if (!rc && up->data.size) {
        rc = modex->rank == PMIX_RANK_WILDCARD ? store_job(s, modex->nspace, &in)
                                               : store_committed(s, modex, &in);
    } else if (!rc || rc == PMIX_ERR_NOT_FOUND) {
        drop_missing(s, modex);
    }
    if (modex->renews) {
        px_gets_renewed(s, &up->proc, modex->number, rc);
    } else {
        px_gets_modex_done(s, &up->proc, modex->number, modex->key, rc);
    }
    modex_destroy(modex);
}

/* Copies the get's directives for the host and adds PMIX_REQUIRED_KEY, unless the get is for all
 * values. 0 or PMIX_ERR_NOMEM. */
static int fill_modex_upcall(struct px_upcall *up, const struct px_get *get)
{
    int rc = px_infos_copy(get->info, get->ninfo, &up->info);

    up->ninfo = up->info ? get->ninfo : 0;
    if (!rc && get->key) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_REQUIRED_KEY, get->key, PMIX_STRING);
    }
    return rc;
}

/* A second get for the same process with the same directives joins the upcall under way, whatever
 * its key: the answer brings all values of the process. The upcall owns copies of the directives;
 * the record owns the key. */
int px_modex_start(struct px_server *s, const struct px_get *get, uint32_t rank)
{
    pmix_proc_t proc = get->target;
    struct modex *modex;
    struct px_upcall *up;

    px_assert(px_loop_inside(s->loop));
    proc.rank = rank;
    if (!s->host.direct_modex) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (!get->renews && find_modex(s, proc.nspace, rank, get->modex)) {
        return PMIX_SUCCESS;
    }
    modex = calloc(1, sizeof(*modex));
    up = px_upcall_create(s, NULL, &proc, modex_answered);
    if (modex && get->key) {
        modex->key = strdup(get->key);
    }
    if (!modex || !up || (get->key && !modex->key) || fill_modex_upcall(up, get)) {
        free(modex ? modex->key : NULL);
        free(modex);
        px_upcall_destroy(up);
        return PMIX_ERR_NOMEM;
    }
    memcpy(modex->nspace, proc.nspace, sizeof(modex->nspace));
    modex->rank = rank;
    modex->number = get->modex;
    modex->renews = get->renews;
    modex->upcall = up;
    px_list_append(&s->modexes, &modex->link);
    up->arg = modex;
    px_upcall_returned(up, s->host.direct_modex(&up->proc, up->info, up->ninfo, px_hostcb_modex,
                                                px_upcall_handle(up)));
    return PMIX_SUCCESS;
}

/* --- giving --- */

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
