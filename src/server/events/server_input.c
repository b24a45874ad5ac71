/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "server_input.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/value/procs.h"

/* The most answers of one user that are held back: a peer that does not wait for them is answered
 * at once. */
enum { MAX_HELD = 1024 };

/* Processes that are held back; in s->paused, which owns it. */
struct paused {
    struct px_list link;
    pmix_proc_t source; /* as in struct px_flow_args */
};

/* The answer to a push that the host has taken; in s->held_pushes, which owns it. */
struct held_push {
    struct px_list link;
    struct px_user *user; /* who counts it */
    pmix_proc_t proc;
    struct px_reply_to reply_to;
};

/* Takes an answer off the list, and off its user's count. */
static void unlist(struct held_push *held)
{
    px_assert(held->user->held_pushes > 0);
    held->user->held_pushes--;
    px_list_remove(&held->link);
}

/* True if the pattern stands for the process, or for all that another pattern stands for. */
static bool covers(const pmix_proc_t *pattern, const pmix_proc_t *proc)
{
    return (!pattern->nspace[0] || strcmp(pattern->nspace, proc->nspace) == 0) &&
           (pattern->rank == PMIX_RANK_WILDCARD || pattern->rank == proc->rank);
}

static bool is_paused(const struct px_server *s, const pmix_proc_t *proc)
{
    px_list_for(const struct paused, paused, &s->paused, link) {
        if (covers(&paused->source, proc)) {
            return true;
        }
    }
    return false;
}

/* Holds back those that the pattern stands for. 0 or PMIX_ERR_NOMEM. */
static int pause_source(struct px_server *s, const pmix_proc_t *source)
{
    struct paused *added;

    px_list_for(const struct paused, paused, &s->paused, link) {
        if (px_proc_equal(&paused->source, source)) {
            return 0;
        }
    }
    added = calloc(1, sizeof(*added));
    if (!added) {
        return PMIX_ERR_NOMEM;
    }
    added->source = *source;
    px_list_append(&s->paused, &added->link);
    return 0;
}

pmix_status_t px_push_call(struct px_upcall *up)
{
    const struct px_iof_push_args *args = up->args;
    pmix_server_stdin_fn_t fn = up->server->host.push_stdin;

    return fn ? fn(&up->proc, args->procs, args->nprocs, args->head.info, args->head.ninfo,
                   &args->bytes, px_hostcb_op, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* Keeps the answer of an upcall for later; false: its user has too many, or there is no memory. */
static bool hold(struct px_upcall *up)
{
    struct px_server *s = up->server;
    const struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    struct px_user *user = peer ? peer->user : px_user_of(s, s->uid);
    struct held_push *held = user && user->held_pushes < MAX_HELD ? calloc(1, sizeof(*held)) : NULL;

    if (!held) {
        return false;
    }
    held->user = user;
    user->held_pushes++;
    held->proc = up->proc;
    held->reply_to = up->reply_to;
    px_list_append(&s->held_pushes, &held->link);
    return true;
}

/* Without memory the process is not held back; the host may ask for it again. */
void px_push_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;

    px_assert(px_loop_inside(s->loop));
    if (up->reply.status == PMIX_ERR_IOF_XOFF) {
        up->reply.status = PMIX_SUCCESS;
        (void) pause_source(s, &up->proc);
    }
    if (up->reply.status || s->stopping || !is_paused(s, &up->proc) || !hold(up)) {
        px_upcall_answer(up);
    }
}

/* Takes the first answer off the list whose process is not held back any more; NULL: none. */
static struct held_push *take_released(struct px_server *s)
{
    px_list_for(struct held_push, held, &s->held_pushes, link) {
        if (s->stopping || !is_paused(s, &held->proc)) {
            unlist(held);
            return held;
        }
    }
    return NULL;
}

/* Sends the answers that are held back no longer. */
static void release(struct px_server *s)
{
    struct held_push *held = take_released(s);

    while (held) {
        struct px_reply reply = {.status = PMIX_SUCCESS};

        px_answer(s, &held->reply_to, &px_reply_op, &reply);
        free(held);
        held = take_released(s);
    }
}

int px_flow_control(struct px_server *s, void *args)
{
    const struct px_flow_args *flow = args;

    px_assert(px_loop_inside(s->loop));
    if (flow->pause) {
        return pause_source(s, &flow->source);
    }
    px_list_for(struct paused, paused, &s->paused, link) {
        if (covers(&flow->source, &paused->source)) {
            px_list_remove(&paused->link);
            free(paused);
        }
    }
    release(s);
    return 0;
}

void px_pushes_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    px_list_for(struct held_push, held, &s->held_pushes, link) {
        if (held->reply_to.peer == peer->id) {
            px_answer_nobody(s, &held->reply_to);
            unlist(held);
            free(held);
        }
    }
    px_list_for(struct paused, paused, &s->paused, link) {
        if (px_proc_equal(&paused->source, &peer->proc)) {
            px_list_remove(&paused->link);
            free(paused);
        }
    }
}

void px_pushes_drop_all(struct px_server *s)
{
    px_assert(s->stopping);
    release(s);
    while (!px_list_empty(&s->paused)) {
        free(px_container_of(px_list_shift(&s->paused), struct paused, link));
    }
}
