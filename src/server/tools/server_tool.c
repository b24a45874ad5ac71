/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Admission of tools. A tool is a process that connects to a server of its own choice and is
 * usually not registered. It is admitted only if the host has enabled tools and decides about each
 * one (tool_connected2, or the older tool_connected). Its user must be the server's, unless foreign
 * tools are allowed. Loop thread. */

#include "server_tool.h"

#include <stdio.h>

#include "src/server/requests/host_upcall.h"
#include "src/net/auth.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/dispatch.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

/* Authenticates the tool. A tool that the host registered like a client must be the user that it
 * was registered for. 0 or PMIX_ERR_INVALID_CRED, or another status of px_auth_identify. */
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

/* A host without tool_connected and tool_connected2 admits no tools. */
bool px_tool_refused(struct px_server *s, const struct px_handshake *handshake,
                     struct px_peer_cred *peer_cred)
{
    px_assert(px_loop_inside(s->loop));
    if (!s->tools || (!s->host.tool_connected && !s->host.tool_connected2)) {
        return true;
    }
    return check_owner(s, handshake, peer_cred) != 0;
}

/* Gives the tool a name that is unique at this server: "<server>.tool.<number>", rank 0. */
static void assign_name(struct px_peer *peer)
{
    char name[PMIX_MAX_NSLEN + 1];

    (void) snprintf(name, sizeof(name), "%.200s.tool.%u", peer->server->self.nspace,
                    ++peer->server->next_tool);
    PMIX_LOAD_PROCID(&peer->proc, name, 0);
}

/* The host has decided. If neither the tool nor the host has a name for the tool, the server
 * assigns one. The tool may have disconnected in the meantime. */
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

/* Removes those infos from the tool's own that only the server can prove; fill_tool_upcall adds
 * what the server knows. */
static void drop_claims(struct px_upcall *up)
{
    static const char *const keys[] = {PMIX_PROC_PID,    PMIX_REALUID,     PMIX_REALGID,
                                       PMIX_TOOL_NSPACE, PMIX_TOOL_RANK,   PMIX_NSPACE,
                                       PMIX_RANK,        PMIX_VERSION_INFO};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        px_infos_drop(up->info, &up->ninfo, keys[i]);
    }
}

/* Reads the infos that follow a tool's handshake into the upcall, for the host. If they cannot be
 * unpacked the tool is admitted without them. Claims about user, process id and name are removed.
 */
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

/* Adds the tool's name under both pairs of keys, since hosts look for either. */
static int describe_id(struct px_upcall *up, const pmix_proc_t *proc)
{
    int rc = px_infos_append(&up->info, &up->ninfo, PMIX_TOOL_NSPACE, proc->nspace, PMIX_STRING);

    rc = rc ? rc
            : px_infos_append(&up->info, &up->ninfo, PMIX_TOOL_RANK, &proc->rank, PMIX_PROC_RANK);
    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_NSPACE, proc->nspace, PMIX_STRING);
    return rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_RANK, &proc->rank, PMIX_PROC_RANK);
}

/* Adds to the upcall what the server knows of the tool: user, group, version, process id, and its
 * name unless it has to be given one. The user and group are authenticated; the name and the
 * version are the tool's own claims. 0 or PMIX_ERR_NOMEM. */
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

/* The host's tool_connected2 is preferred. tool_connected returns nothing: its answer always
 * arrives by the callback. */
void px_tool_accept(struct px_peer *peer, const struct px_handshake *handshake)
{
    struct px_server *s = peer->server;
    struct px_reply_to reply_to = px_reply_to_peer(peer, 0);
    struct px_upcall *up = px_upcall_create(s, &reply_to, &peer->proc, tool_answered);

    peer->tool = true;
    peer->launcher = handshake->flag == PX_HANDSHAKE_LAUNCHER ||
                     handshake->flag == PX_HANDSHAKE_LAUNCHER_NEEDS_ID ||
                     handshake->flag == PX_HANDSHAKE_LEGACY_LAUNCHER;
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
        px_upcall_returned(
            up, s->host.tool_connected2(up->info, up->ninfo, px_hostcb_tool, px_upcall_handle(up)));
    } else {
        s->host.tool_connected(up->info, up->ninfo, px_hostcb_tool, px_upcall_handle(up));
        px_upcall_returned(up, PMIX_SUCCESS);
    }
}
