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
 * An item is read once and has two orders: its place in the list, in which it is published, and the
 * list from `first_logged`, in which it enters the modex log. So neither order changes with the way
 * in which a client splits its values. Loop thread. */

#include "commit.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "gds/partial.h"
#include "src/server/stages.h"
#include "src/server/state.h"
#include "deletion.h"
#include "modex_giving.h"
#include "posted_values.h"
#include "server_get.h"
#include "src/server/peers/dispatch.h"
#include "commit_items.h"
#include "compaction.h"
#include "nspace.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/peer_words.h"
#include "src/server/peers/quota.h"
#include "src/server/tools/tool_data.h"
#include "src/base/assert.h"

/* The parts of a commit, in their order. Only a long one waits, for the end of a compaction, and
 * copies large values for the modex log. */
enum commit_part {
    WAITS,
    READS_FIRST,
    READS_SECOND,
    READS_DELETIONS,
    CHECKS,
    COPIES,
    PUBLISHES,
    LOGS,
    COUNTS,
    ENDED
};

/* Values, and bytes in new memory, that are handled at once; then other connections may have their
 * turn. LARGE are the bytes of a large value. A value that is published counts as PUBLISHED values,
 * one that enters the modex log as LOGGED, as most touch two new pages of its map, and a key that
 * is deleted as DELETED, as it is looked for in the store. */
enum {
    PIECE = 1024,
    PIECE_BYTES = 1 << 20,
    LARGE = 1 << 18,
    PUBLISHED = 2,
    LOGGED = 6,
    DELETED = 3
};

/* One commit. Lives on the stack of px_handle_commit, or belongs to its peer if it was not
 * done at once; everything borrows from the message. */
struct px_commit {
    enum commit_part part;
    int status;        /* the first error, or 0 */
    uint64_t since_ns; /* px_stage_clock when it arrived */
    size_t at;         /* where the part goes on: an item, or in LOGS 1 + an item */
    size_t budget;     /* values that may still be handled in this turn */
    struct px_reply_to reply_to;
    struct px_commit_blocks blocks;
    struct px_commit_items list;
    struct px_deletions gone;
    size_t more;        /* bytes that the values checked so far will take */
    size_t less;        /* and of those that they take the place of */
    size_t n_published; /* those before it in the store are published */
    size_t n_counted;   /* bytes that count for the open request (count_made) */
    bool at_once;       /* there is no memory to go on in another turn */
};

/* Takes n values off the budget. True if a value may be handled in this turn. */
static bool has_time_for(struct px_commit *commit, size_t n)
{
    commit->budget -= commit->budget < n ? commit->budget : n;
    return commit->budget > 0;
}

static bool has_time(struct px_commit *commit)
{
    return has_time_for(commit, 1);
}

/* Reads the first buffer: values of the scope PMIX_LOCAL, for the time being; or of PMIX_GLOBAL,
 * then they are logged as well. */
static int read_first(struct px_commit *commit)
{
    bool all = px_in_left(&commit->blocks.of[PMIX_GLOBAL]) > 0;
    pmix_scope_t scope = all ? PMIX_GLOBAL : PMIX_LOCAL;
    struct px_in *in = &commit->blocks.of[scope];
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in) && has_time(commit)) {
        rc = px_commit_items_first(&commit->list, in, scope, all);
    }
    return rc;
}

/* Adds the items from `at` to `end` to a batch, in the order of the first buffer, each with its
 * scope. An item for other nodes only is added without its value. */
static int add_values(const struct px_commit *commit, size_t end, struct px_kval_reader *reader,
                      const struct px_local_proc *rank)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = commit->at; !rc && i < end; i++) {
        const struct px_commit_item *item = px_commit_item(&commit->list, i);
        struct px_kval kval = item->kval;
        pmix_scope_t scope = item->scope;

        px_assert(i < commit->list.n_local ? scope == PMIX_LOCAL || scope == PMIX_GLOBAL
                                           : scope == PMIX_REMOTE || scope == PMIX_SCOPE_UNDEF);
        if (scope == PMIX_REMOTE) {
            kval.entry.value = NULL;
        }
        if (scope != PMIX_SCOPE_UNDEF) {
            rc = px_posted_values_add(reader, rank->ns, rank->rank, scope, kval);
        }
    }
    return rc;
}

