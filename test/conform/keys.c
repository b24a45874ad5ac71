/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reserved keys: one job of two apps on two nodes in a session, registered three arrays deep with
 * another value in each realm, and a table of what is read from where. */

#include "lib/answers.h"
#include "lib/queries.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the registration: ranks 0 1 | 2 3 on two nodes, app 0 has 0 and 2, app 1 has 1 and 3 */

static void add_u16(struct infos *list, const char *key, uint16_t value)
{
    add(list, key, &value, PMIX_UINT16);
}

static void add_regex(struct infos *list, const char *key, const char *text, bool ranks)
{
    char *made = NULL;

    check_status(PMIX_SUCCESS,
                 ranks ? PMIx_generate_ppn(text, &made) : PMIx_generate_regex(text, &made), "%s",
                 text);
    add(list, key, made, PMIX_REGEX);
    free(made);
}

static void add_app(struct infos *list, uint32_t app)
{
    struct infos one = {0};
    pmix_rank_t leader = app;

    add_u32(&one, PMIX_APPNUM, app);
    add_u32(&one, PMIX_NUM_NODES, 2 - app);
    add_u32(&one, PMIX_MAX_PROCS, 11 + app);
    add_u32(&one, PMIX_NUM_SLOTS, 51 + app);
    add_u32(&one, PMIX_APP_SIZE, 2 + 10 * app);
    add(&one, PMIX_APPLDR, &leader, PMIX_PROC_RANK);
    add_text(&one, PMIX_APP_ARGV, app == 0 ? "first -x" : "second -y");
    add_text(&one, PMIX_APP_MAP_TYPE, app == 0 ? "byslot" : "bynode");
    add_array(list, PMIX_APP_INFO_ARRAY, &one);
}

static void add_node(struct infos *list, uint32_t n)
{
    struct infos one = {0};
    uint64_t memory = 1000 + n;
    pmix_rank_t leader = 2 * n;
    bool crowded = n == 1;

    add_text(&one, PMIX_HOSTNAME, node_name((int) n));
    add_u32(&one, PMIX_NODEID, n);
    add_text(&one, PMIX_HOSTNAME_ALIASES, n == 0 ? "zero,null" : "one,uno");
    add_u32(&one, PMIX_MAX_PROCS, 31 + n);
    add_u32(&one, PMIX_NODE_SIZE, 4 + n);
    add_u32(&one, PMIX_LOCAL_SIZE, 2);
    add_text(&one, PMIX_LOCAL_PEERS, n == 0 ? "0,1" : "2,3");
    add(&one, PMIX_LOCALLDR, &leader, PMIX_PROC_RANK);
    add_text(&one, PMIX_LOCAL_CPUSETS, n == 0 ? "0:1" : "2:3");
    add(&one, PMIX_AVAIL_PHYS_MEMORY, &memory, PMIX_UINT64);
    add(&one, PMIX_NODE_OVERSUBSCRIBED, &crowded, PMIX_BOOL);
    add_array(list, PMIX_NODE_INFO_ARRAY, &one);
}

static void add_proc(struct infos *list, pmix_rank_t rank)
{
    struct infos one = {0};
    char text[32];
    pid_t pid = (pid_t) rank + 5000;
    int code = (int) rank;

    add(&one, PMIX_RANK, &rank, PMIX_PROC_RANK);
    add_u32(&one, PMIX_APPNUM, rank % 2);
    add_u32(&one, PMIX_APP_RANK, rank / 2);
    add_u32(&one, PMIX_GLOBAL_RANK, rank + 100);
    add_u16(&one, PMIX_LOCAL_RANK, (uint16_t) (rank % 2));
    add_u16(&one, PMIX_NODE_RANK, (uint16_t) (rank % 2 + 2));
    add_u16(&one, PMIX_PACKAGE_RANK, (uint16_t) (rank % 2 + 4));
    add(&one, PMIX_PROC_PID, &pid, PMIX_PID);
    snprintf(text, sizeof(text), "/dir/%u", rank);
    add_text(&one, PMIX_PROCDIR, text);
    snprintf(text, sizeof(text), "hwloc:%u", rank);
    add_text(&one, PMIX_CPUSET, text);
    snprintf(text, sizeof(text), "NM0:CR%u", rank);
    add_text(&one, PMIX_LOCALITY_STRING, text);
    add_u32(&one, PMIX_REINCARNATION, rank + 1);
    add(&one, PMIX_EXIT_CODE, &code, PMIX_INT);
    add_text(&one, PMIX_HOSTNAME, node_name((int) rank / 2));
    add_u32(&one, PMIX_NODEID, rank / 2);
    add_u32(&one, "pmix.site.seat", 70 + rank);
    add_array(list, PMIX_PROC_INFO_ARRAY, &one);
}

