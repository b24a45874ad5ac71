/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SESSION_H
#define PX_CLIENT_SESSION_H

/* The session: all that a client or a tool holds while the library is up: its servers, the
 * namespaces it has data of, put values, fetches under way, groups, subscriptions. There is one,
 * made by px_client_start or px_tool_start and freed by px_session_end; ctx->role points to it in
 * both roles.
 *
 * Each member names its protection: "constant" after start, "lock" (px_session.lock), "loop
 * thread", or "atomic". Atomic members that are "changed under the lock" have one writer at a time
 * and may be read by any thread. */

#include <stdbool.h>
#include <stdint.h>

#include "gds/lookup.h"
#include "gds/store.h"
#include "src/base/list.h"
#include "src/base/lock.h"
#include "src/base/map.h"
#include "src/nspace/proc_sets.h"
#include "src/context/context.h"
#include "src/context/request.h"
#include "src/event/ended_procs.h"
#include "src/loop/watch.h"
#include "src/client/data/private_store.h"
#include "src/client/data/space.h"
#include "src/client/data/uncommitted.h"

struct px_dialed;
struct px_event;
struct px_input;

/* What gets of this process itself are told about its primary server; the index of
 * px_link_server.facts. */
enum px_server_fact {
    PX_SERVER_FACT_URI,
    PX_SERVER_FACT_NSPACE,
    PX_SERVER_FACT_RANK,
    PX_N_SERVER_FACTS
};

/* What is known of servers of one contact string. Kept until the end of the session, since gets
 * hand out pointers to it; whoever connects there again finds it (facts.c). */
struct px_server_facts {
    struct px_server_facts *next; /* constant once linked */
    char *uri;                    /* by which others reach the server */
    pmix_proc_t named;            /* the name in it */
    pmix_value_t values[PX_N_SERVER_FACTS];
};

/* What a server has told a tool of other namespaces, while it is not the primary one (primary.c).
 */
struct px_told {
    struct px_space *spaces; /* all but our own */
    struct px_map fetched;   /* as px_session.fetched */
    struct px_map queries;   /* as px_session.queries */
};

/* One server that this process has connected to. A tool may have several. One whose connection is
 * lost is kept until no call can have a pointer to it (former.c). */
struct px_link_server {
    /* Atomic struct px_link_server *, changed under the session lock, so that the list is followed
     * without the lock. Of one that was taken out of the list (former.c) it stays as it was. */
    void *next;
    struct px_link_server *former; /* loop thread: the next in px_session.former */
    struct px_session *session;
    struct px_link *link; /* constant */
    pmix_proc_t proc;     /* constant: the name of the server itself */
    unsigned version[3];  /* constant: major, minor, release; 255: unknown */
    uint64_t lost;        /* atomic: 1 once the connection has ended, by whichever side */
    uint64_t leaving;     /* atomic: 1 once this process takes its leave: the end is expected */
    const struct px_server_facts *facts; /* constant: NULL if its contact string is malformed */
    bool ours;                           /* constant: it is known to be a server of this library */
    bool maps;                           /* constant: it was asked for segments */
    struct px_told told;                 /* lock: empty while it is the primary one */
    bool forgotten;                      /* lock: it is lost, and what it has told was dropped */
};

/* A value that cannot be serialized (a pointer, a topology), stored by PMIx_Store_internal. Only
 * this process can get it. Lives until the end of the session. */
struct px_local_value {
    struct px_local_value *next; /* constant once linked */
    pmix_proc_t proc;
    char *key;
    pmix_value_t value; /* pointers are borrowed from the application */
};

/* Values that the library itself knows about its process; the index of px_session.facts. facts.c
 * says which key stands for each, and for which processes a get may ask for it. */
enum px_fact {
    PX_FACT_PROCID,
    PX_FACT_VERSION,
    PX_FACT_VERSION_NUMBER,
    PX_FACT_NSPACE,
    PX_FACT_RANK,
    PX_N_FACTS
};

/* The server that a launcher has beside its session, as far as events of the primary server are
 * concerned (src/server/events/passed_events.h). Loop thread. */
