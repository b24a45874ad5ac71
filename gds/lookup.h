/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_LOOKUP_H
#define PX_GDS_LOOKUP_H

/* The order of lookup of PMIx_Get over one store: at which levels a key is looked for, given its
 * realm (from tables/attributes.tsv), the rank, and the caller's directives. No allocation, no
 * lock, no system call; any thread. */

#include "gds/store.h"

struct px_slice;

/* The level that a reserved key belongs to. The numbers are part of the segment format. */
enum px_realm {
    /* The key has no realm: not reserved, or not in the table. */
    PX_REALM_NONE,
    PX_REALM_SESSION,
    PX_REALM_JOB,
    PX_REALM_APP,
    PX_REALM_NODE,
    PX_REALM_PROC
};

/* The keys whose value follows from the placement for every rank or node, so that it need not be
 * stored. The numbers are part of the segment format. */
enum px_derived {
    PX_DERIVED_NONE = 0,
    PX_DERIVED_RANK = 1,
    PX_DERIVED_APPNUM = 2,
    PX_DERIVED_NODEID = 3,
    PX_DERIVED_HOSTNAME = 4,
    PX_DERIVED_LOCAL_SIZE = 5,
};

/* A request to a store: what is looked for, and the directives that say where. Everything is
 * borrowed. PX_LOOKUP_KEY_INIT is a request with nothing given. */
struct px_lookup_key {
    pmix_rank_t rank; /* target, or WILDCARD, UNDEF, LOCAL_NODE, ... */
    pmix_rank_t self; /* the asker's rank when the namespace is its own, else PMIX_RANK_UNDEF */
    /* The name and its length; it need not be NUL-terminated behind it. */
    const char *key;
    size_t key_len;
    /* Directives and qualifiers of the call. */
    enum px_realm realm;      /* directive; NONE: the key's own */
    const char *hostname;     /* qualifier or NULL */
    uint32_t nodeid;          /* qualifier or PX_NO_NODEID */
    uint32_t appnum;          /* qualifier or PX_NO_APP */
    uint32_t session;         /* PMIX_SESSION_ID or PX_NO_SESSION: the readers' own */
    pmix_scope_t scope;       /* PMIX_DATA_SCOPE, or PMIX_SCOPE_UNDEF */
    const pmix_info_t *quals; /* PMIX_QUALIFIED_VALUE qualifiers, or NULL */
    size_t n_quals;
};

/* The empty request: no rank, no directives; the key is still to be set. */
#define PX_LOOKUP_KEY_INIT                                                                         \
    {                                                                                              \
        .rank = PMIX_RANK_UNDEF, .self = PMIX_RANK_UNDEF, .nodeid = PX_NO_NODEID,                  \
        .appnum = PX_NO_APP, .session = PX_NO_SESSION                                              \
    }

/* Finds the value that answers a request. *ret borrows from the store and is set only with 0. Any
 * thread; where the store may be unmapped meanwhile, inside a read-side critical section. 0;
 * PMIX_ERR_NOT_FOUND; PMIX_ERR_EXISTS_OUTSIDE_SCOPE: there is a value, but not for this store's
 * readers or not of the scope asked for; PMIX_ERR_UNPACK_FAILURE: the segment is damaged. */
int px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                 struct px_slice *ret);

/* The realm of a reserved key; PX_REALM_NONE for keys that are not reserved or not known. */
enum px_realm px_key_realm(const char *key, size_t key_len);

/* The names of the keys in enum px_derived, by its numbers from 1; and the number of a key,
 * PX_DERIVED_NONE if it has none. */
enum { PX_N_DERIVED = 6 };
extern const char *const px_derived_names[PX_N_DERIVED];
enum px_derived px_key_derived(const char *key, size_t key_len);

/* True for reserved keys ("pmix" prefix): only the host and the library provide their values. */
static inline bool px_key_reserved(const char *key)
{
    return key[0] == 'p' && key[1] == 'm' && key[2] == 'i' && key[3] == 'x';
}

#endif
