/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_SERVER_ATTEMPT_H
#define PX_TEST_UNIT_SERVER_ATTEMPT_H

/* One request to a server of the job of two, which is handled in parts. The peer has no connection,
 * so the test decides when there is a next part, or that there is none. Included after cmocka. */

#include <semaphore.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/request/schema.h"
#include "src/server/collectives/collective.h"
#include "src/server/collectives/tracker.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/wire/messages.h"

enum { TAG = 100, MOST_PARTS = 48 };

/* What the test does on the loop's thread, and what came of it. */
struct attempt {
    const struct px_request *request;
    const struct px_args *args;
    unsigned n_parts; /* that are handled, at most */
    bool named;       /* the caller is a member */
    bool watched;     /* until there is no collective */
    bool known;       /* until then the caller is found, though it has no connection */
    int rc;
    unsigned n_left; /* of n_parts */
    unsigned n_colls[MOST_PARTS];
    bool in_part;  /* after the last of them */
    bool has_host; /* then a collective's upcall is under way */
};

static inline bool host_is_asked(struct px_server *s)
{
    px_list_for(const struct px_coll, coll, &s->colls.list, link) {
        if (coll->upcall) {
            return true;
        }
    }
    return false;
}

static inline unsigned count_colls(struct px_server *s)
{
    unsigned n = 0;

    for (const struct px_list *at = s->colls.list.next; at != &s->colls.list; at = at->next) {
        n++;
    }
    return n;
}

/* Looks at the collectives in each turn of the loop until there is none. */
static struct watch {
    struct px_timer timer;
    sem_t over;
    unsigned n_ending; /* that were found to end in the next turn */
} watch;

/* A count of those who are missed does not end such a one before. */
static inline void look(struct px_timer *timer)
{
    struct px_server *s = px_ctx()->server;

    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        if (coll->ending) {
            watch.n_ending++;
            assert_ptr_equal(coll->set, coll->procs); /* the upcall, which had them too, is freed */
            assert_true(px_coll_is_valid(coll));
            assert_false(px_coll_recount(coll));
        }
    }
    if (count_colls(s)) {
        px_timer_start_loop(px_ctx()->loop, timer, 0, look);
    } else {
        uint64_t known = UINT64_MAX;

        (void) px_map_remove(&s->peers, &known, sizeof(known));
        (void) sem_post(&watch.over);
    }
}

static inline void try(void *arg)
{
    struct attempt *attempt = arg;
    struct px_server *s = px_ctx()->server;
    static struct px_peer peer;
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    peer = (struct px_peer){.server = s,
                            .user = px_user_of(s, geteuid()),
                            .id = UINT64_MAX,
                            .uid = geteuid(),
                            .gid = getegid(),
                            .kind = PX_WIRE_PLAIN};
    if (attempt->known) {
        assert_int_equal(px_map_set(&s->peers, &peer.id, sizeof(peer.id), &peer), 0);
    }
    PMIX_LOAD_PROCID(&peer.proc, attempt->named ? JOB : "stranger", 0);
    (void) px_args_pack(&buf, peer.kind, attempt->request, attempt->args);
    in = px_in_make(buf.data, buf.len, peer.kind);
    (void) px_unpack_command(&in, &command);
    attempt->rc = px_service_start(px_service_of(command), &peer, TAG, &in);
    attempt->n_colls[0] = count_colls(s);
    attempt->n_left = attempt->n_parts - 1;
    for (unsigned i = 1; i < attempt->n_parts && px_is_in_part(&peer); i++) {
        px_dispatch(&peer, TAG, buf.data, buf.len);
        attempt->n_colls[i] = count_colls(s);
        attempt->n_left--;
    }
    attempt->in_part = px_is_in_part(&peer);
    attempt->has_host = host_is_asked(s);
    if (attempt->watched) {
        px_timer_start_loop(px_ctx()->loop, &watch.timer, 0, look);
    }
    px_parts_drop(&peer);
    px_buf_fini(&buf);
}

static inline void run(struct attempt *attempt)
{
    assert_true(attempt->n_parts <= MOST_PARTS);
    assert_int_equal(px_loop_run(px_ctx()->loop, try, attempt), 0);
}

/* A fence of n processes of the JOB, of which one more has to call. */
static inline struct attempt fence_of(struct px_coll_args *args, pmix_proc_t *procs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        PMIX_LOAD_PROCID(&procs[i], JOB, (pmix_rank_t) i);
    }
    *args = (struct px_coll_args){.procs = procs, .nprocs = n};
    return (struct attempt){
        .request = &px_request_fence, .args = &args->head, .n_parts = MOST_PARTS, .named = true};
}

#endif
