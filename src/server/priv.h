/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PRIV_H
#define PX_SERVER_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/server/collectives/modex_log.h"
#include "src/base/assert.h"
#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/base/map.h"
#include "src/server/collectives/high_water.h"
#include "src/server/collectives/tracker.h"
#include "src/loop/loop.h"
#include "src/request/schema.h"
#include "src/wire/codec.h"

/* The server role. Everything here belongs to the loop thread unless it says otherwise; the
 * exported calls post tasks to it (loop_call.h). A host's callback may come from any thread and is
 * carried over by host_upcall.c. */

struct px_conn;
struct px_ctx;
struct px_listener_ops;
struct px_listeners;
struct px_pending_conn;
struct px_store;

struct px_nspace;
struct px_local_proc;
struct px_peer;
struct px_upcall;

/* Who asked, and how the answer gets back: a peer's request, or a call of this process's own. */
struct px_reply_to {
    uint64_t peer; /* 0: not a peer */
    uint32_t tag;
    struct px_completion own; /* of a call of our own; without `done` nobody waits for the answer */
};

/* How tools find this server (rendezvous.h). */
struct px_rendezvous;
struct px_rendezvous_opts {
    bool system;     /* PMIX_SERVER_SYSTEM_SUPPORT */
    bool scheduler;  /* PMIX_SERVER_SCHEDULER */
    bool controller; /* PMIX_SERVER_SYS_CONTROLLER */
    /* PMIX_LAUNCHER_RENDEZVOUS_FILE, or NULL; its directories are made */
    const char *launcher_file;
    unsigned mode; /* of the files; 0: the default */
};

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
    struct px_list connected; /* sets that are connected */

    struct px_list event_cache;
    size_t n_events;
    size_t event_bytes;
    struct px_map host_codes; /* code -> count of registrants, where the host was asked for it */

    struct px_list psets;
    struct px_list inventory;
    struct px_list outputs; /* that nobody has asked for */
    size_t output_bytes;
    struct px_list groups;
    struct px_list pulls; /* I/O subscriptions */
    size_t next_pull;

    pmix_info_t *resources; /* PMIx_server_register_resources */
    size_t n_resources;
    bool peers_declined;   /* the host does not answer PMIX_QUERY_RESOLVE_PEERS */
    bool nodes_declined;   /* nor PMIX_QUERY_RESOLVE_NODE */
    unsigned own_resolves; /* resolve calls of this process at the host */
};

/* --- nspace.c: what is known of namespaces and ranks --- */

struct px_local_proc_slot {
    uint32_t rank;
    struct px_local_proc *rec;
};

struct px_nspace {
    struct px_list link;
    uint64_t id; /* never used again: the name may be */
    char name[PMIX_MAX_NSLEN + 1];
    struct px_store *store;
    bool shared;     /* which is a segment */
    bool registered; /* by the host; false: only clients of it were named, or it came with a peer's
                        data */
    int n_local;     /* as registered; -1 unknown */
    struct px_local_proc_slot *ranks; /* ascending */
    size_t n_ranks;
    size_t cap_ranks;
    struct px_list rank_list;
    struct px_buf packed[2]; /* job information for PLAIN and DESCRIBED peers */
    uint64_t packed_sequence[2];
    uid_t uid; /* of its clients; without any, the server's */
    gid_t gid;
    bool owned;          /* a client was registered */
    bool mixed;          /* its clients are of several users: it is nobody's */
    pmix_info_t *envars; /* PMIx_server_setup_local_support: for the environment of its processes */
    size_t n_envars;
    bool asked_host;                   /* job information was asked for by direct modex */
    struct px_received_mark *received; /* by rank: what fences have brought */
    uint32_t n_received;
};

/* Everything that a process of another node had posted up to a number of that node's server is
 * here, or newer. */
struct px_received_mark {
    uint64_t server_id;
    uint64_t up_to;
};

struct px_local_proc {
    struct px_list link;
    struct px_nspace *ns;
    uint32_t rank;
    uid_t uid;
    gid_t gid;
    void *object; /* the host's */
    bool registered;
    bool committed;
    bool finalized;
    bool terminated;    /* the host says so */
    bool departed;      /* is not waited for: went away without finalizing, or ended */
    unsigned n_peers;   /* connections under this name now */
    unsigned n_callers; /* these, and those about which the host has not decided yet */
    pid_t pid;          /* of the first, when the kernel told */
    uint64_t change;    /* a new number whenever it has posted something; 0: nothing yet */
    struct px_modex_log modex_log; /* what other nodes may see */
};

