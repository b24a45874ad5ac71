/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests to a server and their replies (request.h).
 *
 * A request is entered under its tag before its bytes are sent, since the reply may arrive before
 * the send returns. An entry is answered by the one that removes it under the lock: the reply, the
 * timeout or the end of the stream; so each is answered once. The connection outlives its stream:
 * senders in other threads may hold it until the owner closes the link. A forked child has a copy
 * of the descriptor and must not write into its parent's stream.
 *
 * One timer serves all timeouts. The loop is woken for a request only when its deadline is nearer
 * than the one that the timer is set to. */

#include "src/context/request.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/clock.h"
#include "src/base/list.h"
#include "src/base/lock.h"
#include "src/base/param.h"
#include "src/base/status.h"
#include "src/wire/message.h"
#include "src/net/conn_write.h"

/* Buckets of the table of pending requests, range of tags, and the largest message in MiB when the
 * parameter sets no limit. */
enum {
    BUCKETS = 64,
    TAG_FIRST = PX_TAG_FIRST + 1,
    TAG_LAST = 0x7fffffff, /* the upper half belongs to the server */
    MIB = 1048576,
    MSG_MIB_MAX = 4095,
};

#define NO_DEADLINE UINT64_MAX

/* One request that waits for its reply; in the bucket of its tag, or taken out and about to be
 * answered. */
struct pending {
    struct px_list link;
    uint32_t tag;
    uint64_t deadline_ns; /* NO_DEADLINE: none */
    px_reply_fn fn;
    void *arg;
};

/* One connection to a server. Owned by a px_link_server of the session; freed by px_link_close. */
struct px_link {
    struct px_loop *loop;
    struct px_conn *conn;
    enum px_wire_kind kind;
    struct px_link_ops ops;
    void *arg;
    uint64_t sent;     /* atomic */
    uint64_t received; /* atomic */
    struct px_lock lock;
    bool up;                         /* lock: requests are accepted */
    uint32_t next_tag;               /* lock */
    bool wrapped;                    /* lock: the last tag has been given once */
    struct px_list pending[BUCKETS]; /* lock */
    uint64_t armed_ns;               /* lock: deadline that the timer is, or will be, set to */
    bool arm_posted;                 /* lock */
    struct px_task arm;              /* lock: posted while arm_posted */
    struct px_timer timer;           /* loop thread */
    struct px_task start;            /* posted once at most, by px_link_open */
};

static struct px_list *bucket(struct px_link *link, uint32_t tag)
{
    return &link->pending[tag % BUCKETS];
}

/* The request under way with this tag, or NULL. */
static struct pending *find_locked(struct px_link *link, uint32_t tag)
{
    px_assert(px_lock_held(&link->lock));
    px_list_for(struct pending, p, bucket(link, tag), link) {
        if (p->tag == tag) {
            return p;
        }
    }
    return NULL;
}

/* A tag that no request under way has: a new one, until tags wrap round. Then a request that lives
 * long may have it still. */
static uint32_t new_tag_locked(struct px_link *link)
{
    uint32_t tag;

    px_assert(px_lock_held(&link->lock));
    do {
        tag = link->next_tag;
        link->next_tag = tag == TAG_LAST ? TAG_FIRST : tag + 1;
        link->wrapped = link->wrapped || tag == TAG_LAST;
    } while (link->wrapped && find_locked(link, tag));
    return tag;
}

/* Moves requests whose deadline is not after `now_ns` to `due`, in no order; NO_DEADLINE moves all.
 * Returns the nearest deadline of the others. */
static uint64_t take_due_locked(struct px_link *link, uint64_t now_ns, struct px_list *due)
{
    uint64_t nearest = NO_DEADLINE;

    px_assert(px_lock_held(&link->lock));
    for (size_t i = 0; i < BUCKETS; i++) {
        px_list_for(struct pending, p, &link->pending[i], link) {
            if (p->deadline_ns <= now_ns) {
                px_list_remove(&p->link);
                px_list_append(due, &p->link);
            } else if (p->deadline_ns < nearest) {
                nearest = p->deadline_ns;
            }
        }
    }
    return nearest;
}

/* Answers the requests of the list, which are in no bucket any more, with an error, and frees them.
 * Without the lock, since the functions called may send requests. */
static void answer_all(struct px_list *list, int status)
{
    struct px_list *item;

    for (item = px_list_shift(list); item; item = px_list_shift(list)) {
        struct pending *p = px_container_of(item, struct pending, link);

        p->fn(p->arg, status, NULL);
        free(p);
    }
}

/* --- timeouts --- */

static void timer_fired(struct px_timer *timer);