static void add_job(struct infos *list, const char *name)
{
    struct infos job = {0};

    add_text(&job, PMIX_NSPACE, name);
    add_text(&job, PMIX_JOBID, "job-17");
    add_u32(&job, PMIX_JOB_SIZE, 4);
    add_u32(&job, PMIX_JOB_NUM_APPS, 2);
    add_u32(&job, PMIX_NPROC_OFFSET, 100);
    add_text(&job, PMIX_CMD_LINE, "run it");
    add_text(&job, PMIX_NSDIR, "/ns");
    add_u32(&job, PMIX_NUM_NODES, 2);
    add_u32(&job, PMIX_MAX_PROCS, 20);
    add_u32(&job, PMIX_NUM_SLOTS, 50);
    add_text(&job, PMIX_ANL_MAP, "anl");
    add_regex(&job, PMIX_NODE_MAP, "node0,node1", false);
    add_regex(&job, PMIX_PROC_MAP, "0,1;2,3", true);
    add_text(&job, "pmix.site.colour", "red");
    add_text(&job, "site.shape", "round");
    for (uint32_t i = 0; i < 2; i++) {
        add_app(&job, i);
        add_node(&job, i);
    }
    for (pmix_rank_t r = 0; r < 4; r++) {
        add_proc(&job, r);
    }
    add_array(list, PMIX_JOB_INFO_ARRAY, &job);
}

static void deep(const struct job *job, struct infos *list)
{
    struct infos session = {0};
    bool yes = true;

    if (strcmp(job->name, "A") != 0) {
        add_u32(list, PMIX_SESSION_ID, 8);
        return;
    }
    free_infos(list);
    add_u32(&session, PMIX_SESSION_ID, 7);
    add_u32(&session, PMIX_UNIV_SIZE, told("change") > 0 ? 41 : 40);
    add_text(&session, PMIX_CLUSTER_ID, "tall");
    add_text(&session, PMIX_TMPDIR, "/session");
    add(&session, PMIX_TDIR_RMCLEAN, &yes, PMIX_BOOL);
    add(&session, PMIX_HOSTNAME_KEEP_FQDN, &yes, PMIX_BOOL);
    add_text(&session, PMIX_RM_NAME, "conform");
    add_text(&session, PMIX_RM_VERSION, "1.2");
    add_u32(&session, PMIX_NUM_NODES, 9);
    add_u32(&session, PMIX_MAX_PROCS, 90);
    add_u32(&session, PMIX_NUM_SLOTS, 95);
    add_text(&session, PMIX_ALLOCATED_NODELIST, "node0,node1,node2");
    add_u32(&session, PMIX_NUM_ALLOCATED_NODES, 3);
    add_job(&session, job->name);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
}

/* ---- the table: what rank 0 reads */

#define ANY       PMIX_RANK_WILDCARD
#define NOT_FOUND "-46"

