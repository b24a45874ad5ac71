/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publishes committed values in the store of the namespace. A client sends two buffers: values for
 * processes of this node, and values for processes of other nodes; a key in both has the scope
 * PMIX_GLOBAL. A client of ours sends one buffer when all its values have that scope. All readers
 * of the store are on this node. Therefore a key that is only in the second buffer is stored
 * without a value, as a mark that it exists but has the scope PMIX_REMOTE. Values of the second
 * buffer also enter the modex log, from which fences and direct modex take them. Further buffers
 * name keys whose values go away (deletion.c).
 *
 * An item is read once and has two orders: its place in `items`, in which it is published, and the
 * list from `first_logged`, in which it enters the modex log. So neither order changes with the way
 * in which a client splits its values.
 *
 * Data of other nodes arrives as buffers of the second kind, and its values are visible on this
 * node. Loop thread. */

#include "commit.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "src/server/state.h"
#include "deletion.h"
#include "modex.h"
#include "server_get.h"
#include "src/server/peers/dispatch.h"
#include "nspace.h"
#include "src/server/peers/peer.h"
#include "src/server/tools/tool_data.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"
#include "gds/generation.h"
#include "gds/publication.h"

/* Adds a value of a process to the batch, unless the host has given it. */
static int add_value(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                     pmix_scope_t scope, struct px_kval kval)
{
    kval.entry.level = PX_LEVEL_PROC;
    kval.entry.index = rank;
    kval.entry.scope = scope;
    return px_nspace_is_hosts(ns, rank, kval.entry.key) ? PMIX_SUCCESS
                                                        : px_kval_reader_add(reader, &kval);
}

/* Publishes the values that the reader has collected, all of them or none. An empty batch is
 * success and no publication. */
static int publish(const struct px_kval_reader *reader, struct px_nspace *ns)
{
    const struct px_batch *batch = px_kval_reader_batch(reader);

    return batch ? px_store_publish(ns->store, batch) : PMIX_SUCCESS;
}

/* --- data of another node --- */

int px_modex_values_read(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                         uint32_t rank, struct px_in *in)
{
    struct px_kval kval;
    int rc = PMIX_SUCCESS;

    px_nspace_note_change(s, ns, rank);
    while (!rc && px_in_left(in)) {
        rc = px_kval_reader_next(reader, in, &kval);
        if (!rc && px_kval_deletes(&kval)) {
            rc = px_deletion_add_remote(s, reader, ns, rank, &kval);
        } else if (!rc) {
            rc = add_value(reader, ns, rank, PMIX_REMOTE, kval);
        }
    }
    return rc;
}

/* Compaction must not run before the reader is freed: the batch may borrow values from the store.
 */
int px_modex_values_publish(struct px_kval_reader *reader, struct px_nspace *ns, int rc)
{
    rc = rc ? rc : publish(reader, ns);
    px_kval_reader_destroy(reader);
    px_store_compact(ns->store); /* nothing is borrowed from it any more */
    return rc;
}

/* --- a client's commit --- */

/* One value of a commit. It borrows from the message. */
struct commit_item {
    struct px_kval kval;
    pmix_scope_t scope; /* UNDEF: only logged, the first buffer's value of this name is published */
    size_t next_logged; /* 1 + the next one in the order of the second buffer; 0: none */
};

/* One commit while it is read, each buffer once: first the items of the first buffer, then those
 * that only the second one has. Lives on the stack of take_commit. */
struct commit {
    struct px_kval_reader *reader;
    struct commit_item *items;
    size_t n;
    size_t room;
    size_t n_local;
    size_t expected;     /* index of the item of the first buffer that is likely to be next in the
                            second */
    size_t first_logged; /* as next_logged */
    size_t last_logged;
    struct px_map names; /* names in the first buffer to 1 + index; empty until needed */
};

/* Appends the next value of a buffer to the items. The item counts only if it could be read. */
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

/* Marks an item as one for other nodes: it will enter the modex log, after those marked before. */
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

/* Reads the first buffer: values of the scope PMIX_LOCAL, for the time being; or of PMIX_GLOBAL,
 * then they are logged as well. */
