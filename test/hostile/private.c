/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a job of one user has and a job of another user on the same server may not have: data,
 * process tables, events; until the host has connected the two. The owner posts and raises
 * something; the other asks for it, and raises something of his own; the host raises events behind
 * theirs, so that what has not come before those does not come. usage: private */

#include "actors.h"
#include "src/host/host.h"

#include <pmix.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OF_OWNER = -5001, OF_OTHER = -5002, OF_HOST = -5003, OF_MONITOR = -5004 };

static struct contact *contact;

static pmix_proc_t owner;
static pmix_proc_t other;

/* --- events of an actor */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int from_owner;
static int from_other;
static int from_host;
static int from_monitor;

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    pthread_mutex_lock(&lock);
    from_owner += code == OF_OWNER;
    from_other += code == OF_OTHER;
    from_host += code == OF_HOST;
    from_monitor += code == OF_MONITOR;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void await_host(int n)
{
    pthread_mutex_lock(&lock);
    while (from_host < n) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void await_monitor(void)
{
    pthread_mutex_lock(&lock);
    while (from_monitor == 0) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void listen_for(pmix_status_t code)
{
    say(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0, "a handler");
}

/* To all, or to one. */
static void raise_event(pmix_status_t code, const pmix_proc_t *to)
{
    pmix_info_t info = {.key = ""};
    pmix_status_t rc;

    if (to != NULL) {
        PMIX_INFO_LOAD(&info, PMIX_EVENT_CUSTOM_RANGE, to, PMIX_PROC);
    }
    rc = PMIx_Notify_event(code, NULL, to != NULL ? PMIX_RANGE_CUSTOM : PMIX_RANGE_SESSION, &info,
                           to != NULL, NULL, NULL);
    say(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "an event is raised");
    if (to != NULL) {
        PMIX_INFO_DESTRUCT(&info);
    }
}

/* --- the actors */

/* Has its heart watched, which does not beat, and all told. */
static void be_watched(void)
{
    pmix_data_range_t all = PMIX_RANGE_SESSION;
    uint32_t second = 1;
    pmix_info_t infos[2];
    pmix_info_t heart;
    pmix_info_t *results = NULL;
    size_t n = 0;

    PMIX_INFO_LOAD(&heart, PMIX_MONITOR_HEARTBEAT, NULL, PMIX_POINTER);
    PMIX_INFO_LOAD(&infos[0], PMIX_MONITOR_HEARTBEAT_TIME, &second, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], PMIX_RANGE, &all, PMIX_DATA_RANGE);
    listen_for(OF_MONITOR);
    say(PMIx_Process_monitor(&heart, OF_MONITOR, infos, 2, &results, &n) >= 0, "a monitor");
    await_monitor();
    say(true, "it tells who has asked for it");
    PMIX_INFO_FREE(results, n);
}

static void connect_both(void)
{
    pmix_proc_t both[2] = {owner, other};

    say(PMIx_Connect(both, 2, NULL, 0) == PMIX_SUCCESS, "the two are connected");
}

/* A group of both, in which the host takes no part: it has no entry for groups. */
static void group_both(void)
{
    pmix_proc_t both[2] = {owner, other};
    pmix_info_t *results = NULL;
    size_t n = 0;

    say(PMIx_Group_construct("both", both, 2, NULL, 0, &results, &n) == PMIX_SUCCESS,
        "the two are in a group");
    PMIX_INFO_FREE(results, n);
}

static pmix_status_t get(pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, owner.nspace, rank);
    rc = PMIx_Get(&proc, key, NULL, 0, &value);
    if (rc == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(value);
    }
    return rc;
}

static pmix_status_t query(const char *key)
{
    pmix_info_t *results = NULL;
    pmix_query_t query;
    pmix_status_t rc;
    size_t n = 0;

    PMIX_QUERY_CONSTRUCT(&query);
    (void) PMIx_Argv_append_nosize(&query.keys, key);
    PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
    PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_NSPACE, owner.nspace, PMIX_STRING);
    rc = PMIx_Query_info(&query, 1, &results, &n);
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_INFO_FREE(results, n);
    return rc;
}

