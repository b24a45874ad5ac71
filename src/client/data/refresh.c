/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The segments of all namespaces, from generation to generation. Readers do not wait for a new one:
 * they go on with what is mapped. The first that sees its segment superseded asks the server for
 * the next, and any reply may bring the descriptor, which is adopted before the reply is delivered.
 * A descriptor that got lost, since we had none free for it, is asked for again.
 *
 * Only the end of a collective waits (the refresh barrier): what was published before it must be
 * readable after it.
 *
 * An old generation is unmapped when no thread reads it any more, unless pointers into it were
 * handed out (docs/memory-model.md, section 9). The segment of a job that has ended stays readable
 * until its name comes again, or more than a few other jobs have ended. */

#include "refresh.h"

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "src/client/tool/primary.h"
#include "src/client/request.h"
#include "src/base/epoch.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "private_store.h"
#include "src/wire/messages.h"
#include "gds/generation.h"

/* px_space.refresh_state, as one word: ASKED (a reader's request is under way), UNKNOWN (the server
 * knows no such namespace), how many requests were in vain (from bit BACK_OFF_SHIFT, at most
 * BACK_OFF_MAX), and below it the number of occasions to let pass before the next request. 0 when a
 * generation is adopted. */
#define ASKED     (UINT64_C(1) << 63)
#define UNKNOWN   (UINT64_C(1) << 62)
#define LEFT_MASK ((UINT64_C(1) << BACK_OFF_SHIFT) - 1)

/* Limits of the back-off, of kept segments, and of waiting. */
enum {
    BACK_OFF_SHIFT = 48,
    BACK_OFF_MAX = 31,          /* the count of requests in vain stops here */
    BACK_OFF_FIRST = 5,         /* after n of them, 2^(5 + n) occasions are let pass */
    DEAD_KEPT = 8,              /* segments of other jobs that are no more */
    REFRESH_TIMEOUT_MS = 10000, /* a collective does not wait for ever because of a segment */
};

/* --- old generations; loop thread --- */

/* The grace period is over: frees the stores that waited for it. Those with pointers in the hands
 * of the application stay mapped until the end. */
static void free_unpinned(struct px_session *session)
{
    while (session->unmap_in_grace != NULL) {
        struct px_store *store = px_store_unchain(&session->unmap_in_grace);

        if (px_store_is_pinned(store)) {
            px_store_chain(&session->unmap_pinned, store);
        } else {
            px_store_destroy(store);
        }
    }
}

/* What has had its grace period is freed, and one begins for what waits. Never blocks. */
void px_session_unmap(struct px_session *session)
{
    px_assert(px_loop_inside(session->ctx->loop));
    if (session->unmap_in_grace != NULL && px_grace_over()) {
        free_unpinned(session);
    }
    if (session->unmap_in_grace == NULL && session->unmap_pending != NULL && px_grace_begin(NULL)) {
        session->unmap_in_grace = session->unmap_pending;
        session->unmap_pending = NULL;
        if (px_grace_over()) {
            free_unpinned(session);
        }
    }
}

/* --- segments come and go; loop thread --- */

/* True if the fast path may read the segment of this space: it is our own, and neither
 * PMIx_Store_internal nor statistics of reads are in the way. */
static bool is_fast_locked(const struct px_session *session, const struct px_space *space)
{
    px_assert(px_lock_held(&session->lock));
    return space == &session->own && session->internal == 0 && session->report_fd < 0;
}

/* Makes `next` (NULL: none) the segment of a space and defers unmapping of the old one.
 * `fast_store` is NULL while our own segment changes: a reader that has seen the new generation by
 * one of the two words cannot find the old one by the other. Loop thread. */
static void replace_segment(struct px_session *session, struct px_space *space,
                            struct px_store *next)
{
    struct px_store *old = px_space_segment(space);

    px_assert(next != NULL || space != &session->own);
    px_assert(px_loop_inside(session->ctx->loop));
    px_lock_take(&session->lock);
    if (space == &session->own) {
        px_store_ptr_release(&session->fast_store, NULL); /* pairs with get_fast */
    }
    px_store_ptr_release(&space->segment, next); /* pairs with px_space_segment */
    if (is_fast_locked(session, space)) {
        px_store_ptr_release(&session->fast_store, next); /* pairs with get_fast */
    }
    px_check(px_session_is_valid_locked(session));
    px_lock_give(&session->lock);
    px_store_release(&space->refresh_state, 0); /* pairs with may_request */
    if (old != NULL) {
        px_store_chain(&session->unmap_pending, old);
        px_session_unmap(session);
    }
}