static int read_first(struct commit *commit, struct px_in *in, pmix_scope_t scope)
{
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in)) {
        rc = read_item(commit, in, scope);
        if (!rc && scope == PMIX_GLOBAL) {
            add_logged(commit, commit->n - 1);
        }
    }
    commit->n_local = commit->n;
    return rc;
}

/* Fills commit->names. Only needed if the two buffers differ in their order or their values. */
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

/* Finds the last item of the first buffer that has the name of the item read last; the name of a
 * qualified value includes its qualifiers. *ret is 1 + its index, or 0 for none. 0, PMIX_ERR_NOMEM
 * or the status of unpacking. */
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

/* Reads one value of the second buffer. Values in both buffers are usually the same bytes in the
 * same order; such a value is recognised by comparing bytes and is not unpacked again. Any other
 * value is unpacked, and its name is searched among those of the first buffer. 0, PMIX_ERR_NOMEM or
 * the status of unpacking. */
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

/* Adds all items to the batch, in the order of the first buffer, each with its scope. An item for
 * other nodes only is added without its value. */
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

/* Puts the values for other nodes into the modex log, in the order of the second buffer. */
static int log_values(const struct commit *commit, struct px_modex_log *log, uint64_t *counter)
{
    int rc = PMIX_SUCCESS;

    for (size_t at = commit->first_logged; !rc && at; at = commit->items[at - 1].next_logged) {
        rc = px_modex_log_put(log, &commit->items[at - 1].kval, counter);
    }
    return rc;
}

/* The bytes that a value will take, and those that it takes the place of. */
static int count_item(const struct px_local_proc *rank, const struct commit_item *item,
                      size_t *ret_more, size_t *ret_less)
{
    struct px_kval_name name;
    int rc = px_kval_name(&item->kval, &name);

    if (!rc) {
        *ret_more += px_modex_log_cost(name.len, item->kval.len);
        *ret_less += px_posted_size(rank, &name);
        px_buf_fini(&name.room);
    }
    return rc;
}

/* Checks the quota of the process. Of a name that a commit has twice the old value counts twice as
 * going away: the quota can be exceeded by that, once. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int check_quota(struct px_server *s, struct px_local_proc *rank, const struct commit *commit)
{
    size_t bound = 0;
    size_t more = 0;
    size_t less = 0;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; i < commit->n; i++) {
        size_t len = commit->items[i].kval.len;

        bound += px_modex_log_cost(len, len); /* the name is a part of the bytes */
    }
    if (bound <= px_posted_room(s, rank)) {
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; !rc && i < commit->n; i++) {
        rc = count_item(rank, &commit->items[i], &more, &less);
    }
    if (rc || more <= less || px_posted_allows(s, rank, more - less)) {
        return rc;
    }
    return PMIX_ERR_OUT_OF_RESOURCE;
}

/* Notes which of the values are on this node only, if they were published, and counts. */
static void count_posted(struct px_server *s, struct px_local_proc *rank,
                         const struct commit *commit, int published)
{
    for (size_t i = 0; !published && i < commit->n; i++) {
        const struct commit_item *item = &commit->items[i];
        struct px_kval_name name;

        if ((item->scope != PMIX_LOCAL && !rank->posted.here.used) ||
            px_kval_name(&item->kval, &name)) {
            continue;
        }
        if (item->scope == PMIX_LOCAL) {
            px_posted_here(rank, name.bytes, name.len, item->kval.len);
        } else if (item->scope != PMIX_SCOPE_UNDEF) {
            px_posted_not_here(rank, name.bytes, name.len);
        }
        px_buf_fini(&name.room);
    }
    px_posted_recount(s, rank);
}

/* The blocks of a commit message, by their scopes; empty where there is none. */
struct blocks {
    struct px_in of[PMIX_DEL_GLOBAL + 1];
};

/* True if a commit may have a block of this scope. */
static bool is_block(pmix_scope_t scope)
{
    return scope == PMIX_LOCAL || scope == PMIX_REMOTE || scope == PMIX_GLOBAL ||
           px_commit_deletes(scope);
}

