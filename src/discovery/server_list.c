/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers PMIX_QUERY_AVAIL_SERVERS from the rendezvous files of this node. Whether a listed server
 * admits the caller shows only when the caller connects to it. No state; any thread. */

#include "server_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_discovery.h"
#include "src/nspace/query_args.h"
#include "src/net/dial.h"
#include "src/net/uri.h"
#include "src/value/infos.h"

/* Makes an info that holds an array of infos. Copies the items. */
static int load_array(pmix_info_t *ret, const char *key, pmix_info_t *items, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .size = n, .array = items};

    return PMIx_Info_load(ret, key, &array, PMIX_DATA_ARRAY);
}

/* Makes the PMIX_SERVER_INFO_ARRAY of one server: its name, contact string, node, and process id
 * and version if the file has them. 0 or PMIX_ERR_NOMEM. */
static int describe_server(const struct px_server_candidate *found, const pmix_proc_t *server,
                           const char *hostname, pmix_info_t *ret)
{
    pid_t pid = (pid_t) found->pid;
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = px_infos_append(&info, &n, PMIX_NSPACE, server->nspace, PMIX_STRING);

    rc = rc != 0 ? rc : px_infos_append(&info, &n, PMIX_RANK, &server->rank, PMIX_PROC_RANK);
    rc = rc != 0 ? rc : px_infos_append(&info, &n, PMIX_SERVER_URI, found->uri, PMIX_STRING);
    rc = rc != 0 ? rc : px_infos_append(&info, &n, PMIX_HOSTNAME, hostname, PMIX_STRING);
    if (rc == 0 && pid > 0) {
        rc = px_infos_append(&info, &n, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    }
    if (rc == 0 && found->version[0] != '\0') {
        rc = px_infos_append(&info, &n, PMIX_VERSION_INFO, found->version, PMIX_STRING);
    }
    rc = rc != 0 ? rc : load_array(ret, PMIX_SERVER_INFO_ARRAY, info, n);
    PMIx_Info_free(info, n);
    return rc;
}

/* True if the server has the namespace and the process id of the qualifiers, as far as they are
 * given. */
static bool is_wanted(const struct px_tool_directives *directives,
                      const struct px_server_candidate *found, const pmix_proc_t *server)
{
    return (directives->nspace == NULL || strcmp(directives->nspace, server->nspace) == 0) &&
           (directives->pid == 0 || directives->pid == found->pid);
}

/* Finds the servers and describes those that the qualifiers select. `found` and `list` are the
 * caller's room. A file with an unreadable contact string is left out. PMIX_ERR_NOT_FOUND if none
 * is left. */
static int list_servers(const struct px_tool_directives *directives, const char *hostname,
                        struct px_server_candidate *found, pmix_info_t *list, pmix_info_t *ret)
{
    size_t n_found = px_tool_list(directives, hostname, found, PX_SERVER_CANDIDATES_MAX);
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < n_found && rc == 0; i++) {
        pmix_proc_t server;

        if (px_uri_server(found[i].uri, &server) == 0 &&
            is_wanted(directives, &found[i], &server)) {
            rc = describe_server(&found[i], &server, hostname, &list[n]);
            n += 0 == rc ? 1 : 0;
        }
    }
    if (rc == 0) {
        rc = n > 0 ? load_array(ret, PMIX_QUERY_AVAIL_SERVERS, list, n) : PMIX_ERR_NOT_FOUND;
    }
    return rc;
}

/* Sets a directory to search, unless a qualifier of the query has set it. */
static void set_dir(const pmix_query_t *query, const char *key, const char *dir, char *room,
                    size_t n)
{
    if (dir != NULL && px_query_qualifier(query, key) == NULL) {
        snprintf(room, n, "%s", dir);
    }
}

int px_servers_answer(const pmix_query_t *query, const char *hostname, const char *server_tmpdir,
                      const char *system_tmpdir, pmix_info_t *ret)
{
    struct px_server_candidate *found = calloc(PX_SERVER_CANDIDATES_MAX, sizeof(*found));
    pmix_info_t *list = PMIx_Info_create(PX_SERVER_CANDIDATES_MAX);
    struct px_tool_directives directives;
    int rc = found != NULL && list != NULL ? 0 : PMIX_ERR_NOMEM;

    rc = rc != 0 ? rc : px_tool_directives_read(query->qualifiers, query->nqual, &directives);
    if (rc == 0) {
        set_dir(query, PMIX_SERVER_TMPDIR, server_tmpdir, directives.server_tmpdir,
                sizeof(directives.server_tmpdir));
        set_dir(query, PMIX_SYSTEM_TMPDIR, system_tmpdir, directives.system_tmpdir,
                sizeof(directives.system_tmpdir));
        rc = list_servers(&directives, hostname, found, list, ret);
    }
    PMIx_Info_free(list, PX_SERVER_CANDIDATES_MAX);
    free(found);
    return rc;
}
