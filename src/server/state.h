/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_STATE_H
#define PX_SERVER_STATE_H

/* The state of the server role. It belongs to the loop thread unless a member says otherwise; the
 * exported calls post tasks to that thread (loop_call.h), and answers of the host, which may arrive
 * on any thread, are passed to it by host_upcall.c. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/map.h"
#include "src/server/collectives/colls.h"
#include "src/server/collectives/high_water.h"
#include "src/server/peers/quota.h"
#include "src/loop/loop.h"
#include "src/server/tools/rendezvous.h"

struct px_above;
struct px_ctx;
struct px_group_recheck;
struct px_listeners;
struct px_proc_sets;
struct px_sink;
struct px_waits;

/* The gets that wait are in one of so many lists, by the process that they ask about: so neither a
 * commit nor the end of a process walks those about others. */
enum { PX_GET_LISTS = 2048 };

/* The server of this process, at most one. Created by px_server_start, owned by the context
 * (ctx->server). */
struct px_server {
    /* Context, host and settings: set by px_server_start, constant until px_server_stop. */
    struct px_ctx *ctx;
    struct px_loop *loop;
    /* A copy, NULL where the host has no such function; loop thread once the server runs. */
    pmix_server_module_t host;
    int module_level; /* px_module_level; for a module that comes later */
    bool launcher;    /* the server of a launcher, whose session has the role of the process */
    /* Of a launcher: its session, with the server that it is connected to. NULL until
     * px_launcher_start has set it, once. */
    const struct px_above *above;
    pmix_proc_t self; /* name of this server; set once */
    uid_t uid;        /* of this process */
    gid_t gid;
    char *hostname;      /* set once, as the directories are */
    char *tmpdir;        /* PMIX_SERVER_TMPDIR: directory of its rendezvous files */
    char *system_tmpdir; /* PMIX_SYSTEM_TMPDIR: directory of those that one server of a node has */
    const char *modes;   /* PMIX_SECURITY_MODE: how a peer may authenticate; static text */
    char *uri_tcp;       /* "<nspace>.<rank>;tcp4://...", or NULL */
    char *uri_unix;      /* likewise */
    struct px_store
        *self_store;       /* data of this process (self.c); NULL until the listeners are open */
    bool tools;            /* tools may connect */
    bool foreign_tools;    /* also those of other users */
    bool share_topology;   /* namespaces get the XML of the topology */
    bool fence_needs_data; /* px_fence_needs_data */
    bool stopping;         /* px_server_stop has begun: nothing new starts */
    struct px_listeners *listeners;
    struct px_rendezvous_opts rendezvous_opts;
    struct px_rendezvous *rendezvous; /* files for tools, or NULL */

    struct px_waits *waits; /* what is waited for, for others to read, or NULL */
    int trace_fd;           /* of the trace (stages.h); -1: there is none */

    /* Namespaces and connections. */
    struct px_map nspaces;  /* name -> struct px_nspace */
    struct px_map stored;   /* name -> struct px_store, what the host stores for itself; owned */
    struct px_list ns_list; /* the same ones; owns them */
    size_t n_shared;        /* namespaces that have a segment */
    struct px_list moving;  /* of px_nspace.move_link: their stores change their generation */
    struct px_timer move_timer;
    uint64_t next_ns;         /* the px_nspace.id given last */
    struct px_map peers;      /* id -> struct px_peer */
    struct px_list peer_list; /* the same ones; owns them */
    uint64_t next_peer;       /* the px_peer.id given last */
    uint64_t admitted;        /* peers that were let in so far */
    uint32_t next_tool;       /* number of the tool named last */
    uint32_t n_posting_tools; /* peers with px_peer.posted */
    struct px_list inherited; /* connections that no process has taken yet (inherited.c); owned */
    struct px_list users;     /* struct px_user: what each user holds here */
    struct px_open_requests open_requests; /* of peers */

