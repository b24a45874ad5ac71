/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences. When all local members have called, one upcall takes the fence to the host, with the
 * data that they committed if a member collects data. The data of the other nodes are stored
 * before any member gets its reply, so that a get after the fence finds them. A fence of local
 * processes only is completed without the host: their data are in the store already. Why a fence
 * may carry data that nobody asked for: docs/decisions/0016. */

#include "fence.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "collective.h"
#include "modex_exchange.h"
#include "src/server/state.h"
#include "src/server/requests/host_upcall.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"

/* The state of a fence's tracker (px_coll.state). */
struct fence {
    bool collect;        /* a member has PMIX_COLLECT_DATA; set when all have called */
    bool here;           /* all processes are local */
    bool asks_resync;    /* this server asks the others for all data with it */
    uint64_t sent_up_to; /* the number of the newest value that went to the host with it */
};

/* The parameter decides if it is yes or no; otherwise the name of the executable. */
bool px_fence_needs_data(void)
{
    static const char stepd[] = "/slurmstepd"; /* Debian's has a suffix */
    const char *said = px_param_string(PX_P_FENCE_PIECE);
    char path[PATH_MAX] = "";
    const char *name;

    if (strcmp(said, "yes") == 0 || strcmp(said, "no") == 0) {
        return said[0] == 'y';
    }
    if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) {
        return false; /* as for other hosts */
    }
    name = strrchr(path, '/');
    return name && strncmp(name, stepd, sizeof(stepd) - 1) == 0;
}

/* Names a fence of a whole job by its wildcard instead of a list of processes. Slurm tells the
 * other nodes only the first process of a list (docs/decisions/0016). True if it did. */
static bool name_as_job(const struct px_coll *coll, struct px_upcall *up)
{
    const struct fence *fence = coll->state;
    bool whole = coll->set->n == 1 && coll->set->at[0].rank == PMIX_RANK_WILDCARD;

    if (!coll->server->fence_needs_data || fence->here || !whole) {
        return false;
    }
    px_upcall_name(up, coll->set);
    return true;
}

/* Encodes this server's contribution and calls the host's fence_nb. A fence that collects sends
 * the values committed since the high-water mark of the set; one that does not collect sends an
 * empty contribution to a host that needs data. */
static pmix_status_t fence_ask(struct px_coll *coll, struct px_upcall *up)
{
    struct px_server *s = coll->server;
    struct fence *fence = coll->state;
    bool needed = s->resync_needed;
    bool no = false;
    char *data = NULL;
    size_t len = 0;
    int rc = s->host.fence_nb ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;

    px_assert(px_loop_inside(s->loop));
    if (!rc && fence->collect) {
        fence->sent_up_to = s->commit_number;
        rc = px_modex_encode(s, coll->set->at, coll->set->n,
                             px_high_water_since(&s->high_water, coll->set->at, coll->set->n), true,
                             &data, &len);
        (void) name_as_job(coll, up);
    } else if (!rc && name_as_job(coll, up)) {
        if (!px_info_find(up->info, up->ninfo, PMIX_COLLECT_DATA)) {
            rc = px_infos_append(&up->info, &up->ninfo, PMIX_COLLECT_DATA, &no, PMIX_BOOL);
        }
        rc = rc ? rc : px_modex_encode(s, NULL, 0, 0, true, &data, &len);
    }
    fence->asks_resync = needed && !s->resync_needed;
    /* The host owns the data from here on; not every host frees it. */
    return rc ? rc
              : s->host.fence_nb(up->procs->at, up->procs->n, up->info, up->ninfo, data, len,
                                 px_hostcb_modex, px_upcall_handle(up));
}

/* Stores the data of all nodes and, if our own contribution is among them, raises the high-water
 * mark of the set: the host did exchange the data. */
static void fence_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct px_coll *coll = up->arg;
    const struct fence *fence = coll ? coll->state : NULL;
    bool echo = false;
    int rc = up->reply.status;

    /* The data are stored even if the fence is over (a time limit). */
    if (!rc && up->data.size) {
        rc = px_modex_decode(s, up->data.bytes, up->data.size, &echo);
    }
    if (!rc && coll && echo) {
        px_assert(fence->sent_up_to <= s->commit_number);
        px_high_water_note(&s->high_water, coll->set, fence->sent_up_to);
    }
    /* The host's success does not cover a lost local member of a fence that is local. */
    if (!rc && coll && fence->here) {
        rc = coll->local_status;
    }
    px_coll_answered(up, rc);
}

/* After a failure, data of other nodes may be missing here, unless the fence was of this one alone,
 * or they have not read that this server asks for them: the next contribution asks for all. */
static void fence_finished(struct px_coll *coll, pmix_status_t status)
{
    const struct fence *fence = coll->state;

    if (status && ((fence->collect && !fence->here) || fence->asks_resync)) {
        px_modex_request_resync(coll->server);
    }
}

/* Completes a local fence at once, unless a member is lost, which is for the host to judge, or
 * the parameter pmix_server_fence_localonly_opt is off. */
static void fence_complete(struct px_coll *coll, bool remote)
{
    struct fence *fence = coll->state;
    int status = px_coll_local_status(coll);

    fence->here = !remote;
    fence->collect = px_infos_flag(coll->info, coll->ninfo, PMIX_COLLECT_DATA);
    if (remote || (coll->server->host.fence_nb &&
                   (status == PMIX_ERR_LOST_CONNECTION || !px_param_bool(PX_P_FENCE_LOCALONLY)))) {
        px_coll_ask_host(coll);
    } else {
        px_coll_end(coll, status);
    }
}

/* Replies to one member: the status. What was collected is in the stores by now. A client of this
 * library is told which of the namespaces it has no segment of; of those it collects the data or
 * the segment (px_get_collected). */
static void fence_reply(struct px_coll *coll, const struct px_reply_to *reply_to,
                        pmix_status_t status)
{
    const struct fence *fence = coll->state;
    struct px_peer *peer = px_peer_find(coll->server, reply_to->peer);
    struct px_buf buf = {0};

    if (!peer || status || !peer->ours || !fence->collect) {
        px_answer_status(coll->server, reply_to, status);
        return;
    }
    (void) px_pack_status(&buf, peer->kind, PMIX_SUCCESS);
    for (size_t i = 0; i < coll->runs.n; i++) {
        const pmix_proc_t *first = &coll->set->at[px_nspace_run_first(&coll->runs, i)];
        const struct px_nspace *ns = px_nspace_find(coll->server, first->nspace);

        if (ns && !px_peer_reads(peer, ns)) {
            (void) px_pack_string(&buf, peer->kind, ns->name);
        }
    }
    px_answer_take(coll->server, reply_to, &buf);
}

/* Directives are merged (px_coll_merge), so one member's PMIX_COLLECT_DATA holds for all. Data need
 * no step: a client commits on the same connection before its call, so they are stored already. */
const struct px_coll_ops px_fence_ops = {
    .request = &px_request_fence,
    .state_size = sizeof(struct fence),
    .complete = fence_complete,
    .ask = fence_ask,
    .answered = fence_answered,
    .finished = fence_finished,
    .reply = fence_reply,
};