static const struct row {
    pmix_rank_t rank;
    const char *key;
    const char *want;
    const char *with;  /* a directive: a switch, unless it has a value */
    const char *more;  /* another, with a value */
    const char *value; /* of the second, or of a single one: a number, or a host's name */
    const char *ids;
} rows[] = {
    /* the session's, whoever is named */
    {ANY, PMIX_UNIV_SIZE, "40", NULL, NULL, NULL, "KEY-007"},
    {0, PMIX_UNIV_SIZE, "40", NULL, NULL, NULL, "KEY-007"},
    {3, PMIX_UNIV_SIZE, "40", NULL, NULL, NULL, "KEY-007"},
    {ANY, PMIX_CLUSTER_ID, "tall", NULL, NULL, NULL, "KEY-007"},
    {2, PMIX_CLUSTER_ID, "tall", NULL, NULL, NULL, "KEY-007"},
    {ANY, PMIX_TMPDIR, "/session", NULL, NULL, NULL, "KEY-007"},
    {1, PMIX_TDIR_RMCLEAN, "true", NULL, NULL, NULL, "KEY-007"},
    {1, PMIX_HOSTNAME_KEEP_FQDN, "true", NULL, NULL, NULL, "KEY-007"},
    {ANY, PMIX_RM_NAME, "conform", NULL, NULL, NULL, "KEY-007"},
    {0, PMIX_RM_VERSION, "1.2", NULL, NULL, NULL, "KEY-007"},
    /* keys of several realms */
    {ANY, PMIX_NUM_NODES, "2", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_NUM_NODES, "2", PMIX_JOB_INFO, NULL, NULL, "KEY-008"},
    {ANY, PMIX_NUM_NODES, "9", PMIX_SESSION_INFO, NULL, NULL, "KEY-009"},
    {ANY, PMIX_NUM_NODES, "2", PMIX_APP_INFO, NULL, NULL, "GET-034"},
    {ANY, PMIX_NUM_NODES, "1", PMIX_APP_INFO, PMIX_APPNUM, "1", "GET-034"},
    {3, PMIX_NUM_NODES, "1", PMIX_APP_INFO, NULL, NULL, "GET-034"},
    {ANY, PMIX_MAX_PROCS, "20", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_MAX_PROCS, "90", PMIX_SESSION_INFO, NULL, NULL, "KEY-009"},
    {ANY, PMIX_MAX_PROCS, "12", PMIX_APP_INFO, PMIX_APPNUM, "1", "GET-034"},
    {ANY, PMIX_MAX_PROCS, "31", PMIX_NODE_INFO, NULL, NULL, "KEY-022"},
    {ANY, PMIX_MAX_PROCS, "32", PMIX_NODE_INFO, PMIX_HOSTNAME, "node1", "KEY-022"},
    {ANY, PMIX_MAX_PROCS, "32", PMIX_NODE_INFO, PMIX_NODEID, "1", "KEY-022"},
    {ANY, PMIX_NUM_SLOTS, "50", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_NUM_SLOTS, "95", PMIX_SESSION_INFO, NULL, NULL, "KEY-009"},
    {ANY, PMIX_NUM_SLOTS, "51", PMIX_APP_INFO, PMIX_APPNUM, "0", "GET-034"},
    {ANY, PMIX_ANL_MAP, "anl", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_NODE_LIST, "node0,node1", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_NODE_MAP, "raw:node0,node1", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_PROC_MAP, "raw:0,1;2,3", PMIX_JOB_INFO, NULL, NULL, "KEY-008"},
    {0, PMIX_PROC_MAP, "raw:0,1;2,3", NULL, NULL, NULL, "KEY-008"},
    {ANY, PMIX_ALLOCATED_NODELIST, "node0,node1,node2", PMIX_SESSION_INFO, NULL, NULL, "KEY-009"},
    {ANY, PMIX_NUM_ALLOCATED_NODES, "3", PMIX_SESSION_INFO, NULL, NULL, "KEY-009"},
    {ANY, PMIX_UNIV_SIZE, "40", PMIX_SESSION_INFO, PMIX_SESSION_ID, "7", "KEY-009"},
    /* the job's, with the wildcard and with a rank */
    {ANY, PMIX_JOBID, "job-17", NULL, NULL, NULL, "KEY-010"},
    {0, PMIX_JOBID, "job-17", NULL, NULL, NULL, "KEY-011"},
    {ANY, PMIX_JOB_SIZE, "4", NULL, NULL, NULL, "KEY-010"},
    {0, PMIX_JOB_SIZE, "4", NULL, NULL, NULL, "KEY-011"},
    {ANY, PMIX_JOB_NUM_APPS, "2", NULL, NULL, NULL, "KEY-010"},
    {0, PMIX_JOB_NUM_APPS, "2", NULL, NULL, NULL, "KEY-011"},
    {ANY, PMIX_NPROC_OFFSET, "100", NULL, NULL, NULL, "KEY-012"},
    {0, PMIX_GLOBAL_RANK, "100", NULL, NULL, NULL, "KEY-012"},
    {ANY, PMIX_CMD_LINE, "run it", NULL, NULL, NULL, "KEY-010"},
    {ANY, PMIX_NSDIR, "/ns", NULL, NULL, NULL, "KEY-010"},
    {0, PMIX_NSDIR, "/ns", NULL, NULL, NULL, "KEY-011"},
    {ANY, PMIX_LOCAL_PEERS, "0,1", NULL, NULL, NULL, "KEY-010"},
    {0, PMIX_LOCAL_PEERS, "0,1", NULL, NULL, NULL, "KEY-011"},
    {ANY, PMIX_LOCAL_PEERS, "2,3", NULL, PMIX_HOSTNAME, "node1", "KEY-013"},
    {ANY, PMIX_LOCALLDR, "0", NULL, NULL, NULL, "KEY-010"},
    {ANY, PMIX_LOCALLDR, "2", NULL, PMIX_HOSTNAME, "node1", "KEY-013"},
    {ANY, PMIX_LOCALLDR, "2", NULL, PMIX_NODEID, "1", "KEY-013"},
    {ANY, PMIX_LOCAL_CPUSETS, "0:1", NULL, NULL, NULL, "SRV-024"},
    {ANY, PMIX_LOCAL_SIZE, "2", NULL, NULL, NULL, "KEY-010"},
    /* the app's */
    {0, PMIX_APPLDR, "0", NULL, NULL, NULL, "KEY-014"},
    {1, PMIX_APPLDR, "1", NULL, NULL, NULL, "KEY-014"},
    {2, PMIX_APP_SIZE, "2", NULL, NULL, NULL, "KEY-014"},
    {3, PMIX_APP_SIZE, "12", NULL, NULL, NULL, "KEY-014"},
    {ANY, PMIX_APP_SIZE, "2", NULL, NULL, NULL, "KEY-014"},
    {ANY, PMIX_APP_SIZE, "12", NULL, PMIX_APPNUM, "1", "KEY-014"},
    {0, PMIX_APP_ARGV, "second -y", NULL, PMIX_APPNUM, "1", "KEY-014"},
    {1, PMIX_APP_ARGV, "second -y", NULL, NULL, NULL, "KEY-014"},
    {ANY, PMIX_APP_MAP_TYPE, "byslot", NULL, NULL, NULL, "KEY-014"},
    /* a process's */
    {3, PMIX_RANK, "3", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_APPNUM, "1", NULL, NULL, NULL, "KEY-016 KEY-019"},
    {3, PMIX_APP_RANK, "1", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_GLOBAL_RANK, "103", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_LOCAL_RANK, "1", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_NODE_RANK, "3", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_PACKAGE_RANK, "5", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_PROC_PID, "5003", NULL, NULL, NULL, "KEY-016"},
    {3, PMIX_PROCDIR, "/dir/3", NULL, NULL, NULL, "KEY-016"},
    {1, PMIX_CPUSET, "hwloc:1", NULL, NULL, NULL, "SRV-024"},
    {2, PMIX_LOCALITY_STRING, "NM0:CR2", NULL, NULL, NULL, "SRV-024"},
    {2, PMIX_REINCARNATION, "3", NULL, NULL, NULL, "KEY-016"},
    {2, PMIX_EXIT_CODE, "2", NULL, NULL, NULL, "KEY-016"},
    {1, PMIX_SESSION_ID, "7", NULL, NULL, NULL, "KEY-016"},
    {1, PMIX_RANK, "1", NULL, NULL, NULL, "KEY-016"},
    {1, PMIX_PROCID, "A:0", NULL, NULL, NULL, "KEY-016"},
    {0, PMIX_PARENT_ID, NOT_FOUND, NULL, NULL, NULL, "KEY-018"},
    {0, PMIX_SPAWNED, NOT_FOUND, NULL, NULL, NULL, "KEY-018"},
    /* a node's */
    {ANY, PMIX_HOSTNAME, "node0", NULL, NULL, NULL, "KEY-020"},
    {0, PMIX_HOSTNAME, "node0", NULL, NULL, NULL, "KEY-020"},
    {3, PMIX_HOSTNAME, "node1", NULL, NULL, NULL, "KEY-021"},
    {ANY, PMIX_NODEID, "0", NULL, NULL, NULL, "KEY-020"},
    {3, PMIX_NODEID, "1", NULL, NULL, NULL, "KEY-021"},
    {ANY, PMIX_HOSTNAME_ALIASES, "zero,null", NULL, NULL, NULL, "KEY-020"},
    {ANY, PMIX_HOSTNAME_ALIASES, "one,uno", NULL, PMIX_HOSTNAME, "node1", "KEY-020 SRV-007"},
    {ANY, PMIX_HOSTNAME_ALIASES, "one,uno", NULL, PMIX_NODEID, "1", "KEY-020 SRV-007"},
    {ANY, PMIX_NODE_SIZE, "4", NULL, NULL, NULL, "KEY-020"},
    {ANY, PMIX_NODE_SIZE, "5", NULL, PMIX_HOSTNAME, "uno", "KEY-020 SRV-007"},
    {ANY, PMIX_NODE_SIZE, "5", NULL, PMIX_NODEID, "1", "KEY-020 SRV-007"},
    {ANY, PMIX_AVAIL_PHYS_MEMORY, "1000", NULL, NULL, NULL, "KEY-020"},
    {ANY, PMIX_AVAIL_PHYS_MEMORY, "1001", NULL, PMIX_HOSTNAME, "node1", "KEY-020 SRV-007"},
    {ANY, PMIX_NODE_OVERSUBSCRIBED, "false", NULL, NULL, NULL, "KEY-020"},
    {ANY, PMIX_NODE_OVERSUBSCRIBED, "true", NULL, PMIX_NODEID, "1", "KEY-020 SRV-007"},
    /* of the site */
    {ANY, "pmix.site.colour", "red", NULL, NULL, NULL, "KEY-025"},
    {ANY, "site.shape", "round", NULL, NULL, NULL, "KEY-025"},
    {2, "pmix.site.seat", "72", NULL, NULL, NULL, "KEY-025 SRV-005"},
    {ANY, "pmix.site.nothing", NOT_FOUND, NULL, NULL, NULL, "KEY-002"},
};

