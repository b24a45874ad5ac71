/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The segment of our namespace, from generation to generation, and how any segment is taken leave
 * of. Nobody waits for a new one: readers go on with what is mapped, whoever sees first that it has
 * been superseded asks, and any reply of the server may bring the descriptor, which is adopted
 * before the reply is delivered. One that gets lost, since we had no descriptor free for it, is
 * asked for again. An old generation is unmapped when no thread reads it any more, unless pointers
 * into it were given away (docs/memory-model.md, section 9). */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "gds/state.h"
#include "src/base/epoch.h"
#include "src/base/param.h"

/* px_session.catching_up: whether a request is under way, how many before it were in vain, and how
 * many occasions are to be let pass before the next. */
#define ASKED     (UINT64_C(1) << 63)
#define LEFT_MASK ((UINT64_C(1) << VAIN_SHIFT) - 1)

enum { VAIN_SHIFT = 48, MOST_VAIN = 31, FIRST_PAUSE = 5, PATIENCE_MS = 10000 };

static void free_list(struct px_store **list)
{
    px_store_destroy(*list); /* those that hang on it too */
    *list = NULL;
}

/* Nobody looks at these any more; what pointers lead to stays. */
static void free_unpinned(struct px_session *session)
{
    while (NULL != session->retired) {
        struct px_store *store = px_store_unchain(&session->retired);

        if (px_store_is_pinned(store)) {
            px_store_chain(&session->old, store);
        } else {
            px_store_destroy(store);
        }
    }
}

void px_session_clean_up(struct px_session *session)
{
    if (NULL != session->retired && px_grace_over()) {
        free_unpinned(session);
    }
    if (NULL == session->retired && NULL != session->unused && px_grace_begin()) {
        session->retired = session->unused;
        session->unused = NULL;
        if (px_grace_over()) {
            free_unpinned(session);
        }
    }
}

void px_session_retire(struct px_session *session, struct px_store *old)
{
    px_store_chain(&session->unused, old);
    px_session_clean_up(session);
}

/* `first` is nothing while `shared` changes: who has read the new generation by one of them cannot
 * find the old one by the other. */
static void replace(struct px_session *session, struct px_store *next)
{
    struct px_store *old = px_session_shared(session);
    bool first;

    px_lock_take(&session->lock);
    first = NULL != px_load_ptr_acquire(&session->first); /* pairs with px_session_adopt */
    px_store_ptr_release(&session->first, NULL); /* pairs with px_client_glance */
    px_store_ptr_release(&session->shared, next); /* pairs with px_session_shared */
    if (first) {
        px_store_ptr_release(&session->first, next); /* pairs with px_client_glance */
    }
    px_lock_give(&session->lock);
    px_store_release(&session->catching_up, 0); /* pairs with may_ask */
    px_session_retire(session, old);
}

void px_session_adopt(struct px_session *session, struct px_store *segment)
{
    struct px_store *present = px_session_shared(session);
    struct px_store_info next;
    struct px_store_info now;

    if (NULL == present) {
        px_store_ptr_release(&session->shared, segment); /* pairs with px_session_shared */
        if (session->internal == 0 && session->report_fd < 0) {
            px_store_ptr_release(&session->first, segment); /* pairs with px_client_glance */
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
    replace(session, segment);
}

void px_session_warm(struct px_store *segment)
{
    struct px_segment_hints hints = {.prefault = (uint64_t) px_param_int(PX_P_SHMEM_PREFAULT),
                                     .huge = px_param_bool(PX_P_SHMEM_HUGE)};

    px_store_warm(segment, &hints);
}

int px_session_descriptor(void *arg, int fd)
{
    struct px_server_peer *server = arg;
    struct px_session *session = server->session;
    struct px_store *segment;

    if (NULL == px_session_shared(session)) {
        return fd; /* the first: px_session_request_job waits for it */
    }
    session->arrived = NULL;
    if (px_store_open(fd, &segment) != 0) {
        return -1;
    }
    px_session_warm(segment);
    if (strcmp(px_store_nspace(segment), session->ctx->self.nspace) == 0) {
        px_session_adopt(session, segment);
    } else {
        px_foreign_adopt(session, segment);
    }
    return -1;
}

/* Whoever asked has got nothing newer. As many occasions as this says are let pass before the next
 * request, each time twice as many: a server that has nothing to give is not asked at every
 * read. */
static uint64_t pause_after(uint64_t asked)
{
    uint64_t n = asked >> VAIN_SHIFT & MOST_VAIN;

    n += n < MOST_VAIN;
    return n << VAIN_SHIFT | UINT64_C(1) << (FIRST_PAUSE + n);
}

static void asked_in_vain(struct px_session *session)
{
    uint64_t now = px_load_acquire(&session->catching_up); /* pairs with may_ask and replace */

    if ((now & ASKED) != 0) {
        /* pairs with may_ask */
        (void) px_cas(&session->catching_up, now, pause_after(now));
    }
}

/* What came with the reply has been adopted by now. Without that we stay with what we have, for a
 * while. */
static void catch_up_reply(void *arg, int status, struct px_in *reply, int fd)
{
    (void) status;
    (void) reply;
    if (fd >= 0) {
        close(fd);
    }
    asked_in_vain(arg);
    px_session_clean_up(arg);
}

/* One of those who find the segment superseded asks. */
static bool may_ask(struct px_session *session)
{
    /* pairs with replace and asked_in_vain */
    uint64_t now = px_load_acquire(&session->catching_up);

    if ((now & ASKED) != 0) {
        return false;
    }
    if ((now & LEFT_MASK) != 0) {
        (void) px_cas(&session->catching_up, now, now - 1); /* pairs with asked_in_vain */
        return false;
    }
    return px_cas(&session->catching_up, now, now | ASKED); /* pairs with asked_in_vain */
}

void px_session_catch_up(struct px_session *session)
{
    const struct px_store *shared = px_session_shared(session);
    struct px_store_info info;
    struct px_msg msg;
    int rc;

    /* Without a server what we have is all there is. */
    if (NULL == shared || NULL == px_session_server(session) || !may_ask(session)) {
        return;
    }
    rc = px_msg_start(session, PX_CMD_REQ, &msg);
    if (0 == rc) {
        px_store_info(shared, &info);
        rc = px_msg_send(&msg, px_pack_rank(&msg.buf, msg.kind, info.generation), PATIENCE_MS,
                         catch_up_reply, session);
    }
    if (0 != rc) {
        asked_in_vain(session);
    }
}

void px_session_drop_segments(struct px_session *session)
{
    free_list(&session->old);
    free_list(&session->retired);
    free_list(&session->unused);
    px_store_destroy(session->shared);
    session->shared = NULL;
}
