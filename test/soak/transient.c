/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A transient process comes and goes under a rank of a job that stays, and does what needs nobody
 * else. A tool comes and goes without a rank. */

#include <pmix.h>
#include <pmix_tool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"

#define KEY "soak.transient"

enum { ROOM = 512 };

/* A rank, a seed, and what the seed gives: whoever reads it can tell that it is whole. */
struct note {
    uint32_t rank;
    uint32_t unused;
    uint64_t seed;
    char bytes[ROOM];
};

static void leave_note(uint64_t draw)
{
    struct note note = {.rank = self.proc.rank, .seed = draw};
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {(char *) &note, sizeof(note)}};
    int rc;

    ops_fill(draw, note.bytes, sizeof(note.bytes));
    rc = PMIx_Put(PMIX_GLOBAL, KEY, &value);
    rc = rc ? rc : PMIx_Commit();
    if (rc) {
        ops_wrong("leave a note", rc);
    }
}

/* What the last transient process of some rank has left, if there was one. */
static void read_note(uint64_t draw)
{
    pmix_proc_t peer = self.proc;
    pmix_value_t *value = NULL;
    char want[ROOM];
    struct note note;
    pmix_info_t info;
    bool yes = true;
    int rc;

    peer.rank = (pmix_rank_t) (draw % self.size);
    PMIX_INFO_LOAD(&info, draw >> 32 & 1 ? PMIX_OPTIONAL : PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    rc = PMIx_Get(&peer, KEY, &info, 1, &value);
    if (rc == PMIX_ERR_NOT_FOUND) {
        return;
    }
    if (rc || value->type != PMIX_BYTE_OBJECT || value->data.bo.size != sizeof(note)) {
        ops_wrong("read a note", rc);
    }
    memcpy(&note, value->data.bo.bytes, sizeof(note));
    ops_fill(note.seed, want, sizeof(want));
    if (note.rank != peer.rank || memcmp(note.bytes, want, sizeof(want)) != 0) {
        ops_wrong("a note", PMIX_ERROR);
    }
    PMIX_VALUE_RELEASE(value);
}

static void never(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    (void) cbdata;
    if (status == PMIX_SUCCESS) {
        ops_wrong("a value that nobody posted", status);
    }
}

/* Asked for, and perhaps left behind. */
static void ask_for_nothing(uint64_t draw)
{
    pmix_proc_t peer = self.proc;
    pmix_info_t info;
    int timeout_s = 1 + (int) (draw >> 40 & 3);
    int rc;

    peer.rank = (pmix_rank_t) (draw % self.size);
    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &timeout_s, PMIX_INT);
    rc = PMIx_Get_nb(&peer, "soak.nothing", &info, 1, never, NULL);
    if (rc != PMIX_SUCCESS && rc != PMIX_ERR_NOT_FOUND) {
        ops_wrong("ask for nothing", rc);
    }
}

static void alone(uint64_t draw)
{
    pmix_info_t info;
    bool collect = draw & 1;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    (void) ops_worked("fence alone", PMIx_Fence(&self.proc, 1, &info, 1));
}

static void names(uint64_t draw)
{
    char key[PMIX_MAX_KEYLEN + 1];

    (void) snprintf(key, sizeof(key), "%.200s.%u.%llx", self.proc.nspace, self.proc.rank,
                    (unsigned long long) draw);
    ops_names(key, draw);
}

int soak_transient(const struct soak_orders *orders)
{
    static void (*const ops[])(uint64_t draw) = {leave_note,      read_note, read_note,
                                                 ask_for_nothing, alone,     names,
                                                 ops_job,         ops_query, ops_events};
    unsigned steps;

    ops_begin(orders);
    steps = 1 + (unsigned) (soak_draw(&self.own) % 20);
    for (unsigned step = 0; step < steps; step++) {
        uint64_t draw = soak_draw(&self.own);

        ops_pause();
        ops[(draw >> 50) % (sizeof(ops) / sizeof(ops[0]))](draw);
    }
    return ops_end();
}

int soak_tool(const struct soak_orders *orders, int server_pid)
{
    pid_t pid = server_pid;
    pmix_query_t query;
    pmix_info_t *results = NULL;
    pmix_info_t info;
    size_t n = 0;
    int rc = PMIX_SUCCESS;

    /* Somebody's own tool: not a process that the host launched under a name. */
    (void) unsetenv("PMIX_NAMESPACE");
    (void) unsetenv("PMIX_RANK");
    self.orders = orders;
    self.own = orders->own;
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    rc = PMIx_tool_init(&self.proc, &info, 1);
    if (rc) {
        ops_wrong("a tool's init", rc);
    }
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    rc = rc ? rc : PMIx_Query_info(&query, 1, &results, &n);
    if (rc || !n) {
        ops_wrong("a tool's query", rc);
    }
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    ops_events(orders->own);
    if (orders->end == SOAK_KILLED) {
        (void) raise(SIGKILL);
    }
    rc = orders->end == SOAK_FINALIZE ? PMIx_tool_finalize() : PMIX_SUCCESS;
    if (rc) {
        ops_wrong("a tool's finalize", rc);
    }
    return 0;
}
