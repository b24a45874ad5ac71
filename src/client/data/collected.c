/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The server sends what has changed in pieces, each of whole processes in the order of ranks; one
 * request is under way at a time (docs/wire-format.md, section 6.3). The first piece says which
 * change this process has reached once all pieces have come; later changes are for the next time.
 */

#include "collected.h"

#include <stdlib.h>
#include <string.h>

#include "private_store.h"
#include "src/client/request.h"
#include "src/client/session.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/keys.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"

/* How long a server that does not answer can delay the end of a collective. */
enum { PIECE_TIMEOUT_MS = 10000 };

/* The namespaces that one collective brings, one after the other. Freed before its callback. */
struct collection {
    struct px_session *session;
    struct px_proc_list nspaces;
    size_t at;        /* index of the namespace whose data come now */
    pmix_rank_t from; /* rank at which its next piece begins; 0: its first piece */
    uint64_t since;   /* the change that we had before */
    uint64_t reached; /* the change that its first piece has named */
    void (*then)(void *arg);
    void *arg;
};

int px_collected_read(struct px_in *reply, struct px_proc_list *ret)
{
    int rc = 0;

    while (rc == 0 && px_in_left(reply) > 0) {
        char *name = NULL;
        pmix_proc_t all;

        rc = px_unpack_string(reply, &name);
        if (rc == 0 &&
            (name == NULL || PMIx_Nspace_invalid(name) || strlen(name) > PMIX_MAX_NSLEN)) {
            rc = PMIX_ERR_UNPACK_FAILURE;
        }
        if (rc == 0) {
            PMIx_Load_procid(&all, name, PMIX_RANK_WILDCARD);
            rc = px_proc_list_add(ret, &all);
        }
        free(name);
    }
    return rc;
}

/* Adds the namespace as its wildcard, unless we have its segment or it is in the list. */
static int choose(struct px_session *session, const char *nspace, struct px_proc_list *ret)
{
    const struct px_space *space = px_space_named(session, nspace);
    pmix_proc_t all;

    if ((space != NULL && px_space_segment(space) != NULL) ||
        px_procs_have_nspace(ret->at, ret->n, nspace)) {
        return 0;
    }
    PMIx_Load_procid(&all, nspace, PMIX_RANK_WILDCARD);
    return px_proc_list_add(ret, &all);
}

int px_collected_choose(struct px_session *session, const struct px_procs *members,
                        struct px_proc_list *ret)
{
    const struct px_link_server *server = px_session_server(session);
    int rc;

    px_assert(px_loop_inside(session->ctx->loop));
    if (server == NULL || !server->ours || px_session_shared(session) != NULL) {
        return 0;
    }
    rc = choose(session, session->own.nspace, ret);
    for (size_t i = 0; rc == 0 && i < members->n; i++) {
        rc = choose(session, members->at[i].nspace, ret);
    }
    return rc;
}

/* Notes that the private store has everything of the namespace up to the number. */
static void note_reached(struct px_session *session, const char *nspace, uint64_t reached)
{
    struct px_space *space = px_space_named(session, nspace);

    if (space != NULL) { /* else there was nothing to be stored */
        space->collected = reached;
    }
}

/* Stores one piece: KVAL PX_KEY_COLLECTED, PROC_RANK where the next piece begins, BYTE_OBJECT....
 * PMIX_ERR_UNPACK_FAILURE also for a piece that does not go on. */
static int store_piece(struct collection *all, struct px_in *reply)
{
    char *key = NULL;
    pmix_value_t value = {.type = PMIX_UNDEF};
    pmix_rank_t next = PMIX_RANK_INVALID;
    int rc = px_unpack_kval(reply, &key, &value);

    if (rc == 0 &&
        (key == NULL || !px_value_key_is(key, PX_KEY_COLLECTED) || value.type != PMIX_UINT64)) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == 0 && all->from == 0) {
        all->reached = value.data.uint64;
    }
    PMIx_Value_destruct(&value);
    free(key);
    rc = rc == 0 ? px_unpack_rank(reply, &next) : rc;
    if (rc == 0 && next <= all->from) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    while (rc == 0 && px_in_left(reply) > 0) {
        rc = px_session_store_blob(all->session, reply, NULL);
    }
    all->from = rc == 0 ? next : all->from;
    return rc;
}

static void piece_reply(void *arg, int status, struct px_in *reply);

/* Asks for the next piece: GET of the rank where it begins, with PX_KEY_COLLECTED. Statuses as
 * px_msg_start and px_msg_send. */
static int ask(struct collection *all)
{
    pmix_info_t info = {.value = {.type = PMIX_UINT64, .data.uint64 = all->since}};
    struct px_msg msg;
    int rc = px_msg_start(all->session, PX_CMD_GET, &msg);

    if (rc != 0) {
        return rc;
    }
    PMIx_Load_key(info.key, PX_KEY_COLLECTED);
    (void) px_pack_string(&msg.buf, msg.kind, all->nspaces.at[all->at].nspace);
    (void) px_pack_rank(&msg.buf, msg.kind, all->from);
    (void) px_pack_infos(&msg.buf, msg.kind, &info, 1);
    return px_msg_send(&msg, PIECE_TIMEOUT_MS, piece_reply, all);
}

/* Begins with the namespace all->at, or a later one if it cannot be asked for; behind the last one
 * ends the collection. */
static void go_on(struct collection *all)
{
    void (*then)(void *arg) = all->then;
    void *arg = all->arg;

    for (; all->at < all->nspaces.n; all->at++) {
        const struct px_space *space =
            px_space_named(all->session, all->nspaces.at[all->at].nspace);

        all->from = 0;
        all->since = space != NULL ? space->collected : 0;
        if (ask(all) == 0) {
            return;
        }
    }
    px_proc_list_fini(&all->nspaces);
    free(all);
    then(arg);
}

/* A piece has come, or an error. Loop thread. */
static void piece_reply(void *arg, int status, struct px_in *reply)
{
    struct collection *all = arg;
    int rc = px_reply_status(status, reply);

    px_assert(px_loop_inside(all->session->ctx->loop));
    rc = rc == PMIX_SUCCESS ? store_piece(all, reply) : rc;
    if (rc == 0 && all->from == PMIX_RANK_INVALID) {
        note_reached(all->session, all->nspaces.at[all->at].nspace, all->reached);
    } else if (rc == 0 && ask(all) == 0) {
        return;
    }
    all->at++;
    go_on(all);
}

void px_collected_fetch(struct px_session *session, struct px_proc_list *nspaces,
                        void (*then)(void *arg), void *arg)
{
    struct collection *all = nspaces->n > 0 ? calloc(1, sizeof(*all)) : NULL;

    px_assert(px_loop_inside(session->ctx->loop));
    if (all == NULL) {
        px_proc_list_fini(nspaces);
        then(arg);
        return;
    }
    *all = (struct collection){.session = session, .nspaces = *nspaces, .then = then, .arg = arg};
    *nspaces = (struct px_proc_list){0};
    go_on(all);
}