/* Adds the bytes that a value will take, and those that it takes the place of. */
static int count_item(const struct px_local_proc *rank, const struct px_commit_item *item,
                      struct px_commit *commit)
{
    struct px_kval_name name;
    int rc = px_kval_name(&item->kval, &name);

    if (!rc) {
        commit->more += px_modex_log_cost(name.len, item->kval.len);
        commit->less += px_posted_size(rank, &name);
        px_buf_fini(&name.room);
    }
    return rc;
}

/* Checks the quota of the process: value by value only if the commit might exceed it. Of a name
 * that a commit has twice the old value counts twice as going away: the quota can be exceeded by
 * that, once. 0, PMIX_ERR_NOMEM, or PMIX_ERR_OUT_OF_RESOURCE. */
static int check_piece(struct px_server *s, struct px_local_proc *rank, struct px_commit *commit)
{
    const struct px_commit_items *list = &commit->list;
    int rc = PMIX_SUCCESS;

    if (list->bound <= px_posted_room(s, rank)) {
        commit->at = list->n;
        return PMIX_SUCCESS;
    }
    for (; !rc && commit->at < list->n && has_time(commit); commit->at++) {
        rc = count_item(rank, px_commit_item(list, commit->at), commit);
    }
    if (rc || commit->at < list->n || commit->more <= commit->less ||
        px_posted_allows(s, rank, commit->more - commit->less)) {
        return rc;
    }
    return PMIX_ERR_OUT_OF_RESOURCE;
}

/* --- the parts --- */

/* True if all keys of deletions are read. */
static bool has_read_gone(const struct px_commit *commit)
{
    const struct px_in *of = commit->blocks.of;

    return !px_in_left(&of[PMIX_DEL_LOCAL]) && !px_in_left(&of[PMIX_DEL_REMOTE]) &&
           !px_in_left(&of[PMIX_DEL_GLOBAL]);
}

/* Reads keys of deletions, which are borrowed from the message: the values are not needed. */
static int read_gone(const struct px_local_proc *rank, struct px_commit *commit)
{
    struct px_kval_reader *reader;
    int rc;

    if (has_read_gone(commit)) {
        return PMIX_SUCCESS;
    }
    reader = px_kval_reader_create(false, NULL);
    rc = reader ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    for (pmix_scope_t scope = PMIX_DEL_LOCAL; scope <= PMIX_DEL_GLOBAL; scope++) {
        struct px_in *in = &commit->blocks.of[scope];

        while (!rc && px_in_left(in) && has_time_for(commit, DELETED)) {
            rc = px_deletions_read(&commit->gone, reader, rank, scope, in);
        }
    }
    px_kval_reader_destroy(reader);
    return rc;
}

/* Two generations would have the memory of a long commit at once. */
static void wait_for_store(const struct px_nspace *ns, struct px_commit *commit)
{
    if (px_nspace_is_moving(ns)) {
        commit->budget = 0;
    }
}

/* Compares and copies what the modex log will have of large values. */
static void copy_piece(const struct px_modex_log *log, struct px_commit *commit)
{
    for (; commit->at < commit->list.n && has_time(commit); commit->at++) {
        struct px_commit_item *item = px_commit_item(&commit->list, commit->at);

        if (item->logged && item->kval.len >= LARGE && item->kval.kind == PX_WIRE_PLAIN) {
            commit->budget = 0;
            commit->list.copied = true;
            if (!px_modex_log_copy(log, &item->copy, &item->kval, PIECE_BYTES)) {
                return;
            }
        }
    }
}

