/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex, the end that asks: the host is asked for the data of a process on another node,
 * once for all gets that wait for it with the same directives. Upcalls under way are found by their
 * names in a map, and each has a list of its gets, so that neither a get nor an answer costs a walk
 * over those of others. Loop thread. */

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/server/peers/quota.h"
#include "src/server/requests/host_upcall.h"
#include "modex.h"
#include "gds/kval_reader.h"
#include "src/nspace/jobinfo.h"
#include "posted_values.h"
#include "compaction.h"
#include "deletion.h"
#include "nspace.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

/* One direct_modex upcall under way; in s->modexes, by its name, unless it renews. When the host
 * has answered, in s->ended_modexes until its gets have been tried. */
struct modex {
    struct px_list link; /* of s->ended_modexes */
    int status;          /* of the host's answer, and of storing it */
    char nspace[PMIX_MAX_NSLEN + 1];
    uint32_t rank;
    char *key;           /* the key that the host was asked for; NULL: everything; owned */
    bool renews;         /* it is for one get, which renews the value of its key */
    struct px_buf name;  /* by which other gets find it; empty: they do not */
    struct px_list gets; /* px_get.of_modex of those that wait for it, in the order of arrival */
    uint64_t peer;       /* the peer whose get has begun it, or 0 */
    uint64_t request; /* the open request of that get, which counts until the host has answered; 0:
                         there is none, or the get has it */
};

/* The beginning of a name, which goes on with the packed directives, in their order; for the job's
 * information there are none. */
struct modex_name {
    uint32_t rank;
    char nspace[PMIX_MAX_NSLEN + 1];
};

/* The name of the upcall that the get can share; empty if its directives cannot be packed, or
 * without memory: then it shares none. Released with px_buf_fini. */
static struct px_buf name_of(const struct px_get *get, uint32_t rank)
{
    size_t len = strnlen(get->target.nspace, PMIX_MAX_NSLEN);
    struct modex_name name = {.rank = rank};
    struct px_buf buf = {.data = NULL};

    memcpy(name.nspace, get->target.nspace, len);
    px_buf_append(&buf, &name, offsetof(struct modex_name, nspace) + len + 1);
    if (!px_buf_ok(&buf) ||
        (rank != PMIX_RANK_WILDCARD && px_pack_infos(&buf, PX_WIRE_PLAIN, get->info, get->ninfo))) {
        px_buf_fini(&buf);
    }
    return buf;
}

/* Nobody joins it any more. */
static void leave(struct px_server *s, struct modex *modex)
{
    if (modex->name.len) {
        (void) px_map_remove(&s->modexes, modex->name.data, modex->name.len);
        px_buf_fini(&modex->name);
    }
}

/* Frees the record, which nobody finds any more, and for which no get waits; the upcall is not
 * affected. Takes NULL. */
static void modex_destroy(struct px_server *s, struct modex *modex)
{
    if (modex) {
        px_assert(px_list_empty(&modex->gets));
        px_request_close(s, modex->request);
        px_list_remove(&modex->link);
        px_buf_fini(&modex->name);
        free(modex->key);
        free(modex);
    }
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
        rc = px_deletion_add_missing(reader, ns, modex->rank, modex->key);
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

/* The get waits for the upcall that it has begun. Its request counts until the host has answered,
 * also if the get ends before, by its time limit or with its connection: otherwise one peer could
 * leave behind any number of upcalls. */
static void begin(struct modex *modex, struct px_get *get)
{
    modex->peer = get->reply_to.peer;
    modex->request = get->reply_to.request;
    get->reply_to.request = 0;
    px_list_append(&modex->gets, &get->of_modex);
}

/* The host has answered: the get that has begun the upcall has its request again, if it has waited
 * since. */
static void give_back(struct modex *modex)
{
    struct px_get *first = px_container_of(modex->gets.next, struct px_get, of_modex);

    if (!px_list_empty(&modex->gets) && first->reply_to.peer == modex->peer &&
        !first->reply_to.request) {
        first->reply_to.request = modex->request;
        modex->request = 0;
    }
}

static void on_turn(struct px_timer *timer);

/* Serves the gets that wait for an upcall that has ended: if they are many, some now and others in
 * further turns. Frees the record when all are served. */
static void serve(struct px_server *s, struct modex *modex)
{
    pmix_proc_t proc = {.rank = modex->rank};
    bool over = true;

    memcpy(proc.nspace, modex->nspace, sizeof(proc.nspace));
    if (modex->renews) {
        px_gets_renewed(&modex->gets, modex->status);
    } else {
        over = px_gets_modex_done(s, &proc, &modex->gets, modex->key, modex->status);
    }
    if (over) {
        modex_destroy(s, modex);
    } else {
        px_list_append(&s->ended_modexes, &modex->link);
        px_timer_start_loop(s->loop, &s->modex_timer, 0, on_turn);
    }
}

static void on_turn(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, modex_timer);
    struct px_list *first = px_list_shift(&s->ended_modexes);

    if (first) {
        serve(s, px_container_of(first, struct modex, link));
    }
    if (!px_list_empty(&s->ended_modexes)) {
        px_timer_start_loop(s->loop, &s->modex_timer, 0, on_turn);
    }
}

