/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Distances to devices. The server computes them from its own topology, which is that of the
 * node; the host has no part in it. The client's cpuset says where it is bound. */

#include "distances.h"

#include "src/base/assert.h"
#include "src/server/peers/dispatch.h"
#include "src/server/state.h"
#include "src/value/directives.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/topo/distance.h"
#include "src/topo/topo_values.h"

/* The topology in the message is read and not used (NULL: this node's). */
int px_handle_distances(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    pmix_topology_t topo = {0};
    pmix_cpuset_t cpuset = {0};
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    pmix_device_distance_t *distances = NULL;
    size_t n = 0;
    struct px_buf buf = {0};
    int rc = px_unpack_one(in, PMIX_TOPO, &topo);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_one(in, PMIX_PROC_CPUSET, &cpuset);
    rc = rc ? rc : px_unpack_infos(in, &info, &ninfo);
    if (!rc) {
        int found = px_directives_met(&px_call_distances, PX_ATTR_ALL, info, ninfo)
                        ? px_topo_distances(NULL, cpuset.bitmap ? &cpuset : NULL, info, ninfo,
                                            &distances, &n)
                        : PMIX_ERR_NOT_SUPPORTED;

        (void) px_pack_status(&buf, peer->kind, found);
        if (!found) {
            (void) px_pack_size(&buf, peer->kind, n);
            (void) px_pack(&buf, peer->kind, PMIX_DEVICE_DIST, distances, n);
        }
        px_answer_take(s, &reply_to, &buf);
    }
    PMIx_Device_distance_free(distances, n);
    PMIx_Info_free(info, ninfo);
    px_topo_cpuset_destruct(&cpuset);
    px_topo_destruct(&topo);
    return rc;
}