static void own(void)
{
    pmix_value_t secret = {.type = PMIX_UINT32, .data.uint32 = 7};

    join_job(contact, owner.nspace);
    say(PMIx_Put(PMIX_GLOBAL, "secret", &secret) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS,
        "a secret");
    listen_for(OF_OTHER);
    listen_for(OF_HOST);
    listen_for(OF_MONITOR);
    raise_event(OF_OWNER, NULL);
    step_done(); /* the other tries everything, then the host raises an event */
    await_host(1);
    say(from_other == 0, "events of another user's job do not come");
    say(from_monitor == 0, "nor those of its monitors");
    step_done();
    group_both();
    connect_both();
    step_done();
    await_host(2);
    say(from_other == 2, "they do when the two are connected");
    PMIx_Finalize(NULL, 0);
}

static void pry(void)
{
    join_job(contact, other.nspace);
    say(get(0, "secret") == PMIX_ERR_NO_PERMISSIONS, "a value that was posted");
    say(get(0, NULL) == PMIX_ERR_NO_PERMISSIONS, "all values of a process");
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_ERR_NO_PERMISSIONS, "what is of the job");
    say(query(PMIX_QUERY_PROC_TABLE) == PMIX_ERR_NOT_FOUND, "the table of its processes");
    say(query(PMIX_QUERY_NAMESPACE_INFO) == PMIX_ERR_NOT_FOUND, "its description");
    say(query(PMIX_JOB_SIZE) == PMIX_ERR_NOT_FOUND, "what a query finds of it");
    listen_for(OF_OWNER); /* raised before */
    listen_for(OF_HOST);
    raise_event(OF_OTHER, NULL);
    raise_event(OF_OTHER, &owner);
    be_watched();
    step_done();
    await_host(1);
    say(from_owner == 0, "nor does an event that was kept");
    group_both();
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_ERR_NO_PERMISSIONS,
        "what is of the job, in a group without the host");
    connect_both();
    say(get(0, "secret") == PMIX_SUCCESS, "the value, when the two are connected");
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS, "the job's, too");
    say(query(PMIX_QUERY_PROC_TABLE) == PMIX_SUCCESS, "the table, too");
    raise_event(OF_OTHER, NULL);
    raise_event(OF_OTHER, &owner);
    step_done();
    PMIx_Finalize(NULL, 0);
}

/* --- the host */

static const struct answer answers[N_ENTRIES] = {
    [ON_CONNECT] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_QUERY] = {AT_ONCE, .status = PMIX_ERR_NOT_FOUND}};
static const struct px_host host = {.answers = answers};

static int start_server(void)
{
    pmix_status_t rc = PMIx_server_init(px_host_module(&host), NULL, 0);

    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "private: server init: %s\n", PMIx_Error_string(rc));
        return 1;
    }
    add_job(owner.nspace, FIRST);
    add_job(other.nspace, SECOND);
    contact_read(contact, owner.nspace);
    return 0;
}

static int raise_in_host(void)
{
    pmix_status_t rc = PMIx_Notify_event(OF_HOST, NULL, PMIX_RANGE_SESSION, NULL, 0, NULL, NULL);

    return rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED;
}

int main(void)
{
    struct actor first;
    struct actor second;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    PMIX_LOAD_PROCID(&owner, "first", 0);
    PMIX_LOAD_PROCID(&other, "second", 0);
    contact = actors_memory(sizeof(*contact));
    first = actor_start(FIRST, own);
    second = actor_start(SECOND, pry);
    bad += start_server();
    actor_turn(&first);
    bad += await_step(); /* the secret is there */
    actor_turn(&second);
    bad += await_step(); /* all was tried */
    bad += raise_in_host();
    actor_turn(&first);
    bad += await_step();
    actor_turn(&second);
    actor_turn(&first); /* both connect */
    bad += await_step();
    bad += await_step(); /* the second has raised events again */
    bad += raise_in_host();
    bad += actor_finish(&second);
    bad += actor_finish(&first);
    PMIx_server_finalize();
    return bad != 0;
}
