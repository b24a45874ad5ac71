/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Namespaces whose store is on its way to another generation wait in a list; a timer that is due at
 * once has the first one copy a piece, once in each turn of the loop. */

#include "compaction.h"

#include "gds/generation.h"
#include "src/base/assert.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"

static void on_turn(struct px_timer *timer);

/* The timer is armed as long as somebody waits. */
static void arm(struct px_server *s)
{
    if (px_list_empty(&s->moving)) {
        px_timer_stop_loop(&s->move_timer);
    } else {
        px_timer_start_loop(s->loop, &s->move_timer, 0, on_turn);
    }
}

/* Copies a piece; the namespace is the last in the list afterwards, or not there any more. */
static void copy_piece(struct px_server *s, struct px_nspace *ns)
{
    px_list_remove(&ns->move_link);
    if (px_store_compact(ns->store)) {
        px_list_append(&s->moving, &ns->move_link);
    }
}

static void on_turn(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, move_timer);

    px_assert(!px_list_empty(&s->moving));
    copy_piece(s, px_container_of(s->moving.next, struct px_nspace, move_link));
    arm(s);
}

bool px_nspace_is_moving(const struct px_nspace *ns)
{
    return px_store_is_moving(ns->store);
}

/* A store that is moving has its turns already. */
void px_nspace_compact(struct px_server *s, struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    if (!px_store_is_moving(ns->store)) {
        copy_piece(s, ns);
        arm(s);
    }
}

void px_nspace_compact_no_more(struct px_server *s, struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    px_list_remove(&ns->move_link);
    arm(s);
}