static void add_directive(struct infos *list, const char *key, const char *value)
{
    if (value == NULL) {
        add_true(list, key);
    } else if (value[0] >= '0' && value[0] <= '9') {
        add_u32(list, key, (uint32_t) atoi(value));
    } else {
        add_text(list, key, value);
    }
}

static void read_table(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct infos list = {0};

        if (row->with != NULL) {
            add_directive(&list, row->with, NULL);
        }
        if (row->more != NULL) {
            add_directive(&list, row->more, row->value);
        }
        same_for(row->ids, row->want, got("A", row->rank, row->key, list.at, list.n),
                 "%s of %d with %s %s", row->key, (int) row->rank,
                 row->with != NULL ? row->with : "-", row->more != NULL ? row->value : "-");
        free_infos(&list);
    }
}

/* Nobody but the host and the library is needed: the table, with a server that stands still. */
static void read_all(void)
{
    if (me.rank != 0) {
        await("read");
        return;
    }
    kill(server_pid(0), SIGSTOP);
    read_table();
    kill(server_pid(0), SIGCONT);
    tell("read");
}

/* Nobody's query differs from a get: what is not there is not found, or is what the host does not
 * support. */
static void query_all(void)
{
    for (size_t i = 0; me.rank == 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct infos list = {0};
        const char *is;

        add_text(&list, PMIX_NSPACE, "A");
        if (row->rank != ANY) {
            add(&list, PMIX_RANK, &row->rank, PMIX_PROC_RANK);
        }
        if (row->with != NULL) {
            add_directive(&list, row->with, NULL);
        }
        if (row->more != NULL) {
            add_directive(&list, row->more, row->value);
        }
        about(strcmp(row->ids, "SRV-024") == 0 ? "SRV-024" : "SRV-005");
        is = query_text(row->key, &list);
        if (strcmp(row->want, NOT_FOUND) == 0) {
            check(strcmp(is, NOT_FOUND) == 0 || strcmp(is, "-47") == 0, "%s is not there: %s",
                  row->key, is);
        } else {
            same(row->want, is, "%s of %d with %s %s", row->key, (int) row->rank,
                 row->with != NULL ? row->with : "-", row->more != NULL ? row->value : "-");
        }
    }
    about(NULL);
}

