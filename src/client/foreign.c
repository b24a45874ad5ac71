/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Other namespaces. The first answer with data of one brings its segment, where the server hands it
 * out; without that, and for what the server has not published, there is a private store, filled by
 * messages. Nobody waits for the next generation but a collective: what others posted before it is
 * to be seen after it. The segment of a job that is no more stays readable until its name comes
 * again, or a few other jobs have gone too. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "gds/state.h"

enum {
    ASKED_NOT,
    ASKED,         /* a reply is to come */
    ASKED_IN_VAIN, /* the job is no more */
    DEAD_KEPT = 8,       /* segments of jobs that are no more */
    PATIENCE_MS = 10000, /* a collective does not wait for ever because of a segment */
};

struct px_foreign *px_session_find_foreign(const struct px_session *session, const char *nspace,
                                           size_t len)
{
    struct px_foreign *at = px_session_foreigns(session);

    while (NULL != at && (at->nspace_len != len || memcmp(at->nspace, nspace, len) != 0)) {
        at = at->next;
    }
    return at;
}

struct px_foreign *px_session_foreign_locked(struct px_session *session, const char *nspace)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);
    struct px_foreign *made = px_session_find_foreign(session, nspace, len);

    px_assert(px_lock_held(&session->lock));
    if (NULL != made) {
        return made;
    }
    made = calloc(1, sizeof(*made));
    if (NULL == made) {
        return NULL;
    }
    memcpy(made->nspace, nspace, len);
    made->nspace_len = len;
    made->next = session->foreign;
    /* pairs with px_session_foreigns */
    px_store_ptr_release(&session->foreign, made);
    return made;
}

void px_session_drop_foreign(struct px_session *session)
{
    struct px_foreign *foreign = session->foreign;

    while (NULL != foreign) {
        struct px_foreign *next = foreign->next;

        px_store_destroy(foreign->store);
        px_store_destroy(foreign->shared);
        free(foreign);
        foreign = next;
    }
    session->foreign = NULL;
}

/* --- segments come and go; loop thread --- */

/* NULL: none. What there was is unmapped when nobody reads it any more. */
static void take_over(struct px_session *session, struct px_foreign *foreign, struct px_store *next)
{
    struct px_store *old = px_foreign_shared(foreign);

    px_store_ptr_release(&foreign->shared, next); /* pairs with px_foreign_shared */
    px_store_release(&foreign->asked, ASKED_NOT); /* pairs with px_foreign_catch_up */
    if (NULL != old) {
        px_session_retire(session, old);
    }
}

static bool is_newer(const struct px_store *segment, const struct px_store *than)
{
    struct px_store_info next;
    struct px_store_info now;

    if (NULL == than) {
        return true;
    }
    px_store_info(segment, &next);
    px_store_info(than, &now);
    return next.epoch != now.epoch || next.generation > now.generation;
}

static void drop_dead(struct px_session *session)
{
    struct px_foreign *at;
    struct px_store_info info;
    unsigned n = 0;

    for (at = px_session_foreigns(session); NULL != at; at = at->next) {
        struct px_store *segment = px_foreign_shared(at);

        if (NULL == segment) {
            continue;
        }
        px_store_info(segment, &info);
        n += info.dead;
        if (info.dead && n > DEAD_KEPT) {
            take_over(session, at, NULL);
        }
    }
}

void px_foreign_adopt(struct px_session *session, struct px_store *segment)
{
    struct px_foreign *foreign;

    px_lock_take(&session->lock);
    foreign = px_session_foreign_locked(session, px_store_nspace(segment));
    px_lock_give(&session->lock);
    session->arrived = foreign;
    if (NULL == foreign || !is_newer(segment, px_foreign_shared(foreign))) {
        px_store_destroy(segment);
        return;
    }
    take_over(session, foreign, segment);
    drop_dead(session);
}

/* --- asking --- */

/* REQ; PROC_RANK generation; STRING namespace. */
static int ask(struct px_session *session, const char *nspace, uint32_t generation, px_reply_fn fn,
               void *arg)
{
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_REQ, &msg);

    if (0 != rc) {
        return rc;
    }
    rc = px_pack_rank(&msg.buf, msg.kind, generation);
    if (0 == rc) {
        rc = px_pack_string(&msg.buf, msg.kind, nspace);
    }
    return px_msg_send(&msg, rc, PATIENCE_MS, fn, arg);
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

