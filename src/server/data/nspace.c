/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Namespaces and local processes as this server knows them. A namespace's record is made by the
 * first of: its registration, the registration of one of its clients, job information of a direct
 * modex. The store of a namespace lives as long as its record; clients keep the segments that they
 * have mapped.
 *
 * A local process goes through these states: registered, connected (n_peers > 0), then finalized or
 * departed. A new registration or connection under its name makes it a live one again. Collectives
 * and gets wait for live processes only. Loop thread. */

#include "nspace.h"
#include "compaction.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "src/server/stages.h"
#include "src/waits/counts.h"
#include "src/server/state.h"
#include "src/value/procs.h"
#include "shmem/segment.h"
#include "src/base/array.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "src/wire/message.h"
#include "src/server/collectives/group_infos.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/collectives/pset.h"
#include "modex_giving.h"
#include "server_get.h"
#include "src/server/events/output_cache.h"
#include "src/server/events/server_iof.h"
#include "src/server/peers/inherited.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/base/assert.h"
#include "src/nspace/job_pack.h"
#include "src/topo/interleave.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/lookup.h"
#include "gds/slice.h"

/* Names from messages may lack their terminating NUL; at most PMIX_MAX_NSLEN bytes are read. */
struct px_nspace *px_nspace_find(struct px_server *s, const char *name)
{
    px_assert(px_loop_inside(s->loop) || !px_loop_alive(s->loop));
    return px_map_find(&s->nspaces, name, strnlen(name, PMIX_MAX_NSLEN));
}

/* The flags are read by clients in the segment, so that they do not send requests that the host has
 * declined. */
uint32_t px_nspace_host_flags(const struct px_server *s)
{
    uint32_t flags = 0;

    if (s->host.query && !(s->peers_declined && s->nodes_declined)) {
        flags |= PX_STORE_HOST_QUERIES;
    }
    if (s->peers_declined) {
        flags |= PX_STORE_PEERS_DECLINED;
    }
    if (s->nodes_declined) {
        flags |= PX_STORE_NODES_DECLINED;
    }
    return flags;
}

/* The flags of a new store, from the host's abilities and the parameters. */
static uint32_t store_flags(const struct px_server *s)
{
    uint32_t flags = px_nspace_host_flags(s);

    if (!px_param_bool(PX_P_RESOLVE_REBUILD)) {
        flags |= PX_STORE_NO_REBUILD;
    }
    return flags;
}

/* Spreads the pages of a segment over the NUMA nodes, as a segment hint. On failure the kernel's
 * own policy holds. */
static void interleave(void *at, size_t len)
{
    (void) px_topo_interleave(at, len);
}

/* True if a further namespace may have a segment. Half of the descriptors that this process may
 * have are for segments, the rest for connections and for the host; namespaces beyond that are read
 * by messages. The parameters can turn segments off altogether. */
static bool may_share(const struct px_server *s)
{
    struct rlimit limit;

    return px_param_bool(PX_P_SHMEM_ENABLE) &&
           strcmp(px_param_string(PX_P_GDS), PX_GDS_MESSAGES) != 0 &&
           (getrlimit(RLIMIT_NOFILE, &limit) != 0 || s->n_shared < limit.rlim_cur / 2);
}

/* Creates the empty store of a namespace: a segment if possible, otherwise in process memory.
 * Sizes, huge pages and placement are parameters. A segment that cannot be made is logged and is no
 * error: clients then read by messages. 0 or the status of px_store_create. */
static int make_store(struct px_server *s, struct px_nspace *ns, bool shared)
{
    struct px_segment_hints hints = {
        .initial_commit = (uint64_t) px_param_int(PX_P_SHMEM_FIRST),
        .reserve_ahead = (uint64_t) px_param_int(PX_P_SHMEM_AHEAD),
        .huge = px_param_bool(PX_P_SHMEM_HUGE),
        .set_numa_policy = px_param_bool(PX_P_SHMEM_INTERLEAVE) ? interleave : NULL,
    };
    struct px_store_opts opts = {
        .nspace = ns->name,
        .shared = shared,
        .virtual_size = (uint64_t) px_param_int(PX_P_SHMEM_VIRTUAL),
        .hints = &hints,
        .uid = s->uid,
        .gid = s->gid,
        .moves = true,
        .garbage_bytes = (uint64_t) px_param_int(PX_P_SHMEM_DEAD),
    };
    int rc = px_store_create(&opts, &ns->store);

    if (rc && opts.shared) {
        px_log(PX_LOG_GDS, 1, "no segment for %s: %s; it is read by messages", ns->name,
               PMIx_Error_string(rc));
        opts.shared = false;
        rc = px_store_create(&opts, &ns->store);
    }
    if (!rc) {
        px_store_set_flags(ns->store, store_flags(s));
        ns->shared = opts.shared;
        s->n_shared += opts.shared;
    }
    return rc;
}