static const char *nobodys(const char *key, const pmix_info_t *infos, size_t n, char *room,
                           size_t len)
{
    pmix_value_t *v = NULL;
    pmix_status_t rc = PMIx_Get(NULL, key, infos, n, &v);

    snprintf(room, len, "%d", rc);
    if (rc == PMIX_SUCCESS) {
        snprintf(room, len, "%s",
                 v->type == PMIX_STRING ? v->data.string
                 : v->type == PMIX_PROC ? v->data.proc->nspace
                                        : "?");
        if (v->type == PMIX_UINT32) {
            snprintf(room, len, "%u", v->data.uint32);
        }
        PMIX_VALUE_RELEASE(v);
    }
    return room;
}

static void read_without_process(void)
{
    struct infos list = {0};
    char room[300];

    if (me.rank == 3) {
        same_for("KEY-017", "A", nobodys(PMIX_NSPACE, NULL, 0, room, sizeof(room)),
                 "the own namespace");
        same_for("KEY-017", "A", nobodys(PMIX_PROCID, NULL, 0, room, sizeof(room)), "the own name");
        same("40", nobodys(PMIX_UNIV_SIZE, NULL, 0, room, sizeof(room)), "the session's");
        add_true(&list, PMIX_APP_INFO);
        add_u32(&list, PMIX_APPNUM, 0);
        same_for("KEY-015", "2", nobodys(PMIX_NUM_NODES, list.at, list.n, room, sizeof(room)),
                 "an app's");
        free_infos(&list);
        add_true(&list, PMIX_NODE_INFO);
        same_for("KEY-022", "32", nobodys(PMIX_MAX_PROCS, list.at, list.n, room, sizeof(room)),
                 "the node's");
        free_infos(&list);
        same_for("KEY-020", "one,uno", got("A", PMIX_RANK_WILDCARD, PMIX_HOSTNAME_ALIASES, NULL, 0),
                 "this node is the other one");
        same("2,3", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, NULL, 0), "its peers");
        same_for("KEY-014", "12", got("A", PMIX_RANK_WILDCARD, PMIX_APP_SIZE, NULL, 0),
                 "the wildcard is the own app");
    }
}