/* True for a value that is copied to the store in parts if a piece begins with it. */
static bool is_large(const struct px_commit_item *item)
{
    return item->kval.len >= LARGE && !px_kval_is_qualified(&item->kval) &&
           (item->scope == PMIX_LOCAL || item->scope == PMIX_GLOBAL);
}

/* The end of the next piece to be published: values of up to PIECE_BYTES, or a longer one. A large
 * one waits until the deletions are published, since it is copied before its piece. */
static size_t end_of_piece(const struct px_commit *commit)
{
    size_t bytes = 0;
    bool waits = commit->gone.n_done < commit->gone.n && !commit->at_once;
    size_t most = commit->budget / PUBLISHED + 1;
    size_t i;

    for (i = commit->at; i < commit->list.n && i - commit->at < most; i++) {
        const struct px_commit_item *item = px_commit_item(&commit->list, i);

        if (i == commit->at && waits && is_large(item)) {
            break;
        }
        bytes += item->kval.len;
        if (i > commit->at && bytes > PIECE_BYTES) {
            break;
        }
    }
    return i;
}

/* The large value at commit->at as the store will have it, or false: it is none, or the host's. */
static bool find_large(const struct px_local_proc *rank, const struct px_commit *commit,
                       struct px_store_entry *ret)
{
    const struct px_commit_item *item =
        commit->at < commit->list.n ? px_commit_item(&commit->list, commit->at) : NULL;

    if (!item || !is_large(item)) {
        return false;
    }
    *ret = px_posted_entry(rank->rank, item->scope, &item->kval);
    return !px_nspace_is_hosts(rank->ns, rank->rank, ret->key);
}

/* Publishes a piece of the deletions, which go before all values, and if it has the last one, the
 * values up to `end`: all of it or nothing. Compaction must wait until nothing is borrowed from the
 * store. */
static int publish_to(struct px_server *s, struct px_local_proc *rank, struct px_commit *commit,
                      size_t end)
{
    struct px_kval_reader *piece = px_kval_reader_create(false, NULL);
    size_t handled = PUBLISHED * (end - commit->at) + commit->gone.n - commit->gone.n_done;
    size_t bytes = commit->budget > PIECE ? SIZE_MAX : PIECE_BYTES; /* or all of it in this turn */
    int rc = piece ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    bool is_last; /* of the deletions */

    rc = rc ? rc : px_deletions_add(&commit->gone, commit->budget, bytes, piece, rank);
    is_last = commit->gone.n_piece == commit->gone.n;
    end = is_last ? end : commit->at;
    rc = rc ? rc : add_values(commit, end, piece, rank);
    rc = rc ? rc : px_posted_values_publish(piece, rank->ns);
    rank->n_parts++;
    px_kval_reader_destroy(piece);
    rc = rc ? rc : px_deletions_log(s, &commit->gone, rank);
    commit->n_published = rc ? commit->n_published : end;
    commit->at = end;
    commit->budget = is_last && handled < commit->budget ? commit->budget - handled : 0;
    return rc;
}

/* Publishes the next piece, or copies a part of the large value that it is. */
static int publish_piece(struct px_server *s, struct px_local_proc *rank, struct px_commit *commit)
{
    struct px_store *store = rank->ns->store;
    size_t end = end_of_piece(commit);
    struct px_store_entry large;
    bool is_partial = end > commit->at && !commit->at_once && find_large(rank, commit, &large);
    int rc;

    if (is_partial && px_partial_go_on(store, &large, PIECE_BYTES)) {
        commit->budget = 0;
        return PMIX_SUCCESS;
    }
    rc = publish_to(s, rank, commit, end);
    if (is_partial) {
        px_partial_drop(store, large.value);
    }
    return rc;
}

/* Puts the values for other nodes that are published into the modex log, in the order of the second
 * buffer. */
static int log_piece(struct px_modex_log *log, struct px_commit *commit, uint64_t *counter)
{
    int rc = PMIX_SUCCESS;

    while (!rc && commit->at && has_time_for(commit, LOGGED)) {
        struct px_commit_item *item = px_commit_item(&commit->list, commit->at - 1);

        rc = commit->at <= commit->n_published
                 ? px_modex_log_put(log, &item->kval, &item->copy, counter)
                 : rc;
        commit->at = item->next_logged;
    }
    return rc;
}

