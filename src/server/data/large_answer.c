/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "large_answer.h"

#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/base/assert.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"

enum {
    LARGE = 1 << 20, /* answers with more bytes of values are prepared */
    PIECE = 2 << 20, /* so many in a turn */
    BESIDE = 4096,   /* bytes of an answer besides its values */
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

/* Writes to the next pages of the room. True: more pages are left. If memory is out the answer
 * fails. */
static bool make_piece(struct px_get *get)
{
    size_t from = get->n_made;
    size_t n = get->need - from < PIECE ? get->need - from : PIECE;

    if (from == get->need) {
        return false;
    }
    px_buf_reserve(&get->room, get->need);
    if (!px_buf_ok(&get->room)) {
        return false;
    }
    memset(get->room.data + from, 0, n);
    get->n_made += n;
    return get->n_made < get->need;
}

/* Goes on with a get: one of a peer that does not read is refused, as a new request of it would be.
 */
static void go_on(struct px_get *get)
{
    struct px_peer *peer = px_peer_find(get->server, get->reply_to.peer);

    if (peer && px_peer_is_behind(peer)) {
        px_get_again(get, PMIX_ERR_OUT_OF_RESOURCE);
    } else if (!make_piece(get)) {
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

bool px_answer_needs_room(struct px_get *get, size_t bytes)
{
    if (bytes <= LARGE || bytes + BESIDE <= get->need) {
        return false;
    }
    get->need = bytes + BESIDE;
    return true;
}

void px_answer_make_room(struct px_get *get)
{
    struct px_server *s = get->server;

    px_assert(px_loop_inside(s->loop) && px_list_empty(&get->link));
    px_assert(get->need > LARGE || get->gathering || get->search.n_begun);
    if (get->had_turn) {
        px_list_prepend(&s->large_gets, &get->link);
    } else {
        px_list_append(&s->large_gets, &get->link);
    }
    get->had_turn = get->need || get->gathering; /* a search has nothing that waits */
    arm(s);
}