    /* Requests under way, and the exchange of data with other servers. */
    struct px_list upcalls;            /* struct px_upcall: under way at the host */
    struct px_list answered_upcalls;   /* likewise: answered, with parts left (host_upcall.c) */
    struct px_list gets[PX_GET_LISTS]; /* struct px_get: those that wait */
    uint64_t n_waited_gets;            /* that have begun to wait so far */
    struct px_list get_walks;          /* over these (waiting_gets.c); owned */
    struct px_timer get_walk_timer;
    struct px_list large_gets; /* likewise: for their turns (large_answer.h) */
    struct px_timer room_timer;
    struct px_list ended_gets; /* of px_get.of_peer: of peers that have gone, to be freed */
    struct px_timer ended_timer;
    struct px_map modexes;        /* direct modex upcalls under way (modex.c) */
    struct px_list ended_modexes; /* those that have ended, and whose gets are not all tried yet */
    struct px_timer modex_timer;
    uint64_t changes;               /* the newest of px_local_proc.change */
    struct px_list dmodex_requests; /* local processes that PMIx_server_dmodex_request waits for */
    struct px_map dmodex_asked;     /* the same ones (modex_giving.c) */
    struct px_colls colls;          /* collectives under way */
    /* tells this server's contributions from those of others and of an earlier life */
    uint64_t server_id;
    uint64_t commit_number; /* number of the newest value in the modex logs of local processes */
    struct px_high_water high_water; /* up to where other nodes have been sent the modex logs */
    bool resync_needed; /* data of another server was missed: the next fence asks for all data again
                         */
    struct px_proc_sets *proc_sets;         /* groups, process sets, connected sets; owned */
    struct px_map companions;               /* of some namespaces, by name (access.c); owns them */
    uint64_t companions_at;                 /* px_proc_sets_changes when they were noted */
    struct px_group_walk *group_walk;       /* under way (group_leave.c), or NULL */
    struct px_group_recheck *group_recheck; /* owned */
    struct px_map group_names;  /* names that have been used for groups (group_names.c) */
    struct px_list group_infos; /* what groups have in the stores (group_infos.c); owns it */
    uint64_t group_serials;     /* of px_proc_set.serial, the last one */
    uint64_t n_ends; /* local processes and namespaces that have ended (px_groups_recheck) */
    uint64_t n_nspaces_gone; /* namespaces that have been removed */
    size_t n_group_infos;
    size_t n_new_group_infos;          /* noted since the last px_group_infos_trim */
    struct px_map group_values;        /* the same ones, by context id, process and key */
    struct px_map group_givers;        /* process and group -> struct giver (group_infos.c) */
    struct px_list group_names_by_age; /* the same ones; owns them */

    /* Events: kept ones, registrations at the host. */
    struct px_list kept_events; /* struct px_kept_event, oldest first; owns them */
    size_t n_kept_events;
    size_t kept_event_bytes;
    struct px_list event_users;          /* who has raised them (kept_events.c) */
    struct px_map event_users_by_raiser; /* the same ones */
    /* event code -> registrations, of codes that the host can raise; of a launcher, of all */
    struct px_map host_codes;

    /* Data kept for later queries and subscriptions. */
    struct px_list inventory; /* of nodes (inventory.c) */
    struct px_list outputs;   /* that no subscription covers yet (output_cache.c) */
    size_t output_bytes;
    struct px_list pulls;       /* struct px_iof_subscription */
    struct px_sink *local_sink; /* our own standard output and error; NULL: not for output */
    bool shows_all;             /* constant: also what somebody has subscribed to */
    struct px_list paused;      /* processes whose input is held back (server_input.c) */
    struct px_list held_pushes; /* answers to their last pushes */
    struct px_list monitors;    /* that this server watches (monitor.c) */
    struct px_list unwanted;    /* those that have ended, and that the host was not told of */
    size_t next_pull;           /* the px_iof_subscription.id given last */
    size_t pull_changes;        /* how often one was added or taken off */

    /* Jobs that this server has started itself (local_job.h). */
    struct px_list local_jobs;
    unsigned next_local_job; /* the number given last */

    /* Resources of all jobs, and resolve calls at the host. */
    pmix_info_t *resources; /* PMIx_server_register_resources */
    size_t n_resources;
    bool peers_declined;    /* the host does not answer PMIX_QUERY_RESOLVE_PEERS */
    bool nodes_declined;    /* nor PMIX_QUERY_RESOLVE_NODE */
    unsigned self_resolves; /* resolve calls of this process at the host */
};

#endif
