/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool whose primary server dies. Its calls end with a status; the next server that it attaches
 * to is the primary one, and answers. Two servers, each a process of its own, and the tool. */

#include <pmix_tool.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/host/host.h"

enum { PATIENCE_MS = 20000 };

static void check(int holds, const char *what, pmix_status_t rc)
{
    if (!holds) {
        fprintf(stderr, "tool_lost: %s (%s)\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

/* Serves until its standard input ends: when the tool that started it goes. */
static void serve(const char *name, int up)
{
    static const struct answer answers[N_ENTRIES] = {[ON_TOOL] = {INSIDE, .status = PMIX_SUCCESS}};
    static const struct px_host host = {.answers = answers};
    struct pollfd end = {.fd = STDIN_FILENO};
    pmix_info_t info[2];
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TOOL_SUPPORT, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_NSPACE, name, PMIX_STRING);
    rc = PMIx_server_init(px_host_module(&host), info, 2);
    check(rc == PMIX_SUCCESS, "server_init", rc);
    check(write(up, "", 1) == 1, "a word that it is up", PMIX_ERROR);
    (void) poll(&end, 1, -1);
    (void) PMIx_server_finalize();
    _exit(0);
}

static pid_t start_server(const char *name)
{
    int up[2];
    int in[2];
    char byte;
    pid_t pid;

    check(pipe(up) == 0 && pipe(in) == 0, "pipe", PMIX_ERROR);
    pid = fork();
    check(pid >= 0, "fork", PMIX_ERROR);
    if (pid == 0) {
        (void) dup2(in[0], STDIN_FILENO);
        (void) close(in[1]);
        serve(name, up[1]);
    }
    (void) close(in[0]);
    (void) close(up[1]);
    check(read(up[0], &byte, 1) == 1, "the server is up", PMIX_ERROR);
    (void) close(up[0]);
    return pid; /* in[1] stays open as long as this process */
}

static pmix_status_t ask(void)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    pmix_status_t rc;
    size_t n = 0;
    int yes;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(yes, query.keys, PMIX_QUERY_NAMESPACES);
    check(yes == PMIX_SUCCESS, "a query", yes);
    PMIX_INFO_CREATE(query.qualifiers, 1);
    query.nqual = 1;
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_QUERY_REFRESH_CACHE, NULL, PMIX_BOOL);
    rc = PMIx_Query_info(&query, 1, &results, &n);
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    return rc;
}

static bool is_lost(pmix_status_t rc)
{
    return rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_UNREACH;
}

int main(void)
{
    pid_t servers[2] = {start_server("lost-one"), start_server("lost-two")};
    pmix_proc_t me;
    pmix_proc_t server;
    pmix_info_t info;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &servers[0], PMIX_PID);
    rc = PMIx_tool_init(&me, &info, 1);
    check(rc == PMIX_SUCCESS, "tool_init", rc);
    rc = ask();
    check(!is_lost(rc), "the first server answers", rc);
    (void) kill(servers[0], SIGKILL);
    (void) waitpid(servers[0], NULL, 0);
    for (int ms = 0; PMIx_tool_is_connected() && ms < PATIENCE_MS; ms++) {
        (void) ask(); /* ends by the loss at the latest */
    }
    check(!PMIx_tool_is_connected(), "a dead server is none", PMIX_SUCCESS);
    rc = ask();
    check(is_lost(rc), "nobody answers", rc);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &servers[1], PMIX_PID);
    rc = PMIx_tool_attach_to_server(NULL, &server, &info, 1);
    check(rc == PMIX_SUCCESS, "attach to the second", rc);
    check(PMIx_tool_is_connected(), "connected again", rc);
    rc = ask();
    check(!is_lost(rc), "the second server is the primary one", rc);
    rc = PMIx_tool_finalize();
    check(rc == PMIX_SUCCESS, "tool_finalize", rc);
    return 0;
}
