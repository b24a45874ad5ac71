/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool is no client: as a rule nobody registered it. The host must have asked for tools and have
 * a say in each; their owner must be the server's unless foreign tools are allowed. */

#include "server_tool.h"

#include <stdio.h>
#include <string.h>

#include "src/server/requests/host_upcall.h"
#include "src/net/auth.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/dispatch.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

/* Is it the user that it has to be? A tool that the host registered, as it would a client, has an
 * owner of its own. */
static int check_owner(struct px_server *s, const struct px_handshake *handshake,
                       struct px_peer_cred *peer_cred)
{
    const struct px_local_proc *rank = px_local_proc_of(s, &handshake->proc);
    int rc;

    if (rank && rank->registered) {
        return px_auth_check(handshake, peer_cred, rank->uid, rank->gid);
    }
    rc = px_auth_identify(handshake, peer_cred);
    return rc || s->foreign_tools || peer_cred->uid == s->uid ? rc : PMIX_ERR_INVALID_CRED;
}

bool px_tool_refused(struct px_server *s, const struct px_handshake *handshake,
                     struct px_peer_cred *peer_cred)
{
    px_assert(px_loop_inside(s->loop));
    if (!s->tools || (!s->host.tool_connected && !s->host.tool_connected2)) {
        return true;
    }
    return check_owner(s, handshake, peer_cred) != 0;
}

static void assign_name(struct px_peer *peer)
{
    char name[PMIX_MAX_NSLEN + 1];

    (void) snprintf(name, sizeof(name), "%.200s.tool.%u", peer->server->self.nspace,
                    ++peer->server->next_tool);
    PMIX_LOAD_PROCID(&peer->proc, name, 0);
}

static void tool_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);

    if (!peer) {
        return;
    }
    if (up->reply.status == PMIX_SUCCESS && peer->needs_id && !up->reply.proc.nspace[0]) {
        assign_name(peer);
    }
    px_peer_admit(peer, up->reply.status, &up->reply.proc);
}

/* Claims that only we can prove; describe() says what we know. */
static void drop_claims(struct px_upcall *up)
{
    static const char *const keys[] = {PMIX_PROC_PID,    PMIX_REALUID,     PMIX_REALGID,
                                       PMIX_TOOL_NSPACE, PMIX_TOOL_RANK,   PMIX_NSPACE,
                                       PMIX_RANK,        PMIX_VERSION_INFO};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        px_infos_drop(up->info, &up->ninfo, keys[i]);
    }
}

/* What the tool says of itself rides behind its introduction; what cannot be read is left out. */
static void read_blob(struct px_upcall *up, const struct px_handshake *handshake)
{
    struct px_in in;
    pmix_info_t *info = NULL;
    size_t n = 0;

    if (!handshake->blob || !handshake->blob_len) {
        return;
    }
    in = px_in_make(handshake->blob, handshake->blob_len, handshake->kind);
    if (!px_unpack_infos(&in, &info, &n)) {
        up->info = info;
        up->ninfo = n;
        drop_claims(up);
    }
}

/* Hosts look for either pair of names. */
static int describe_id(struct px_upcall *up, const pmix_proc_t *proc)
{
    int rc = px_infos_append(&up->info, &up->ninfo, PMIX_TOOL_NSPACE, proc->nspace, PMIX_STRING);

    rc = rc ? rc
            : px_infos_append(&up->info, &up->ninfo, PMIX_TOOL_RANK, &proc->rank, PMIX_PROC_RANK);
    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_NSPACE, proc->nspace, PMIX_STRING);
    return rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_RANK, &proc->rank, PMIX_PROC_RANK);
}

static int fill_tool_upcall(struct px_upcall *up, const struct px_peer *peer,
                            const struct px_handshake *handshake)
{
    const char *version = handshake->version;
    pid_t pid = peer->pid;
    int rc = px_requester_identify(up->server, peer, &up->info, &up->ninfo);

    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_VERSION_INFO, version, PMIX_STRING);
    if (!rc && pid) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_PROC_PID, &pid, PMIX_PID);
    }
    return rc || peer->needs_id ? rc : describe_id(up, &peer->proc);
}

void px_tool_accept(struct px_peer *peer, const struct px_handshake *handshake)
{
    struct px_server *s = peer->server;
    struct px_reply_to reply_to = px_reply_to_peer(peer, 0);
    struct px_upcall *up = px_upcall_create(s, &reply_to, &peer->proc, tool_answered);

    peer->tool = true;
    peer->needs_id = handshake->flag == PX_HANDSHAKE_TOOL_NEEDS_ID ||
                     handshake->flag == PX_HANDSHAKE_LAUNCHER_NEEDS_ID ||
                     handshake->flag == PX_HANDSHAKE_LEGACY_TOOL ||
                     handshake->flag == PX_HANDSHAKE_LEGACY_LAUNCHER;
    if (up) {
        read_blob(up, handshake);
    }
    if (!up || fill_tool_upcall(up, peer, handshake)) {
        px_upcall_destroy(up);
        px_peer_admit(peer, PMIX_ERR_NOMEM, NULL);
        return;
    }
    if (s->host.tool_connected2) {
        px_upcall_returned(up, s->host.tool_connected2(up->info, up->ninfo, px_hostcb_tool, up));
    } else {
        s->host.tool_connected(up->info, up->ninfo, px_hostcb_tool, up);
        px_upcall_returned(up, PMIX_SUCCESS);
    }
}