struct px_beside {
    /* An event has come from the server of this name. */
    void (*event)(struct px_ctx *ctx, const struct px_event *event, const pmix_proc_t *from);
    /* As px_events_codes: with those of the server's clients. */
    int (*codes)(struct px_ctx *ctx, pmix_status_t **ret, size_t *ret_n, bool *ret_default);
};

/* The session itself. Made by px_session_create, freed by px_session_destroy. */
struct px_session {
    struct px_ctx *ctx;
    /* Our own namespace, the first of the list of spaces; its name is constant once up. */
    struct px_space own;

    /* Superseded segments on their way to be unmapped (refresh.c); loop thread. Pinned: the
     * application has pointers into them, so they stay until the end. In grace: the grace period
     * has begun. Pending: they wait for the next one. */
    struct px_store *unmap_pinned;
    struct px_store *unmap_in_grace;
    struct px_store *unmap_pending;
    /* Loop thread: the space whose segment came with the reply that is being read, or NULL. */
    struct px_space *arrived;
    /* Loop thread: the server whose message was delivered last. */
    struct px_link_server *speaker;
    /* Atomic struct px_space *, changed under the lock: of a tool, what it has stored of other
     * namespaces by PMIx_Store_internal, whatever its servers know of them. */
    void *kept_spaces;

    /* Atomic struct px_store *, the store that the fast path reads: our own segment, while no
     * private data can override it except for the rank `self_private_rank`. NULL without a segment,
     * after PMIx_Store_internal, and when reads are counted. */
    void *fast_store;
    /* Atomic: our own rank, once we may have private data under it; UINT64_MAX until then. */
    uint64_t self_private_rank;
    /* Atomic, changed under the lock: number of changes of private stores and of `uncommitted`. A
     * cached result is valid while it stays the same. */
    uint64_t changes;
    /* Lock: private stores that were replaced by larger ones; kept until the end. */
    struct px_store *outgrown;
    /* Atomic struct px_local_value *: list that only grows. */
    void *local_values;
    /* Atomic: 1 once PMIx_Store_internal was called; gets look in private stores first then. */
    uint64_t internal;
    /* Atomic: number of gets that found their value in a store; counted only for a report. */
    uint64_t n_reads;
    int report_fd; /* constant; -1: no report */

    /* Atomic struct px_link_server *: where requests go; NULL: none. */
    void *primary;
    /* Atomic struct px_link_server *, changed under the lock: the newest first. */
    void *servers;
    struct px_link_server *former;        /* loop thread: taken out of `servers`, to be freed */
    struct px_server_facts *server_facts; /* lock */
    struct px_lock lock;                  /* "the session lock" */

    struct px_uncommitted uncommitted; /* lock */
    /* Atomic, changed under the lock: 1 while `uncommitted` has values that our private store
     * lacks. */
    uint64_t unstored;
    /* Atomic, changed under the lock: 1 once something that was put has been deleted. */
    uint64_t deletes;
    /* Lock: a commit was sent. Until then an empty commit is sent too: others may wait for it. */
    bool committed;
    /* Atomic: the status with which the server refused a commit, until a call has returned it. */
    uint64_t refused;

    struct px_list fetches; /* lock: struct px_fetch under way that others may join */
    struct px_map queries;  /* lock: packed query to struct px_query_cache_entry */
    /* Lock: a process whose committed data came by message, to their age (private_store.c). */
    struct px_map fetched;
    /* Atomic, changed under the lock: number of collectives that ended since data were first
     * fetched. */
    uint64_t ended;

    /* Loop thread: what this process invites to and joins (struct px_invitation), the invitations
     * that it has got (join.c), and the processes that have ended, as far as it was told. */
    struct px_list invites;
    struct px_list joins;
    struct px_list invited;
    size_t n_invited;
    struct px_ended_procs ended_procs;
    struct px_proc_sets groups; /* lock: those that this process is in */
    uint64_t n_groups;          /* atomic, changed under the lock: that of `groups` */
    bool watching;              /* loop thread: the server sends us what invitations need */
    bool left_watched; /* loop thread: a server of another library tells us who leaves a group */

    struct px_list iof_handlers; /* lock: struct px_iof_handler */
    size_t last_pull;            /* lock: the last number of a subscription; none is reused */