/* Frees a namespace that is in no list any more, with its processes and its store. Clients that
 * have mapped the segment keep it; the memory is freed when the last one unmaps it. */
static void ns_destroy(struct px_server *s, struct px_nspace *ns)
{
    struct px_list *item;

    px_open_waits_nspace_gone(s, ns);
    px_nspace_compact_no_more(s, ns);
    for (item = px_list_shift(&ns->rank_list); item; item = px_list_shift(&ns->rank_list)) {
        struct px_local_proc *rank = px_container_of(item, struct px_local_proc, link);

        px_stage_count(s, PX_WAITS_N_PROCS, -(int) rank->registered);
        px_posted_fini(rank);
        px_modex_log_fini(&rank->modex_log);
        free(rank);
    }
    free(ns->ranks);
    PMIx_Info_free(ns->envars, ns->n_envars);
    px_buf_fini(&ns->packed[0]);
    px_buf_fini(&ns->packed[1]);
    px_store_destroy(ns->store);
    s->n_shared -= ns->shared;
    free(ns->received);
    free(ns->changes);
    free(ns);
}

/* A record in no list. Until a client is registered it belongs to the server's user. NULL: no
 * memory. */
static struct px_nspace *ns_create(struct px_server *s, const char *name, size_t len, bool shared)
{
    struct px_nspace *ns = calloc(1, sizeof(*ns));

    if (!ns) {
        return NULL;
    }
    px_list_init(&ns->link);
    px_list_init(&ns->rank_list);
    px_list_init(&ns->move_link);
    memcpy(ns->name, name, len);
    ns->n_local = -1;
    ns->id = ++s->next_ns;
    ns->uid = s->uid;
    ns->gid = s->gid;
    ns->packed_sequence[0] = UINT64_MAX;
    ns->packed_sequence[1] = UINT64_MAX;
    if (make_store(s, ns, shared)) {
        ns_destroy(s, ns);
        return NULL;
    }
    return ns;
}

struct px_nspace *px_nspace_make(struct px_server *s, const char *name)
{
    size_t len = strnlen(name, PMIX_MAX_NSLEN + 1);
    struct px_nspace *ns = px_nspace_find(s, name);

    px_assert(px_loop_inside(s->loop));
    if (ns || !len || len > PMIX_MAX_NSLEN) {
        return ns;
    }
    ns = ns_create(s, name, len, may_share(s));
    if (!ns) {
        return NULL;
    }
    if (px_map_set(&s->nspaces, ns->name, len, ns)) {
        ns_destroy(s, ns);
        return NULL;
    }
    px_list_append(&s->ns_list, &ns->link);
    px_stage_count(s, PX_WAITS_N_NSPACES, 1);
    return ns;
}

/* Closes the connections of one process, or of all processes of the namespace if rank is NULL. The
 * peers are marked as finalized, so that no loss is reported. */
static void close_peers(struct px_server *s, const struct px_nspace *ns,
                        const struct px_local_proc *rank)
{
    struct px_list *item;
    struct px_list *next;

    px_inherited_drop(s, ns, rank);
    px_list_each(item, next, &s->peer_list) {
        struct px_peer *peer = px_container_of(item, struct px_peer, link);

        if (peer->rank && peer->rank->ns == ns && (!rank || peer->rank == rank)) {
            peer->finalized = true;
            px_peer_close(peer);
            next = s->peer_list.next; /* closing one may have closed others */
        }
    }
}

/* The order matters. The gets and direct modex requests for its processes end first, with statuses
 * of their own; then the connections close; then the rest of the server forgets the namespace; last
 * the memory is freed. */
void px_nspace_drop(struct px_server *s, struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    /* Unlisted first: the handlers that run while connections close must not find it. */
    (void) px_map_remove(&s->nspaces, ns->name, strlen(ns->name));
    px_list_remove(&ns->link);
    px_stage_count(s, PX_WAITS_N_NSPACES, -1);
    px_high_water_forget(&s->high_water, ns->name);
    px_list_for(struct px_local_proc, rank, &ns->rank_list, link) {
        px_gets_proc_departed(s, rank);
        px_dmodex_requests_proc_departed(s, rank);
    }
    px_gets_nspace_changed(s, ns);
    close_peers(s, ns, NULL);
    px_proc_sets_nspace_removed(s);
    px_group_infos_nspace_removed(s, ns->name);
    px_iof_subscriptions_nspace_removed(s, ns->name);
    px_outputs_nspace_removed(s, ns->name);
    px_offers_nspace_removed(s, ns);
    ns_destroy(s, ns);
}

