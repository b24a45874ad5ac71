/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a store has at one level and index, by its own rules alone: no directive, no realm, no
 * placement. Reads single values and enumerates all of them. Any thread; no lock, no allocation;
 * every loop is bounded by a chain that descends. */

#include "gds/level.h"

#include "gds/read.h"
#include "src/base/atomic.h"

/* A hidden value is found and then refused, so that the caller learns that the key exists. The
 * placement is not asked: a derived value is not found here. */
int px_store_find(const struct px_store *store, enum px_level level, uint32_t index,
                  const char *key, size_t key_len, struct px_slice *ret)
{
    const struct px_key *found;
    struct px_read read;
    int rc;

    px_read_begin(store, &read);
    found = px_read_find_key(&read, key, key_len);
    if (!found) {
        return px_read_miss(&read);
    }
    rc = px_read_level(&read, level, index, found, NULL, ret);
    return rc == 0 && ret->hidden ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : rc;
}

/* Only a deleted value sets the slice without being found. */
bool px_store_is_deleted(const struct px_store *store, uint32_t rank, const char *key,
                         size_t key_len, pmix_scope_t *ret_scope)
{
    struct px_slice slice = {.store = NULL};
    const struct px_key *found;
    struct px_read read;

    px_read_begin(store, &read);
    found = px_read_find_key(&read, key, key_len);
    if (!found || px_read_proc(&read, found, rank, &slice) != PMIX_ERR_NOT_FOUND || !slice.store) {
        return false;
    }
    *ret_scope = slice.scope;
    return true;
}

/* Keys are never removed, so the answer says nothing about a value. */
bool px_store_has_key(const struct px_store *store, const char *key, size_t key_len)
{
    struct px_read read;

    px_read_begin(store, &read);
    return px_read_find_key(&read, key, key_len) != NULL;
}

/* --- enumeration --- */

/* One enumeration under way, on the stack of px_store_each. */
struct each {
    struct px_read read;
    px_each_fn fn;
    void *arg;
    size_t left; /* keys that may still be looked at */
};

/* Reads one value by the usual rules and passes it to fn, if a value is visible: the chains say
 * where a value may be, not which version of it counts. */
static int each_value(struct each *e, const struct px_key *key, enum px_level level, uint32_t index,
                      const struct px_qual_digest *quals)
{
    struct px_slice slice;
    int rc = px_read_level(&e->read, level, index, key, quals, &slice);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return 0;
    }
    return rc ? rc : e->fn(e->arg, key->name, &slice);
}

/* Passes the rank's values under the next keys that have a column, visible or not. The chain holds
 * each such key once and descends, so it ends. Damaged: PMIX_ERR_UNPACK_FAILURE. */
static int each_column(struct each *e, uint32_t rank, struct px_each_at *at)
{
    int rc = 0;

    for (; at->loc && e->left && rc == 0; e->left--) {
        const struct px_column *col = px_at(&e->read.view, at->loc, sizeof(*col));
        const struct px_key *key = col ? px_key_at(&e->read.view, col->key) : NULL;

        if (!key || col->link >= at->loc) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = each_value(e, key, PX_LEVEL_PROC, rank, NULL);
        at->loc = col->link;
    }
    return rc;
}

/* Passes the value that belongs to one record of an index list: its newest visible version. */
static int each_record(struct each *e, enum px_level level, uint32_t index,
                       const struct px_record *rec)
{
    const struct px_key *key = px_key_at(&e->read.view, rec->key);
    const struct px_quals *quals;
    struct px_qual_digest sum;

    if (!key) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rec->quals) {
        quals = px_quals_at(&e->read, rec->quals);
        if (!quals) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        sum = px_quals_sum(quals);
        return each_value(e, key, level, index, &sum);
    }
    if (level == PX_LEVEL_PROC && px_load_acquire(&key->column)) { /* pairs with publish_all */
        return 0; /* left to each_column, which comes later: a column that appears between them is
                     in its chain */
    }
    return each_value(e, key, level, index, NULL);
}

/* Passes the values of the next records at (level, index), by the index list. It has the first
 * version of each record, newest record first. */
static int each_at(struct each *e, enum px_level level, uint32_t index, struct px_each_at *at)
{
    int rc = 0;

    for (; at->loc && e->left && rc == 0; e->left--) {
        const struct px_record *rec = px_at(&e->read.view, at->loc, sizeof(*rec));

        if (!rec || rec->link >= at->loc) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = each_record(e, level, index, rec);
        at->loc = rec->link;
    }
    return rc;
}

/* Stages of an enumeration. Records come before columns: a column that a publication brings in
 * between is then found in the chain of columns, so that no value is left out
 * (docs/memory-model.md, section 6). */
enum { AT_BEGINNING, AT_RECORDS, AT_COLUMNS };

static void begin_records(struct each *e, enum px_level level, uint32_t index,
                          struct px_each_at *at)
{
    uint64_t loc = px_record_find(&e->read, (uint32_t) level, index, 0, NULL);
    const struct px_record *rec = loc ? px_at(&e->read.view, loc, sizeof(*rec)) : NULL;

    at->stage = AT_RECORDS;
    at->loc = rec ? px_load_acquire(&rec->link) : 0; /* pairs with publish_all */
}

static void begin_columns(struct each *e, enum px_level level, struct px_each_at *at)
{
    at->stage = AT_COLUMNS;
    if (level == PX_LEVEL_PROC) {
        /* pairs with publish_all */
        at->loc = px_load_acquire(&px_store_header(e->read.store)->columns);
    }
}

int px_store_each_part(const struct px_store *store, enum px_level level, uint32_t index,
                       struct px_each_at *at, size_t n, px_each_fn fn, void *arg, bool *ret_more)
{
    struct each e = {.fn = fn, .arg = arg, .left = n};
    int rc = 0;

    px_read_begin(store, &e.read);
    if (at->stage == AT_BEGINNING) {
        begin_records(&e, level, index, at);
    }
    if (at->stage == AT_RECORDS) {
        rc = each_at(&e, level, index, at);
    }
    if (rc == 0 && at->stage == AT_RECORDS && !at->loc) {
        begin_columns(&e, level, at);
    }
    if (rc == 0 && at->stage == AT_COLUMNS) {
        rc = each_column(&e, index, at);
    }
    *ret_more = at->loc != 0;
    return rc == 0 && e.read.view.damaged ? PMIX_ERR_UNPACK_FAILURE : rc;
}

int px_store_each(const struct px_store *store, enum px_level level, uint32_t index, px_each_fn fn,
                  void *arg)
{
    struct px_each_at at = {AT_BEGINNING, 0};
    bool more;

    return px_store_each_part(store, level, index, &at, SIZE_MAX, fn, arg, &more);
}
