/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex, both ends: asking the host for the data of a process elsewhere (once for all that
 * wait for it), and giving another server what a local process posted. What travels is a KVAL
 * stream in the plain encoding; for rank WILDCARD it is the job's information. */

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "host.h"
#include "modex.h"
#include "src/nspace/jobinfo.h"

/* --- asking --- */

struct modex {
    struct px_list link;
    char nspace[PMIX_MAX_NSLEN + 1];
    uint32_t rank;
    char *key;
    uint64_t renewal; /* the get's; 0: for all that wait */
};

static struct modex *find_modex(struct px_server *s, const char *nspace, uint32_t rank)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &s->modexes) {
        struct modex *modex = px_container_of(item, struct modex, link);

        if (!modex->renewal && modex->rank == rank && strcmp(modex->nspace, nspace) == 0) {
            return modex;
        }
    }
    return NULL;
}

static void modex_destroy(struct modex *modex)
{
    px_list_remove(&modex->link);
    free(modex->key);
    free(modex);
}

static int store_job(struct px_server *s, const char *nspace, struct px_in *in)
{
    struct px_nsrec *ns = s->stopping ? NULL : px_ns_make(s, nspace);
    int rc = ns ? px_jobinfo_unpack(in, ns->store, s->hostname) : PMIX_ERR_NOMEM;

    if (ns) {
        ns->asked_host = true;
    }
    return rc;
}

static int store_posted(struct px_server *s, const struct modex *modex, struct px_in *in)
{
    struct px_nsrec *ns = px_ns_find(s, modex->nspace);
    struct px_posted *posted = ns ? px_posted_create(ns) : NULL;
    int rc = ns ? (posted ? PMIX_SUCCESS : PMIX_ERR_NOMEM) : PMIX_ERR_NOT_FOUND;

    if (!rc && modex->renewal) {
        px_posted_only(posted, modex->key);
    }
    rc = rc ? rc : px_posted_read(posted, modex->rank, in, PMIX_REMOTE);
    rc = rc ? rc : px_posted_publish(posted, ns);
    px_posted_destroy(posted);
    return rc;
}

static void modex_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct modex *modex = up->arg;
    struct px_in in = px_in_make(up->ret_bytes, up->ret_len, PX_WIRE_PLAIN);
    int rc = up->status;

    px_list_remove(&modex->link);
    if (!rc && up->ret_len) {
        rc = modex->rank == PMIX_RANK_WILDCARD ? store_job(s, modex->nspace, &in)
                                               : store_posted(s, modex, &in);
    }
    if (modex->renewal) {
        px_gets_renewed(s, modex->renewal, rc);
    } else {
        px_gets_modex_done(s, modex->nspace, modex->rank, modex->key, rc);
    }
    modex_destroy(modex);
}

static int describe(struct px_upcall *up, const struct px_get *get)
{
    int rc = px_infos_copy(get->info, get->ninfo, &up->info);

    up->ninfo = up->info ? get->ninfo : 0;
    if (!rc && get->key) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_REQUIRED_KEY, get->key, PMIX_STRING);
    }
    return rc;
}

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
    if (!get->renewal && find_modex(s, proc.nspace, rank)) {
        return PMIX_SUCCESS;
    }
    modex = calloc(1, sizeof(*modex));
    up = px_upcall_create(s, NULL, &proc, modex_answered);
    if (modex && get->key) {
        modex->key = strdup(get->key);
    }
    if (!modex || !up || (get->key && !modex->key) || describe(up, get)) {
        free(modex ? modex->key : NULL);
        free(modex);
        px_upcall_destroy(up);
        return PMIX_ERR_NOMEM;
    }
    memcpy(modex->nspace, proc.nspace, sizeof(modex->nspace));
    modex->rank = rank;
    modex->renewal = get->renewal;
    px_list_append(&s->modexes, &modex->link);
    up->arg = modex;
    px_upcall_returned(up, s->host.direct_modex(&up->proc, up->info, up->ninfo, px_up_modex, up));
    return PMIX_SUCCESS;
}