/* Notes which of the values that are published are on this node only. */
static void count_piece(struct px_local_proc *rank, struct px_commit *commit)
{
    for (; commit->at < commit->n_published && has_time(commit); commit->at++) {
        const struct px_commit_item *item = px_commit_item(&commit->list, commit->at);
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
}

/* True if the part has nothing left to do. */
static bool is_done(const struct px_local_proc *rank, const struct px_commit *commit)
{
    const struct px_in *of = commit->blocks.of;

    switch (commit->part) {
    case WAITS:
        return !px_nspace_is_moving(rank->ns);
    case READS_FIRST:
        return !px_in_left(&of[PMIX_LOCAL]) && !px_in_left(&of[PMIX_GLOBAL]);
    case READS_SECOND:
        return !px_in_left(&of[PMIX_REMOTE]);
    case READS_DELETIONS:
        return has_read_gone(commit);
    case CHECKS:
    case COPIES:
        return commit->at == commit->list.n;
    case PUBLISHES:
        return commit->at == commit->list.n && commit->gone.n_done == commit->gone.n;
    case LOGS:
        return !commit->at;
    case COUNTS:
        return commit->at == commit->n_published;
    default:
        return true;
    }
}

/* Does what the turn has time for of the part under way. */
static int do_part(struct px_server *s, struct px_local_proc *rank, struct px_commit *commit)
{
    struct px_in *remote = &commit->blocks.of[PMIX_REMOTE];
    int rc = PMIX_SUCCESS;

    switch (commit->part) {
    case WAITS:
        wait_for_store(rank->ns, commit);
        return rc;
    case READS_FIRST:
        return read_first(commit);
    case READS_SECOND:
        while (!rc && px_in_left(remote) && has_time(commit)) {
            rc = px_commit_items_second(&commit->list, remote);
        }
        return rc;
    case READS_DELETIONS:
        return read_gone(rank, commit);
    case CHECKS:
        return check_piece(s, rank, commit);
    case COPIES:
        copy_piece(&rank->modex_log, commit);
        return rc;
    case PUBLISHES:
        return publish_piece(s, rank, commit);
    case LOGS:
        return log_piece(&rank->modex_log, commit, &s->commit_number);
    default:
        count_piece(rank, commit);
        return rc;
    }
}

/* The arrays that were unpacked in this turn, and the deletions that were noted, count for the open
 * request. */
static void count_made(struct px_server *s, struct px_commit *commit)
{
    size_t made = commit->list.made + commit->gone.bytes;

    px_assert(made >= commit->n_counted);
    px_request_grow(s, commit->reply_to.request, made - commit->n_counted);
    commit->n_counted = made;
}

/* Goes on with a commit until it has ended or the turn has no time left. If the buffers cannot be
 * read nothing is published; values are logged and counted once they are published. The first
 * error is kept in commit->status. */
static void go_on(struct px_server *s, struct px_local_proc *rank, struct px_commit *commit)
{
    while (commit->part != ENDED && commit->budget) {
        int rc = do_part(s, rank, commit);

        commit->status = commit->status ? commit->status : rc;
        if (rc && !(commit->part == PUBLISHES && commit->n_published)) {
            commit->part = ENDED;
        } else if (rc || is_done(rank, commit)) {
            commit->part++;
            commit->at = commit->part == LOGS ? commit->list.first_logged : 0;
        }
        if (commit->list.made > PIECE_BYTES) {
            commit->budget = 0; /* long lists take longer than their number of values says */
        }
    }
    count_made(s, commit);
}

/* Frees what a commit has made of its message. */
static void release(struct px_commit *commit)
{
    px_commit_items_fini(&commit->list);
    px_deletions_fini(&commit->gone);
}

/* Ends a commit: on success the reply is sent before the gets that waited for the values are
 * answered. They come last: a callback of this process may deregister the process. */
static int end(struct px_peer *peer, struct px_local_proc *rank, struct px_commit *commit)
{
    struct px_server *s = peer->server;
    int rc = commit->status;

    for (int i = 0; rc && i <= PMIX_DEL_GLOBAL; i++) {
        px_peer_tell_arrays(peer, &commit->blocks.of[i]);
    }
    px_posted_recount(s, rank);
    release(commit);
    px_nspace_compact(s, rank->ns);
    /* A refused commit counts as a commit: its values will not arrive any more, and a get that
     * waits for one waits no longer than for any other key that a process did not put. */
    rank->committed = true;
    px_nspace_note_change(s, rank->ns, rank->rank);
    if (!rc) {
        px_answer_status(s, &commit->reply_to, PMIX_SUCCESS);
    }
    if (peer->rank) { /* hosts ask for no tool's data */
        px_dmodex_requests_committed(s, rank);
    }
    px_gets_committed(s, rank);
    px_stage_committed(peer, commit->since_ns, rc);
    return rc;
}

/* The process that a peer commits for; NULL: none, or no memory. */
static struct px_local_proc *committer(struct px_peer *peer)
{
    return peer->rank || !peer->tool ? peer->rank : px_tool_data_make(peer);
}

int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_commit commit = {.reply_to = px_reply_to_peer(peer, tag),
                               .since_ns = px_stage_clock(s)};
    struct px_local_proc *rank;
    bool is_long = px_is_long(in);
    int rc = px_commit_blocks_find(in, &commit.blocks);

    px_assert(px_loop_inside(s->loop) && !peer->commit);
    rank = rc ? NULL : committer(peer);
    if (rc || !rank) {
        rc = rc ? rc : peer->tool ? PMIX_ERR_NOMEM : PMIX_ERR_NOT_SUPPORTED;
        px_stage_committed(peer, commit.since_ns, rc);
        return rc;
    }
    commit.budget = is_long ? PIECE : SIZE_MAX;
    commit.list.reader = px_kval_reader_create(false, NULL);
    commit.status = commit.list.reader ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    commit.part = !commit.list.reader ? ENDED : is_long ? WAITS : READS_FIRST;
    go_on(s, rank, &commit);
    if (commit.part != ENDED) {
        peer->commit = malloc(sizeof(commit));
        if (peer->commit) {
            *peer->commit = commit;
            return PMIX_SUCCESS;
        }
        commit.part = commit.part == WAITS ? READS_FIRST : commit.part;
        commit.at_once = true;
    }
    while (commit.part != ENDED) {
        commit.budget = SIZE_MAX;
        go_on(s, rank, &commit);
    }
    return end(peer, rank, &commit);
}

int px_commit_go_on(struct px_server *s, struct px_peer *peer, struct px_reply_to *ret)
{
    struct px_commit *commit = peer->commit;
    struct px_local_proc *rank = committer(peer);
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop) && commit && rank);
    *ret = commit->reply_to;
    commit->budget = PIECE;
    go_on(s, rank, commit);
    if (commit->part == ENDED) {
        peer->commit = NULL;
        rc = end(peer, rank, commit);
        free(commit);
    }
    return rc;
}

/* The store forgets the value that was being copied for the peer. */
static void drop_partial(const struct px_peer *peer)
{
    const struct px_local_proc *rank = peer->rank ? peer->rank : peer->posted;
    struct px_store_entry large;

    px_assert(rank);
    if (peer->commit->part == PUBLISHES && find_large(rank, peer->commit, &large)) {
        px_partial_drop(rank->ns->store, large.value);
    }
}

void px_commit_drop(struct px_peer *peer)
{
    if (peer->commit) {
        drop_partial(peer);
        px_answer_nobody(peer->server, &peer->commit->reply_to);
        release(peer->commit);
        free(peer->commit);
        peer->commit = NULL;
    }
}