/* Splits a commit message into its blocks. If several have one scope the last counts. 0,
 * PMIX_ERR_NOT_SUPPORTED (a scope that no commit has), PMIX_ERR_BAD_PARAM (values in the block for
 * everybody and in one for some, which no client sends), or the status of unpacking. */
static int find_blocks(struct px_in *in, struct blocks *ret)
{
    for (int i = 0; i <= PMIX_DEL_GLOBAL; i++) {
        ret->of[i] = px_in_make(NULL, 0, in->kind);
    }
    while (px_in_left(in)) {
        pmix_scope_t scope;
        struct px_in inner;

        (void) px_unpack_one(in, PMIX_SCOPE, &scope);
        if (px_unpack_buffer_view(in, &inner)) {
            break;
        }
        if (!is_block(scope)) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
        ret->of[scope] = inner;
    }
    if (px_in_left(&ret->of[PMIX_GLOBAL]) &&
        (px_in_left(&ret->of[PMIX_LOCAL]) || px_in_left(&ret->of[PMIX_REMOTE]))) {
        return PMIX_ERR_BAD_PARAM;
    }
    return in->status;
}

/* Reads, publishes and logs one commit; what it deletes goes before what it puts. If the buffers
 * cannot be read nothing is published, and values are logged only once they are published. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE (too much), the status of unpacking, or that of
 * px_store_publish. */
static int take_commit(struct px_server *s, struct px_local_proc *rank, struct blocks *blocks)
{
    struct commit commit = {.reader = px_kval_reader_create(false, NULL)};
    struct px_in *remote = &blocks->of[PMIX_REMOTE];
    struct px_deletions gone = {0};
    pmix_scope_t first = px_in_left(&blocks->of[PMIX_GLOBAL]) ? PMIX_GLOBAL : PMIX_LOCAL;
    int rc = commit.reader ? read_first(&commit, &blocks->of[first], first) : PMIX_ERR_NOMEM;

    while (!rc && px_in_left(remote)) {
        rc = read_remote(&commit, remote);
    }
    for (pmix_scope_t scope = PMIX_DEL_LOCAL; !rc && scope <= PMIX_DEL_GLOBAL; scope++) {
        rc = px_deletions_read(&gone, commit.reader, scope, &blocks->of[scope]);
    }
    rc = rc ? rc : check_quota(s, rank, &commit);
    rc = rc ? rc : px_deletions_add(&gone, commit.reader, rank);
    rc = rc ? rc : add_values(&commit, rank->ns, rank->rank);
    rc = rc ? rc : publish(commit.reader, rank->ns);
    rc = rc ? rc : px_deletions_log(s, &gone, rank);
    rc = rc ? rc : log_values(&commit, &rank->modex_log, &s->commit_number);
    count_posted(s, rank, &commit, rc);
    px_kval_reader_destroy(commit.reader);
    px_deletions_fini(&gone);
    px_store_compact(rank->ns->store);
    px_map_fini(&commit.names);
    free(commit.items);
    return rc;
}

/* On success the reply is sent before the gets that waited for the values are answered. The gets
 * come last: a callback of this process may deregister the process. */
int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_local_proc *rank = peer->rank;
    struct blocks blocks;
    int rc = find_blocks(in, &blocks);

    px_assert(px_loop_inside(s->loop));
    if (!rc && !rank && peer->tool) {
        rank = px_tool_data_make(peer);
        rc = rank ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (rc || !rank) {
        return rc ? rc : PMIX_ERR_NOT_SUPPORTED;
    }
    rc = take_commit(s, rank, &blocks);
    /* A refused commit counts as a commit: its values will not arrive any more, and a get that
     * waits for one waits no longer than for any other key that a process did not put. */
    rank->committed = true;
    px_nspace_note_change(s, rank->ns, rank->rank);
    if (!rc) {
        px_answer_status(s, &reply_to, PMIX_SUCCESS);
    }
    px_dmodex_requests_committed(s, rank);
    px_gets_committed(s, rank);
    return rc;
}
