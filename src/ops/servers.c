/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What rendezvous files say, as the answer to a query. Whether a server takes the caller is known
 * when it is asked. */

#include "servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "queries.h"
#include "src/net/dial.h"

enum { MOST = 6 };

struct items {
    pmix_info_t at[MOST];
    size_t n;
    int rc;
};

static void add(struct items *items, const char *key, const void *value, pmix_data_type_t type)
{
    if (0 == items->rc) {
        items->rc = PMIx_Info_load(&items->at[items->n], key, value, type);
        items->n += 0 == items->rc ? 1 : 0;
    }
}

static int load_array(pmix_info_t *ret, const char *key, pmix_info_t *items, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .size = n, .array = items};

    return PMIx_Info_load(ret, key, &array, PMIX_DATA_ARRAY);
}

static int describe(const struct px_found *found, const pmix_proc_t *server, const char *hostname,
                    pmix_info_t *ret)
{
    struct items items = {.n = 0};
    pid_t pid = (pid_t) found->pid;

    add(&items, PMIX_NSPACE, server->nspace, PMIX_STRING);
    add(&items, PMIX_RANK, &server->rank, PMIX_PROC_RANK);
    add(&items, PMIX_SERVER_URI, found->uri, PMIX_STRING);
    add(&items, PMIX_HOSTNAME, hostname, PMIX_STRING);
    if (pid > 0) {
        add(&items, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    }
    if ('\0' != found->version[0]) {
        add(&items, PMIX_VERSION_INFO, found->version, PMIX_STRING);
    }
    if (0 == items.rc) {
        items.rc = load_array(ret, PMIX_SERVER_INFO_ARRAY, items.at, items.n);
    }
    for (size_t i = 0; i < items.n; i++) {
        PMIx_Info_destruct(&items.at[i]);
    }
    return items.rc;
}

static bool is_wanted(const struct px_tool_wish *wish, const struct px_found *found,
                      const pmix_proc_t *server)
{
    return (NULL == wish->nspace || strcmp(wish->nspace, server->nspace) == 0) &&
           (wish->pid == 0 || wish->pid == found->pid);
}

static int answer(const struct px_tool_wish *wish, const char *hostname, struct px_found *found,
                  pmix_info_t *list, pmix_info_t *ret)
{
    size_t n_found = px_tool_list(wish, hostname, found, PX_FOUND_MAX);
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < n_found && 0 == rc; i++) {
        pmix_proc_t server;

        if (px_uri_server(found[i].uri, &server) == 0 && is_wanted(wish, &found[i], &server)) {
            rc = describe(&found[i], &server, hostname, &list[n]);
            n += 0 == rc ? 1 : 0;
        }
    }
    if (0 == rc) {
        rc = n > 0 ? load_array(ret, PMIX_QUERY_AVAIL_SERVERS, list, n) : PMIX_ERR_NOT_FOUND;
    }
    return rc;
}

/* A folder that no qualifier has named. */
static void set_dir(const pmix_query_t *query, const char *key, const char *dir, char *room,
                    size_t n)
{
    if (NULL != dir && NULL == px_query_qualifier(query, key)) {
        snprintf(room, n, "%s", dir);
    }
}

int px_servers_answer(const pmix_query_t *query, const char *hostname, const char *server_tmpdir,
                      const char *system_tmpdir, pmix_info_t *ret)
{
    struct px_found *found = calloc(PX_FOUND_MAX, sizeof(*found));
    pmix_info_t *list = PMIx_Info_create(PX_FOUND_MAX);
    struct px_tool_wish wish;
    int rc = NULL != found && NULL != list ? 0 : PMIX_ERR_NOMEM;

    if (0 == rc) {
        rc = px_tool_wish_read(query->qualifiers, query->nqual, &wish);
    }
    if (0 == rc) {
        set_dir(query, PMIX_SERVER_TMPDIR, server_tmpdir, wish.server_tmpdir,
                sizeof(wish.server_tmpdir));
        set_dir(query, PMIX_SYSTEM_TMPDIR, system_tmpdir, wish.system_tmpdir,
                sizeof(wish.system_tmpdir));
        rc = answer(&wish, hostname, found, list, ret);
    }
    PMIx_Info_free(list, PX_FOUND_MAX);
    free(found);
    return rc;
}