static void refuse_reserved(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 1};

    check_status_for("PUT-002", PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, PMIX_JOB_SIZE, &v),
                     "a key of the Standard");
    check_status_for("KEY-001", PMIX_ERR_BAD_PARAM, PMIx_Put(PMIX_GLOBAL, "pmix.site.colour", &v),
                     "a key that looks like one");
    if (me.rank == 0) {
        same_for("KEY-025", "red", got("A", PMIX_RANK_WILDCARD, "pmix.site.colour", NULL, 0),
                 "the host may");
    }
}

/* ---- other namespaces */

static void read_other(void)
{
    struct infos list = {0};

    if (strcmp(me.nspace, "A") == 0 && me.rank == 0) {
        same_for("KEY-003", "2", got("B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
                 "a value of another job");
        same_for("KEY-003", "1", got("B", 1, PMIX_LOCAL_RANK, NULL, 0), "of its process");
        same_for("KEY-003", NOT_FOUND, got("B", PMIX_RANK_WILDCARD, "pmix.site.colour", NULL, 0),
                 "what it does not have");
        same_for("KEY-003", "8", got("B", 1, PMIX_SESSION_ID, NULL, 0), "its session");
        add_true(&list, PMIX_IMMEDIATE);
        same_for("KEY-004", NOT_FOUND,
                 got("nowhere", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, list.at, list.n),
                 "nobody knows it, now");
        free_infos(&list);
    }
}

static void count_no_modex(void)
{
    check(upcalls(ON_MODEX, -1) == 0, "%d questions to the host", upcalls(ON_MODEX, -1));
}

static void own_jobs(void)
{
    jobs_apart("A", "far");
}

static void read_foreign(void)
{
    if (strcmp(me.nspace, "A") == 0) {
        same("2", got("far", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
             "what the host has fetched");
        same("far", got("far", PMIX_RANK_WILDCARD, PMIX_JOBID, NULL, 0), "another key");
        tell("read");
    }
    await("read");
}

static void count_foreign_modex(void)
{
    check(upcalls(ON_MODEX, 0) == 1, "%d questions to the host", upcalls(ON_MODEX, 0));
}

static void read_nowhere(void)
{
    same(NOT_FOUND, got("nowhere", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
         "the host does not know it");
}

static void count_one_modex(void)
{
    check(upcalls(ON_MODEX, -1) == 1, "%d questions to the host", upcalls(ON_MODEX, -1));
}

static void read_late(void)
{
    struct infos list = {0};

    add_u32(&list, PMIX_TIMEOUT, 30);
    same("-24", got("nowhere", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, list.at, list.n),
         "the host's own time-out");
    free_infos(&list);
}

/* ---- derived values */

static void maps_only(const struct job *job, struct infos *list)
{
    (void) job;
    free_infos(list);
    add_regex(list, PMIX_NODE_MAP, "node0,node1", false);
    add_regex(list, PMIX_PROC_MAP, "0,1;2,3", true);
}

static void read_derived(void)
{
    same("4", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "size");
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_NUM_NODES, NULL, 0), "nodes");
    same("1", got("A", 3, PMIX_LOCAL_RANK, NULL, 0), "local rank");
    same("1", got("A", 3, PMIX_NODEID, NULL, 0), "node number");
    same("node1", got("A", 3, PMIX_HOSTNAME, NULL, 0), "node name");
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, NULL, 0), "local size");
    same(node() == 0 ? "0,1" : "2,3", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS, NULL, 0),
         "local peers");
    same(node() == 0 ? "0" : "2", got("A", PMIX_RANK_WILDCARD, PMIX_LOCALLDR, NULL, 0),
         "local leader");
}

