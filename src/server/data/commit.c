/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values that processes have committed, into the store. A client sends two buffers: what processes
 * of this node may see, and what others may; a key in both is global. Readers of the store are of
 * this node, so a key that is only in the second is stored as "there, but not for you". What is in
 * the second goes into the modex log, for fences and for servers that ask.
 *
 * Data of other nodes comes as the second kind of buffer and is visible here. */

#include "commit.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "gds/lookup.h"
#include "src/server/state.h"
#include "modex.h"
#include "server_get.h"
#include "src/server/peers/dispatch.h"
#include "nspace.h"
#include "src/server/peers/peer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"
#include "gds/generation.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

/* What the host has said of a process stands: programs post some of it all the same, and expect
 * that. */
static bool is_hosts(const struct px_nspace *ns, uint32_t rank, const char *key)
{
    struct px_slice slice;

    if (!px_key_reserved(key)) {
        return false;
    }
    if (strcmp(key, PMIX_HOSTNAME) == 0 && px_store_node_of(ns->store, rank) != PX_NO_NODE) {
        return true;
    }
    return !px_store_find(ns->store, PX_LEVEL_PROC, rank, key, strlen(key), &slice) &&
           slice.scope == PMIX_SCOPE_UNDEF;
}

/* Adds a value of a process unless it is the host's to say. */
static int add_value(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                     pmix_scope_t scope, struct px_kval kval)
{
    kval.entry.level = PX_LEVEL_PROC;
    kval.entry.index = rank;
    kval.entry.scope = scope;
    return is_hosts(ns, rank, kval.entry.key) ? PMIX_SUCCESS : px_kval_reader_add(reader, &kval);
}

static int publish(const struct px_kval_reader *reader, struct px_nspace *ns)
{
    const struct px_batch *batch = px_kval_reader_batch(reader);

    return batch ? px_store_publish(ns->store, batch) : PMIX_SUCCESS;
}

/* --- data of another node --- */

int px_modex_values_read(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                         struct px_in *in)
{
    struct px_kval kval;
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in)) {
        rc = px_kval_reader_next(reader, in, &kval);
        rc = rc ? rc : add_value(reader, ns, rank, PMIX_REMOTE, kval);
    }
    return rc;
}

int px_modex_values_publish(struct px_kval_reader *reader, struct px_nspace *ns, int rc)
{
    rc = rc ? rc : publish(reader, ns);
    px_kval_reader_destroy(reader);
    px_store_compact(ns->store); /* nothing is borrowed from it any more */
    return rc;
}

/* --- a client's commit --- */

struct commit_item {
    struct px_kval kval;
    pmix_scope_t scope; /* UNDEF: not published, since the first buffer has a value of the name */
    size_t next_logged; /* 1 + the next one in the order of the second buffer; 0: none */
};

/* Both buffers, each read once: first the items of the first buffer, then what only the second
 * has. */
struct commit {
    struct px_kval_reader *reader;
    struct commit_item *items;
    size_t n;
    size_t room;
    size_t n_local;
    size_t expected;     /* the item of the first buffer that the second is likely to have next */
    size_t first_logged; /* as next_logged */
    size_t last_logged;
    struct px_map names; /* of the first buffer, if needed: to 1 + index */
};

static int read_item(struct commit *commit, struct px_in *in, pmix_scope_t scope)
{
    struct commit_item *item;
    int rc = px_array_room(&commit->items, commit->n, &commit->room, sizeof(*commit->items));

    if (rc) {
        return rc;
    }
    item = &commit->items[commit->n];
    *item = (struct commit_item){.scope = scope};
    rc = px_kval_reader_next(commit->reader, in, &item->kval);
    commit->n += !rc;
    return rc;
}

static int read_local(struct commit *commit, struct px_in *in)
{
    int rc = PMIX_SUCCESS;

    px_assert(!commit->n);
    while (!rc && px_in_left(in)) {
        rc = read_item(commit, in, PMIX_LOCAL);
    }
    commit->n_local = commit->n;
    return rc;
}

/* The item is for other nodes, too. */
static void add_logged(struct commit *commit, size_t at)
{
    px_assert(at < commit->n && !commit->items[at].next_logged && commit->last_logged != at + 1);
    if (commit->last_logged) {
        commit->items[commit->last_logged - 1].next_logged = at + 1;
    } else {
        commit->first_logged = at + 1;
    }
    commit->last_logged = at + 1;
}

static int list_names(struct commit *commit)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < commit->n_local; i++) {
        struct px_kval_name name;

        rc = px_kval_name(&commit->items[i].kval, &name);
        rc = rc ? rc
                : px_map_set(&commit->names, name.bytes, name.len, (void *) (uintptr_t) (i + 1));
        px_buf_fini(&name.room);
    }
    return rc;
}

/* The last item of the first buffer with the name of the item that was read last: 1 + its index, or
 * 0. */
