/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex, the end that asks: the host is asked for the data of a process on another node,
 * once for all gets that wait for it with the same directives. Upcalls under way are found by two
 * names in one map, so that a get costs no walk over those of others. Loop thread. */

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/server/requests/host_upcall.h"
#include "modex.h"
#include "gds/kval_reader.h"
#include "src/nspace/jobinfo.h"
#include "posted_values.h"
#include "compaction.h"
#include "deletion.h"
#include "nspace.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

/* One direct_modex upcall under way; in s->modexes, by two names. */
struct modex {
    char nspace[PMIX_MAX_NSLEN + 1];
    uint32_t rank;
    char *key;           /* the key that the host was asked for; NULL: everything; owned */
    uint64_t number;     /* px_get.modex of the gets that it is for */
    bool renews;         /* it is for one get, which renews the value of its key: in no map */
    struct px_buf alike; /* its second name, by which gets with its directives find it; or empty */
};

/* The first name of an upcall, or with NO_NUMBER the beginning of its second one, which goes on
 * with the packed directives, in their order. */
struct modex_name {
    uint64_t number;
    uint32_t rank;
    char nspace[PMIX_MAX_NSLEN + 1];
};

#define NO_NUMBER UINT64_MAX

/* Makes a name; returns its length. */
static size_t make_name(const char *nspace, uint32_t rank, uint64_t number, struct modex_name *ret)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);

    *ret = (struct modex_name){.number = number, .rank = rank};
    memcpy(ret->nspace, nspace, len);
    return offsetof(struct modex_name, nspace) + len + 1;
}

/* The name by which upcalls with the get's directives are found; empty if they cannot be packed, or
 * without memory: then none is like it. Released with px_buf_fini. */
static struct px_buf name_directives(const struct px_get *get, uint32_t rank)
{
    struct px_buf buf = {.data = NULL};
    struct modex_name name;

    px_buf_append(&buf, &name, make_name(get->target.nspace, rank, NO_NUMBER, &name));
    if (px_pack_infos(&buf, PX_WIRE_PLAIN, get->info, get->ninfo)) {
        px_buf_fini(&buf);
    }
    return buf;
}

/* The upcall under way for this process that gets of that number share, or NULL. */
static struct modex *find_modex(struct px_server *s, const char *nspace, uint32_t rank,
                                uint64_t number)
{
    struct modex_name name;
    size_t len = make_name(nspace, rank, number, &name);

    return px_map_find(&s->modexes, &name, len);
}

uint64_t px_modex_choose(struct px_server *s, const struct px_get *get, uint32_t rank)
{
    const struct modex *modex;
    struct px_buf alike;

    px_assert(px_loop_inside(s->loop) && !get->renews);
    if (rank == PMIX_RANK_WILDCARD || !find_modex(s, get->target.nspace, rank, 0)) {
        return 0;
    }
    alike = name_directives(get, rank);
    modex = alike.len ? px_map_find(&s->modexes, alike.data, alike.len) : NULL;
    px_buf_fini(&alike);
    return modex ? modex->number : ++s->modex_numbers;
}

/* Enters an upcall for a get that shares it. Of several with the same directives the first is
 * found. 0 or PMIX_ERR_NOMEM. */
static int enter(struct px_server *s, struct modex *modex, const struct px_get *get)
{
    struct px_buf *alike = &modex->alike;
    struct modex_name name;
    size_t len = make_name(modex->nspace, modex->rank, modex->number, &name);

    if (px_map_set(&s->modexes, &name, len, modex)) {
        return PMIX_ERR_NOMEM;
    }
    *alike = name_directives(get, modex->rank);
    if (!alike->len || px_map_find(&s->modexes, alike->data, alike->len) ||
        px_map_set(&s->modexes, alike->data, alike->len, modex)) {
        px_buf_fini(alike);
    }
    return PMIX_SUCCESS;
}

/* Nobody joins it any more. */
static void leave(struct px_server *s, const struct modex *modex)
{
    struct modex_name name;
    size_t len = make_name(modex->nspace, modex->rank, modex->number, &name);

    if (!modex->renews) {
        (void) px_map_remove(&s->modexes, &name, len);
    }
    if (modex->alike.len) {
        (void) px_map_remove(&s->modexes, modex->alike.data, modex->alike.len);
    }
}

/* Frees the record, which nobody finds any more; the upcall is not affected. Takes NULL. */
static void modex_destroy(struct modex *modex)
{
    if (modex) {
        px_buf_fini(&modex->alike);
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
    modex->number = get->modex;
    modex->renews = get->renews;
    return modex;
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
    modex = modex_create(get, rank);
    up = px_upcall_create(s, NULL, &proc, modex_answered);
    if (!modex || !up || fill_modex_upcall(up, get) || (!get->renews && enter(s, modex, get))) {
        modex_destroy(modex);
        px_upcall_destroy(up);
        return PMIX_ERR_NOMEM;
    }
    up->arg = modex;
    px_upcall_returned(up, s->host.direct_modex(&up->proc, up->info, up->ninfo, px_hostcb_modex,
                                                px_upcall_handle(up)));
    return PMIX_SUCCESS;
}