/* ---- another registration */

static void see_update(void)
{
    struct infos list = {0};

    same("40", got("A", PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, NULL, 0), "at first");
    tell("change");
    await_n("changed", 2);
    add_true(&list, PMIX_GET_REFRESH_CACHE);
    same_for("SRV-015 GET-028", "41", got("A", PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, list.at, list.n),
             "after a refresh");
    free_infos(&list);
}

static void change(void)
{
    await_n("change", 4);
    job_register("A");
    tell("changed");
}

#define TWO_NODES .nodes = 2, .ranks = 2
#define TWO_JOBS  .jobs = {{"A", {2, 2}}, {"B", {2}}}, .nodes = 2

const struct conform_case cases[] = {
    {.ids = "KEY-002 KEY-007 KEY-008 KEY-009 KEY-010 KEY-011 KEY-012 KEY-013 KEY-014 KEY-016 "
            "KEY-018 KEY-019 KEY-020 "
            "KEY-021 KEY-022 KEY-025 GET-034 SRV-005 SRV-007 SRV-024 S39",
     .what = "every realm, from a registration three deep",
     TWO_NODES,
     .setup = deep,
     .client = read_all},
    {.ids = "SRV-005 SRV-024 S39",
     .what = "a query says what a get says",
     TWO_NODES,
     .setup = deep,
     .client = query_all},
    {.ids = "KEY-015 KEY-017 KEY-014 KEY-020 KEY-022",
     .what = "without a process, and on the other node",
     TWO_NODES,
     .setup = deep,
     .client = read_without_process},
    {.ids = "KEY-001 KEY-025 PUT-002",
     .what = "reserved keys are the host's",
     TWO_NODES,
     .setup = deep,
     .client = refuse_reserved},
    {.ids = "KEY-003 KEY-004",
     .what = "another job of the server's",
     TWO_JOBS,
     .setup = deep,
     .client = read_other,
     .after = count_no_modex},
    {.ids = "KEY-005",
     .what = "the host is asked once for a job that the server does not know",
     .host = {[ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     .client = read_nowhere,
     .after = count_one_modex},
    {.ids = "KEY-005",
     .what = "what the host fetches of a job is all of it",
     .nodes = 2,
     .jobs = {{"A", {1}, .later = true}, {"far", {0, 2}, .later = true}},
     .script = own_jobs,
     .client = read_foreign,
     .after = count_foreign_modex},
    {.ids = "KEY-005",
     .what = "a host without the entry knows no other job",
     .host = {[ON_MODEX] = {MISSING}},
     .client = read_nowhere},
    {.ids = "KEY-006",
     .what = "the host's time-out is the answer",
     .host = {[ON_MODEX] = {CALLBACK, PMIX_ERR_TIMEOUT}},
     .client = read_late},
    {.ids = "KEY-024",
     .what = "what follows from the maps",
     TWO_NODES,
     .setup = maps_only,
     .client = read_derived},
    {.ids = "SRV-015 GET-028 S39",
     .what = "another registration is seen after a refresh",
     TWO_NODES,
     .setup = deep,
     .client = see_update,
     .script = change},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
