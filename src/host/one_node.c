/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a host of one node answers: no other node has to be asked. Published names are in a list,
 * where the newest of a name counts; ranges and persistence are not looked at. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

pmix_status_t px_host_fence_alone(struct upcall *upcall)
{
    char *data = (char *) upcall->data;

    if (upcall->host->frees_data) {
        upcall->data_taken = true;
        upcall->reply.modex(PMIX_SUCCESS, data, upcall->n_data, upcall->cbdata, free, data);
    } else {
        px_host_reply_bytes(upcall, PMIX_SUCCESS, data, upcall->n_data);
    }
    return PMIX_SUCCESS;
}

pmix_status_t px_host_connect_alone(struct upcall *upcall)
{
    const pmix_value_t *local = px_host_find(upcall, PMIX_LOCAL_COLLECTIVE_STATUS);

    return local != NULL && local->type == PMIX_STATUS && local->data.status != PMIX_SUCCESS
               ? local->data.status
               : PMIX_OPERATION_SUCCEEDED;
}

/* ---- published names */

struct name {
    struct name *next;
    pmix_proc_t owner;
    pmix_info_t info;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *names; /* lock */

static void drop_where(bool (*is_it)(const struct name *, const char *), const char *arg)
{
    struct name **link = &names;

    pthread_mutex_lock(&lock);
    while (*link != NULL) {
        struct name *name = *link;

        if (is_it(name, arg)) {
            *link = name->next;
            PMIX_INFO_DESTRUCT(&name->info);
            free(name);
        } else {
            link = &name->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool is_of(const struct name *name, const char *nspace)
{
    return strcmp(name->owner.nspace, nspace) == 0;
}

static bool is_called(const struct name *name, const char *key)
{
    return strcmp(name->info.key, key) == 0;
}

void px_host_forget_names(const char *nspace)
{
    drop_where(is_of, nspace);
}

pmix_status_t px_host_publish(struct upcall *upcall)
{
    pmix_status_t rc = PMIX_OPERATION_SUCCEEDED;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < upcall->n_infos; i++) {
        const pmix_info_t *info = &upcall->infos[i];
        struct name *name;

        if (strncmp(info->key, "pmix", 4) == 0) { /* a directive */
            continue;
        }
        name = calloc(1, sizeof(*name));
        if (name == NULL) {
            rc = PMIX_ERR_NOMEM;
            break;
        }
        name->owner = *upcall->proc;
        PMIX_INFO_XFER(&name->info, info);
        name->next = names;
        names = name;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

/* True when the name is there, and copied. */
static bool find(const char *key, pmix_pdata_t *ret_found)
{
    pmix_status_t rc = PMIX_ERR_NOT_FOUND;

    pthread_mutex_lock(&lock);
    for (const struct name *name = names; name != NULL && rc != PMIX_SUCCESS; name = name->next) {
        if (is_called(name, key)) {
            ret_found->proc = name->owner;
            PMIX_LOAD_KEY(ret_found->key, key);
            PMIX_VALUE_XFER_DIRECT(rc, &ret_found->value, (pmix_value_t *) &name->info.value);
        }
    }
    pthread_mutex_unlock(&lock);
    return rc == PMIX_SUCCESS;
}

pmix_status_t px_host_lookup(struct upcall *upcall)
{
    pmix_pdata_t *found;
    size_t n_keys = 0;
    size_t n = 0;

    while (upcall->keys[n_keys] != NULL) {
        n_keys++;
    }
    PMIX_PDATA_CREATE(found, n_keys);
    for (size_t i = 0; i < n_keys; i++) {
        n += find(upcall->keys[i], &found[n]);
    }
    upcall->reply.lookup(n > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, found, n, upcall->cbdata);
    PMIX_PDATA_FREE(found, n_keys);
    return PMIX_SUCCESS;
}

pmix_status_t px_host_unpublish(struct upcall *upcall)
{
    for (size_t i = 0; upcall->keys != NULL && upcall->keys[i] != NULL; i++) {
        drop_where(is_called, upcall->keys[i]);
    }
    return PMIX_OPERATION_SUCCEEDED;
}