/* Answers the requests that are overdue and sets the timer to the next deadline. */
static void look_at_deadlines(struct px_link *link)
{
    struct px_list due;
    uint64_t now = px_clock_ns();
    uint64_t nearest;

    px_assert(px_loop_inside(link->loop));
    px_list_init(&due);
    px_lock_take(&link->lock);
    nearest = take_due_locked(link, now, &due);
    link->armed_ns = nearest;
    px_lock_give(&link->lock);
    if (nearest == NO_DEADLINE) {
        px_timer_stop_loop(&link->timer);
    } else {
        px_timer_start_loop(link->loop, &link->timer, (nearest - now + 999999) / 1000000,
                            timer_fired);
    }
    answer_all(&due, PMIX_ERR_TIMEOUT);
}

static void timer_fired(struct px_timer *timer)
{
    look_at_deadlines(px_container_of(timer, struct px_link, timer));
}

/* A sender has a nearer deadline than the timer. */
static void arm_run(struct px_task *task)
{
    struct px_link *link = px_container_of(task, struct px_link, arm);

    px_lock_take(&link->lock);
    link->arm_posted = false;
    px_lock_give(&link->lock);
    look_at_deadlines(link);
}

/* Has the loop set the timer nearer if `deadline_ns` requires it. At most one task is posted at a
 * time. */
static void arm_locked(struct px_link *link, uint64_t deadline_ns)
{
    px_assert(px_lock_held(&link->lock));
    if (deadline_ns >= link->armed_ns) {
        return;
    }
    link->armed_ns = deadline_ns;
    if (!link->arm_posted) {
        link->arm_posted = true;
        px_loop_post(link->loop, &link->arm);
    }
}

/* --- receiving --- */

/* A message has arrived: hands a notice to the owner, a reply to its request. A descriptor that
 * comes with a notice, or with a reply that nobody waits for, is closed. */
static bool got_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct px_link *link = arg;
    struct px_in in = px_in_make(payload, len, link->kind);
    struct pending *p;

    px_assert(px_loop_inside(link->loop));
    (void) px_fetch_add(&link->received, 1);
    px_lock_take(&link->lock);
    p = tag < PX_TAG_FIRST ? NULL : find_locked(link, tag);
    if (p) {
        px_list_remove(&p->link);
    }
    px_lock_give(&link->lock);
    if (p && link->ops.reply) {
        link->ops.reply(link->arg, fd);
    } else if (fd >= 0) {
        (void) close(fd);
    }
    if (p) {
        p->fn(p->arg, PMIX_SUCCESS, &in);
        free(p);
    } else if (tag < PX_TAG_FIRST) {
        link->ops.notice(link->arg, tag, &in);
    } /* otherwise the request timed out, or there was none */
    return false;
}

/* Refuses requests from now on and answers all that are pending with PMIX_ERR_LOST_CONNECTION. */
static void fail_pending(struct px_link *link)
{
    struct px_list all;

    px_assert(px_loop_inside(link->loop));
    px_list_init(&all);
    px_lock_take(&link->lock);
    link->up = false;
    (void) take_due_locked(link, NO_DEADLINE, &all);
    link->armed_ns = NO_DEADLINE;
    px_lock_give(&link->lock);
    px_timer_stop_loop(&link->timer);
    answer_all(&all, PMIX_ERR_LOST_CONNECTION);
}

/* The stream has ended; the owner learns it after the requests. */
static void got_end(void *arg, int status)
{
    struct px_link *link = arg;

    (void) status; /* any reason makes the server unreachable */
    fail_pending(link);
    link->ops.lost(link->arg);
}

static const struct px_conn_ops conn_ops = {.message = got_message, .closed = got_end};

/* --- opening and closing --- */

static void start_loop(void *arg)
{
    struct px_link *link = arg;

    px_conn_start_loop(link->conn);
}

/* Begins to read. Runs after px_link_open may have returned: a request may have been sent
 * already. */
static void start_run(struct px_task *task)
{
    start_loop(px_container_of(task, struct px_link, start));
}

/* Makes the connection, with the largest message that the parameter allows. Takes over the
 * descriptor. */
static int make_conn(struct px_link *link, int fd, uint32_t index)
{
    int64_t mib = px_param_int(PX_P_MAX_MSG_SIZE);
    size_t max_msg = (size_t) (mib ? mib : MSG_MIB_MAX) * MIB;

    return px_conn_create(link->loop, fd, index, max_msg, &conn_ops, link, &link->conn);
}

static void link_free(struct px_link *link)
{
    px_lock_fini(&link->lock);
    free(link);
}

int px_link_open(struct px_loop *loop, int fd, uint32_t index, enum px_wire_kind kind,
                 const struct px_link_ops *ops, void *arg, struct px_link **ret)
{
    struct px_link *link = px_loop_alive(loop) ? calloc(1, sizeof(*link)) : NULL;
    int rc;

    px_assert(!px_loop_inside(loop));
    if (!link) {
        (void) close(fd);
        return px_loop_alive(loop) ? PMIX_ERR_NOMEM : PMIX_ERR_UNREACH;
    }
    link->loop = loop;
    link->kind = kind;
    link->ops = *ops;
    link->arg = arg;
    link->up = true;
    link->next_tag = TAG_FIRST;
    link->armed_ns = NO_DEADLINE;
    link->arm.run = arm_run;
    for (size_t i = 0; i < BUCKETS; i++) {
        px_list_init(&link->pending[i]);
    }
    px_lock_init(&link->lock);
    link->start.run = start_run;
    rc = make_conn(link, fd, index);
    if (rc) {
        link_free(link);
        return rc;
    }
    *ret = link;
    if (!px_loop_try_run(loop, start_loop, link)) {
        px_loop_post(loop, &link->start);
    }
    return PMIX_SUCCESS;
}

