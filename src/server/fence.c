/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: local members come one by one; when all have, one upcall carries them to the host, with the data that they
 * posted if somebody asked for it, and what comes back is stored before anybody is told. A fence that concerns only
 * processes of this node need not leave it: what they posted is in the store already. */

#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "gds/store.h"
#include "host.h"
#include "src/base/param.h"
#include "src/coll/blob.h"
#include "src/nspace/types.h"

/* --- data --- */

static int add_rank(struct px_buf *buf, struct px_rankrec *rank)
{
    pmix_proc_t proc = {.rank = rank->rank};
    const struct px_buf *packed = NULL;
    int rc = px_outbox_packed(&rank->outbox, &packed);

    if (rc || !packed->len) {
        return rc;
    }
    memcpy(proc.nspace, rank->ns->name, sizeof(proc.nspace));
    return px_blob_add(buf, &proc, packed->data, packed->len);
}

static int add_proc(struct px_server *s, struct px_buf *buf, const pmix_proc_t *proc)
{
    struct px_nsrec *ns = px_ns_find(s, proc->nspace);
    struct px_rankrec *rank;
    struct px_list *item;
    struct px_list *next;
    int rc = PMIX_SUCCESS;

    if (ns && proc->rank == PMIX_RANK_WILDCARD) {
        px_list_each (item, next, &ns->rank_list) {
            rc = rc ? rc : add_rank(buf, px_container_of(item, struct px_rankrec, link));
        }
        return rc;
    }
    rank = ns ? px_rank_find(ns, proc->rank) : NULL;
    return rank ? add_rank(buf, rank) : PMIX_SUCCESS;
}

int px_collect_blob(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, char **ret, size_t *ret_len)
{
    struct px_buf buf = {0};
    size_t mark;
    size_t head;
    int rc = PMIX_SUCCESS;

    px_blob_begin(&buf, &mark);
    head = buf.len;
    for (size_t i = 0; !rc && i < nprocs; i++) {
        rc = add_proc(s, &buf, &procs[i]);
    }
    px_blob_end(&buf, mark);
    if (rc || !px_buf_ok(&buf)) {
        px_buf_fini(&buf);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    if (buf.len == head) {
        px_buf_fini(&buf);
        *ret = NULL;
        *ret_len = 0;
        return PMIX_SUCCESS;
    }
    *ret = px_buf_take(&buf, ret_len);
    return PMIX_SUCCESS;
}

/* Data of several namespaces may come mixed: one batch each, published together at the end. */
struct incoming {
    struct px_list link;
    struct px_nsrec *ns;
    struct px_posted *posted;
};

struct reader {
    struct px_server *server;
    struct px_list all;
};

static struct px_posted *posted_of(struct reader *reader, struct px_nsrec *ns)
{
    struct px_list *item;
    struct px_list *next;
    struct incoming *in;

    px_list_each (item, next, &reader->all) {
        in = px_container_of(item, struct incoming, link);
        if (in->ns == ns) {
            return in->posted;
        }
    }
    in = calloc(1, sizeof(*in));
    if (!in) {
        return NULL;
    }
    in->ns = ns;
    in->posted = px_posted_create(ns);
    if (!in->posted) {
        free(in);
        return NULL;
    }
    px_list_append(&reader->all, &in->link);
    return in->posted;
}

static int on_blob(void *arg, const pmix_proc_t *proc, struct px_in kvals)
{
    struct reader *reader = arg;
    struct px_nsrec *ns = px_ns_find(reader->server, proc->nspace);
    struct px_posted *posted;

    /* Our own come back too; a namespace that nobody told us of has no readers here. */
    if (!ns || px_rank_find(ns, proc->rank)) {
        return PMIX_SUCCESS;
    }
    posted = posted_of(reader, ns);
    return posted ? px_posted_read(posted, proc->rank, &kvals, PMIX_REMOTE) : PMIX_ERR_NOMEM;
}

int px_store_blob(struct px_server *s, const char *data, size_t len)
{
    struct reader reader = {.server = s};
    struct px_list *item;
    int rc;

    px_list_init(&reader.all);
    rc = px_blob_each(data, len, on_blob, &reader);
    for (item = px_list_shift(&reader.all); item; item = px_list_shift(&reader.all)) {
        struct incoming *in = px_container_of(item, struct incoming, link);

        rc = rc ? rc : px_posted_publish(in->posted, in->ns);
        px_posted_destroy(in->posted);
        free(in);
    }
    return rc;
}

/* --- the fence --- */

static void fence_answered(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;
    int rc = up->status;

    /* Data that came in time for nobody is kept all the same. */
    if (!rc && up->ret_len) {
        rc = px_store_blob(up->server, up->ret_bytes, up->ret_len);
    }
    if (coll) {
        coll->upcall = NULL;
        px_coll_finish(up->server, coll, rc);
    }
}

static void fence_upcall(struct px_server *s, struct px_coll *coll)
{
    struct px_upcall *up = px_upcall_create(s, NULL, NULL, fence_answered);
    char *data = NULL;
    size_t len = 0;
    int rc = up ? px_coll_hand_over(coll, up) : PMIX_ERR_NOMEM;

    if (!rc && coll->collect) {
        rc = px_collect_blob(s, coll->set, coll->nset, &data, &len);
    }
    if (rc) {
        px_upcall_destroy(up);
        coll->upcall = NULL;
        px_coll_finish(s, coll, rc);
        return;
    }
    /* The data becomes the host's: some free it, none may find it gone. */
    px_upcall_returned(up, s->host.fence_nb(up->procs, up->nprocs, up->info, up->ninfo, data, len, px_up_modex, up));
}

void px_fence_complete(struct px_server *s, struct px_coll *coll, bool remote)
{
    if (!remote && (px_param_bool(PX_P_FENCE_LOCALONLY) || !s->host.fence_nb)) {
        px_coll_finish(s, coll, coll->local_status);
    } else if (!s->host.fence_nb) {
        px_coll_finish(s, coll, PMIX_ERR_NOT_SUPPORTED);
    } else {
        fence_upcall(s, coll);
    }
}

int px_on_fence(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_coll_call call = {.kind = PX_COLL_FENCE};
    int rc = px_unpack_procs(in, &call.procs, &call.nprocs);

    rc = rc ? rc : px_unpack_infos(in, &call.info, &call.ninfo);
    for (size_t i = 0; !rc && i < call.ninfo; i++) {
        const pmix_value_t *value = &call.info[i].value;

        if (strcmp(call.info[i].key, PMIX_COLLECT_DATA) == 0) {
            call.collect = value->type != PMIX_BOOL || value->data.flag;
        }
    }
    rc = rc ? rc : px_coll_enter(s, peer, tag, &call);
    px_coll_call_fini(&call);
    return rc;
}