    struct px_list kept; /* lock: values handed out by pointer; kept until the end (facts.c) */
    pmix_value_t facts[PX_N_FACTS]; /* constant once named; borrow what they point to */
    bool is_tool;                   /* constant */
    bool is_launcher;               /* constant: a tool that has a server of its own, too */
    const struct px_beside *beside; /* loop thread: of a launcher, else NULL */
    bool unnamed; /* ctx->lock: of a tool, whose name is its own and known to nobody */
    /* Constant, of a tool: its directories of rendezvous files (tool.c); NULL: those of the
     * environment. */
    char *server_tmpdir;
    char *system_tmpdir;
    struct px_list server_waits; /* loop thread: calls that wait for a server (tool_wait.c) */
    struct px_io keepalive;      /* loop thread: the pipe of the process that started this tool */
    char hostname[256];          /* constant: PMIX_HOSTNAME of the environment, or gethostname */
};

/* Where the fast path of PMIx_Get finds the session: atomic. It is loaded inside a read-side
 * critical section, so that the session is not freed meanwhile. While no session is up, it points
 * to an empty one whose `fast_store` is NULL. */
extern void *px_session_readable __attribute__((visibility("hidden")));

/* The session that reads use now, never NULL. Inside a read-side critical section. pairs with
 * px_session_open_reads and px_session_end */
static inline struct px_session *px_session_visited(void)
{
    return px_load_ptr_acquire(&px_session_readable);
}

/* Lets the fast path find the session. Called at the end of a start, under ctx->lock. */
void px_session_open_reads(struct px_session *session);

/* Ends the role after the context went down: answers all pending calls with
 * PMIX_ERR_LOST_CONNECTION, waits until no thread is inside a call or a read, and frees the
 * session. ctx->role is NULL afterwards. If a thread does not leave in time, ctx->role stays and
 * nothing is freed; the caller must then keep the loop as well. Under ctx->lock, not on the loop
 * thread. */
void px_session_end(struct px_session *session);

/* The session of a context in the role of a client or a tool. */
static inline struct px_session *px_session(const struct px_ctx *ctx)
{
    return ctx->role;
}

/* Makes gets for our own rank look in the private store first. Gets for other ranks of our
 * namespace still look in the segment first. Session lock. */
static inline void px_session_set_self_private_locked(struct px_session *session)
{
    px_assert(px_lock_held(&session->lock));
    /* pairs with look_in_segment, get_rest and get_of_node */
    px_store_release(&session->self_private_rank, session->ctx->self.rank);
}

/* Invalidates all cached results that depend on private data of our own namespace. To be called
 * after each change of such data. Session lock. pairs with px_snapshot_take, cached_result and
 * get_rest */
static inline void px_session_changed_locked(struct px_session *session)
{
    px_assert(px_lock_held(&session->lock));
    px_store_release(&session->changes, session->changes + 1);
}

/* True if the invariants of the session and of all its spaces hold; for assertions. Loop thread,
 * session lock. */
bool px_session_is_valid_locked(struct px_session *session);

/* The segment of our own namespace, or NULL. Off the loop thread: inside a read-side critical
 * section. */
static inline struct px_store *px_session_shared(const struct px_session *session)
{
    return px_space_segment(&session->own);
}

/* Sets our own name (ctx->self), the name of the own space, and the facts that follow from it.
 * Before other threads use the session. */
void px_session_name(struct px_session *session, const char *nspace, pmix_rank_t rank);

/* True if that is the name of our own namespace. nspace: a whole pmix_nspace_t, as for
 * px_space_is_named. */
static inline bool px_session_is_named(const struct px_session *session, const char *nspace)
{
    return px_space_is_named(&session->own, nspace);
}

/* True if the process is of our own namespace. NULL and an empty namespace stand for ourselves. */
static inline bool px_session_is_own(const struct px_session *session, const pmix_proc_t *proc)
{
    return proc == NULL || proc->nspace[0] == '\0' || px_session_is_named(session, proc->nspace);
}

/* The servers, the newest first; each is valid until the end of the call. Any thread in a call, or
 * the loop thread. */
