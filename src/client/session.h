/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SESSION_H
#define PX_CLIENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gds/lookup.h"
#include "gds/store.h"
#include "src/base/list.h"
#include "src/base/lock.h"
#include "src/base/map.h"
#include "src/nspace/proc_sets.h"
#include "src/context/context.h"
#include "src/context/request.h"
#include "private_store.h"
#include "space.h"

struct px_dialed;

/* What a client or a tool is: its place, its servers, its data. ctx->role points to it in both
 * roles. */

/* One server. Tools may have several; they are kept until the end, so a borrowed pointer stays
 * good. */
struct px_server_peer {
    struct px_server_peer *next; /* session lock; atomic */
    struct px_session *session;
    struct px_link *link; /* constant */
    pmix_proc_t proc;     /* constant */
    unsigned version[3];  /* constant: as PMIX_VERSION says, 255: unknown */
    uint64_t lost;        /* atomic: the connection has ended */
};

/* A value posted and not yet committed. */
struct px_put_value {
    struct px_list link;
    pmix_scope_t scope;
    bool stored; /* the private store has it */
    pmix_value_t value;
    size_t key_len;
    char key[];
};

/* A value that has no bytes (a pointer, a topology): this process only. */
struct px_local_value {
    struct px_local_value *next; /* constant once linked */
    pmix_proc_t proc;
    char *key;
    pmix_value_t value; /* pointers are borrowed from the application */
};

/* What the library itself says of its process (facts.c). */
enum px_fact {
    PX_FACT_PROCID,
    PX_FACT_VERSION,
    PX_FACT_NSPACE,
    PX_FACT_RANK,
    PX_FACT_SERVER_URI,
    PX_FACT_SERVER_NSPACE,
    PX_FACT_SERVER_RANK,
    PX_N_FACTS
};

struct px_session {
    struct px_ctx *ctx;
    struct px_space
        own; /* our own namespace, the first of the list; its name is constant once up */
    struct px_store *unmap_pinned; /* loop thread: generations that pointers were given away of,
                                      kept until the end */
    /* loop thread: generations that somebody may be reading still */
    struct px_store *unmap_in_grace;
    struct px_store *unmap_pending; /* loop thread: those that wait for the next grace */
    struct px_space *arrived;       /* loop thread: whose segment came with the reply at hand */
    void *fast_store; /* atomic struct px_store *: our own segment while what is there is what a
                       * get wants, whoever else has data, but for the rank `self_private_rank`:
                       * nothing was stored by px_ops.store_internal, and nobody counts reads; or
                       * NULL */
    uint64_t self_private_rank; /* atomic: our own rank, once we may have data of our own; until
                                   then no rank */
    uint64_t changes; /* atomic, changed under the lock: how often private stores and `uncommitted`
                         have changed */
    /* lock: private stores that were replaced by larger ones, kept until the end */
    struct px_store *outgrown;
    void *local_values; /* atomic struct px_local_value *: grows only */
    uint64_t internal;  /* atomic: private stores have data of px_ops.store_internal, look there
                           first */
    uint64_t n_reads;   /* atomic; counted when report_fd is there */
    int report_fd;      /* constant; -1: no report */
    void *primary;      /* atomic struct px_server_peer *: where requests go; NULL: nobody */
    struct px_server_peer *servers; /* lock */
    struct px_lock lock;            /* posted data, writing of private stores, lists */
    struct px_list uncommitted;     /* lock: struct px_put_value, in order */
    /* atomic, changed under the lock: `uncommitted` has what our private store has not */
    uint64_t unstored;
    bool committed; /* lock: the server has had a commit, so it knows that we have come that far */
    uint64_t refused; /* atomic: status of a commit that the server could not take, until somebody
                         is told */
    struct px_list fetches; /* lock: struct px_fetch under way */
    struct px_map queries;  /* lock: packed query to struct px_query_cache_entry */
    struct px_map fetched;  /* lock: a process whose posted data our private stores hold, to of
                               when they are (private_store.c) */
    uint64_t ended; /* atomic, changed under the lock: collectives since something was fetched */
    struct px_list invitations;  /* loop thread: struct px_invitation */
    struct px_list groups;       /* lock: struct px_proc_set, the groups that this process is in */
    uint64_t n_groups;           /* atomic, changed under the lock: how many that are */
    bool watching;               /* loop thread: the server sends us the events of invitations */
    struct px_list iof_handlers; /* lock: struct px_iof_handler */
    size_t last_pull;            /* lock: the number of the latest; none is given twice */
    struct px_list kept;         /* lock: values that were made for a pointer; until the end */
    char *server_uri; /* constant once up, as the next; NULL: no server, or we are a tool */
    pmix_proc_t server;
    pmix_value_t facts[PX_N_FACTS]; /* constant once named; what they point to is not theirs */
    bool is_tool;                   /* constant */
    char hostname[256];             /* constant */
};