static int find_local(struct commit *commit, size_t *ret)
{
    struct px_kval_name name;
    int rc = commit->names.used ? PMIX_SUCCESS : list_names(commit);

    px_assert(commit->n > commit->n_local);
    rc = rc ? rc : px_kval_name(&commit->items[commit->n - 1].kval, &name);
    if (!rc) {
        *ret = (uintptr_t) px_map_find(&commit->names, name.bytes, name.len);
        px_buf_fini(&name.room);
    }
    return rc;
}

/* One value of the second buffer. What is in both are mostly the same bytes in the same order,
 * which are not read again. */
static int read_remote(struct commit *commit, struct px_in *in)
{
    size_t local;
    int rc;

    if (commit->expected < commit->n_local &&
        px_kval_is_next(&commit->items[commit->expected].kval, in)) {
        local = commit->expected + 1;
        in->at += commit->items[local - 1].kval.len;
        add_logged(commit, local - 1);
    } else {
        rc = read_item(commit, in, PMIX_REMOTE);
        rc = rc ? rc : find_local(commit, &local);
        if (rc) {
            return rc;
        }
        add_logged(commit, commit->n - 1);
        if (local) {
            commit->items[commit->n - 1].scope = PMIX_SCOPE_UNDEF;
        }
    }
    if (local) {
        commit->items[local - 1].scope = PMIX_GLOBAL;
        commit->expected = local;
    }
    return PMIX_SUCCESS;
}

/* Into the batch, in the order of the first buffer. */
static int add_values(struct commit *commit, const struct px_nspace *ns, uint32_t rank)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < commit->n; i++) {
        struct px_kval kval = commit->items[i].kval;
        pmix_scope_t scope = commit->items[i].scope;

        px_assert(i < commit->n_local ? scope == PMIX_LOCAL || scope == PMIX_GLOBAL
                                      : scope == PMIX_REMOTE || scope == PMIX_SCOPE_UNDEF);
        if (scope == PMIX_REMOTE) {
            kval.entry.value = NULL;
        }
        if (scope != PMIX_SCOPE_UNDEF) {
            rc = add_value(commit->reader, ns, rank, scope, kval);
        }
    }
    return rc;
}

/* Into the log, in the order of the second buffer. */
static int log_values(const struct commit *commit, struct px_modex_log *log, uint64_t *counter)
{
    int rc = PMIX_SUCCESS;

    for (size_t at = commit->first_logged; !rc && at; at = commit->items[at - 1].next_logged) {
        rc = px_modex_log_put(log, &commit->items[at - 1].kval, counter);
    }
    return rc;
}

/* Finds the buffers; of several with a scope the last counts. One that is not there is empty. */
static int find_buffers(struct px_in *in, struct px_in *ret_local, struct px_in *ret_remote)
{
    while (px_in_left(in)) {
        pmix_scope_t scope;
        struct px_in inner;
        int rc = px_unpack_one(in, PMIX_SCOPE, &scope);

        rc = rc ? rc : px_unpack_buffer_view(in, &inner);
        if (rc) {
            return rc;
        }
        if (scope == PMIX_LOCAL) {
            *ret_local = inner;
        } else if (scope == PMIX_REMOTE) {
            *ret_remote = inner;
        }
    }
    return PMIX_SUCCESS;
}

static int take_commit(struct px_local_proc *rank, struct px_in *local, struct px_in *remote,
                       uint64_t *counter)
{
    struct commit commit = {.reader = px_kval_reader_create(false, NULL)};
    int rc = commit.reader ? read_local(&commit, local) : PMIX_ERR_NOMEM;

    while (!rc && px_in_left(remote)) {
        rc = read_remote(&commit, remote);
    }
    rc = rc ? rc : add_values(&commit, rank->ns, rank->rank);
    rc = rc ? rc : publish(commit.reader, rank->ns);
    rc = rc ? rc : log_values(&commit, &rank->modex_log, counter);
    px_kval_reader_destroy(commit.reader);
    px_store_compact(rank->ns->store);
    px_map_fini(&commit.names);
    free(commit.items);
    return rc;
}

int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_local_proc *rank = peer->rank;
    struct px_in local = px_in_make(NULL, 0, in->kind);
    struct px_in remote = local;
    int rc = find_buffers(in, &local, &remote);

    px_assert(px_loop_inside(s->loop));
    if (rc || !rank) {
        return rc ? rc : PMIX_ERR_NOT_SUPPORTED;
    }
    rc = take_commit(rank, &local, &remote, &s->commit_number);
    /* One that is refused has been made all the same: its values do not come any more, and who
     * waits for them is to wait no longer than for any other key that a process left out. */
    rank->committed = true;
    rank->change = ++s->changes;
    if (!rc) {
        px_answer_status(s, &reply_to, PMIX_SUCCESS);
    }
    px_gets_committed(s, rank);
    px_dmodex_requests_committed(s, rank);
    return rc;
}
