/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool is no client: nobody registered it. Its owner must be the server's, or foreign tools must be allowed; then
 * the host may refuse it or name it. A host without tool_connected leaves that to the library. */

#include "tool.h"

#include <stdio.h>
#include <string.h>

#include "host.h"
#include "src/net/auth.h"

bool px_tool_refused(const struct px_server *s, const struct px_hello *hello, const struct px_who *who)
{
    uid_t uid = who->known ? who->uid : (uid_t) hello->uid;
    gid_t gid = who->known && who->gid != (gid_t) -1 ? who->gid : (gid_t) hello->gid;

    if (!s->tools && !s->host.tool_connected && !s->host.tool_connected2 && !px_ns_find((struct px_server *) s,
                                                                                        hello->proc.nspace)) {
        return true;
    }
    if (s->foreign_tools) {
        return px_auth_check(hello, who, uid, gid) != 0;
    }
    return px_auth_check(hello, who, s->uid, gid) != 0;
}

static void name_itself(struct px_peer *peer)
{
    char name[PMIX_MAX_NSLEN + 1];

    (void) snprintf(name, sizeof(name), "%.200s.tool.%u", peer->server->self.nspace, ++peer->server->next_tool);
    PMIX_LOAD_PROCID(&peer->proc, name, 0);
}

static void tool_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->from.peer);

    if (!peer) {
        return;
    }
    if (up->status == PMIX_ERR_NOT_SUPPORTED && peer->server->tools) {
        up->status = PMIX_SUCCESS;
    }
    if (up->status == PMIX_SUCCESS && peer->needs_id && !up->ret_proc.nspace[0]) {
        name_itself(peer);
    }
    px_peer_admit(peer, up->status, &up->ret_proc);
}

/* What the tool says of itself rides behind its introduction; what cannot be read is left out. */
static void read_blob(struct px_upcall *up, const struct px_hello *hello)
{
    struct px_in in;
    pmix_info_t *info = NULL;
    size_t n = 0;

    if (!hello->blob || !hello->blob_len) {
        return;
    }
    in = px_in_make(hello->blob, hello->blob_len, hello->kind);
    if (!px_unpack_infos(&in, &info, &n)) {
        up->info = info;
        up->ninfo = n;
    }
}

static int describe(struct px_upcall *up, const struct px_peer *peer, const struct px_hello *hello)
{
    const char *version = hello->version;
    pid_t pid = peer->pid;
    int rc = px_upcall_identify(up, peer->uid, peer->gid);

    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_VERSION_INFO, version, PMIX_STRING);
    if (!rc && pid) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_PROC_PID, &pid, PMIX_PID);
    }
    if (!rc && !peer->needs_id) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_NSPACE, peer->proc.nspace, PMIX_STRING);
        rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_RANK, &peer->proc.rank, PMIX_PROC_RANK);
    }
    return rc;
}

void px_tool_greet(struct px_peer *peer, const struct px_hello *hello)
{
    struct px_server *s = peer->server;
    struct px_from from = px_from_peer(peer, 0);
    struct px_upcall *up = px_upcall_create(s, &from, &peer->proc, tool_answered);

    peer->tool = true;
    peer->needs_id = hello->flag == PX_HELLO_TOOL_NEEDS_ID || hello->flag == PX_HELLO_LAUNCHER_NEEDS_ID ||
                     hello->flag == PX_HELLO_LEGACY_TOOL || hello->flag == PX_HELLO_LEGACY_LAUNCHER;
    if (up) {
        read_blob(up, hello);
    }
    if (!up || describe(up, peer, hello)) {
        px_upcall_destroy(up);
        px_peer_admit(peer, PMIX_ERR_NOMEM, NULL);
        return;
    }
    if (s->host.tool_connected2) {
        px_upcall_returned(up, s->host.tool_connected2(up->info, up->ninfo, px_up_tool, up));
    } else if (s->host.tool_connected) {
        s->host.tool_connected(up->info, up->ninfo, px_up_tool, up);
        px_upcall_returned(up, PMIX_SUCCESS);
    } else {
        px_upcall_returned(up, PMIX_OPERATION_SUCCEEDED);
    }
}

void px_tool_admitted(struct px_peer *peer)
{
    /* A tool may have been told a name that nobody registered: it gets an empty namespace of its own to read. */
    (void) peer;
}