bool px_foreign_marked(struct px_session *session, const char *nspace)
{
    struct px_foreign *foreign =
        px_session_find_foreign(session, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
    bool arrived = NULL != foreign && session->arrived == foreign;

    session->arrived = NULL;
    if (arrived) {
        return true;
    }
    if (NULL != foreign) {
        take_over(session, foreign, NULL); /* it is old, and there will be no other */
    }
    (void) ask(session, nspace, 0, refused_reply, session); /* lost connection: no answers either */
    return false;
}

/* Under way for one namespace. */
struct pursuit {
    struct px_session *session;
    struct px_foreign *foreign;
    const struct px_store *segment; /* what we had; compared only */
    struct px_settled *settled;     /* who waits, or NULL */
};

struct px_settled {
    size_t left;
    void (*then)(void *arg);
    void *arg;
};

/* The answer was about an earlier segment, or there is none: who finds ours over may ask again. */
static void ask_no_more(struct px_foreign *foreign)
{
    /* pairs with px_foreign_catch_up */
    (void) px_cas(&foreign->asked, ASKED, ASKED_NOT);
}

/* The descriptor has been adopted by now, if it could be. Without one we stay with what we have. */
static void took_reply(const struct pursuit *pursuit, struct px_in *reply)
{
    struct px_foreign *foreign = pursuit->foreign;
    const struct px_store *segment;
    char *name = NULL;
    bool known = px_unpack_string(reply, &name) == 0;

    free(name);
    if (known && px_job_is_marked(*reply)) {
        (void) px_foreign_marked(pursuit->session, foreign->nspace);
    }
    segment = px_foreign_shared(foreign);
    if (NULL == segment || segment != pursuit->segment || !px_store_is_over(segment)) {
        ask_no_more(foreign);
    } else if (!known || !px_store_superseded(segment)) {
        px_store_release(&foreign->asked, ASKED_IN_VAIN); /* pairs with px_foreign_catch_up */
    }
}

static void settle_one(struct px_settled *settled)
{
    settled->left--;
    if (settled->left == 0) {
        settled->then(settled->arg);
        free(settled);
    }
}

static void pursuit_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct pursuit *pursuit = arg;
    struct px_settled *settled = pursuit->settled;

    if (fd >= 0) {
        close(fd);
    }
    if (0 == status) {
        took_reply(pursuit, reply);
    } else {
        ask_no_more(pursuit->foreign);
    }
    px_session_clean_up(pursuit->session);
    free(pursuit);
    if (NULL != settled) {
        settle_one(settled);
    }
}

static bool pursue(struct px_session *session, struct px_foreign *foreign,
                   const struct px_store *segment, struct px_settled *settled)
{
    struct pursuit *pursuit = malloc(sizeof(*pursuit));

    if (NULL == pursuit) {
        return false;
    }
    *pursuit = (struct pursuit){session, foreign, segment, settled};
    if (ask(session, foreign->nspace, generation_of(segment), pursuit_reply, pursuit) != 0) {
        free(pursuit);
        return false;
    }
    return true;
}

void px_foreign_catch_up(struct px_session *session, struct px_foreign *foreign)
{
    const struct px_store *segment = px_foreign_shared(foreign);

    /* pairs with take_over and took_reply */
    if (NULL == segment || px_load_acquire(&foreign->asked) != ASKED_NOT ||
        /* pairs with take_over and took_reply */
        !px_cas(&foreign->asked, ASKED_NOT, ASKED)) {
        return;
    }
    (void) pursue(session, foreign, segment, NULL); /* lost connection: what we have is all */
}

/* True: somebody is asked, who may know of a later generation. */
static bool settle(struct px_session *session, struct px_foreign *foreign,
                   struct px_settled *settled)
{
    const struct px_store *segment = px_foreign_shared(foreign);

    if (NULL == segment || !px_store_is_over(segment)) {
        return false;
    }
    if (!px_store_superseded(segment)) { /* dead: whoever reads it next asks, if in vain */
        /* pairs with took_reply and px_foreign_catch_up */
        (void) px_cas(&foreign->asked, ASKED_IN_VAIN, ASKED_NOT);
        return false;
    }
    /* pairs with took_reply */
    return px_load_acquire(&foreign->asked) != ASKED_IN_VAIN &&
           pursue(session, foreign, segment, settled);
}

bool px_foreign_settle(struct px_session *session, void (*then)(void *arg), void *arg)
{
    struct px_foreign *at = px_session_foreigns(session);
    struct px_settled *settled = NULL != at ? calloc(1, sizeof(*settled)) : NULL;

    if (NULL == settled) {
        return false;
    }
    *settled = (struct px_settled){.then = then, .arg = arg};
    for (; NULL != at; at = at->next) {
        settled->left += settle(session, at, settled);
    }
    if (settled->left == 0) {
        free(settled);
        return false;
    }
    return true;
}