struct px_nspace *px_nspace_find(struct px_server *s, const char *name);
/* Is a namespace of one of them known here? */
bool px_nspace_any(struct px_server *s, const pmix_proc_t *procs, size_t n);
/* The flags of a store that say which resolve calls the host answers (PX_STORE_HOST_BITS). */
uint32_t px_nspace_host_flags(const struct px_server *s);
/* Finds or makes the record, with an empty store. NULL when memory is out. */
struct px_nspace *px_nspace_make(struct px_server *s, const char *name);
/* Ends its clients' connections and frees it. */
void px_nspace_drop(struct px_server *s, struct px_nspace *ns);
void px_nspace_drop_all(struct px_server *s);
struct px_local_proc *px_local_proc_find(const struct px_nspace *ns, uint32_t rank);
struct px_local_proc *px_local_proc_make(struct px_nspace *ns, uint32_t rank);
/* Ends its clients' connections. The record stays, as one of the dead: nobody may wait for it. */
void px_local_proc_terminate(struct px_server *s, struct px_local_proc *rank);
struct px_local_proc *px_local_proc_of(struct px_server *s, const pmix_proc_t *proc);
/* Is it, or will it be, a client of this server? */
bool px_nspace_is_local(const struct px_nspace *ns, uint32_t rank);
/* Local members that a collective over this proc waits for, and whether others are elsewhere. */
uint32_t px_nspace_count_locals(struct px_server *s, const pmix_proc_t *proc, bool *ret_remote,
                                bool *ret_lost);
uint32_t px_nspace_job_size(void *arg, const char *name); /* a px_coll_size_fn; 0: unknown */
/* Job information ready to send; borrowed until the next call. */
int px_nspace_packed(struct px_nspace *ns, enum px_wire_kind kind, const struct px_buf **ret);

/* --- peer.c: connections --- */

struct px_iof_subscription {
    struct px_list link;
    size_t id;
    size_t local_id; /* the peer's own number for it */
    uint64_t peer;   /* 0: this process */
    pmix_iof_channel_t channel;
    pmix_proc_t *procs;
    size_t n_procs;
    pmix_iof_cbfunc_t cbfunc;
};

struct px_peer {
    struct px_list link;
    struct px_server *server;
    uint64_t id;
    struct px_conn *conn; /* NULL while the host decides */
    struct px_pending_conn *pending;
    struct px_local_proc *rank; /* NULL: a tool */
    pmix_proc_t proc;
    uid_t uid;
    gid_t gid;
    pid_t pid;
    enum px_wire_kind kind;
    unsigned version_major, version_minor, version_release;
    bool shared;           /* reads the segment */
    uint32_t generation;   /* of the segment sent last: each only once, or a peer that does not read
                              could hoard them */
    struct px_map offered; /* px_nspace.id of another namespace -> generation of its segment that
                            was sent last (segment_offer.c) */
    bool further;          /* a tool, or not the first connection of its process */
    bool ours;             /* one of this library, whatever its version says */
    bool tool;
    bool as_tool; /* a client that talks as a tool does */
    bool needs_id;
    bool finalizing;
    bool finalized;
    bool doomed; /* close when the message under way has been handled */
    pmix_status_t *codes;
    size_t n_codes;
    bool wants_all; /* a default handler */
};

extern const struct px_listener_ops px_peer_listener_ops;

struct px_peer *px_peer_find(struct px_server *s, uint64_t id);
/* Closes the connection; what waits for it is dropped. */
void px_peer_close(struct px_peer *peer);
void px_peer_close_all(struct px_server *s);
/* Sends and leaves buf empty; a peer that is gone is ignored. */
void px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd);
/* The host decided about a client (client_connected) or tool. */
void px_peer_admit(struct px_peer *peer, pmix_status_t status, const pmix_proc_t *proc);

/* --- segment_offer.c: descriptors of segments, borrowed; what is not -1 counts as sent --- */

/* Of the peer's own namespace, if it shares it and has not been sent this generation. */
int px_peer_new_segment(struct px_peer *peer, struct px_nspace *ns);
/* Has its own segment moved since one was sent? Then the next one rides on whatever goes to it. */
bool px_peer_is_behind(const struct px_peer *peer);
int px_peer_moved_segment(struct px_peer *peer);
/* Does it read this namespace, its own or another, by a segment that it was sent? */
bool px_peer_reads(const struct px_peer *peer, const struct px_nspace *ns);
/* Does it, or will it when it needs to? */
bool px_peer_may_read(const struct px_peer *peer, const struct px_nspace *ns);
/* Of another namespace, if it may have it and has not been sent this generation. That one waits
 * where its own next one is to ride on the same message: px_peer_has_news. */
bool px_peer_has_news(const struct px_peer *peer, const struct px_nspace *ns);
int px_peer_offer(struct px_peer *peer, const struct px_nspace *ns);
/* It says what it has; a later one has not arrived. Or it cannot use it: messages from now on. */
void px_peer_has_only(struct px_peer *peer, const struct px_nspace *ns, uint32_t generation);
void px_peer_cannot_read(struct px_peer *peer, const struct px_nspace *ns);
void px_offers_nspace_removed(struct px_server *s, const struct px_nspace *ns);
/* The one value that stands for job information: it is in the segment that rides on the message. */
int px_pack_segment(struct px_buf *buf, enum px_wire_kind kind);

