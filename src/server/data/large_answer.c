/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The message of a large answer is a copy of the packed buffer, and of large values, which stay in
 * the store until then. If the store has moved to another generation meanwhile, these values are
 * gone, and the get is tried again. A post does not change the generation, so that the answer is of
 * the moment at which it was packed. */

#include "large_answer.h"

#include <stdlib.h>

#include "answer.h"
#include "answer_values.h"
#include "get.h"
#include "get_answer.h"
#include "nspace.h"
#include "server_get.h"
#include "gds/store.h"
#include "src/base/assert.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"
#include "src/wire/messages.h"

/* Answers of so many bytes are sent at once, if they have no large value; so many are copied in a
 * turn; how often the segment may move meanwhile. */
enum { AT_ONCE = 1 << 20, PIECE = 1 << 19, MOVES = 64 };

/* An answer that is being copied, or between two moves, then without anything in it. Owned by its
 * get. */
struct px_large_answer {
    struct px_answer answer;
    struct px_buf copy;
    size_t at;       /* the first bytes of answer.buf that are copied, or not needed */
    size_t n_done;   /* the first of its large values that are copied */
    size_t done;     /* the first bytes of the next one that are copied */
    uint64_t nspace; /* px_nspace.id */
    uint64_t epoch;
    uint32_t generation;
    unsigned n_moves;
};

static void on_turn(struct px_timer *timer);

/* The timer is armed as long as somebody waits. */
static void arm(struct px_server *s)
{
    if (px_list_empty(&s->large_gets)) {
        px_timer_stop_loop(&s->room_timer);
    } else {
        px_timer_start_loop(s->loop, &s->room_timer, 0, on_turn);
    }
}

/* --- the copy --- */

/* Begins a copy of the answer, which it takes. Statuses of packing. */
static int begin(struct px_large_answer *large, const struct px_get *get,
                 const struct px_nspace *ns, struct px_answer *p)
{
    unsigned n_moves = large->n_moves;
    struct px_store_info info;

    px_store_info(ns->store, &info);
    *large = (struct px_large_answer){.answer = *p,
                                      .nspace = ns->id,
                                      .epoch = info.epoch,
                                      .generation = info.generation,
                                      .n_moves = n_moves};
    *p = (struct px_answer){.n = 0};
    p = &large->answer;
    px_buf_reserve(&large->copy, p->buf.len + p->large_bytes);
    if (!px_answer_has_bytes(get)) {
        return large->copy.status;
    }
    return px_pack_bytes_head(&large->copy, &p->buf, p->kind, p->mark, p->large_bytes, &large->at);
}

/* Copies at most so many of the bytes that come next. 0: all are copied. */
static size_t copy_next(struct px_large_answer *large, size_t most)
{
    const struct px_answer *p = &large->answer;
    const struct px_answer_value *next =
        large->n_done < p->n_large ? &p->large[large->n_done] : NULL;
    size_t before = (next ? next->at : p->buf.len) - large->at;
    size_t n = before ? before : next ? next->len - large->done : 0;

    n = n < most ? n : most;
    if (before) {
        px_buf_append(&large->copy, p->buf.data + large->at, n);
        large->at += n;
    } else if (next) {
        px_buf_append(&large->copy, (const char *) next->bytes + large->done, n);
        large->done += n;
        if (large->done == next->len) {
            large->n_done++;
            large->done = 0;
        }
    }
    return n;
}

/* Copies a piece. True: bytes are left. */
static bool copy_piece(struct px_large_answer *large)
{
    size_t left = PIECE;
    size_t n = 1;

    while (left && n) {
        n = copy_next(large, left);
        left -= n;
    }
    return n != 0;
}

/* Drops an answer, but not how often the segment has moved. */
static void drop(struct px_large_answer *large)
{
    px_answer_fini(&large->answer);
    px_buf_fini(&large->copy);
}

void px_large_answer_free(struct px_large_answer *large)
{
    if (large) {
        drop(large);
        free(large);
    }
}

/* --- the turns --- */

/* The namespace that the answer is about, if its segment is still the one that the values are in;
 * or NULL. */
static struct px_nspace *find_nspace(const struct px_get *get)
{
    const struct px_large_answer *large = get->large;
    struct px_nspace *ns = get->how & PX_GET_COLLECTED
                               ? px_nspace_find(get->server, get->target.nspace)
                               : px_get_nspace(get);
    struct px_store_info info;

    if (!ns || ns->id != large->nspace) {
        return NULL;
    }
    px_store_info(ns->store, &info);
    return info.epoch == large->epoch && info.generation == large->generation ? ns : NULL;
}

/* Goes on with the copy. Sends the answer when all of it is copied, and frees the get. */
static void go_on_copying(struct px_get *get, struct px_nspace *ns)
{
    struct px_large_answer *large = get->large;

    if (copy_piece(large)) {
        return;
    }
    px_list_remove(&get->link);
    px_buf_fini(&large->answer.buf);
    large->answer.buf = large->copy;
    large->answer.n_large = 0;
    large->copy = (struct px_buf){0};
    px_answer_send(get, ns, &large->answer);
    px_get_destroy(get);
}

/* Goes on with a get: one of a peer that does not read is refused, as a new request of it would be.
 */
static void go_on(struct px_get *get)
{
    struct px_peer *peer = px_peer_find(get->server, get->reply_to.peer);
    bool copies = get->large && get->large->copy.data;
    struct px_nspace *ns = copies ? find_nspace(get) : NULL;

    if (peer && px_peer_is_behind(peer)) {
        px_get_again(get, PMIX_ERR_OUT_OF_RESOURCE);
    } else if (ns) {
        go_on_copying(get, ns);
    } else {
        if (copies) {
            drop(get->large);
            get->large->n_moves++;
        }
        px_get_again(get, PMIX_SUCCESS);
    }
}

/* Those that waited may have gone with their peer. */
static void on_turn(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, room_timer);

    if (!px_list_empty(&s->large_gets)) {
        go_on(px_container_of(s->large_gets.next, struct px_get, link));
    }
    arm(s);
}

/* True if a copy in this turn would take too long. An answer without its values is none of them. */
static bool is_large(const struct px_get *get, const struct px_answer *p)
{
    return (p->n_large || p->buf.len > AT_ONCE) && (px_answer_has_bytes(get) || !p->shares);
}

int px_answer_finish(struct px_get *get, struct px_nspace *ns, struct px_answer *p)
{
    int rc;

    px_assert(px_loop_inside(get->server->loop));
    if (!is_large(get, p)) {
        p->n_large = 0;
        px_answer_end(get, p);
        px_answer_send(get, ns, p);
        return PMIX_SUCCESS;
    }
    get->large = get->large ? get->large : calloc(1, sizeof(*get->large));
    if (!get->large || get->large->n_moves > MOVES) {
        px_answer_fini(p);
        return get->large ? PMIX_ERR_OUT_OF_RESOURCE : PMIX_ERR_NOMEM;
    }
    rc = begin(get->large, get, ns, p);
    return rc ? rc : PX_GET_LARGE;
}

void px_get_take_turns(struct px_get *get)
{
    struct px_server *s = get->server;

    px_assert(px_loop_inside(s->loop) && px_list_empty(&get->link));
    px_assert(get->large || get->gathering || get->search.n_begun);
    if (get->had_turn) {
        px_list_prepend(&s->large_gets, &get->link);
    } else {
        px_list_append(&s->large_gets, &get->link);
    }
    get->had_turn = get->large || get->gathering; /* a search has nothing that waits */
    arm(s);
}
