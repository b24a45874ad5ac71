/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get without a key: everything of one process that is here, what it has posted and what the
 * host has registered, as one array of infos. The stores are read in the order in which a get looks
 * at them, and the first value of a key wins. A qualified value appears as programs put one, under
 * PMIX_QUALIFIED_VALUE. */

#include "all.h"

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "gds/kval_reader.h"
#include "src/base/array.h"
#include "src/base/map.h"
#include "src/value/infos.h"
#include "src/wire/compress.h"
#include "facts.h"
#include "src/value/nested.h"
#include "gds/level.h"
#include "gds/slice.h"

/* The infos found so far, which own their values. */
struct collected {
    pmix_info_t *infos;
    size_t n;
    size_t room;
    struct px_map keys; /* keys seen without qualifiers: the first value of each wins */
};

/* Appends an info. Takes over the value, also on failure. 0 or PMIX_ERR_NOMEM. */
static int add_value(struct collected *all, const char *key, pmix_value_t *value)
{
    int rc = px_array_room(&all->infos, all->n, &all->room, sizeof(*all->infos));

    if (rc != 0) {
        PMIx_Value_destruct(value);
        return PMIX_ERR_NOMEM;
    }
    memset(&all->infos[all->n], 0, sizeof(*all->infos));
    memcpy(all->infos[all->n].key, key, strnlen(key, PMIX_MAX_KEYLEN));
    all->infos[all->n].value = *value;
    all->n++;
    return 0;
}

/* Appends a value of a store, unless its scope hides it, it is deleted, it is one of our own
 * internal keys, or its key was in a store read before. For px_store_each: 0 goes on, an error
 * stops. */
static int collect(void *arg, const char *key, const struct px_slice *slice)
{
    struct collected *all = arg;
    pmix_value_t value;
    int rc;

    if (slice->hidden || slice->type == PMIX_UNDEF || strncmp(key, "shmix.", 6) == 0 ||
        (slice->quals == NULL && px_map_find(&all->keys, key, strlen(key)) != NULL)) {
        return 0;
    }
    rc = slice->quals != NULL ? px_kval_fold(key, slice, &value) : px_slice_fill(slice, &value);
    if (rc != 0) {
        return rc;
    }
    rc = px_inflate_value(&value);
    if (rc != 0) {
        PMIx_Value_destruct(&value);
        return rc;
    }
    if (slice->quals != NULL) {
        return add_value(all, PMIX_QUALIFIED_VALUE, &value);
    }
    rc = add_value(all, key, &value);
    return rc == 0 ? px_map_set(&all->keys, key, strlen(key), all) : rc;
}

/* Appends the values of a process in one store; NULL: none. */
static int collect_from(struct collected *all, const struct px_store *store, pmix_rank_t rank)
{
    return store != NULL ? px_store_each(store, PX_LEVEL_PROC, rank, collect, all) : 0;
}

/* Appends what the library knows of our server, if the request is about this process. Keys that a
 * store had are passed over. */
static int collect_facts(struct collected *all, const struct px_session *session,
                         const struct px_get_request *request)
{
    static const char *const keys[] = {PMIX_SERVER_URI, PMIX_SERVER_NSPACE, PMIX_SERVER_RANK};
    struct px_get_request of = *request;
    int rc = 0;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && rc == 0; i++) {
        const pmix_value_t *fact;
        pmix_value_t value;

        of.spec.key = keys[i];
        fact = px_fact_find(session, &of);
        if (fact != NULL && px_map_find(&all->keys, keys[i], strlen(keys[i])) == NULL) {
            rc = px_value_keep(&value, fact);
            rc = rc == 0 ? add_value(all, keys[i], &value) : rc;
        }
    }
    return rc;
}

/* Hands the collected infos out as one value in the manner of the request, and empties `all`; if
 * there is no memory for the value, they stay there. 0 or PMIX_ERR_NOMEM. */
static int hand_out(struct px_session *session, const struct px_get_request *request,
                    struct collected *all, pmix_value_t **value)
{
    pmix_value_t *made = PMIx_Value_create(1);
    pmix_data_array_t *array = made != NULL ? calloc(1, sizeof(*array)) : NULL;
    pmix_proc_t owner;

    if (array == NULL) {
        PMIx_Value_free(made, made != NULL);
        return PMIX_ERR_NOMEM;
    }
    *array = (pmix_data_array_t){.type = PMIX_INFO, .size = all->n, .array = all->infos};
    made->type = PMIX_DATA_ARRAY;
    made->data.darray = array;
    all->infos = NULL;
    all->n = 0;
    if ((request->flags & PX_GET_STATIC) != 0) {
        **value = *made;
        free(made);
        return 0;
    }
    if ((request->flags & PX_GET_POINTER) != 0) {
        PMIx_Load_procid(&owner, request->nspace, request->spec.rank);
        made = px_session_keep(session, &owner, "", made);
    }
    if (made == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *value = made;
    return 0;
}

/* What the caller does not take over at the end, after an error or a failure to hand out, is freed
 * here. */
int px_client_get_all(struct px_session *session, const struct px_get_request *request,
                      pmix_value_t **value)
{
    struct collected all = {0};
    struct px_stores at;
    int rc =
        px_space_stores(session, request->space, request->spec.rank, request->spec.key, false, &at);

    rc = rc == 0 ? collect_from(&all, at.first, request->spec.rank) : rc;
    rc = rc == 0 ? collect_from(&all, at.second, request->spec.rank) : rc;
    rc = rc == 0 ? collect_facts(&all, session, request) : rc;
    if (rc == 0 && all.n == 0) {
        rc = PMIX_ERR_NOT_FOUND;
    }
    rc = rc == 0 ? hand_out(session, request, &all, value) : rc;
    for (size_t i = 0; i < all.n; i++) {
        PMIx_Value_destruct(&all.infos[i].value);
    }
    free(all.infos);
    px_map_fini(&all.keys);
    return rc;
}
