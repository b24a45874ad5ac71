/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Other namespaces. The first answer with data of one brings its segment, where the server hands it
 * out; without that, and for what the server has not published, there is a private store, filled by
 * messages. Nobody waits for the next generation but a collective: what others posted before it is
 * to be seen after it. The segment of a job that is no more stays readable until its name comes
 * again, or a few other jobs have gone too. */

#include "other_nspace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request.h"
#include "gds/state.h"
#include "private_store.h"
#include "refresh.h"
#include "src/wire/messages.h"

enum {
    ASKED_NOT,
    ASKED,                      /* a reply is to come */
    ASKED_IN_VAIN,              /* the job is no more */
    DEAD_KEPT = 8,              /* segments of jobs that are no more */
    REFRESH_TIMEOUT_MS = 10000, /* a collective does not wait for ever because of a segment */
};

struct px_other_nspace *px_session_find_other_nspace(const struct px_session *session,
                                                     const char *nspace, size_t len)
{
    struct px_other_nspace *at = px_session_other_nspaces(session);

    while (at != NULL && (at->nspace_len != len || memcmp(at->nspace, nspace, len) != 0)) {
        at = at->next;
    }
    return at;
}

struct px_other_nspace *px_session_other_nspace_locked(struct px_session *session,
                                                       const char *nspace)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);
    struct px_other_nspace *made = px_session_find_other_nspace(session, nspace, len);

    px_assert(px_lock_held(&session->lock));
    if (made != NULL) {
        return made;
    }
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    memcpy(made->nspace, nspace, len);
    made->nspace_len = len;
    made->next = session->other_nspaces;
    /* pairs with px_session_other_nspaces */
    px_store_ptr_release(&session->other_nspaces, made);
    return made;
}

void px_session_drop_other_nspaces(struct px_session *session)
{
    struct px_other_nspace *other_nspace = session->other_nspaces;

    while (other_nspace != NULL) {
        struct px_other_nspace *next = other_nspace->next;

        px_store_destroy(other_nspace->store);
        px_store_destroy(other_nspace->shared);
        free(other_nspace);
        other_nspace = next;
    }
    session->other_nspaces = NULL;
}

/* --- segments come and go; loop thread --- */

/* NULL: none. What there was is unmapped when nobody reads it any more. */
static void set_segment(struct px_session *session, struct px_other_nspace *other_nspace,
                        struct px_store *next)
{
    struct px_store *old = px_other_nspace_shared(other_nspace);

    px_store_ptr_release(&other_nspace->shared, next); /* pairs with px_other_nspace_shared */
    /* pairs with px_other_nspace_request_refresh */
    px_store_release(&other_nspace->asked, ASKED_NOT);
    if (old != NULL) {
        px_session_defer_unmap(session, old);
    }
}

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

static void drop_dead(struct px_session *session)
{
    struct px_other_nspace *at;
    struct px_store_info info;
    unsigned n = 0;

    for (at = px_session_other_nspaces(session); at != NULL; at = at->next) {
        struct px_store *segment = px_other_nspace_shared(at);

        if (segment == NULL) {
            continue;
        }
        px_store_info(segment, &info);
        n += info.dead;
        if (info.dead && n > DEAD_KEPT) {
            set_segment(session, at, NULL);
        }
    }
}

void px_other_nspace_adopt(struct px_session *session, struct px_store *segment)
{
    struct px_other_nspace *other_nspace;

    px_assert(px_loop_inside(session->ctx->loop));
    px_lock_take(&session->lock);
    other_nspace = px_session_other_nspace_locked(session, px_store_nspace(segment));
    px_lock_give(&session->lock);
    session->arrived = other_nspace;
    if (other_nspace == NULL || !is_newer(segment, px_other_nspace_shared(other_nspace))) {
        px_store_destroy(segment);
        return;
    }
    set_segment(session, other_nspace, segment);
    drop_dead(session);
}

/* --- asking --- */

/* REQ; PROC_RANK generation; STRING namespace. */
static int send_refresh(struct px_session *session, const char *nspace, uint32_t generation,
                        px_reply_fn fn, void *arg)
{
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_REQ, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack_rank(&msg.buf, msg.kind, generation);
    if (rc == 0) {
        rc = px_pack_string(&msg.buf, msg.kind, nspace);
    }
    return px_msg_send(&msg, rc, REFRESH_TIMEOUT_MS, fn, arg);
}

static uint32_t generation_of(const struct px_store *segment)
{
    struct px_store_info info;

    px_store_info(segment, &info);
    return info.generation > 0 ? info.generation : 1; /* 0 says something else */
}

static void refused_reply(void *arg, int status, struct px_in *reply, int fd)
{
    (void) arg;
    (void) status;
    (void) reply;
    if (fd >= 0) {
        close(fd);
    }
}