void px_space_drop(struct px_session *session, struct px_space *space)
{
    struct px_store *segment = px_space_segment(space);
    struct px_store *held = space->private_store;

    px_assert(px_lock_held(&session->lock) && px_loop_inside(session->ctx->loop));
    px_assert(space != &session->own);
    px_store_ptr_release(&space->segment, NULL);       /* pairs with px_space_segment */
    px_store_ptr_release(&space->private_store, NULL); /* pairs with px_space_private_peek */
    px_store_release(&space->refresh_state, 0);        /* pairs with may_request */
    space->collected = 0;
    if (segment != NULL) {
        px_store_chain(&session->unmap_pending, segment);
    }
    if (held != NULL) {
        px_store_chain(&session->unmap_pending, held);
    }
}

/* True if the segment is of a later generation than `than` (NULL: none), or of another life of its
 * writer (epoch), whose generations begin anew. */
static bool is_newer(const struct px_store *segment, const struct px_store *than)
{
    struct px_store_info next;
    struct px_store_info now;

    if (than == NULL) {
        return true;
    }
    px_store_info(segment, &next);
    px_store_info(than, &now);
    return next.epoch != now.epoch || next.generation > now.generation;
}

/* Drops segments of jobs that have ended, beyond the DEAD_KEPT that stay readable: those of the
 * spaces that were added first. */
static void drop_dead(struct px_session *session)
{
    struct px_store_info info;
    unsigned n = 0;

    for (struct px_space *at = px_space_next(&session->own); at != NULL; at = px_space_next(at)) {
        struct px_store *segment = px_space_segment(at);

        if (segment != NULL) {
            px_store_info(segment, &info);
            n += info.dead;
            if (info.dead && n > DEAD_KEPT) {
                replace_segment(session, at, NULL);
            }
        }
    }
}

/* Says which segment is read from now on. */
static void tell_of(const struct px_store *segment)
{
    struct px_store_info info;

    px_store_info(segment, &info);
    px_log(PX_LOG_GDS, 2, "reads a segment of %s: generation %u, %llu bytes in use",
           px_store_nspace(segment), (unsigned) info.generation,
           (unsigned long long) info.used_bytes);
}

/* `arrived` is set also for a segment that is not newer: the reply that announces it is satisfied.
 */
void px_session_adopt(struct px_session *session, struct px_store *segment)
{
    const char *nspace = px_store_nspace(segment);
    struct px_space *space = NULL;

    px_assert(px_loop_inside(session->ctx->loop));
    /* A client's first one has to be its own: who has none is given no other. */
    if (session->is_tool || px_space_segment(&session->own) != NULL ||
        strcmp(nspace, session->own.nspace) == 0) {
        px_lock_take(&session->lock);
        space = px_session_is_heard(session) ? px_space_meet_locked(session, nspace) : NULL;
        px_lock_give(&session->lock);
    }
    session->arrived = space;
    if (space == NULL || !is_newer(segment, px_space_segment(space))) {
        px_store_destroy(segment);
        return;
    }
    tell_of(segment);
    replace_segment(session, space, segment);
    drop_dead(session);
}

void px_session_prefault(struct px_store *segment)
{
    struct px_segment_hints hints = {.prefault = (uint64_t) px_param_int(PX_P_SHMEM_PREFAULT),
                                     .huge = px_param_bool(PX_P_SHMEM_HUGE)};

    px_store_prefault(segment, &hints);
}

int px_session_begin_with(struct px_session *session, int fd)
{
    struct px_space *own = &session->own;
    struct px_store *segment;
    int rc = px_store_open(fd, &segment);

    px_assert(px_session_server(session) == NULL && px_space_segment(own) == NULL);
    if (rc == 0 && strcmp(px_store_nspace(segment), own->nspace) != 0) {
        px_store_destroy(segment);
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc != 0) {
        px_log(PX_LOG_GDS, 1, "a segment is refused: %s", PMIx_Error_string(rc));
        return rc;
    }
    tell_of(segment);
    px_session_prefault(segment);
    px_lock_take(&session->lock);
    px_store_ptr_release(&own->segment, segment); /* pairs with px_space_segment */
    if (is_fast_locked(session, own)) {
        px_store_ptr_release(&session->fast_store, segment); /* pairs with get_fast */
    }
    px_lock_give(&session->lock);
    return 0;
}

/* A segment that fails the checks of px_store_open is logged and dropped; the reply then finds that
 * nothing has arrived. */
void px_session_reply(void *arg, int fd)
{
    struct px_link_server *server = arg;
    struct px_session *session = server->session;
    struct px_store *segment;
    int rc;

    session->speaker = server;
    session->arrived = NULL;
    if (fd < 0) {
        return;
    }
    rc = px_store_open(fd, &segment);
    if (rc == 0) {
        px_session_prefault(segment);
        px_session_adopt(session, segment);
    } else {
        px_log(PX_LOG_GDS, 1, "a segment is refused: %s", PMIx_Error_string(rc));
    }
}