/* --- giving --- */

struct remote_ask {
    struct px_list link;
    pmix_proc_t proc;
    pmix_dmodex_response_fn_t fn;
    void *cbdata;
};

static void give_job(struct px_nsrec *ns, pmix_dmodex_response_fn_t fn, void *cbdata)
{
    const struct px_buf *packed = NULL;
    int rc = px_ns_packed(ns, PX_WIRE_PLAIN, &packed);

    fn(rc, rc ? NULL : (char *) packed->data, rc ? 0 : packed->len, cbdata);
}

static void give_posted(struct px_rankrec *rank, pmix_dmodex_response_fn_t fn, void *cbdata)
{
    struct px_outbox_span span;
    struct px_buf packed = {0};
    int rc = px_outbox_pack(&rank->outbox, 0, &packed, &span);

    fn(rc, rc ? NULL : (char *) packed.data, rc ? 0 : packed.len, cbdata);
    px_buf_fini(&packed);
}

void px_modex_give(struct px_server *s, const pmix_proc_t *proc, pmix_dmodex_response_fn_t fn,
                   void *cbdata)
{
    struct px_nsrec *ns = px_ns_find(s, proc->nspace);
    struct px_rankrec *rank = ns ? px_rank_find(ns, proc->rank) : NULL;
    struct remote_ask *ask;

    px_assert(px_loop_inside(s->loop));
    if (!ns) {
        fn(PMIX_ERR_NOT_FOUND, NULL, 0, cbdata);
        return;
    }
    if (proc->rank == PMIX_RANK_WILDCARD) {
        give_job(ns, fn, cbdata);
        return;
    }
    if (rank && rank->committed) {
        give_posted(rank, fn, cbdata);
        return;
    }
    if (!px_ns_is_local(ns, proc->rank) || (rank && (rank->dead || rank->finalized))) {
        fn(PMIX_ERR_NOT_FOUND, NULL, 0, cbdata);
        return;
    }
    ask = calloc(1, sizeof(*ask));
    if (!ask) {
        fn(PMIX_ERR_NOMEM, NULL, 0, cbdata);
        return;
    }
    ask->proc = *proc;
    ask->fn = fn;
    ask->cbdata = cbdata;
    px_list_append(&s->remote_asks, &ask->link);
}

static bool concerns(const struct remote_ask *ask, const struct px_rankrec *rank)
{
    return ask->proc.rank == rank->rank &&
           strncmp(ask->proc.nspace, rank->ns->name, PMIX_MAX_NSLEN) == 0;
}

static void answer_asks(struct px_server *s, struct px_rankrec *rank, bool gone)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &s->remote_asks) {
        struct remote_ask *ask = px_container_of(item, struct remote_ask, link);

        if (!concerns(ask, rank)) {
            continue;
        }
        px_list_remove(&ask->link);
        if (gone) {
            ask->fn(PMIX_ERR_NOT_FOUND, NULL, 0, ask->cbdata);
        } else {
            give_posted(rank, ask->fn, ask->cbdata);
        }
        free(ask);
    }
}

void px_asks_committed(struct px_server *s, struct px_rankrec *rank)
{
    px_assert(px_loop_inside(s->loop));
    answer_asks(s, rank, false);
}

void px_asks_rank_gone(struct px_server *s, struct px_rankrec *rank)
{
    px_assert(px_loop_inside(s->loop));
    answer_asks(s, rank, true);
}

void px_asks_drop_all(struct px_server *s)
{
    struct px_list *item;

    px_assert(px_loop_inside(s->loop));
    for (item = px_list_shift(&s->remote_asks); item; item = px_list_shift(&s->remote_asks)) {
        struct remote_ask *ask = px_container_of(item, struct remote_ask, link);

        ask->fn(PMIX_ERR_LOST_CONNECTION, NULL, 0, ask->cbdata);
        free(ask);
    }
    /* Those still at the host end with their upcalls. */
}
