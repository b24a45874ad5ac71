/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "users.h"

#include "actors.h"

#include <pmix_tool.h>

#include <stdlib.h>
#include <string.h>

/* The host is told for whom it resolves. */
static void tool_resolves(void)
{
    const pmix_nspace_t second = "second";
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    int before = shared->queries;

    shared->uid = shared->gid = -1;
    (void) PMIx_Resolve_peers(NULL, second, &procs, &n);
    PMIX_PROC_FREE(procs, n);
    say(shared->queries == before + 1 && shared->uid == SECOND && shared->gid == SECOND &&
            !shared->twice,
        "and with what it resolves");
}

/* Asks the server of which servers there are files: in its own directories, or in this one. */
static pmix_status_t ask_servers(const char *directory)
{
    pmix_info_t *results = NULL;
    pmix_query_t query;
    pmix_status_t rc;
    size_t n = 0;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, "example.key");
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_AVAIL_SERVERS);
    if (directory) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_SERVER_TMPDIR, directory, PMIX_STRING);
    }
    rc = PMIx_Query_info(&query, 1, &results, &n);
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_INFO_FREE(results, n);
    return rc;
}

/* A tool of the library, and what it claims in a query. */
void tool_asks(void)
{
    pmix_info_t info;
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_proc_t me;
    uint32_t zero = 0;
    int before = shared->queries;

    PMIX_INFO_LOAD(&info, PMIX_SERVER_URI, shared->uris[1], PMIX_STRING);
    say(PMIx_tool_init(&me, &info, 1) == PMIX_SUCCESS, "a tool connects by TCP");
    PMIX_INFO_DESTRUCT(&info);
    say(shared->uid == SECOND && shared->gid == SECOND, "its user and group are proved");
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(n, query.keys, "example.key");
    PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_GRPID, &zero, PMIX_UINT32);
    n = 0;
    (void) PMIx_Query_info(&query, 1, &results, &n);
    say(shared->queries == before + 1 && shared->gid == SECOND && !shared->twice,
        "and go with its query, whatever it claims there");
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_INFO_FREE(results, n);
    tool_resolves();
    say(ask_servers(NULL) == PMIX_ERR_PARTIAL_SUCCESS, "it is told of servers");
    say(ask_servers(shared->directory) == PMIX_ERR_NOT_FOUND,
        "but the server reads no directory for it");
    PMIx_tool_finalize();
}

/* True if the job is read as the host has registered it. */
static bool is_read(const char *job)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    bool is;

    PMIX_LOAD_PROCID(&proc, job, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&proc, PMIX_LOCAL_PEERS, NULL, 0, &value) != PMIX_SUCCESS) {
        return false;
    }
    is = value->type == PMIX_STRING && strcmp(value->data.string, "0") == 0;
    PMIX_VALUE_RELEASE(value);
    return is;
}

/* How many segments a tool maps that has read one job: none where all goes by messages. */
static int one_job(void)
{
    const char *gds = getenv("PMIX_MCA_gds");

    return gds == NULL || strcmp(gds, "hash") != 0;
}

/* A tool of the library reads what is its user's, and nothing else, whatever its name is. */
void tool_reads(void)
{
    pmix_info_t info[3];
    pmix_rank_t seven = 7;
    pmix_proc_t me;

    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_URI, shared->uris[0], PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_TOOL_NSPACE, "first", PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_TOOL_RANK, &seven, PMIX_PROC_RANK);
    say(PMIx_tool_init(&me, info, 3) == PMIX_SUCCESS && strcmp(me.nspace, "first") == 0,
        "a tool has a name like one of another user's job");
    say(segments() == 0, "which brings it no segment");
    say(is_read("second") && segments() == one_job(), "its user's job does");
    say(!is_read("first") && segments() == one_job(), "the other one is closed to it");
    PMIx_tool_finalize();
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
}