/* --- asking for the next --- */

/* A request for the next generation that is under way. Freed by its reply. */
struct refresh {
    struct px_session *session;
    struct px_space *space;
    /* The segment that we had; compared only, as it may be unmapped before the reply. */
    const struct px_store *segment;
    struct px_refresh_barrier *barrier; /* of the collective that waits, or NULL */
};

/* What the end of a collective waits for: a number of refreshes, the last of which calls then(arg)
 * and frees the barrier. Loop thread. */
struct px_refresh_barrier {
    size_t left; /* refreshes that are not over */
    void (*then)(void *arg);
    void *arg;
};

/* Sends REQ for a namespace (NULL: our own): PROC_RANK generation that we have, STRING namespace. A
 * generation of 0 tells the server that we read the namespace by messages. Statuses as px_msg_start
 * and px_msg_send. */
static int send_request(struct px_session *session, const char *nspace, uint32_t generation,
                        px_reply_fn fn, void *arg)
{
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_REQ, &msg);

    if (rc != 0) {
        return rc;
    }
    (void) px_pack_rank(&msg.buf, msg.kind, generation);
    if (nspace != NULL) {
        (void) px_pack_string(&msg.buf, msg.kind, nspace);
    }
    return px_msg_send(&msg, REFRESH_TIMEOUT_MS, fn, arg);
}

/* Ignores the reply to a refusal of a segment. */
static void refused_reply(void *arg, int status, struct px_in *reply)
{
    (void) arg;
    (void) status;
    (void) reply;
}

/* Without a segment that can be used, an old one is dropped too: there will be no newer one. Our
 * own namespace is never read by messages once it had a segment, so it is only asked for again. */
bool px_session_segment_came(struct px_session *session, const char *nspace)
{
    struct px_space *space = px_space_named(session, nspace);
    bool arrived = space != NULL && session->arrived == space;

    px_assert(px_loop_inside(session->ctx->loop));
    session->arrived = NULL;
    if (arrived || space == &session->own || !px_session_is_heard(session)) {
        return arrived;
    }
    if (space != NULL) {
        replace_segment(session, space, NULL); /* superseded, and no newer one can be mapped */
    }
    /* a failure means a lost connection: then there are no replies to repair */
    (void) send_request(session, nspace, 0, refused_reply, session);
    return false;
}

/* A request brought no new segment: the next 2^(BACK_OFF_FIRST + n) occasions are let pass, n
 * growing with each request in vain, so that a server without a newer segment is not asked at every
 * read. unknown: it does not know the namespace. */
static void back_off(struct px_space *space, bool unknown)
{
    /* pairs with may_request and replace_segment */
    uint64_t now = px_load_acquire(&space->refresh_state);
    uint64_t n = now >> BACK_OFF_SHIFT & BACK_OFF_MAX;
    uint64_t next;

    n += n < BACK_OFF_MAX;
    next = n << BACK_OFF_SHIFT | UINT64_C(1) << (BACK_OFF_FIRST + n);
    /* pairs with may_request */
    (void) px_cas(&space->refresh_state, now, next | (unknown ? UNKNOWN : 0));
}

/* One refresh of the barrier is over; the last one calls back. */
static void barrier_arrive(struct px_refresh_barrier *barrier)
{
    px_assert(barrier->left > 0);
    barrier->left--;
    if (barrier->left == 0) {
        barrier->then(barrier->arg);
        free(barrier);
    }
}

/* Reads the reply to a refresh: STRING namespace, and a mark if the descriptor came with it (it was
 * adopted before, if it could be); or only a STATUS. If the segment could not be used, the server
 * is told so. False: the server does not know the namespace. */
static bool read_answer(const struct refresh *refresh, struct px_in *reply)
{
    char *name = NULL;
    bool known = px_unpack_string(reply, &name) == 0;

    free(name);
    if (known && px_job_info_in_segment(*reply)) {
        (void) px_session_segment_came(refresh->session, refresh->space->nspace);
    }
    return known;
}

/* The end of a refresh, with or without a new segment. Loop thread. */
static void refresh_reply(void *arg, int status, struct px_in *reply)
{
    struct refresh *refresh = arg;
    struct px_refresh_barrier *barrier = refresh->barrier;
    bool known = status != 0 || read_answer(refresh, reply);

    px_assert(px_loop_inside(refresh->session->ctx->loop));
    /* No new segment. A request of a collective does not count for the back-off: each collective
     * asks only once. */
    if (px_space_segment(refresh->space) == refresh->segment && (barrier == NULL || !known)) {
        back_off(refresh->space, !known);
    }
    px_session_unmap(refresh->session);
    free(refresh);
    if (barrier != NULL) {
        barrier_arrive(barrier);
    }
}

