/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_STATE_H
#define PX_SERVER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/list.h"
#include "src/base/map.h"
#include "src/server/collectives/high_water.h"
#include "src/server/collectives/tracker.h"
#include "src/loop/loop.h"
#include "src/server/tools/rendezvous.h"

/* The server role. Everything here belongs to the loop thread unless it says otherwise; the
 * exported calls post tasks to it (loop_call.h). A host's callback may come from any thread and is
 * carried over by host_upcall.c. */

struct px_conn;
struct px_ctx;
struct px_listener_ops;
struct px_listeners;
struct px_local_proc;
struct px_nspace;
struct px_peer;
struct px_pending_conn;
struct px_store;
struct px_upcall;

struct px_server {
    struct px_ctx *ctx;
    struct px_loop *loop;
    pmix_server_module_t host; /* complete; NULL where the host has no such function */
    pmix_proc_t self;
    uid_t uid;
    gid_t gid;
    char *hostname;
    char *tmpdir;
    char *system_tmpdir;
    const char *modes;    /* how a peer may say who it is: PMIX_SECURITY_MODE */
    char *uri_tcp;        /* "<nspace>.<rank>;tcp4://...", or NULL */
    char *uri_unix;       /* likewise */
    struct px_store *own; /* self.c; NULL until the listeners are open */
    bool tools;
    bool foreign_tools;
    bool share_topology;
    bool fence_needs_data; /* px_fence_needs_data */
    bool stopping;
    struct px_listeners *listeners;
    struct px_rendezvous_opts rendezvous_opts;
    struct px_rendezvous *rendezvous; /* files for tools, or NULL */

    struct px_map nspaces; /* name -> struct px_nspace */
    struct px_list ns_list;
    size_t n_shared; /* namespaces that have a segment */
    uint64_t next_ns;
    struct px_map peers; /* id -> struct px_peer */
    struct px_list peer_list;
    uint64_t next_peer;
    uint32_t next_tool;

    struct px_list upcalls;         /* under way at the host */
    struct px_list gets;            /* waiting requests for data */
    struct px_list modexes;         /* direct modex upcalls under way */
    uint64_t changes;               /* the newest of px_local_proc.change */
    uint64_t renewals;              /* direct modex upcalls that renewed what was here */
    struct px_list dmodex_requests; /* PMIx_server_dmodex_request waiting for a commit */
    struct px_colls colls;
    /* this server's name in what it sends to others; another each time it starts */
    uint64_t server_id;
    uint64_t commit_number; /* the number of the newest value that a local process has posted for
                               other nodes */
    struct px_high_water high_water;
    bool resync_needed; /* something that others have sent has not come: the next fence asks for
                         * everything
                         */
    struct px_list proc_sets; /* groups, process sets, connected sets: struct px_proc_set */

    struct px_list event_cache;
    size_t n_events;
    size_t event_bytes;
    struct px_map host_codes; /* code -> count of registrants, where the host was asked for it */

    struct px_list inventory;
    struct px_list outputs; /* that nobody has asked for */
    size_t output_bytes;
    struct px_list pulls; /* I/O subscriptions */
    size_t next_pull;

    pmix_info_t *resources; /* PMIx_server_register_resources */
    size_t n_resources;
    bool peers_declined;   /* the host does not answer PMIX_QUERY_RESOLVE_PEERS */
    bool nodes_declined;   /* nor PMIX_QUERY_RESOLVE_NODE */
    unsigned own_resolves; /* resolve calls of this process at the host */
};

#endif