/* Dropping one namespace may drop no other, but takes it off the list: the first one is dropped
 * until there is none. */
void px_nspace_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->ns_list)) {
        px_nspace_drop(s, px_container_of(s->ns_list.next, struct px_nspace, link));
    }
    px_map_fini(&s->nspaces);
}

/* It counts as registered, so that no get waits for the host's information of a job. */
struct px_local_proc *px_nspace_make_apart(struct px_server *s, const pmix_proc_t *proc, uid_t uid,
                                           gid_t gid)
{
    struct px_nspace *ns = ns_create(s, proc->nspace, strnlen(proc->nspace, PMIX_MAX_NSLEN), false);
    struct px_local_proc *rank = ns ? px_local_proc_make(ns, proc->rank) : NULL;

    px_assert(px_loop_inside(s->loop));
    if (!rank) {
        px_nspace_drop_apart(s, ns);
        return NULL;
    }
    ns->registered = true;
    ns->owned = true;
    ns->uid = uid;
    ns->gid = gid;
    rank->uid = uid;
    rank->gid = gid;
    return rank;
}

void px_nspace_drop_apart(struct px_server *s, struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    if (ns) {
        px_assert(px_nspace_find(s, ns->name) != ns);
        ns_destroy(s, ns);
    }
}

/* --- ranks --- */