/* Asks for the generation behind `segment`. barrier: of a collective that waits for it, or NULL.
 * False: nothing was sent (no memory, or no server). */
static bool start_refresh(struct px_session *session, struct px_space *space,
                          const struct px_store *segment, struct px_refresh_barrier *barrier)
{
    struct refresh *refresh = malloc(sizeof(*refresh));
    struct px_store_info info;

    if (refresh == NULL) {
        return false;
    }
    px_store_info(segment, &info);
    *refresh = (struct refresh){session, space, segment, barrier};
    /* a generation of 0 would refuse the segment */
    if (send_request(session, space != &session->own ? space->nspace : NULL,
                     info.generation > 0 ? info.generation : 1, refresh_reply, refresh) != 0) {
        free(refresh);
        return false;
    }
    return true;
}

/* A server that answers knows a job of this name, and the one of our segment has ended. Until the
 * new segment arrives, the answer in the private store is what a get finds. */
void px_session_refreshed(struct px_session *session, const char *nspace)
{
    struct px_space *space = px_space_named(session, nspace);
    const struct px_store *segment = space != NULL ? px_space_segment(space) : NULL;
    struct px_store_info info = {0};

    px_assert(px_loop_inside(session->ctx->loop));
    if (segment != NULL && space != &session->own) {
        px_store_info(segment, &info);
    }
    if (info.dead && start_refresh(session, space, segment, NULL)) {
        replace_segment(session, space, NULL);
    }
}

/* True if the caller is the one that has to ask: no request is under way, and the back-off is over.
 * Counts an occasion. Any thread. */
static bool may_request(struct px_space *space)
{
    /* pairs with replace_segment and back_off */
    uint64_t now = px_load_acquire(&space->refresh_state);

    if ((now & ASKED) != 0) {
        return false;
    }
    if ((now & LEFT_MASK) != 0) {
        (void) px_cas(&space->refresh_state, now, now - 1); /* pairs with back_off */
        return false;
    }
    return px_cas(&space->refresh_state, now, now | ASKED); /* pairs with back_off */
}

/* Without a server, what is mapped is all there is. may_request has read refresh_state, which is
 * reset after the segment is exchanged, so the segment read here is not older than the one it is
 * about. */
void px_space_request_refresh(struct px_session *session, struct px_space *space)
{
    const struct px_store *segment;

    /* Without a server what we have is all there is. */
    if (px_session_server(session) == NULL || !may_request(space)) {
        return;
    }
    segment = px_space_segment(space); /* not older than what ASKED is about */
    if (segment == NULL || !start_refresh(session, space, segment, NULL)) {
        back_off(space, false);
    }
}

/* Ends the back-off of a space whose job has ended, so that the next read asks again: the name may
 * have come back. */
static void end_back_off(struct px_space *space)
{
    /* pairs with may_request and back_off */
    uint64_t now = px_load_acquire(&space->refresh_state);

    if ((now & ASKED) == 0) {
        (void) px_cas(&space->refresh_state, now, now & ~LEFT_MASK); /* pairs with may_request */
    }
}

/* True if a collective must wait for the next generation of this space: its segment is superseded,
 * and the server knows the namespace. */
static bool is_awaited(struct px_session *session, struct px_space *space,
                       const struct px_store *segment)
{
    if (segment == NULL || !px_space_is_behind(session, space, segment)) {
        return false;
    }
    /* pairs with back_off */
    if (px_store_superseded(segment) && (px_load_acquire(&space->refresh_state) & UNKNOWN) == 0) {
        return true;
    }
    end_back_off(space);
    return false;
}

/* One request for each space whose segment is superseded. Without memory for the barrier the caller
 * goes on with the segments that are mapped. */
bool px_session_refresh_all(struct px_session *session, void (*then)(void *arg), void *arg)
{
    struct px_refresh_barrier *barrier = NULL;

    px_assert(px_loop_inside(session->ctx->loop));
    for (struct px_space *at = &session->own; at != NULL; at = px_space_next(at)) {
        const struct px_store *segment = px_space_segment(at);

        if (is_awaited(session, at, segment)) {
            barrier = barrier != NULL ? barrier : calloc(1, sizeof(*barrier));
            if (barrier != NULL) { /* else the mapped segments remain */
                barrier->left += start_refresh(session, at, segment, barrier);
            }
        }
    }
    if (barrier == NULL || barrier->left == 0) {
        free(barrier);
        return false;
    }
    barrier->then = then;
    barrier->arg = arg;
    return true;
}
