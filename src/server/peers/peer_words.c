/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "peer_words.h"

#include <stdio.h>

#include <pmix.h>

#include "peer.h"
#include "src/base/param.h"
#include "src/base/log.h"
#include "src/net/handshake.h"
#include "src/net/pending_conn.h"
#include "src/wire/codec.h"

/* What a status means for a connection that is refused with it. */
static const char *meaning_of(int status)
{
    switch (status) {
    case PMIX_ERR_NOT_FOUND:
        return "no process of this name is registered";
    case PMIX_ERR_INVALID_CRED:
        return "it is not of the user that is registered, or cannot prove it";
    case PMIX_ERR_NOT_SUPPORTED:
        return "its kind of credential is not taken (parameter psec)";
    case PMIX_ERR_NO_PERMISSIONS:
        return "another process has this name, or the host does not serve such tools";
    case PMIX_ERR_OUT_OF_RESOURCE:
        return "too many connections (shmix_rank_connections, shmix_user_share)";
    default:
        return PMIx_Error_string(status);
    }
}

void px_peer_refuse(struct px_pending_conn *pending, const struct px_handshake *handshake,
                    int status)
{
    px_log(PX_LOG_SERVER, 1, "%s:%u refused: %s", handshake->proc.nspace, handshake->proc.rank,
           meaning_of(status));
    px_pending_conn_refuse(pending, status);
}

void px_peer_tell_foreign(const struct px_handshake *handshake)
{
    px_log(PX_LOG_SERVER, 1,
           "%s:%u refused: it is of PMIx %u.%u.%u, whose encoding \"%s\" is not spoken here, but "
           "that of 4.2 and newer",
           handshake->proc.nspace, handshake->proc.rank, handshake->version_major,
           handshake->version_minor, handshake->version_release, handshake->bfrops);
}

void px_peer_tell_connected(const struct px_peer *peer)
{
    char process[32] = "as it inherits a connection";

    if (!peer->unproved) {
        (void) snprintf(process, sizeof(process), "process %d", (int) peer->pid);
    }
    px_log(PX_LOG_SERVER, 2, "%s:%u has connected: %s, user %u, PMIx %u.%u.%u; it reads %s",
           peer->proc.nspace, peer->proc.rank, process, (unsigned) peer->uid, peer->version_major,
           peer->version_minor, peer->version_release, peer->shared ? "segments" : "by messages");
}

void px_peer_tell_gone(const struct px_peer *peer)
{
    px_log(PX_LOG_SERVER, 2, "%s:%u has gone%s", peer->proc.nspace, peer->proc.rank,
           peer->finalized ? "" : ", without PMIx_Finalize");
}

void px_peer_tell_arrays(const struct px_peer *peer, const struct px_in *in)
{
    if (in->status == PMIX_ERR_OUT_OF_RESOURCE) {
        px_log(PX_LOG_SERVER, 1, "%s:%u refused: its arrays take more than %lld bytes (%s)",
               peer->proc.nspace, peer->proc.rank, (long long) in->most,
               px_param_describe(PX_P_REQUEST_ARRAYS).name);
    }
}
