/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: local members come one by one; when all have, one upcall carries them to the host, with
 * the data that they posted if somebody asked for it, and what comes back is stored before anybody
 * is told. A fence that concerns only processes of this node need not leave it: what they posted is
 * in the store already. */

#include "fence.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collective.h"
#include "modex_exchange.h"
#include "src/server/requests/host_upcall.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

static void fence_answered(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;
    bool echo = false;
    int rc = up->status;

    /* Data that came in time for nobody is kept all the same. */
    if (!rc && up->ret_len) {
        rc = px_modex_decode(up->server, up->ret_bytes, up->ret_len, &echo);
    }
    if (!rc && coll && echo) {
        px_high_water_note(&up->server->high_water, coll->set, coll->nset, coll->sent_up_to);
    }
    /* A host that does not look at what is wrong here does not make it right. */
    if (!rc && coll && coll->here) {
        rc = coll->local_status;
    }
    if (coll) {
        coll->upcall = NULL;
        px_coll_finish(up->server, coll, rc);
    }
}

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
        return false; /* nobody can tell: as for all others */
    }
    name = strrchr(path, '/');
    return name && strncmp(name, stepd, sizeof(stepd) - 1) == 0;
}

/* A host that needs pieces cannot do with lists (decision 16): all of a job is given to it in one.
 * True when that was done. */
static bool name_as_job(const struct px_server *s, const struct px_coll *coll, struct px_upcall *up)
{
    bool whole = coll->nset == 1 && coll->set[0].rank == PMIX_RANK_WILDCARD;

    if (!s->fence_needs_data || coll->here || !whole) {
        return false;
    }
    up->procs[0] = coll->set[0];
    up->nprocs = 1;
    return true;
}

/* What the host is to carry. */
static int pack_data(struct px_server *s, struct px_coll *coll, struct px_upcall *up, char **data,
                     size_t *len)
{
    bool as_job = name_as_job(s, coll, up);
    bool no = false;
    int rc = PMIX_SUCCESS;

    if (coll->collect) {
        coll->sent_up_to = s->commit_number;
        return px_modex_encode(s, coll->set, coll->nset,
                               px_high_water_since(&s->high_water, coll->set, coll->nset), true,
                               data, len);
    }
    if (!as_job) {
        return PMIX_SUCCESS;
    }
    if (!px_info_find(up->info, up->ninfo, PMIX_COLLECT_DATA)) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_COLLECT_DATA, &no, PMIX_BOOL);
    }
    return rc ? rc : px_modex_encode(s, NULL, 0, 0, true, data, len);
}

static void fence_upcall(struct px_server *s, struct px_coll *coll)
{
    struct px_upcall *up = px_upcall_create(s, NULL, NULL, fence_answered);
    char *data = NULL;
    size_t len = 0;
    int rc = up ? px_coll_hand_over(coll, up) : PMIX_ERR_NOMEM;

    rc = rc ? rc : pack_data(s, coll, up, &data, &len);
    if (rc) {
        px_upcall_destroy(up);
        coll->upcall = NULL;
        px_coll_finish(s, coll, rc);
        return;
    }
    px_directives_mark(&px_call_fence, PX_ATTR_SERVER, up->info, up->ninfo);
    /* The data becomes the host's: some free it, none may find it gone. */
    px_upcall_returned(up, s->host.fence_nb(up->procs, up->nprocs, up->info, up->ninfo, data, len,
                                            px_hostcb_modex, up));
}

void px_fence_finished(struct px_server *s, const struct px_coll *coll, int status)
{
    px_assert(px_loop_inside(s->loop));
    if (status && coll->collect && coll->closed) {
        px_modex_request_resync(s);
    }
}

/* What is wrong with a fence of this node if there is nobody but ourselves to do what is
 * required. */
static int local_status(const struct px_coll *coll)
{
    if (!px_directives_met(&px_call_fence, PX_ATTR_ALL, coll->info, coll->ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return coll->local_status;
}

/* A fence of this node need not leave it, unless a member is lost: that the host has to judge. */
void px_fence_complete(struct px_server *s, struct px_coll *coll, bool remote)
{
    int status = remote ? PMIX_SUCCESS : local_status(coll);

    px_assert(px_loop_inside(s->loop));
    coll->here = !remote;
    if (s->host.fence_nb &&
        (remote || status == PMIX_ERR_LOST_CONNECTION || !px_param_bool(PX_P_FENCE_LOCALONLY))) {
        fence_upcall(s, coll);
    } else {
        px_coll_finish(s, coll, remote ? PMIX_ERR_NOT_SUPPORTED : status);
    }
}

int px_handle_fence(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_coll_call call = {.kind = PX_COLL_FENCE};
    int rc = px_unpack_procs(in, &call.procs, &call.nprocs);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &call.info, &call.ninfo);
    rc = rc ? rc : px_coll_enter(s, peer, tag, &call);
    px_coll_call_fini(&call);
    return rc;
}
