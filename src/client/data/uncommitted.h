/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_UNCOMMITTED_H
#define PX_CLIENT_UNCOMMITTED_H

/* What a process has put since its last commit: at most one value and one deletion of each key, but
 * any number of qualified values, which all have the same key. */

#include <pmix.h>
#include <stdbool.h>
#include <stddef.h>

#include "src/base/list.h"
#include "src/base/map.h"

/* A value of PMIx_Put, or a deletion, that waits for the next commit. */
struct px_put_value {
    struct px_list link;
    struct px_put_value *older; /* the other one of the same key that waits, or NULL */
    pmix_scope_t scope;         /* a deletion has one of PMIX_DEL_LOCAL to PMIX_DEL_INTERNAL */
    bool stored;                /* published in the private store of our namespace, as all before it
                                   in the list are */
    pmix_value_t value;
    size_t key_len;
    char key[];
};

/* Embedded in px_session, whose lock guards it. */
struct px_uncommitted {
    struct px_list values; /* owned struct px_put_value, in the order of the puts */
    size_t n;
    struct px_map newest; /* of a long list: key to the newest struct px_put_value; else empty */
};

/* True for a scope with which PMIx_Put deletes. */
static inline bool px_scope_deletes(pmix_scope_t scope)
{
    return scope >= PMIX_DEL_LOCAL && scope <= PMIX_DEL_INTERNAL;
}

/* What a deletion leaves of a scope under which a value was put; PMIX_SCOPE_UNDEF: nothing. */
pmix_scope_t px_scope_left(pmix_scope_t scope, pmix_scope_t deletion);

/* A put value with copies of a key of len bytes and of the value. NULL: no memory. */
struct px_put_value *px_put_value_create(pmix_scope_t scope, const char *key, size_t len,
                                         const pmix_value_t *value);

/* Empties a list of px_put_value and frees them. */
void px_put_values_free(struct px_list *head);

void px_uncommitted_init(struct px_uncommitted *all);
void px_uncommitted_fini(struct px_uncommitted *all);

/* Appends a value or a deletion, and takes it over. Older ones of its key that it replaces move to
 * the list `dropped`, to be freed without the lock; so does a value of the scope PMIX_INTERNAL
 * itself, since it is not sent. A deletion takes an earlier one of its key in, and leaves a value
 * with the scopes that it does not concern; a value leaves a deletion, since that may concern what
 * was committed. Without memory for the index the list is searched. */
void px_uncommitted_append(struct px_uncommitted *all, struct px_put_value *put,
                           struct px_list *dropped);

/* Link of the first value that is not stored, or the head of the list. */
struct px_list *px_uncommitted_first_unstored(struct px_uncommitted *all);

/* Moves everything to the end of the list `taken`, in order. */
void px_uncommitted_take(struct px_uncommitted *all, struct px_list *taken);

#endif