static void shut_loop(void *arg)
{
    fail_pending(arg);
}

void px_link_shut(struct px_link *link)
{
    px_assert(!link || !px_loop_inside(link->loop));
    if (link) {
        (void) px_loop_run(link->loop, shut_loop, link); /* fails in a forked child only */
    }
}

/* Answers what is pending before the connection is destroyed: the functions called may still use
 * it. */
static void close_loop(void *arg)
{
    struct px_link *link = arg;

    fail_pending(link);
    px_conn_destroy_loop(link->conn);
}

void px_link_close_loop(struct px_link *link)
{
    px_assert(px_loop_inside(link->loop));
    close_loop(link);
    link_free(link);
}

/* The tasks of the link have run by then, because the loop runs them in order. In a forked child
 * nothing of the parent's is touched. */
void px_link_close(struct px_link *link)
{
    px_assert(!link || !px_loop_inside(link->loop));
    if (link && px_loop_run(link->loop, close_loop, link) == PX_OK) {
        link_free(link);
    }
}

static void hang_up_loop(void *arg)
{
    struct px_link *link = arg;

    px_conn_hang_up_loop(link->conn);
}

void px_link_hang_up(struct px_link *link)
{
    px_assert(!px_loop_inside(link->loop));
    (void) px_loop_run(link->loop, hang_up_loop, link); /* fails in a forked child only */
}

enum px_wire_kind px_link_kind(const struct px_link *link)
{
    return link->kind;
}

/* --- sending --- */

/* True if the request was still pending and has been removed: then it is not answered any more, and
 * the caller frees it. Otherwise `p` has been freed; it is only compared. */
static bool take_back(struct px_link *link, uint32_t tag, const struct pending *p)
{
    struct pending *found;

    px_lock_take(&link->lock);
    found = find_locked(link, tag);
    if (found == p) {
        px_list_remove(&found->link);
    }
    px_lock_give(&link->lock);
    return found == p;
}

/* The timer is armed before the send: once the bytes are sent, the reply may free the entry. */
int px_link_request_take(struct px_link *link, struct px_buf *payload, uint64_t timeout_ms,
                         px_reply_fn fn, void *arg)
{
    struct pending *p = px_loop_alive(link->loop) ? malloc(sizeof(*p)) : NULL;
    uint32_t tag;
    int rc;

    if (!p) {
        px_buf_fini(payload);
        return px_loop_alive(link->loop) ? PMIX_ERR_NOMEM : PMIX_ERR_LOST_CONNECTION;
    }
    *p = (struct pending){.deadline_ns = NO_DEADLINE, .fn = fn, .arg = arg};
    if (timeout_ms > 0 && timeout_ms < INT64_MAX / 1000000) {
        p->deadline_ns = px_clock_ns() + timeout_ms * 1000000u;
    }
    px_lock_take(&link->lock);
    if (!link->up) {
        px_lock_give(&link->lock);
        px_buf_fini(payload);
        free(p);
        return PMIX_ERR_LOST_CONNECTION;
    }
    tag = new_tag_locked(link);
    p->tag = tag;
    px_list_append(bucket(link, tag), &p->link);
    arm_locked(link, p->deadline_ns);
    px_lock_give(&link->lock);
    rc = px_conn_send_take(link->conn, tag, payload, -1);
    if (rc == PMIX_SUCCESS) {
        (void) px_fetch_add(&link->sent, 1);
        return PMIX_SUCCESS;
    }
    if (!take_back(link, tag, p)) {
        return PMIX_SUCCESS; /* answered already: connection lost, or timed out */
    }
    free(p);
    return rc;
}

int px_link_post_take(struct px_link *link, uint32_t tag, struct px_buf *payload)
{
    int rc;

    if (!px_loop_alive(link->loop)) {
        px_buf_fini(payload);
        return PMIX_ERR_LOST_CONNECTION;
    }
    px_lock_take(&link->lock);
    if (tag >= PX_TAG_FIRST) {
        tag = new_tag_locked(link);
    }
    px_lock_give(&link->lock);
    rc = px_conn_send_take(link->conn, tag, payload, -1);
    if (rc == PMIX_SUCCESS) {
        (void) px_fetch_add(&link->sent, 1);
    }
    return rc;
}

void px_link_counts(const struct px_link *link, uint64_t *ret_sent, uint64_t *ret_received)
{
    *ret_sent = px_load_relaxed(&link->sent);
    *ret_received = px_load_relaxed(&link->received);
}
