/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a tool's servers have said is moved when the primary server changes: into the session, where
 * readers find it without a lock, and back. A reader that follows the list of spaces meanwhile goes
 * on in the one that it has begun with; spaces are freed at the end of the session only. */

#include "primary.h"

#include "src/client/query_cache.h"
#include "src/client/data/refresh.h"
#include "src/client/session.h"
#include "src/event/own_input.h"

/* Moves what is read out of the session or into it. Session lock. */
static void move_locked(struct px_session *session, struct px_told *told, bool out)
{
    static const struct px_map none;

    px_assert(px_lock_held(&session->lock));
    if (out) {
        *told = (struct px_told){session->own.next, session->fetched, session->queries};
        session->fetched = none;
        session->queries = none;
    } else {
        session->fetched = told->fetched;
        session->queries = told->queries;
    }
    /* pairs with px_space_next */
    px_store_ptr_release(&session->own.next, out ? NULL : told->spaces);
    if (!out) {
        *told = (struct px_told){.spaces = NULL};
    }
}

void px_session_set_primary_locked(struct px_session *session, struct px_link_server *server)
{
    struct px_link_server *old = session->primary;

    px_assert(px_lock_held(&session->lock));
    if (session->is_tool && old != server && old != NULL) {
        move_locked(session, &old->told, true);
    }
    if (session->is_tool && old != server && server != NULL) {
        move_locked(session, &server->told, false);
    }
    px_store_ptr_release(&session->primary, server); /* pairs with px_session_server */
}

void px_server_reuse_locked(struct px_session *session, struct px_link_server *server)
{
    px_assert(px_lock_held(&session->lock));
    for (struct px_link_server *at = px_server_first(session); at != NULL;
         at = px_server_next(at)) {
        if (at->forgotten && at->told.spaces != NULL) {
            server->told.spaces = at->told.spaces;
            at->told.spaces = NULL;
            return;
        }
    }
}

bool px_session_is_heard(const struct px_session *session)
{
    /* pairs with px_session_set_primary_locked */
    return !session->is_tool || session->speaker == px_load_ptr_acquire(&session->primary);
}

/* Drops what one server has said; its spaces stay, empty. Loop thread. */
static void forget(struct px_session *session, struct px_link_server *server)
{
    for (struct px_space *at = server->told.spaces; at != NULL; at = px_space_next(at)) {
        px_space_drop(session, at);
    }
    px_query_cache_fini(&server->told.queries);
    px_map_fini(&server->told.fetched);
    server->forgotten = true;
}

void px_session_forget_lost(void *arg)
{
    struct px_session *session = arg;
    struct px_link_server *at;

    px_assert(px_loop_inside(session->ctx->loop));
    px_lock_take(&session->lock);
    for (at = px_server_first(session); at != NULL; at = px_server_next(at)) {
        bool lost = px_load_acquire(&at->lost) != 0; /* pairs with link_lost */

        if (session->is_tool && lost && !at->forgotten && at != session->primary) {
            forget(session, at);
        }
    }
    px_lock_give(&session->lock);
    for (at = px_server_first(session); at != NULL; at = px_server_next(at)) {
        if (at->forgotten) {
            px_input_lost(session->ctx, at);
        }
    }
    px_session_unmap(session);
}

void px_told_fini(struct px_link_server *server)
{
    px_space_list_free(server->told.spaces);
    px_query_cache_fini(&server->told.queries);
    px_map_fini(&server->told.fetched);
}
