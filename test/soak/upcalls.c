/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A host of one node: everything is answered at once, published names are kept in a list. Upcalls
 * come in the library's thread, soak_forget_names in the main one. */

#include <pmix.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

struct name {
    struct name *next;
    pmix_proc_t owner;
    pmix_info_t info;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *names; /* lock */

static void drop_where(bool (*is_it)(const struct name *, const void *), const void *arg)
{
    struct name **link = &names;

    pthread_mutex_lock(&lock);
    while (*link) {
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

static bool is_of(const struct name *name, const void *nspace)
{
    return strcmp(name->owner.nspace, nspace) == 0;
}

static bool is_called(const struct name *name, const void *key)
{
    return strcmp(name->info.key, key) == 0;
}

void soak_forget_names(const char *nspace)
{
    drop_where(is_of, nspace);
}

static pmix_status_t connected(const pmix_proc_t *proc, void *object, pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) object;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    (void) proc;
    (void) object;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static void tool_connected(pmix_info_t *info, size_t ninfo, pmix_tool_connection_cbfunc_t cbfunc,
                           void *cbdata)
{
    (void) info;
    (void) ninfo;
    cbfunc(PMIX_SUCCESS, NULL, cbdata);
}

/* What came from here is all there is. */
static pmix_status_t fence(const pmix_proc_t procs[], size_t n, const pmix_info_t info[],
                           size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t cbfunc,
                           void *cbdata)
{
    (void) procs;
    (void) n;
    (void) info;
    (void) ninfo;
    cbfunc(PMIX_SUCCESS, data, ndata, cbdata, free, data);
    return PMIX_SUCCESS;
}

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) cbfunc;
    (void) cbdata;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ninfo; i++) {
        struct name *name = strncmp(info[i].key, "pmix", 4) ? calloc(1, sizeof(*name)) : NULL;

        if (name) {
            name->owner = *proc;
            (void) PMIx_Info_xfer(&name->info, &info[i]);
            name->next = names;
            names = name;
        }
    }
    pthread_mutex_unlock(&lock);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t lookup(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                            size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    pmix_pdata_t found;
    size_t n = 0;

    (void) proc;
    (void) info;
    (void) ninfo;
    PMIX_PDATA_CONSTRUCT(&found);
    pthread_mutex_lock(&lock);
    for (const struct name *name = names; name && !n; name = name->next) {
        if (is_called(name, keys[0])) {
            found.proc = name->owner;
            PMIX_LOAD_KEY(found.key, name->info.key);
            n = PMIx_Value_xfer(&found.value, &name->info.value) == PMIX_SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    cbfunc(n ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, n ? &found : NULL, n, cbdata);
    PMIX_PDATA_DESTRUCT(&found);
    return PMIX_SUCCESS;
}

static pmix_status_t unpublish(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    for (size_t i = 0; keys && keys[i]; i++) {
        drop_where(is_called, keys[i]);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t join(const pmix_proc_t procs[], size_t n, const pmix_info_t info[],
                          size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) procs;
    (void) n;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t events(pmix_status_t *codes, size_t ncodes, const pmix_info_t info[],
                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) codes;
    (void) ncodes;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t no_events(pmix_status_t *codes, size_t ncodes, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    return events(codes, ncodes, NULL, 0, cbfunc, cbdata);
}

static pmix_status_t notify(pmix_status_t code, const pmix_proc_t *source, pmix_data_range_t range,
                            pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) code;
    (void) source;
    (void) range;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_server_module_t soak_upcalls = {
    .client_connected2 = connected,
    .client_finalized = finalized,
    .tool_connected = tool_connected,
    .fence_nb = fence,
    .publish = publish,
    .lookup = lookup,
    .unpublish = unpublish,
    .connect = join,
    .disconnect = join,
    .register_events = events,
    .deregister_events = no_events,
    .notify_event = notify,
};
