/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_SERVER_GETTER_H
#define PX_TEST_UNIT_SERVER_GETTER_H

/* Peers of the job of two that send gets, and have no connection. Linked with
 * --wrap=px_peer_is_behind. Included after cmocka; functions run on the loop's thread unless they
 * say otherwise. */

#include <string.h>
#include <unistd.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/server/data/get_request.h"
#include "src/server/data/server_get.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

enum { TAG = 100 };

bool __wrap_px_peer_is_behind(struct px_peer *peer);

static unsigned n_turns; /* how often that was asked: before each turn of a long get */

/* There is no connection in whose queue anything could wait. */
bool __wrap_px_peer_is_behind(struct px_peer *peer)
{
    (void) peer;
    n_turns++;
    return false;
}

/* Makes a peer of rank 1 that the server knows. Its number is one that no connection has. */
static inline void enter(struct px_peer *peer, uint64_t id)
{
    struct px_server *s = px_ctx()->server;

    *peer = (struct px_peer){.server = s,
                             .user = px_user_of(s, geteuid()),
                             .id = id,
                             .uid = geteuid(),
                             .gid = getegid(),
                             .kind = PX_WIRE_PLAIN};
    PMIX_LOAD_PROCID(&peer->proc, JOB, 1);
    px_list_init(&peer->gets);
    assert_int_equal(px_map_set(&s->peers, &peer->id, sizeof(peer->id), peer), 0);
}

/* It has disconnected. */
static inline void leave(struct px_peer *peer)
{
    struct px_server *s = peer->server;

    assert_ptr_equal(px_map_remove(&s->peers, &peer->id, sizeof(peer->id)), peer);
    px_gets_peer_disconnected(s, peer);
}

static bool handles; /* the server handles a get */

/* A get of a key that nobody has put. */
static inline void ask_in(struct px_peer *peer, const char *nspace, pmix_rank_t rank,
                          const pmix_info_t *info, size_t ninfo)
{
    struct px_buf buf = {0};
    struct px_in in;

    (void) px_pack_string(&buf, PX_WIRE_PLAIN, nspace);
    (void) px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC_RANK, &rank, 1);
    (void) px_pack_infos(&buf, PX_WIRE_PLAIN, info, ninfo);
    assert_int_equal(px_pack_string(&buf, PX_WIRE_PLAIN, "key"), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    handles = true;
    assert_int_equal(px_handle_get(peer->server, peer, TAG, &in), 0);
    handles = false;
    px_buf_fini(&buf);
}

static inline void ask(struct px_peer *peer, pmix_rank_t rank, const pmix_info_t *info,
                       size_t ninfo)
{
    ask_in(peer, JOB, rank, info, ninfo);
}

static inline unsigned count(const struct px_list *list)
{
    unsigned n = 0;

    for (const struct px_list *item = list->next; item != list; item = item->next) {
        n++;
    }
    return n;
}

/* Gets that wait for the processes of this node. */
static inline unsigned count_waiting(const struct px_server *s)
{
    unsigned n = 0;

    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        n += count(&s->gets[i]);
    }
    return n;
}

/* Does something on the loop's thread. Test's thread. */
static inline void run(void (*fn)(void *arg))
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, NULL), 0);
}

/* --- gets that take several turns --- */

static struct px_peer searcher; /* of such a get */

static inline void look_whether_over(void *over)
{
    *(bool *) over = px_list_empty(&px_ctx()->server->large_gets);
}

/* Waits until nothing is left to be done in later turns. Test's thread. */
static inline void await_end(void)
{
    bool over = false;

    while (!over) {
        assert_int_equal(px_loop_run(px_ctx()->loop, look_whether_over, &over), 0);
    }
}

/* It has been answered. */
static inline void try_answered(void *arg)
{
    (void) arg;
    assert_int_equal(count_waiting(px_ctx()->server), 0);
    leave(&searcher);
}

#endif
