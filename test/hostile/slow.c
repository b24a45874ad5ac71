/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that does not read for a while, and others who raise events meanwhile: it keeps its
 * connection, and what it has lost it is told. Events that are kept for those who come late: who
 * raises many of them pushes out his own. And one who asks for more than he has read: he is
 * refused, and keeps his connection. usage: slow */

#include "actors.h"
#include "src/host/host.h"

#include <pmix.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FLOOD = -6001,
    RARE = -6002,
    EVENTS = 300,
    KEPT = 700,
    EVENT_BYTES = 32768,
    LARGE = 4000000,
    RARELY = 3,
    VALUE = 6000000,
    GETS = 20
};

static struct contact *contact;

/* --- events of an actor */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int flooded;
static int rare;
static int notices;
static int damaged;
static uint64_t lost;

static uint64_t lost_of(const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], "shmix.lost.events") && info[i].value.type == PMIX_UINT64) {
            return info[i].value.data.uint64;
        }
    }
    return 0;
}

/* True if the event's text is all there, or it has none. */
static bool is_whole(const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = info[i].value.data.string;

        if (PMIX_CHECK_KEY(&info[i], "example.text") && text[strspn(text, "x")]) {
            return false;
        }
    }
    return true;
}

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) source, (void) results, (void) nresults;
    pthread_mutex_lock(&lock);
    flooded += code == FLOOD;
    rare += code == RARE;
    damaged += !is_whole(info, ninfo);
    if (code == PMIX_ERR_OUT_OF_RESOURCE) {
        notices++;
        lost += lost_of(info, ninfo);
    }
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
    done(PMIX_EVENT_NO_ACTION_TAKEN, NULL, 0, NULL, NULL, cbdata);
}

static void listen_for(pmix_status_t code)
{
    say(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0, "a handler");
}

/* Default handlers must not be told of what they have not asked for. */
static void on_any(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    if (code == PMIX_ERR_OUT_OF_RESOURCE || code == PMIX_ERR_LOST_CONNECTION) {
        say(false, "a default handler is told of what is lost");
    }
    (void) id, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static bool raised(pmix_status_t code, int n, size_t bytes, bool kept)
{
    char *text = malloc(bytes + 1);
    pmix_info_t infos[2];
    bool all = true;

    memset(text, 'x', bytes);
    text[bytes] = '\0';
    PMIX_INFO_LOAD(&infos[0], "example.text", text, PMIX_STRING);
    PMIX_INFO_LOAD(&infos[1], PMIX_EVENT_DO_NOT_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < n; i++) {
        pmix_status_t rc =
            PMIx_Notify_event(code, NULL, PMIX_RANGE_SESSION, infos, kept ? 1 : 2, NULL, NULL);

        all = all && (rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED);
    }
    PMIX_INFO_DESTRUCT(&infos[0]);
    free(text);
    return all;
}

/* --- the actors */

static void be_slow(void)
{
    join_job(contact, "first");
    listen_for(FLOOD);
    listen_for(PMIX_ERR_OUT_OF_RESOURCE);
    say(PMIx_Register_event_handler(NULL, 0, NULL, 0, on_any, NULL, NULL) >= 0, "a handler of all");
    (void) raise(SIGSTOP); /* the host lets the others flood meanwhile */
    pthread_mutex_lock(&lock);
    while ((uint64_t) flooded + lost < EVENTS) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    say(lost > 0 && flooded > 0, "who does not read loses some events, and is told how many");
    say(notices == 1, "once");
    say(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "it has its connection, and is answered");
    step_done(); /* a large event is raised, now that it reads */
    pthread_mutex_lock(&lock);
    while ((uint64_t) flooded + lost < EVENTS + 1) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    say(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS && notices == 1, "who reads loses nothing");
    say(!damaged, "and has all events as they were raised");
    PMIx_Finalize(NULL, 0);
}

static void flood(void)
{
    join_job(contact, "other");
    say(raised(FLOOD, EVENTS, EVENT_BYTES, false), "another job raises events, and is not held up");
    step_done();
    say(raised(FLOOD, 1, LARGE, false), "and a large one");
    PMIx_Finalize(NULL, 0);
}

static void raise_rarely(void)
{
    join_job(contact, "first");
    say(raised(RARE, RARELY, 10, true), "a few events");
    PMIx_Finalize(NULL, 0);
}

static void raise_often(void)
{
    join_job(contact, "other");
    say(raised(FLOOD, KEPT, 10, true), "a process of the same user raises many in number");
    PMIx_Finalize(NULL, 0);
}

static void raise_large(void)
{
    join_job(contact, "second");
    say(raised(FLOOD, KEPT, EVENT_BYTES, true), "one of another user raises many in bytes");
    PMIx_Finalize(NULL, 0);
}

static void come_late(void)
{
    join_job(contact, "late");
    listen_for(RARE);
    pthread_mutex_lock(&lock);
    while (rare < RARELY) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    say(true, "who comes late gets those of the others all the same");
    listen_for(FLOOD);
    pthread_mutex_lock(&lock);
    while (flooded < 1) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    say(true, "and some of the many");
    PMIx_Finalize(NULL, 0);
}

/* --- gets of an actor */

static int answered;
static int refused;
static int wrong;

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    bool right = !status && value->type == PMIX_STRING && strlen(value->data.string) == VALUE &&
                 !value->data.string[strspn(value->data.string, "v")];

    (void) cbdata;
    pthread_mutex_lock(&lock);
    answered++;
    refused += status == PMIX_ERR_OUT_OF_RESOURCE;
    wrong += status != PMIX_ERR_OUT_OF_RESOURCE && !right;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
}

