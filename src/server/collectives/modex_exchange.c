/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Delta fences (docs/decisions/0008-delta-fences.md). A fence carries only what was committed
 * since the last one over the same set. Values of local processes are numbered in order of
 * commit (modex_log.h), and the sender keeps a high-water mark per set (high_water.h). The
 * receiver keeps for each remote process the number up to which it has everything. So a part
 * that comes twice, or late, is passed over, and a gap is noticed; then this server asks all
 * others to send everything again (resync). */

#include "modex_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "gds/store.h"
#include "src/server/collectives/modex_blob.h"
#include "src/server/data/posted_values.h"
#include "src/server/data/nspace.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

/* --- sending --- */

/* A contribution in the making: first the length that it has at most is summed up, then it is
 * written into memory of that length. */
struct contribution {
    struct px_server *server;
    uint64_t since;
    size_t len;
    struct px_modex_blob blob;
};

typedef int (*rank_fn)(struct contribution *to, struct px_local_proc *rank);

/* Counts a part with one local process's data above `since`, unless there is none. 0. */
static int count_rank(struct contribution *to, struct px_local_proc *rank)
{
    struct px_modex_log_span span = px_modex_log_since(&rank->modex_log, to->since);

    to->len += span.len ? span.len + PX_MODEX_BLOB_PART : 0;
    return PMIX_SUCCESS;
}

/* Appends that part. */
static int add_rank(struct contribution *to, struct px_local_proc *rank)
{
    struct px_modex_log_span span = px_modex_log_since(&rank->modex_log, to->since);
    struct px_modex_blob_part part = {
        .nspace = rank->ns->name, .rank = rank->rank, .from = span.from, .to = span.to};
    struct px_modex_list values = {0};
    int rc;

    if (!span.len) {
        return PMIX_SUCCESS;
    }
    rc = px_modex_log_list(&rank->modex_log, to->since, &values);
    if (rc) {
        px_modex_list_free(&values);
        return rc;
    }
    px_modex_blob_add_take(&to->blob, &part, &values);
    return PMIX_SUCCESS;
}

/* Calls fn for a process, or for all local ones for a wildcard. Processes of other nodes, or of
 * namespaces that are not known, have nothing here. */
static int each_rank(struct contribution *to, const pmix_proc_t *proc, rank_fn fn)
{
    struct px_nspace *ns = px_nspace_find(to->server, proc->nspace);
    struct px_local_proc *rank;
    int rc = PMIX_SUCCESS;

    if (ns && proc->rank == PMIX_RANK_WILDCARD) {
        px_list_for(struct px_local_proc, local, &ns->rank_list, link) {
            rc = rc ? rc : fn(to, local);
        }
        return rc;
    }
    rank = ns ? px_local_proc_find(ns, proc->rank) : NULL;
    return rank ? fn(to, rank) : PMIX_SUCCESS;
}

/* A resync request counts as sent once it is encoded; if the fence fails, it is made again
 * (fence_finished). */
int px_modex_encode(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, uint64_t since,
                    bool ask_resync, char **ret, size_t *ret_len)
{
    struct px_modex_blob_head head = {.server_id = s->server_id,
                                      .flags = ask_resync && s->resync_needed ? PX_MODEX_BLOB_RESEND
                                                                              : 0};
    struct contribution to = {.server = s, .since = since};
    bool empty = false;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    px_modex_blob_begin(&to.blob, &head);
    for (size_t i = 0; i < nprocs; i++) {
        (void) each_rank(&to, &procs[i], count_rank);
    }
    px_buf_reserve(&to.blob.buf, to.len);
    for (size_t i = 0; !rc && i < nprocs; i++) {
        rc = each_rank(&to, &procs[i], add_rank);
    }
    (void) px_buf_fail(&to.blob.buf, rc);
    rc = px_modex_blob_end(&to.blob, ret, ret_len, &empty);
    if (rc) {
        return rc;
    }
    if (empty && !ask_resync) {
        free(*ret);
        *ret = NULL;
        *ret_len = 0;
        return PMIX_SUCCESS;
    }
    s->resync_needed = s->resync_needed && !ask_resync;
    return PMIX_SUCCESS;
}

/* Cleared by px_modex_encode when the request is sent. */
void px_modex_request_resync(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    s->resync_needed = true;
}

/* --- storing --- */

/* The values read for one namespace. Contributions may mix namespaces: each has one batch, and
 * all are published at the end of px_modex_decode. */
struct incoming {
    struct px_list link;
    struct px_nspace *ns;
    struct px_kval_reader *values;
};

/* The state of one px_modex_decode, on its stack. */
struct reader {
    struct px_server *server;
    struct px_list all;
    const char *nspace;            /* of the previous part; NULL at first */
    struct px_nspace *ns;          /* of `nspace`; NULL: not known to this server */
    struct px_kval_reader *values; /* of `ns`; NULL until a part of it is new */
    bool echo;                     /* our own contribution was among them */
    bool asked;                    /* another server asks for a resync */
};

/* The namespace of a part, or NULL. Parts of one namespace are mostly adjacent, so it is cached. */
static struct px_nspace *ns_of(struct reader *reader, const char *nspace)
{
    if (!reader->nspace || strcmp(reader->nspace, nspace) != 0) {
        reader->ns = px_nspace_find(reader->server, nspace);
        reader->values = NULL;
        reader->nspace = nspace;
    }
    return reader->ns;
}