/* --- answering --- */

void px_answer_status(struct px_server *s, const struct px_reply_to *reply_to,
                      pmix_status_t status);
/* The completion may take what the reply points at. */
void px_answer(struct px_server *s, const struct px_reply_to *reply_to,
               const struct px_reply_type *type, struct px_reply *reply);
/* Sends a built reply to a peer, or a failure when building it failed. */
void px_answer_take(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf);
/* The same with a segment of another namespace (px_peer_offer), or -1. */
void px_answer_offer(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf,
                     int fd);
static inline struct px_reply_to px_reply_to_peer(const struct px_peer *peer, uint32_t tag)
{
    return (struct px_reply_to){.peer = peer->id, .tag = tag};
}

/* --- dispatch.c --- */

void px_dispatch(struct px_peer *peer, uint32_t tag, const void *payload, size_t len);

/* A handler has answered, or will, when it returns 0; otherwise the dispatcher answers with the
 * status, and hangs up if it says that the request could not be read. */
typedef int (*px_handler)(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

int px_handle_req(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_fence(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_get(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_finalize(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_connect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_disconnect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);
int px_handle_group_construct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in);
int px_handle_group_destruct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in);
int px_handle_group_leave(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);
int px_handle_distances(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_refresh(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_resolve_peers(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);
int px_handle_resolve_nodes(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);

/* --- what happens to what waits, when somebody commits, registers or goes --- */

/* host_upcall.c, at the end: those whom the upcalls under way were for are answered with an error.
 */
void px_upcalls_abandon(struct px_server *s);
/* After that: are there some that the host has answered, or is answering, and that have not come
 * through the loop yet? */
bool px_upcalls_answered_late(const struct px_server *s);
void px_gets_committed(struct px_server *s, struct px_local_proc *rank); /* server_get.c */
void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank);
void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns);
void px_gets_peer_disconnected(struct px_server *s, const struct px_peer *peer);
void px_gets_drop_all(struct px_server *s);
void px_dmodex_requests_committed(struct px_server *s, struct px_local_proc *rank); /* modex.c */
void px_dmodex_requests_proc_departed(struct px_server *s, struct px_local_proc *rank);
void px_dmodex_requests_drop_all(struct px_server *s);
/* Whether the host waits for other nodes only when a fence carries something: as the parameter
 * shmix_fence_piece says, or as this process is one of Slurm's. fence.c */
bool px_fence_needs_data(void);
void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer); /* collective.c */
void px_colls_recount(struct px_server *s);
void px_colls_drop_all(struct px_server *s);
void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer); /* server_events.c */
void px_events_drop_all(struct px_server *s);
void px_iof_subscriptions_peer_disconnected(struct px_server *s,
                                            const struct px_peer *peer); /* server_iof.c */
void px_iof_subscriptions_drop_all(struct px_server *s);
void px_outputs_nspace_removed(struct px_server *s, const char *name); /* output_cache.c */
void px_outputs_drop_all(struct px_server *s);
void px_psets_drop_all(struct px_server *s); /* pset.c */
void px_inventory_drop_all(struct px_server *s);
void px_groups_drop_all(struct px_server *s); /* group_registry.c */
/* A namespace is not found any more: groups that nobody has taken apart go with their last one. */
void px_groups_nspace_removed(struct px_server *s);
void px_connected_drop_all(struct px_server *s);       /* connect.c */
void px_connected_nspace_removed(struct px_server *s); /* likewise */

/* --- commit.c --- */

/* Reads a KVAL stream of one process that another server sent, and publishes it. Loop thread. */
struct px_commit_reader;
struct px_commit_reader *px_commit_reader_create(const struct px_nspace *ns); /* ns outlives it */
/* From now on, nothing but this key is taken (NULL: all are); it stays borrowed. */
void px_commit_reader_only(struct px_commit_reader *posted, const char *key);
int px_commit_reader_read(struct px_commit_reader *posted, uint32_t rank, struct px_in *in,
                          pmix_scope_t scope);
int px_commit_reader_publish(struct px_commit_reader *posted, struct px_nspace *ns);
void px_commit_reader_destroy(struct px_commit_reader *posted);

/* --- server_events.c --- */

struct px_event;
enum px_origin { PX_ORIGIN_CLIENT, PX_ORIGIN_HOST, PX_ORIGIN_LIBRARY };
/* Hands an event to whom it concerns. `except`: the peer that it came from, or NULL. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *except);

/* --- termination.c --- */

/* The host has raised an event: if it says that processes have ended, nobody waits for those any
 * more. */
void px_termination_event(struct px_server *s, const struct px_event *event);

/* --- server_resolve.c --- */

struct px_nspace_stores {
    const struct px_store **at;
    size_t n;
};
/* The stores that a name means: one or none; NULL and "": all. at is the caller's to free. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret);

#endif