bool px_other_nspace_segment_came(struct px_session *session, const char *nspace)
{
    struct px_other_nspace *other_nspace =
        px_session_find_other_nspace(session, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
    bool arrived = other_nspace != NULL && session->arrived == other_nspace;

    px_assert(px_loop_inside(session->ctx->loop));
    session->arrived = NULL;
    if (arrived) {
        return true;
    }
    if (other_nspace != NULL) {
        set_segment(session, other_nspace, NULL); /* it is old, and there will be no other */
    }
    (void) send_refresh(session, nspace, 0, refused_reply,
                        session); /* lost connection: no answers either */
    return false;
}

/* Under way for one namespace. */
struct ns_refresh {
    struct px_session *session;
    struct px_other_nspace *other_nspace;
    const struct px_store *segment;     /* what we had; compared only */
    struct px_refresh_barrier *barrier; /* who waits, or NULL */
};

struct px_refresh_barrier {
    size_t left;
    void (*then)(void *arg);
    void *arg;
};

/* The answer was about an earlier segment, or there is none: who finds ours over may ask again. */
static void refresh_done(struct px_other_nspace *other_nspace)
{
    /* pairs with px_other_nspace_request_refresh */
    (void) px_cas(&other_nspace->asked, ASKED, ASKED_NOT);
}

/* The descriptor has been adopted by now, if it could be. Without one we stay with what we have. */
static void refresh_replied(const struct ns_refresh *ns_refresh, struct px_in *reply)
{
    struct px_other_nspace *other_nspace = ns_refresh->other_nspace;
    const struct px_store *segment;
    char *name = NULL;
    bool known = px_unpack_string(reply, &name) == 0;

    free(name);
    if (known && px_job_info_in_segment(*reply)) {
        (void) px_other_nspace_segment_came(ns_refresh->session, other_nspace->nspace);
    }
    segment = px_other_nspace_shared(other_nspace);
    if (segment == NULL || segment != ns_refresh->segment || !px_store_is_over(segment)) {
        refresh_done(other_nspace);
    } else if (!known || !px_store_superseded(segment)) {
        /* pairs with px_other_nspace_request_refresh */
        px_store_release(&other_nspace->asked, ASKED_IN_VAIN);
    }
}

static void barrier_arrive(struct px_refresh_barrier *barrier)
{
    barrier->left--;
    if (barrier->left == 0) {
        barrier->then(barrier->arg);
        free(barrier);
    }
}

static void ns_refresh_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct ns_refresh *ns_refresh = arg;
    struct px_refresh_barrier *barrier = ns_refresh->barrier;

    if (fd >= 0) {
        close(fd);
    }
    if (status == 0) {
        refresh_replied(ns_refresh, reply);
    } else {
        refresh_done(ns_refresh->other_nspace);
    }
    px_session_unmap_deferred(ns_refresh->session);
    free(ns_refresh);
    if (barrier != NULL) {
        barrier_arrive(barrier);
    }
}

static bool start_refresh(struct px_session *session, struct px_other_nspace *other_nspace,
                          const struct px_store *segment, struct px_refresh_barrier *barrier)
{
    struct ns_refresh *ns_refresh = malloc(sizeof(*ns_refresh));

    if (ns_refresh == NULL) {
        return false;
    }
    *ns_refresh = (struct ns_refresh){session, other_nspace, segment, barrier};
    if (send_refresh(session, other_nspace->nspace, generation_of(segment), ns_refresh_reply,
                     ns_refresh) != 0) {
        free(ns_refresh);
        return false;
    }
    return true;
}

void px_other_nspace_request_refresh(struct px_session *session,
                                     struct px_other_nspace *other_nspace)
{
    const struct px_store *segment = px_other_nspace_shared(other_nspace);

    /* pairs with set_segment and refresh_replied */
    if (segment == NULL || px_load_acquire(&other_nspace->asked) != ASKED_NOT ||
        /* pairs with set_segment and refresh_replied */
        !px_cas(&other_nspace->asked, ASKED_NOT, ASKED)) {
        return;
    }
    (void) start_refresh(session, other_nspace, segment,
                         NULL); /* lost connection: what we have is all */
}

/* True: somebody is asked, who may know of a later generation. */
static bool refresh_if_superseded(struct px_session *session, struct px_other_nspace *other_nspace,
                                  struct px_refresh_barrier *barrier)
{
    const struct px_store *segment = px_other_nspace_shared(other_nspace);

    if (segment == NULL || !px_store_is_over(segment)) {
        return false;
    }
    if (!px_store_superseded(segment)) { /* dead: whoever reads it next asks, if in vain */
        /* pairs with refresh_replied and px_other_nspace_request_refresh */
        (void) px_cas(&other_nspace->asked, ASKED_IN_VAIN, ASKED_NOT);
        return false;
    }
    /* pairs with refresh_replied */
    return px_load_acquire(&other_nspace->asked) != ASKED_IN_VAIN &&
           start_refresh(session, other_nspace, segment, barrier);
}

bool px_other_nspace_barrier(struct px_session *session, void (*then)(void *arg), void *arg)
{
    struct px_other_nspace *at = px_session_other_nspaces(session);
    struct px_refresh_barrier *barrier = at != NULL ? calloc(1, sizeof(*barrier)) : NULL;

    px_assert(px_loop_inside(session->ctx->loop));
    if (barrier == NULL) {
        return false;
    }
    *barrier = (struct px_refresh_barrier){.then = then, .arg = arg};
    for (; at != NULL; at = at->next) {
        barrier->left += refresh_if_superseded(session, at, barrier);
    }
    if (barrier->left == 0) {
        free(barrier);
        return false;
    }
    return true;
}