/* The index in ns->ranks of the first process whose rank is not smaller. */
static size_t rank_place(const struct px_nspace *ns, uint32_t rank)
{
    size_t low = 0;
    size_t high = ns->n_ranks;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (ns->ranks[mid].rank < rank) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Ranks above the highest one are recognised without a search: the usual case while a job's
 * processes are registered in order. */
struct px_local_proc *px_local_proc_find(const struct px_nspace *ns, uint32_t rank)
{
    size_t at;

    if (!ns->n_ranks || rank > ns->ranks[ns->n_ranks - 1].rank) {
        return NULL;
    }
    at = rank_place(ns, rank);
    return ns->ranks[at].rank == rank ? ns->ranks[at].rec : NULL;
}

/* Inserts a record into the sorted array. 0, or PMIX_ERR_NOMEM and no change. */
static int rank_enter(struct px_nspace *ns, uint32_t rank, struct px_local_proc *rec)
{
    size_t at = rank_place(ns, rank);

    if (px_array_room(&ns->ranks, ns->n_ranks, &ns->cap_ranks, sizeof(*ns->ranks))) {
        return PMIX_ERR_NOMEM;
    }
    memmove(&ns->ranks[at + 1], &ns->ranks[at], (ns->n_ranks - at) * sizeof(*ns->ranks));
    ns->ranks[at] = (struct px_local_proc_slot){.rank = rank, .rec = rec};
    ns->n_ranks++;
    return PMIX_SUCCESS;
}

/* A new record is not registered: its caller sets what makes it known. */
struct px_local_proc *px_local_proc_make(struct px_nspace *ns, uint32_t rank)
{
    struct px_local_proc *rec = px_local_proc_find(ns, rank);

    if (rec) {
        return rec;
    }
    rec = calloc(1, sizeof(*rec));
    if (!rec || rank_enter(ns, rank, rec)) {
        free(rec);
        return NULL;
    }
    rec->ns = ns;
    rec->rank = rank;
    px_list_append(&ns->rank_list, &rec->link);
    return rec;
}

/* Makes room for the number of this rank's change. Zeroed memory of this size comes untouched from
 * the kernel, so that a high rank costs little. */
static bool make_room_for_change(struct px_nspace *ns, uint32_t rank)
{
    enum { MAX_NOTED = 1 << 24 };
    uint32_t n = ns->n_changes * 2 > rank ? ns->n_changes * 2 : rank + 1;
    uint64_t *more;

    if (rank < ns->n_changes) {
        return true;
    }
    more = rank < MAX_NOTED ? calloc(n, sizeof(*more)) : NULL;
    if (!more) {
        return false;
    }
    if (ns->n_changes) {
        memcpy(more, ns->changes, ns->n_changes * sizeof(*more));
    }
    free(ns->changes);
    ns->changes = more;
    ns->n_changes = n;
    return true;
}

/* A local process has the number in its record, too, where it is never missing: there it decides
 * whether a requester has the newest data. */
void px_nspace_note_change(struct px_server *s, struct px_nspace *ns, uint32_t rank)
{
    struct px_local_proc *local = px_local_proc_find(ns, rank);

    px_assert(px_loop_inside(s->loop));
    s->changes++;
    if (local) {
        local->change = s->changes;
    }
    if (make_room_for_change(ns, rank)) {
        ns->changes[rank] = s->changes;
    }
}

/* The record is kept, since a later collective may still name the process. A registration under its
 * name makes it a live process again. The host may drop the job while the connections close. */
void px_local_proc_terminate(struct px_server *s, struct px_local_proc *rank)
{
    const uint64_t id = rank->ns->id;
    pmix_proc_t proc;

    px_assert(px_loop_inside(s->loop));
    PMIX_LOAD_PROCID(&proc, rank->ns->name, rank->rank);
    px_gets_proc_departed(s, rank);
    px_dmodex_requests_proc_departed(s, rank);
    close_peers(s, rank->ns, rank);
    rank = px_local_proc_of(s, &proc);
    if (!rank || rank->ns->id != id) {
        return;
    }
    px_posted_keep_log(rank);
    px_modex_log_fini(&rank->modex_log);
    memset(&rank->modex_log, 0, sizeof(rank->modex_log));
    px_posted_recount(s, rank);
    px_stage_count(s, PX_WAITS_N_PROCS, -(int) rank->registered);
    rank->registered = false;
    rank->committed = false;
    rank->object = NULL;
    rank->pid = 0;
    rank->terminated = true;
    rank->departed = true;
    s->n_ends++;
    px_open_waits_proc(s, rank);
}

/* The namespace may be unknown here. */
struct px_local_proc *px_local_proc_of(struct px_server *s, const pmix_proc_t *proc)
{
    struct px_nspace *ns = px_nspace_find(s, proc->nspace);

    px_assert(px_loop_inside(s->loop));
    return ns ? px_local_proc_find(ns, proc->rank) : NULL;
}

/* A namespace registered with no local processes is answered without looking at its placement. */
bool px_nspace_is_local(const struct px_nspace *ns, uint32_t rank)
{
    uint32_t node;

    if (px_local_proc_find(ns, rank)) {
        return true;
    }
    if (ns->n_local == 0) {
        return false;
    }
    node = px_store_node_of(ns->store, rank);
    return node != PX_NO_NODE && node == px_store_local_node(ns->store);
}

/* Collectives use it to recognise that a complete list of ranks and PMIX_RANK_WILDCARD mean the
 * same set. */
uint32_t px_nspace_job_size(void *arg, const char *name)
{
    struct px_nspace *ns = px_nspace_find(arg, name);

    return ns ? px_job_number(ns->store, PMIX_JOB_SIZE, 0) : 0;
}

struct px_nspace *px_nspace_next(struct px_server *s, const pmix_proc_t *procs, size_t at,
                                 struct px_nspace *before)
{
    bool same = at && px_same_nspace(procs[at].nspace, procs[at - 1].nspace);

    return same ? before : px_nspace_find(s, procs[at].nspace);
}

/* Packed anew only if the store has had a publication since. There is one result per encoding, kept
 * with the namespace. */
int px_nspace_packed(struct px_nspace *ns, enum px_wire_kind kind, const struct px_buf **ret)
{
    size_t i = kind == PX_WIRE_DESCRIBED;
    struct px_store_info info;
    struct px_buf buf = {0};
    int rc;

    px_store_info(ns->store, &info);
    if (ns->packed_sequence[i] != info.sequence) {
        rc = px_buf_fail(&buf, px_jobinfo_pack(ns->store, &buf, kind));
        if (rc) {
            px_buf_fini(&buf);
            return rc;
        }
        px_buf_fini(&ns->packed[i]);
        ns->packed[i] = buf;
        ns->packed_sequence[i] = info.sequence;
    }
    *ret = &ns->packed[i];
    return PMIX_SUCCESS;
}

int px_nspace_append_info(struct px_nspace *ns, enum px_wire_kind kind, bool ours,
                          struct px_buf *buf)
{
    const struct px_buf *packed;
    struct px_buf maps = {0};
    int rc = px_nspace_packed(ns, kind, &packed);

    rc = rc || !ours ? rc : px_jobinfo_pack_maps(ns->store, &maps, kind);
    if (!rc) {
        px_buf_append(buf, packed->data, packed->len);
        px_buf_append(buf, maps.data, maps.len);
    }
    px_buf_fini(&maps);
    return rc;
}

bool px_nspace_is_hosts(const struct px_nspace *ns, uint32_t rank, const char *key)
{
    struct px_slice slice;

    if (!px_key_reserved(key)) {
        return false;
    }
    if (strcmp(key, PMIX_HOSTNAME) == 0 && px_store_node_of(ns->store, rank) != PX_NO_NODE) {
        return true;
    }
    return !px_store_find(ns->store, PX_LEVEL_PROC, rank, key, strlen(key), &slice) &&
           slice.scope == PMIX_SCOPE_UNDEF;
}
