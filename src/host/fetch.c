/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modex at the node that has the data: a key that is not there yet is waited for, by a get
 * of this node's server, and then everything is taken that the process has posted. */

#include <stdlib.h>
#include <string.h>

#include "host.h"

struct fetch {
    pmix_proc_t proc;
    pmix_key_t key;
    pmix_info_t info;
    pmix_dmodex_response_fn_t done;
    void *cbdata;
};

static void fetch_finish(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct fetch *f = cbdata;

    f->done(status, data, n, f->cbdata);
    free(f);
}

static void fetch(struct fetch *f)
{
    pmix_status_t rc = PMIx_server_dmodex_request(&f->proc, fetch_finish, f);

    if (rc != PMIX_SUCCESS) {
        fetch_finish(rc, NULL, 0, f);
    }
}

static void key_came(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    if (status == PMIX_SUCCESS || status == PMIX_ERR_EXISTS_OUTSIDE_SCOPE ||
        status == PMIX_OPERATION_SUCCEEDED) {
        fetch(cbdata);
    } else {
        fetch_finish(status, NULL, 0, cbdata);
    }
}

void px_host_fetch(const pmix_proc_t *proc, const char *key, int timeout_s,
                   pmix_dmodex_response_fn_t done, void *cbdata)
{
    struct fetch *f = calloc(1, sizeof(*f));
    pmix_status_t rc;

    if (f == NULL) {
        done(PMIX_ERR_NOMEM, NULL, 0, cbdata);
        return;
    }
    f->proc = *proc;
    f->done = done;
    f->cbdata = cbdata;
    if (key == NULL) {
        fetch(f);
        return;
    }
    PMIX_LOAD_KEY(f->key, key);
    PMIX_INFO_LOAD(&f->info, PMIX_TIMEOUT, &timeout_s, PMIX_INT);
    rc = PMIx_Get_nb(&f->proc, f->key, &f->info, timeout_s > 0 ? 1 : 0, key_came, f);
    if (rc != PMIX_SUCCESS) {
        key_came(rc, NULL, f);
    }
}