static void post_value(void)
{
    char *text = malloc(VALUE + 1);
    pmix_value_t value = {.type = PMIX_STRING, .data.string = text};

    join_job(contact, "posts");
    memset(text, 'v', VALUE);
    text[VALUE] = '\0';
    say(PMIx_Put(PMIX_GLOBAL, "large", &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS &&
            PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS,
        "a large value is posted");
    free(text);
    step_done(); /* another one asks for it */
    PMIx_Finalize(NULL, 0);
}

/* Gets by message, more at once than may wait for one who has not read the first answer. */
static void ask_much(void)
{
    pmix_proc_t owner;
    pmix_info_t anew;

    setenv("PMIX_MCA_gds", "hash", 1);
    join_job(contact, "asks");
    PMIX_LOAD_PROCID(&owner, "posts", 0);
    PMIX_INFO_LOAD(&anew, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < GETS; i++) {
        if (PMIx_Get_nb(&owner, "large", &anew, 1, on_value, NULL) != PMIX_SUCCESS) {
            say(false, "a get is taken");
        }
    }
    pthread_mutex_lock(&lock);
    while (answered < GETS) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    say(refused > 0 && refused < GETS && !wrong, "of many large gets at once some are refused");
    say(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "and who asks keeps his connection");
    PMIx_Finalize(NULL, 0);
}

/* --- the host */

static const struct answer answers[N_ENTRIES];
static const struct px_host host = {.answers = answers};

static int start_server(void)
{
    pmix_status_t rc;

    setenv("PMIX_MCA_shmix_send_queue_size", "16777216", 1);
    setenv("PMIX_MCA_shmix_event_bytes", "4194304", 1);
    rc = PMIx_server_init(px_host_module(&host), NULL, 0);
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "slow: server init: %s\n", PMIx_Error_string(rc));
        return 1;
    }
    add_job("first", FIRST);
    add_job("other", FIRST);
    add_job("late", FIRST);
    add_job("second", SECOND);
    add_job("posts", FIRST);
    add_job("asks", FIRST);
    contact_read(contact, "first");
    return 0;
}

static int await_stop(const struct actor *actor)
{
    int status = 0;

    return waitpid(actor->pid, &status, WUNTRACED) != actor->pid || !WIFSTOPPED(status);
}

int main(void)
{
    struct actor slow;
    struct actor floods;
    struct actor keeps[4];
    struct actor posts;
    struct actor asks;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    contact = actors_memory(sizeof(*contact));
    slow = actor_start(FIRST, be_slow);
    floods = actor_start(FIRST, flood);
    keeps[0] = actor_start(FIRST, raise_rarely);
    keeps[1] = actor_start(FIRST, raise_often);
    keeps[2] = actor_start(SECOND, raise_large);
    keeps[3] = actor_start(FIRST, come_late);
    posts = actor_start(FIRST, post_value);
    asks = actor_start(FIRST, ask_much);
    bad += start_server();
    actor_turn(&slow);
    bad += await_stop(&slow);
    actor_turn(&floods);
    bad += await_step();
    kill(slow.pid, SIGCONT);
    bad += await_step();
    bad += actor_finish(&floods);
    bad += actor_finish(&slow);
    for (int i = 0; i < 4; i++) {
        bad += actor_finish(&keeps[i]);
    }
    actor_turn(&posts);
    bad += await_step();
    bad += actor_finish(&asks);
    bad += actor_finish(&posts);
    PMIx_server_finalize();
    return bad != 0;
}