/* The batch of a namespace; created at its first new part. NULL: out of memory. */
static struct px_kval_reader *find_values(struct reader *reader, struct px_nspace *ns)
{
    struct incoming *in;

    px_list_for(struct incoming, known, &reader->all, link) {
        if (known->ns == ns) {
            return known->values;
        }
    }
    in = calloc(1, sizeof(*in));
    if (!in) {
        return NULL;
    }
    in->ns = ns;
    in->values = px_kval_reader_create(false, NULL);
    if (!in->values) {
        free(in);
        return NULL;
    }
    px_list_append(&reader->all, &in->link);
    return in->values;
}

/* The batch of the current namespace, cached in the reader. NULL: out of memory. */
static struct px_kval_reader *values_of(struct reader *reader)
{
    if (!reader->values) {
        reader->values = find_values(reader, reader->ns);
    }
    return reader->values;
}

/* The mark of a remote rank: up to which number its data are here. The array grows to the size
 * of the job. NULL if the job has no such rank, or memory is out. */
static struct px_received_mark *received_of(struct px_nspace *ns, uint32_t rank)
{
    struct px_store_info info;
    struct px_received_mark *known;

    if (rank < ns->n_received) {
        return &ns->received[rank];
    }
    px_store_info(ns->store, &info);
    if (rank >= info.n_ranks) {
        return NULL;
    }
    known = realloc(ns->received, info.n_ranks * sizeof(*known));
    if (!known) {
        return NULL;
    }
    memset(known + ns->n_received, 0, (info.n_ranks - ns->n_received) * sizeof(*known));
    ns->received = known;
    ns->n_received = info.n_ranks;
    return &known[rank];
}

/* True if the part has data that are not here; the mark is raised. A gap before the part
 * requests a resync and leaves the mark, so that the complete data are not passed over later.
 * Data of a rank that cannot have a mark (received_of) are always read. Marks of another life of
 * the server do not count. */
static bool is_news(struct px_server *s, struct px_nspace *ns,
                    const struct px_modex_blob_head *head, const struct px_modex_blob_part *part)
{
    struct px_received_mark *known = received_of(ns, part->rank);
    uint64_t here = known && known->server_id == head->server_id ? known->up_to : 0;

    if (!known) {
        return true;
    }
    if (part->to <= here) {
        return false;
    }
    if (part->from > here) {
        s->resync_needed = true;
    } else {
        known->server_id = head->server_id;
        known->up_to = part->to;
    }
    return true;
}

/* After an error: none of the namespace's data are known to be here. Requests a resync. */
static void forget_received(struct px_server *s, struct px_nspace *ns)
{
    free(ns->received);
    ns->received = NULL;
    ns->n_received = 0;
    s->resync_needed = true;
}

/* For px_modex_blob_each: reads one new part into its namespace's batch. 0, PMIX_ERR_NOMEM, or
 * the status of reading the values. */
static int on_part(void *arg, const struct px_modex_blob_head *head,
                   const struct px_modex_blob_part *part)
{
    struct reader *reader = arg;
    struct px_server *s = reader->server;
    struct px_nspace *ns;
    struct px_kval_reader *values;
    struct px_in kvals;

    if (!part) {
        bool own = head->server_id == s->server_id;

        reader->echo |= own;
        reader->asked |= !own && (head->flags & PX_MODEX_BLOB_RESEND);
        /* Data of local processes are in the store already. */
        return own ? PX_MODEX_BLOB_SKIP : PMIX_SUCCESS;
    }
    /* A namespace that is not known has no readers here. */
    ns = ns_of(reader, part->nspace);
    if (!ns || px_local_proc_find(ns, part->rank) || !is_news(s, ns, head, part)) {
        return PMIX_SUCCESS;
    }
    kvals = part->kvals;
    values = values_of(reader);
    if (!values) {
        forget_received(s, ns);
        return PMIX_ERR_NOMEM;
    }
    return px_modex_values_read(s, values, ns, part->rank, &kvals);
}

/* No batch is published unless all bytes could be read. A server that asks for a resync has no
 * mark here any more: all marks are forgotten, so the next contribution is complete. */
int px_modex_decode(struct px_server *s, const char *data, size_t len, bool *ret_self_echo)
{
    struct reader reader = {.server = s};
    struct px_modex_room room;
    struct px_list *item;
    int rc;

    px_assert(px_loop_inside(s->loop));
    px_list_init(&reader.all);
    px_modex_room_init(&room);
    rc = px_modex_blob_each(data, len, &room, on_part, &reader);
    for (item = px_list_shift(&reader.all); item; item = px_list_shift(&reader.all)) {
        struct incoming *in = px_container_of(item, struct incoming, link);

        rc = px_modex_values_publish(s, in->values, in->ns, rc);
        if (rc) {
            forget_received(s, in->ns);
        }
        free(in);
    }
    px_modex_room_free(&room);
    if (reader.asked) {
        px_high_water_forget(&s->high_water, NULL);
    }
    if (!rc && ret_self_echo) {
        *ret_self_echo = reader.echo && !reader.asked;
    }
    return rc;
}