static inline struct px_link_server *px_server_first(const struct px_session *session)
{
    /* pairs with px_session_attach and take_out_locked */
    return px_load_ptr_acquire(&session->servers);
}

static inline struct px_link_server *px_server_next(const struct px_link_server *server)
{
    return px_load_ptr_acquire(&server->next); /* pairs with take_out_locked */
}

/* The primary server, if it is connected and the progress thread runs; else NULL (no server, lost
 * connection, forked child). Any thread. */
struct px_link_server *px_session_server(struct px_session *session);
/* True if there is a primary server, connected or lost. */
static inline bool px_session_is_served(const struct px_session *session)
{
    /* pairs with px_session_set_primary_locked */
    return px_load_ptr_acquire(&session->primary) != NULL;
}
/* True if the server may pass segments of other namespaces: to a client that has its own, to a tool
 * that has asked for them. Any thread, inside a read-side critical section or on the loop thread.
 */
bool px_session_gets_segments(struct px_session *session);
/* Whether messages to this server carry the type of each value. */
enum px_wire_kind px_server_kind(const struct px_link_server *server);
/* True if the server's release is at least the given one. An unknown release counts as the newest.
 */
bool px_server_at_least(const struct px_link_server *server, unsigned major, unsigned minor,
                        unsigned release);

/* --- life (session.c) --- */
/* An empty session: no name, no server. NULL: no memory. The caller names it, connects it and makes
 * it ctx->role; px_session_destroy or px_session_end frees it. */
struct px_session *px_session_create(struct px_ctx *ctx);
/* Closes all links and frees everything. No other thread may use the session. Not on the loop
 * thread. Takes NULL. */
void px_session_destroy(struct px_session *session);
/* What is known of a server when it is connected. Borrowed. */
struct px_server_known {
    const char *uri;     /* by which others reach it */
    const char *stores;  /* those that the introduction asked for; may be NULL */
    const char *version; /* its release, such as "v5.0.3"; NULL: unknown */
};
/* Adds a server to the session, over a dialled connection. Takes over the descriptor, also on
 * failure. known: copied. The server becomes the primary one if no other is connected. 0 with *ret
 * borrowed, PMIX_ERR_NOMEM, or an error of px_link_open. */
int px_session_attach(struct px_session *session, const struct px_dialed *dialed,
                      enum px_wire_kind kind, const struct px_server_known *known,
                      struct px_link_server **ret);
/* Frees a server that is in no list any more, or was never in one. Takes NULL. */
void px_server_free(struct px_link_server *server);
/* Closes and frees servers that nobody uses, and empties their list, which goes by `former`. Loop
 * thread. */
void px_servers_free(struct px_link_server **list);
/* Waits until every read-side critical section that began before has ended; these are short.
 * waiting: see px_grace_begin. False if this system has neither membarrier nor a slot for each
 * reader, so that the end of the readers cannot be known. Loop thread. */
bool px_session_await_readers(const struct px_reader *waiting);
/* Sends FINALIZE, waits for the reply (at most 30 s), and marks the server lost. Success also when
 * the connection is lost already or ends meanwhile; else PMIX_ERR_NOMEM, PMIX_ERR_TIMEOUT or the
 * status of the reply. Not on the loop thread. */
pmix_status_t px_session_goodbye(struct px_session *session, struct px_link_server *server);
/* Writes one line of statistics (name, gets, messages sent and received, size of the segment) to
 * the descriptor of the parameter shmix_report_fd; does nothing without one. */
void px_session_report(struct px_session *session);

/* --- data (private_store.c); any thread --- */

/* The private store of a namespace for reading, or NULL. Our own contains everything put so far:
 * what was put since the last call is published first; only then the session lock is taken. 0, or
 * PMIX_ERR_NOMEM: the last put values are missing in it. Any thread. */
static inline int px_space_private(struct px_session *session, const struct px_space *space,
                                   const struct px_store **ret)
{
    int rc = 0;

    /* pairs with px_client_put and store_uncommitted_locked */
    if (__builtin_expect(px_load_acquire(&session->unstored) != 0, 0)) {
        rc = px_session_store_uncommitted(session);
    }
    *ret = px_space_private_peek(space);
    return rc;
}

#endif
