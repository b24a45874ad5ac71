/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values are told apart by their key and by the digest of their qualifiers, as in a store. Those of
 * the stream that have qualifiers are listed once, when the first copy of such a value is met. */

#include "lacking.h"

#include <stdlib.h>
#include <string.h>

#include "gds/batch.h"
#include "gds/level.h"
#include "gds/kval_reader.h"
#include "gds/read.h"
#include "gds/record_writer.h"
#include "gds/slice.h"
#include "src/base/bytes.h"
#include "src/value/infos.h"

/* The name of a qualified value; all its bytes are compared. */
struct name {
    struct px_qual_digest sum;
    char key[PMIX_MAX_KEYLEN + 1];
};

/* Qualifiers that a deletion in the batch borrows. */
struct owned_quals {
    struct px_list link;
    pmix_info_t *info;
    size_t n;
};

static void make_name(struct name *name, const char *key, size_t len,
                      const struct px_qual_digest *sum)
{
    memset(name, 0, sizeof(*name));
    name->sum.a = sum->a;
    name->sum.b = sum->b;
    name->sum.n = sum->n;
    memcpy(name->key, key, len < PMIX_MAX_KEYLEN ? len : PMIX_MAX_KEYLEN);
}

/* Lists the qualified values of the stream. 0 or PMIX_ERR_NOMEM. */
static int list_qualified(struct px_lacking *lacking, const struct px_batch *batch)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && batch != NULL && i < batch->n_others; i++) {
        const struct px_batch_entry *entry = &batch->others[i];
        const struct px_batch_key *key = &batch->keys[entry->key];
        struct px_qual_digest sum;
        struct name name;

        if (entry->n_quals > 0 && px_quals_digest(entry->quals, entry->n_quals, &sum)) {
            make_name(&name, key->name, key->len, &sum);
            rc = px_map_set(&lacking->qualified, &name, sizeof(name), lacking);
        }
    }
    lacking->listed = rc == 0;
    return rc;
}

/* Gives the deletion of a qualified copy its qualifiers, which live until px_lacking_fini. */
static int own_quals(struct px_lacking *lacking, const struct px_slice *slice,
                     struct px_store_entry *entry)
{
    struct owned_quals *owned = calloc(1, sizeof(*owned));
    int rc = owned != NULL ? px_slice_quals(slice, &owned->info, &owned->n) : PMIX_ERR_NOMEM;

    if (rc != 0) {
        free(owned);
        return rc;
    }
    px_list_append(&lacking->quals, &owned->link);
    entry->quals = owned->info;
    entry->n_quals = owned->n;
    return 0;
}

/* Sets *ret to whether the stream has the value of a copy. 0 or PMIX_ERR_NOMEM. */
static int is_in_stream(struct px_lacking *lacking, const char *key, const struct px_slice *slice,
                        bool *ret)
{
    const struct px_batch *batch = px_kval_reader_batch(lacking->reader);
    struct px_qual_digest sum;
    struct name name;
    int rc;

    if (slice->quals == NULL) {
        *ret = batch != NULL && px_batch_has_proc(batch, key);
        return 0;
    }
    rc = lacking->listed ? 0 : list_qualified(lacking, batch);
    sum = px_quals_sum(slice->quals);
    make_name(&name, key, strlen(key), &sum);
    *ret = px_map_find(&lacking->qualified, &name, sizeof(name)) != NULL;
    return rc;
}

/* True if the copy came with such a stream. Of this process itself that is only group information,
 * which has no scope here; what it has put is in the same store. */
static bool may_lack(const struct px_lacking *lacking, const struct px_slice *slice)
{
    return lacking->us ? slice->scope == PMIX_SCOPE_UNDEF && slice->quals != NULL
                       : slice->scope != PMIX_SCOPE_UNDEF && slice->scope != PMIX_INTERNAL;
}

/* For px_store_each. */
static int drop(void *arg, const char *key, const struct px_slice *slice)
{
    struct px_lacking *lacking = arg;
    struct px_kval kval = {.key_len = strlen(key)};
    bool there = false;
    int rc;

    if (!may_lack(lacking, slice)) {
        return 0;
    }
    rc = is_in_stream(lacking, key, slice, &there);
    if (rc != 0 || there) {
        return rc;
    }
    kval.entry = (struct px_store_entry){
        .level = PX_LEVEL_PROC, .index = lacking->rank, .key = key, .value = &px_deleted};
    rc = slice->quals != NULL ? own_quals(lacking, slice, &kval.entry) : 0;
    if (rc == 0 && lacking->us &&
        px_infos_next(kval.entry.quals, kval.entry.n_quals, NULL, PMIX_GROUP_CONTEXT_ID) == NULL) {
        return 0; /* the host's */
    }
    return rc == 0 ? px_kval_reader_add(lacking->reader, &kval) : rc;
}

int px_lacking_add(struct px_lacking *lacking)
{
    return px_store_each(lacking->held, PX_LEVEL_PROC, lacking->rank, drop, lacking);
}

void px_lacking_fini(struct px_lacking *lacking)
{
    px_list_for(struct owned_quals, owned, &lacking->quals, link) {
        px_list_remove(&owned->link);
        PMIx_Info_free(owned->info, owned->n);
        free(owned);
    }
    px_map_fini(&lacking->qualified);
}