void px_modex_stop(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct modex, modex, &s->ended_modexes, link) {
        modex_destroy(s, modex);
    }
    px_timer_stop_loop(&s->modex_timer);
}

/* The host's answer: stores the data, then serves the gets that waited, or ends them with the
 * status. The record is not found before that, so that a get that is decided again may ask the
 * host again. */
static void modex_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct modex *modex = up->arg;
    struct px_in in = px_in_make(up->data.bytes, up->data.size, PX_WIRE_PLAIN);
    int rc = up->reply.status;

    leave(s, modex);
    give_back(modex);
    if (!rc && up->data.size) {
        rc = modex->rank == PMIX_RANK_WILDCARD ? store_job(s, modex->nspace, &in)
                                               : store_committed(s, modex, &in);
    } else if (!rc || rc == PMIX_ERR_NOT_FOUND) {
        drop_missing(s, modex);
    }
    modex->status = rc;
    serve(s, modex);
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

/* The record of an upcall for the get. NULL: memory is out. */
static struct modex *modex_create(const struct px_get *get, uint32_t rank)
{
    struct modex *modex = calloc(1, sizeof(*modex));

    if (modex && get->key) {
        modex->key = strdup(get->key);
    }
    if (!modex || (get->key && !modex->key)) {
        free(modex);
        return NULL;
    }
    memcpy(modex->nspace, get->target.nspace, sizeof(modex->nspace));
    modex->rank = rank;
    modex->renews = get->renews;
    px_list_init(&modex->gets);
    px_list_init(&modex->link);
    return modex;
}

/* Lets other gets find it by its name, which becomes empty. 0 or PMIX_ERR_NOMEM. */
static int enter(struct px_server *s, struct modex *modex, struct px_buf *name)
{
    if (name->len && px_map_set(&s->modexes, name->data, name->len, modex)) {
        return PMIX_ERR_NOMEM;
    }
    modex->name = *name;
    *name = (struct px_buf){.data = NULL};
    return PMIX_SUCCESS;
}

/* Asks the host for the get; `name` is that of its upcall, and becomes empty if it is entered. The
 * upcall owns copies of the directives; the record owns the key. 0 or PMIX_ERR_NOMEM. */
static int ask_host(struct px_server *s, struct px_get *get, uint32_t rank, struct px_buf *name)
{
    pmix_proc_t proc = get->target;
    struct modex *modex = modex_create(get, rank);
    struct px_upcall *up;
    int rc;

    proc.rank = rank;
    up = px_upcall_create(s, NULL, &proc, modex_answered);
    rc = modex && up ? fill_modex_upcall(up, get) : PMIX_ERR_NOMEM;
    rc = rc ? rc : enter(s, modex, name);
    if (rc) {
        modex_destroy(s, modex);
        px_upcall_destroy(up);
        return rc;
    }
    begin(modex, get);
    up->arg = modex;
    px_upcall_returned(up, s->host.direct_modex(&up->proc, up->info, up->ninfo, px_hostcb_modex,
                                                px_upcall_handle(up)));
    return PMIX_SUCCESS;
}

/* A second get for the same process with the same directives joins the upcall under way, whatever
 * its key: the answer brings all values of the process. */
int px_modex_start(struct px_server *s, struct px_get *get, uint32_t rank)
{
    struct px_buf name = {.data = NULL};
    struct modex *shared;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop) && px_list_empty(&get->of_modex));
    if (!s->host.direct_modex) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (!get->renews) {
        name = name_of(get, rank);
    }
    shared = name.len ? px_map_find(&s->modexes, name.data, name.len) : NULL;
    if (shared) {
        px_list_append(&shared->gets, &get->of_modex);
    } else {
        rc = ask_host(s, get, rank, &name);
    }
    px_buf_fini(&name);
    return rc;
}