/* Where the fast path of PMIx_Get finds the session: atomic. Loaded inside a read-side critical
 * section, so that it is not freed meanwhile; while there is no session, an empty one whose
 * `fast_store` is NULL. */
extern void *px_session_readable __attribute__((visibility("hidden")));

/* pairs with px_session_open_reads and px_session_end */
static inline struct px_session *px_session_visited(void)
{
    return px_load_ptr_acquire(&px_session_readable);
}

/* From now on reads find the session there. Under ctx->lock. */
void px_session_open_reads(struct px_session *session);

/* The end of the role, when the context is down: answers every call that waits with
 * PMIX_ERR_LOST_CONNECTION, waits until no thread is inside a call or reads, and frees the session.
 * ctx->role is NULL afterwards; it stays when a thread does not leave: then nothing is freed, and
 * the loop may not be either. Under ctx->lock, not on the loop's thread. */
void px_session_end(struct px_session *session);

static inline struct px_session *px_session(const struct px_ctx *ctx)
{
    return ctx->role;
}

/* From now on our own rank's data are looked for in our private store first, what the segment says
 * of others still in the segment. Session lock. */
static inline void px_session_set_self_private_locked(struct px_session *session)
{
    px_assert(px_lock_held(&session->lock));
    /* pairs with look_in_segment */
    px_store_release(&session->self_private_rank, session->ctx->self.rank);
}

/* What was found in our private data of our own namespace may be another thing now. Session lock.
 * pairs with px_snapshot_take and cached_result */
static inline void px_session_changed_locked(struct px_session *session)
{
    px_assert(px_lock_held(&session->lock));
    px_store_release(&session->changes, session->changes + 1);
}

/* The invariants of the session and of all its spaces. Loop thread, session lock. */
bool px_session_is_valid_locked(struct px_session *session);

/* The segment of our own namespace, or NULL. */
static inline struct px_store *px_session_shared(const struct px_session *session)
{
    return px_space_segment(&session->own);
}

/* Sets ctx->self and what is derived from it. */
void px_session_name(struct px_session *session, const char *nspace, pmix_rank_t rank);

/* Is it the name of our own namespace? As px_space_is_named. */
static inline bool px_session_is_named(const struct px_session *session, const char *nspace)
{
    return px_space_is_named(&session->own, nspace);
}

/* Is the process (NULL, or without a namespace: ourselves) of our own namespace? */
static inline bool px_session_is_own(const struct px_session *session, const pmix_proc_t *proc)
{
    return proc == NULL || proc->nspace[0] == '\0' || px_session_is_named(session, proc->nspace);
}

/* The server that requests go to, connected; or NULL. */
struct px_server_peer *px_session_server(struct px_session *session);
/* Is there a server, or was there one until its connection was lost? */
static inline bool px_session_is_served(const struct px_session *session)
{
    return px_load_ptr_acquire(&session->primary) != NULL; /* pairs with px_session_attach */
}
enum px_wire_kind px_server_kind(const struct px_server_peer *server);
bool px_server_at_least(const struct px_server_peer *server, unsigned major, unsigned minor,
                        unsigned release);

/* --- life (session.c) --- */
struct px_session *px_session_create(struct px_ctx *ctx);
/* Frees everything; links are closed. Not on the loop thread. Takes NULL. */
void px_session_destroy(struct px_session *session);
/* Turns a dialled descriptor into a server of the session; takes over the descriptor. */
int px_session_attach(struct px_session *session, const struct px_dialed *dialed,
                      enum px_wire_kind kind, struct px_server_peer **ret);
void px_session_set_version(struct px_server_peer *server, const char *version);
/* Sends FINALIZE and waits for the answer. */
pmix_status_t px_session_goodbye(struct px_session *session, struct px_server_peer *server);
void px_session_report(struct px_session *session);
void px_put_values_free(struct px_list *head);

/* --- data (private_store.c); any thread --- */

/* The private store of a namespace for reading, or NULL; our own with all that was posted. The
 * session lock is taken only when something has been posted since the last time. 0, PMIX_ERR_NOMEM:
 * what was posted last is in neither. */
static inline int px_space_private(struct px_session *session, const struct px_space *space,
                                   const struct px_store **ret)
{
    int rc = 0;

    /* pairs with px_client_put and store_posted_locked */
    if (__builtin_expect(px_load_acquire(&session->unstored) != 0, 0)) {
        rc = px_session_store_posted(session);
    }
    *ret = px_space_private_peek(space);
    return rc;
}

#endif
