/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The segment of our namespace, from generation to generation, and how any segment is taken leave
 * of. Nobody waits for a new one: readers go on with what is mapped, whoever sees first that it has
 * been superseded asks, and any reply of the server may bring the descriptor, which is adopted
 * before the reply is delivered. One that gets lost, since we had no descriptor free for it, is
 * asked for again. An old generation is unmapped when no thread reads it any more, unless pointers
 * into it were given away (docs/memory-model.md, section 9). */

#include "refresh.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request.h"
#include "gds/state.h"
#include "src/base/epoch.h"
#include "src/base/param.h"
#include "other_nspace.h"
#include "src/wire/messages.h"

/* px_session.refresh_state: whether a request is under way, how many before it were in vain, and
 * how many occasions are to be let pass before the next. */
#define ASKED     (UINT64_C(1) << 63)
#define LEFT_MASK ((UINT64_C(1) << BACK_OFF_SHIFT) - 1)

enum { BACK_OFF_SHIFT = 48, BACK_OFF_MAX = 31, BACK_OFF_FIRST = 5, REFRESH_TIMEOUT_MS = 10000 };

static void free_list(struct px_store **list)
{
    px_store_destroy(*list); /* those that hang on it too */
    *list = NULL;
}

/* Nobody looks at these any more; what pointers lead to stays. */
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

void px_session_unmap_deferred(struct px_session *session)
{
    if (session->unmap_in_grace != NULL && px_grace_over()) {
        free_unpinned(session);
    }
    if (session->unmap_in_grace == NULL && session->unmap_pending != NULL && px_grace_begin()) {
        session->unmap_in_grace = session->unmap_pending;
        session->unmap_pending = NULL;
        if (px_grace_over()) {
            free_unpinned(session);
        }
    }
}

void px_session_defer_unmap(struct px_session *session, struct px_store *old)
{
    px_store_chain(&session->unmap_pending, old);
    px_session_unmap_deferred(session);
}

/* `fast_store` is nothing while `shared` changes: who has read the new generation by one of them
 * cannot find the old one by the other. */
static void replace_segment(struct px_session *session, struct px_store *next)
{
    struct px_store *old = px_session_shared(session);
    bool first;

    px_lock_take(&session->lock);
    first = px_load_ptr_acquire(&session->fast_store) != NULL; /* pairs with px_session_adopt */
    px_store_ptr_release(&session->fast_store, NULL);          /* pairs with get_fast */
    px_store_ptr_release(&session->shared, next);              /* pairs with px_session_shared */
    if (first) {
        px_store_ptr_release(&session->fast_store, next); /* pairs with get_fast */
    }
    px_lock_give(&session->lock);
    px_store_release(&session->refresh_state, 0); /* pairs with may_request_refresh */
    px_session_defer_unmap(session, old);
}

void px_session_adopt(struct px_session *session, struct px_store *segment)
{
    struct px_store *present = px_session_shared(session);
    struct px_store_info next;
    struct px_store_info now;

    if (present == NULL) {
        px_store_ptr_release(&session->shared, segment); /* pairs with px_session_shared */
        if (session->internal == 0 && session->report_fd < 0) {
            px_store_ptr_release(&session->fast_store, segment); /* pairs with get_fast */
        }
        session->ours = true;
        return;
    }
    px_store_info(segment, &next);
    px_store_info(present, &now);
    if (next.generation <= now.generation) {
        px_store_destroy(segment);
        return;
    }
    replace_segment(session, segment);
}

void px_session_prefault(struct px_store *segment)
{
    struct px_segment_hints hints = {.prefault = (uint64_t) px_param_int(PX_P_SHMEM_PREFAULT),
                                     .huge = px_param_bool(PX_P_SHMEM_HUGE)};

    px_store_prefault(segment, &hints);
}

int px_session_descriptor(void *arg, int fd)
{
    struct px_server_peer *server = arg;
    struct px_session *session = server->session;
    struct px_store *segment;

    if (px_session_shared(session) == NULL) {
        return fd; /* the first: px_session_request_job waits for it */
    }
    session->arrived = NULL;
    if (px_store_open(fd, &segment) != 0) {
        return -1;
    }
    px_session_prefault(segment);
    if (strcmp(px_store_nspace(segment), session->ctx->self.nspace) == 0) {
        px_session_adopt(session, segment);
    } else {
        px_other_nspace_adopt(session, segment);
    }
    return -1;
}

/* Whoever asked has got nothing newer. As many occasions as this says are let pass before the next
 * request, each time twice as many: a server that has nothing to give is not asked at every
 * read. */
static uint64_t next_back_off(uint64_t asked)
{
    uint64_t n = asked >> BACK_OFF_SHIFT & BACK_OFF_MAX;

    n += n < BACK_OFF_MAX;
    return n << BACK_OFF_SHIFT | UINT64_C(1) << (BACK_OFF_FIRST + n);
}

static void back_off(struct px_session *session)
{
    /* pairs with may_request_refresh and replace_segment */
    uint64_t now = px_load_acquire(&session->refresh_state);

    if ((now & ASKED) != 0) {
        /* pairs with may_request_refresh */
        (void) px_cas(&session->refresh_state, now, next_back_off(now));
    }
}

/* What came with the reply has been adopted by now. Without that we stay with what we have, for a
 * while. */
static void refresh_reply(void *arg, int status, struct px_in *reply, int fd)
{
    (void) status;
    (void) reply;
    if (fd >= 0) {
        close(fd);
    }
    back_off(arg);
    px_session_unmap_deferred(arg);
}

/* One of those who find the segment superseded asks. */
static bool may_request_refresh(struct px_session *session)
{
    /* pairs with replace_segment and back_off */
    uint64_t now = px_load_acquire(&session->refresh_state);

    if ((now & ASKED) != 0) {
        return false;
    }
    if ((now & LEFT_MASK) != 0) {
        (void) px_cas(&session->refresh_state, now, now - 1); /* pairs with back_off */
        return false;
    }
    return px_cas(&session->refresh_state, now, now | ASKED); /* pairs with back_off */
}

void px_session_request_refresh(struct px_session *session)
{
    const struct px_store *shared = px_session_shared(session);
    struct px_store_info info;
    struct px_msg msg;
    int rc;

    /* Without a server what we have is all there is. */
    if (shared == NULL || px_session_server(session) == NULL || !may_request_refresh(session)) {
        return;
    }
    rc = px_msg_start(session, PX_CMD_REQ, &msg);
    if (rc == 0) {
        px_store_info(shared, &info);
        rc = px_msg_send(&msg, px_pack_rank(&msg.buf, msg.kind, info.generation),
                         REFRESH_TIMEOUT_MS, refresh_reply, session);
    }
    if (rc != 0) {
        back_off(session);
    }
}

void px_session_drop_segments(struct px_session *session)
{
    free_list(&session->unmap_pinned);
    free_list(&session->unmap_in_grace);
    free_list(&session->unmap_pending);
    px_store_destroy(session->shared);
    session->shared = NULL;
}
