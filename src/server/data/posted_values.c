/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* From posted values to publications. What the host has given is never replaced. Data of other
 * nodes arrives as commits do, and its values are visible on this node. */

#include "posted_values.h"

#include "gds/kval_reader.h"
#include "gds/publication.h"
#include "compaction.h"
#include "deletion.h"
#include "nspace.h"

struct px_store_entry px_posted_entry(uint32_t rank, pmix_scope_t scope, const struct px_kval *kval)
{
    struct px_store_entry entry = kval->entry;

    entry.level = PX_LEVEL_PROC;
    entry.index = rank;
    entry.scope = scope;
    return entry;
}

int px_posted_values_add(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                         pmix_scope_t scope, struct px_kval kval)
{
    kval.entry = px_posted_entry(rank, scope, &kval);
    return px_nspace_is_hosts(ns, rank, kval.entry.key) ? PMIX_SUCCESS
                                                        : px_kval_reader_add(reader, &kval);
}

int px_posted_values_publish(const struct px_kval_reader *reader, struct px_nspace *ns)
{
    const struct px_batch *batch = px_kval_reader_batch(reader);

    return batch ? px_store_publish(ns->store, batch) : PMIX_SUCCESS;
}

int px_modex_values_read(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                         uint32_t rank, struct px_in *in)
{
    struct px_store_info info;
    struct px_kval kval;
    int rc = PMIX_SUCCESS;

    px_store_info(ns->store, &info);
    if (rank < info.n_ranks || px_in_left(in)) {
        px_nspace_note_change(s, ns, rank);
    }
    while (!rc && px_in_left(in)) {
        rc = px_kval_reader_next(reader, in, &kval);
        if (!rc && px_kval_deletes(&kval)) {
            rc = px_deletion_add_remote(reader, ns, rank, &kval);
        } else if (!rc) {
            rc = px_posted_values_add(reader, ns, rank, PMIX_REMOTE, kval);
        }
    }
    return rc;
}

/* Compaction must not run before the reader is freed: the batch may borrow values from the store.
 */
int px_modex_values_publish(struct px_server *s, struct px_kval_reader *reader,
                            struct px_nspace *ns, int rc)
{
    const struct px_batch *batch = reader ? px_kval_reader_batch(reader) : NULL;

    rc = rc ? rc : px_posted_values_publish(reader, ns);
    if (!rc && batch) {
        px_deletions_tell(s, ns, batch);
    }
    px_kval_reader_destroy(reader);
    px_nspace_compact(s, ns); /* nothing is borrowed from it any more */
    return rc;
}
