/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How much of a server's memory one process and one user may hold. The second user has two jobs,
 * and takes what he can get, over and over: what he gives back he can have again, and the first
 * user always has his part. usage: quotas */

#include "actors.h"
#include "speak.h"
#include "src/host/host.h"

#include <pmix_tool.h>

#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <arpa/inet.h>

enum {
    LARGE = 20000,
    SMALL = 6000,
    WHOLE = 29000, /* nearly what a process may post */
    ROUNDS = 40,
    GETS = 300,
    FENCES = 10,
    MANY = 1000,
    REFUSED = 0x39 /* PMIX_ERR_OUT_OF_RESOURCE, as it is packed */
};

/* What the server of this test is told: bytes, and numbers of jobs and pulls. */
static const char *const bounds[][2] = {
    {"PMIX_MCA_shmix_rank_posted", "30000"},    {"PMIX_MCA_shmix_user_posted", "50000"},
    {"PMIX_MCA_shmix_peer_requests", "100000"}, {"PMIX_MCA_shmix_user_requests", "250000"},
    {"PMIX_MCA_shmix_user_groups", "8000000"},  {"PMIX_MCA_shmix_peer_pulls", "60"},
    {"PMIX_MCA_shmix_user_pulls", "61"},        {"PMIX_MCA_shmix_max_jobs", "64"},
};

static struct contact *contact;

/* --- posted data */

/* The server has answered all commits when a fence has come after them; it tells what it refused.
 */
static pmix_status_t settled(void)
{
    return PMIx_Fence(NULL, 0, NULL, 0);
}

/* Bytes that cannot be compressed. */
static pmix_status_t post(pmix_scope_t scope, const char *key, size_t n)
{
    static char bytes[WHOLE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, n}};
    pmix_status_t rc;

    for (size_t i = 0; i < n; i += 256) {
        (void) !getrandom(bytes + i, n - i < 256 ? n - i : 256, 0);
    }
    rc = PMIx_Put(scope, key, &value);
    rc = rc != PMIX_SUCCESS ? rc : PMIx_Commit(); /* may have its answer by now */
    return rc != PMIX_SUCCESS ? rc : settled();
}

static bool deleted(const char *key)
{
    return PMIx_Put(PMIX_DEL_GLOBAL, key, NULL) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS &&
           settled() == PMIX_SUCCESS;
}

static bool replaced(pmix_scope_t scope, const char *key, size_t n)
{
    bool all = true;

    for (int i = 0; i < ROUNDS; i++) {
        all = all && post(scope, key, n) == PMIX_SUCCESS;
    }
    return all;
}

static void post_much(void)
{
    join_job(contact, "second");
    say(replaced(PMIX_GLOBAL, "a", LARGE), "a value is replaced, whatever its size");
    say(post(PMIX_GLOBAL, "b", LARGE) == PMIX_ERR_OUT_OF_RESOURCE,
        "a second one of its size is too much");
    say(post(PMIX_GLOBAL, "s", SMALL) == PMIX_SUCCESS, "a smaller one is not");
    step_done(); /* the host looks what is there */
    say(deleted("a") && deleted("s"), "they are deleted");
    say(replaced(PMIX_LOCAL, "c", LARGE), "then another is posted, for this node");
    say(post(PMIX_REMOTE, "d", LARGE) == PMIX_ERR_OUT_OF_RESOURCE, "and counts there, too");
    say(replaced(PMIX_GLOBAL, "c", LARGE) && replaced(PMIX_LOCAL, "e", SMALL),
        "a value whose scope changes counts once");
    say(deleted("c") && deleted("e") && post(PMIX_REMOTE, "f", WHOLE) == PMIX_SUCCESS,
        "nothing of them is left");
    say(deleted("f") && replaced(PMIX_GLOBAL, "a", WHOLE), "nor of a value for other nodes");
    step_done();
    PMIx_Finalize(NULL, 0);
}

static void post_besides(void)
{
    join_job(contact, "third");
    say(post(PMIX_GLOBAL, "a", LARGE) == PMIX_SUCCESS, "another process of the user may post");
    say(post(PMIX_GLOBAL, "b", SMALL) == PMIX_ERR_OUT_OF_RESOURCE, "but not what is the user's");
    step_done(); /* the other job goes */
    say(post(PMIX_GLOBAL, "b", SMALL) == PMIX_SUCCESS, "until a job of his is over");
    PMIx_Finalize(NULL, 0);
}

static void post_own(void)
{
    join_job(contact, "first");
    say(post(PMIX_GLOBAL, "a", WHOLE) == PMIX_SUCCESS, "another user has his own part");
    PMIx_Finalize(NULL, 0);
}

/* --- open requests */

/* GET of a key of the third job's process, which is not there yet. */
static void ask(int fd, uint32_t tag)
{
    static const char get[] = "\x02\x04\x02\x0cthird\0\x02\x00\x02\x00\x02\x0cnever";
    unsigned char bytes[64];

    send_all(fd, bytes, write_frame(bytes, tag, get, sizeof(get)));
}

/* Asks again and again; how many wait, when the last one has been refused; -1: it is not. */
static int waiting(int fd)
{
    uint32_t words[4] = {0};
    unsigned char status[2] = {0};
    int n = 0;

    for (uint32_t i = 0; i < GETS; i++) {
        ask(fd, 101 + i);
    }
    while (ntohl(words[1]) != 100 + GETS) {
        if (!receive(fd, words, sizeof(words)) || ntohl(words[2]) != sizeof(status) ||
            !receive(fd, status, sizeof(status)) || status[1] != REFUSED) {
            return -1;
        }
        n++;
    }
    return GETS - n;
}

static int connected_as(const char *job, int door)
{
    struct hello h = honest();

    h.nspace = job;
    return admitted_as(contact->env[door], &h);
}

static void ask_much(void)
{
    bool same = true;
    int fds[3];
    int each;
    int last = 0;

    fds[0] = connected_as("second", 0);
    each = waiting(fds[0]);
    say(each > 50 && each < 150, "a connection may have so many open requests");
    close(fds[0]);
    for (int i = 0; i < ROUNDS; i++) {
        fds[0] = connected_as("second", i % 2);
        same = same && waiting(fds[0]) == each;
        close(fds[0]);
    }
    say(same, "each has the same, however many there were");
    for (int i = 0; i < 3; i++) {
        fds[i] = connected_as("second", 0);
        last = waiting(fds[i]);
    }
    say(last >= 0 && last < each - 20, "the user has no more than his");
    step_done(); /* the first user asks meanwhile */
    for (int i = 0; i < 3; i++) {
        close(fds[i]);
    }
}

static void ask_own(void)
{
    int fd = connected_as("first", 0);
    uint32_t words[4] = {0};
    unsigned char byte;
    unsigned char frame[64];

    /* What is of another user is refused with another status than what is too much. */
    ask(fd, 101);
    say(receive(fd, words, sizeof(words)) && ntohl(words[2]) == 2 && receive(fd, &byte, 1) &&
            receive(fd, &byte, 1) && byte != REFUSED,
        "another user is served");
    send_all(fd, frame, write_frame(frame, 102, "\x02\x00", 2));
    say(readable(fd), "whatever he asks");
    close(fd);
}

static pmix_status_t pull(pmix_rank_t which, pmix_iof_channel_t channel, size_t *ret)
{
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, "second", which);
    rc = PMIx_IOF_pull(&proc, 1, NULL, 0, channel, NULL, NULL, NULL);
    if (rc >= 0) {
        *ret = (size_t) rc;
    }
    return rc;
}

/* Subscribes to one process after the other until it is refused, and then ends all subscriptions.
 * How many there were; -1: one could not be ended. */
static int pulls(void)
{
    static size_t ids[MANY];
    int n = 0;

    while (n < MANY && pull((pmix_rank_t) n, PMIX_FWD_STDOUT_CHANNEL, &ids[n]) >= 0) {
        n++;
    }
    for (int i = 0; i < n; i++) {
        if (PMIx_IOF_deregister(ids[i], NULL, 0, NULL, NULL) != PMIX_SUCCESS) {
            return -1;
        }
    }
    return n;
}

static void ignore(pmix_status_t status, void *cbdata)
{
    (void) status, (void) cbdata;
}

/* Requests that the host never answers, until there is room for no other one. */
static void fill_up(void)
{
    for (int i = 0; i < GETS; i++) {
        (void) PMIx_Unpublish_nb(NULL, NULL, 0, ignore, NULL);
    }
}

static void pull_much(void)
{
    bool refused = true;
    size_t id = 0;
    int n;

    join_job(contact, "second");
    n = pulls();
    say(n == 60, "subscriptions to output count, too");
    say(pulls() == n && pulls() == n, "those that end make room for others");
    for (int i = 0; i < n && refused; i++) {
        refused = pull(0, PMIX_FWD_STDDIAG_CHANNEL, &id) == PMIX_ERR_NOT_SUPPORTED;
    }
    say(refused && pulls() == n, "those that the host refuses take none");
    say(pull(PMIX_RANK_WILDCARD, PMIX_FWD_STDOUT_CHANNEL, &id) >= 0, "one to all of them");
    say(pulls() == n - 1 && pulls() == n - 1, "those that end while another has the output, too");
    fill_up();
    say(pull(0, PMIX_FWD_STDOUT_CHANNEL, &id) == PMIX_ERR_OUT_OF_RESOURCE,
        "requests without an answer leave no room");
    say(PMIx_IOF_deregister(id, NULL, 0, NULL, NULL) == PMIX_SUCCESS, "but to give back");
    PMIx_Finalize(NULL, 0);
}

/* --- collectives */

struct ends {
    sem_t come;
    int refused; /* loop thread; read when all have come */
    int timed_out;
};

static void on_end(pmix_status_t status, void *cbdata)
{
    struct ends *ends = cbdata;

    ends->refused += status == PMIX_ERR_OUT_OF_RESOURCE;
    ends->timed_out += status == PMIX_ERR_TIMEOUT;
    sem_post(&ends->come);
}

/* Fences with a process that never calls, FENCES at once. How many were open until their time
 * limit; -1: one has ended in another way. */
static int fences(void)
{
    struct ends ends = {.refused = 0};
    pmix_proc_t procs[2];
    pmix_info_t limit;
    int seconds = 1;
    int n = 0;

    PMIX_LOAD_PROCID(&procs[0], "second", 0);
    PMIX_LOAD_PROCID(&procs[1], "third", 0);
    PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    sem_init(&ends.come, 0, 0);
    for (int i = 0; i < FENCES; i++) {
        n += PMIx_Fence_nb(procs, 2, &limit, 1, on_end, &ends) == PMIX_SUCCESS;
    }
    for (int i = 0; i < n; i++) {
        while (sem_wait(&ends.come) != 0) {
        }
    }
    sem_destroy(&ends.come);
    return ends.refused + ends.timed_out == FENCES ? ends.timed_out : -1;
}

/* Each takes 256 KiB of what a connection may have; the one that exceeds it is still taken. */
static void fence_much(void)
{
    join_job(contact, "second");
    say(fences() == 1, "a process may have so many collectives under way");
    say(fences() == 1, "those that are over make room for others");
    PMIx_Finalize(NULL, 0);
}

/* --- requests of which each is too much by itself */

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) code, (void) source, (void) info, (void) ninfo, (void) results;
    (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* Each answer reads the files of all servers. */
static void ask_for_files(char *keys[])
{
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (int i = 1; i < 5; i++) {
        keys[i] = (char *) (uintptr_t) PMIX_QUERY_AVAIL_SERVERS;
    }
    keys[5] = NULL;
    say(PMIx_Query_info(&query, 1, &results, &n) == PMIX_ERR_OUT_OF_RESOURCE,
        "the servers of the node, four times");
    keys[2] = NULL;
    say(PMIx_Query_info(&query, 1, &results, &n) != PMIX_ERR_OUT_OF_RESOURCE, "and once");
    PMIX_INFO_FREE(results, n);
}

/* One long answer that is asked for many times in one request: by one query, and by many queries
 * for what the server supports. */
static void ask_again(void)
{
    enum { TIMES = 500 };
    static char *keys[TIMES + 1];
    static char *support[3] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) "PMIx_Fence", NULL};
    static pmix_query_t queries[TIMES];
    pmix_query_t one = {.keys = keys};
    pmix_info_t *results = NULL;
    pmix_info_t level;
    size_t n = 0;

    PMIX_INFO_LOAD(&level, PMIX_SERVER_ATTRIBUTES, NULL, PMIX_BOOL);
    for (int i = 0; i < TIMES; i++) {
        keys[i] = (char *) (uintptr_t) PMIX_QUERY_SUPPORTED_KEYS;
        queries[i] = (pmix_query_t){.keys = support, .qualifiers = &level, .nqual = 1};
    }
    say(PMIx_Query_info(&one, 1, &results, &n) == PMIX_ERR_OUT_OF_RESOURCE,
        "the same answer many times");
    say(PMIx_Query_info(queries, TIMES, &results, &n) == PMIX_ERR_OUT_OF_RESOURCE,
        "what the server supports, many times");
    keys[1] = NULL;
    say(PMIx_Query_info(&one, 1, &results, &n) == PMIX_SUCCESS, "the answer once");
    PMIX_INFO_FREE(results, n);
    ask_for_files(keys);
    say(PMIx_Query_info(queries, 1, &results, &n) == PMIX_SUCCESS, "what it supports, once");
    PMIX_INFO_FREE(results, n);
}

static void exceed(void)
{
    enum { KEYS = 4097, CODES = 8193, DIRECTIVES = 1025, JOBS = 65 };
    static char *keys[KEYS + 1];
    static pmix_status_t codes[CODES];
    static pmix_info_t directives[DIRECTIVES];
    static pmix_proc_t procs[JOBS];
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;

    join_job(contact, "first");
    for (int i = 0; i < KEYS; i++) {
        keys[i] = (char *) (uintptr_t) PMIX_QUERY_NAMESPACES;
    }
    say(PMIx_Query_info(&query, 1, &results, &n) == PMIX_ERR_OUT_OF_RESOURCE, "keys of a query");
    for (int i = 0; i < CODES; i++) {
        codes[i] = PMIX_EXTERNAL_ERR_BASE - i;
    }
    say(PMIx_Register_event_handler(codes, CODES, NULL, 0, on_event, NULL, NULL) ==
            PMIX_ERR_OUT_OF_RESOURCE,
        "codes of a process");
    for (int i = 0; i < DIRECTIVES; i++) {
        PMIX_LOAD_KEY(directives[i].key, "d");
    }
    say(PMIx_Fence(NULL, 0, directives, DIRECTIVES) == PMIX_ERR_OUT_OF_RESOURCE,
        "directives of a fence");
    for (int i = 0; i < JOBS; i++) {
        snprintf(procs[i].nspace, sizeof(procs[i].nspace), i ? "first-%d" : "first", i);
    }
    say(PMIx_Fence(procs, JOBS, NULL, 0) == PMIX_ERR_OUT_OF_RESOURCE, "jobs of a fence");
    ask_again();
    PMIx_Finalize(NULL, 0);
}

/* --- groups */

static pmix_status_t make_group(const char *job, int number)
{
    pmix_info_t *results = NULL;
    pmix_status_t rc;
    pmix_proc_t self;
    size_t n = 0;
    char name[32];

    snprintf(name, sizeof(name), "%s-%d", job, number);
    PMIX_LOAD_PROCID(&self, job, 0);
    rc = PMIx_Group_construct(name, &self, 1, NULL, 0, &results, &n);
    PMIX_INFO_FREE(results, n);
    return rc;
}

/* The reply to a construct depends on the release that the server has told. */
static void join_for_groups(const char *job)
{
    (void) setenv("PMIX_VERSION", "5.0.0", 1);
    join_job(contact, job);
}

static void group_much(void)
{
    pmix_status_t rc = PMIX_SUCCESS;
    int n = 0;

    join_for_groups("second");
    while (n < MANY && (rc = make_group("second", n)) == PMIX_SUCCESS) {
        n++;
    }
    say(n > 10 && n < 16 && rc == PMIX_ERR_OUT_OF_RESOURCE, "a user may have so many groups");
    step_done(); /* the first user makes one meanwhile */
    say(PMIx_Group_destruct("second-0", NULL, 0) == PMIX_SUCCESS &&
            make_group("second", MANY) == PMIX_SUCCESS,
        "one that is destructed makes room for another");
    say(make_group("second", 0) == PMIX_ERR_OUT_OF_RESOURCE, "for one");
    PMIx_Finalize(NULL, 0);
}

static void group_own(void)
{
    join_for_groups("first");
    say(make_group("first", 0) == PMIX_SUCCESS, "another user has his own groups");
    PMIx_Finalize(NULL, 0);
}

/* --- the host */

/* This host cannot forward the diagnostic channel, for which the Standard has
 * PMIX_ERR_NOT_SUPPORTED as the status of the entry. */
static pmix_status_t forward(struct upcall *upcall)
{
    return upcall->range & PMIX_FWD_STDDIAG_CHANNEL ? PMIX_ERR_NOT_SUPPORTED
                                                    : PMIX_OPERATION_SUCCEEDED;
}

static const struct answer answers[N_ENTRIES] = {
    [ON_PULL] = {OWN, .own = forward}, [ON_UNPUBLISH] = {NEVER}};
static const struct px_host host = {.answers = answers};

static int start_server(void)
{
    if (server_start(px_host_module(&host), bounds, sizeof(bounds) / sizeof(bounds[0])) != 0) {
        return 1;
    }
    add_job("first", FIRST);
    add_job("second", SECOND);
    add_job("third", SECOND);
    contact_read(contact, "second");
    return 0;
}

/* How large the value is that the server has of the second job's process. */
static size_t size_of(const char *key)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_info_t here;
    size_t n = 0;

    PMIX_LOAD_PROCID(&proc, "second", 0);
    PMIX_INFO_LOAD(&here, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    if (PMIx_Get(&proc, key, &here, 1, &value) == PMIX_SUCCESS) {
        n = value->data.bo.size;
        PMIX_VALUE_RELEASE(value);
    }
    return n;
}

/* Who posts: what was refused is not there, what was not refused is. */
static int posting(struct actor *much, struct actor *besides, struct actor *own)
{
    pmix_nspace_t over = "second";
    int bad = 0;

    actor_turn(much);
    bad += await_step();
    say(size_of("a") == LARGE && size_of("s") == SMALL && size_of("b") == 0,
        "what was accepted is there, and nothing of what was not");
    actor_turn(much);
    bad += await_step();
    actor_turn(besides);
    bad += await_step();
    bad += actor_finish(own);
    bad += actor_finish(much);
    PMIx_server_deregister_nspace(over, NULL, NULL);
    return bad + actor_finish(besides);
}

int main(void)
{
    struct actor asks;
    struct actor asks_own;
    struct actor pulls;
    struct actor collects;
    struct actor exceeds;
    struct actor groups;
    struct actor groups_own;
    struct actor posts[3];
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    contact = actors_memory(sizeof(*contact));
    asks = actor_start(SECOND, ask_much);
    asks_own = actor_start(FIRST, ask_own);
    pulls = actor_start(SECOND, pull_much);
    collects = actor_start(SECOND, fence_much);
    exceeds = actor_start(FIRST, exceed);
    groups = actor_start(SECOND, group_much);
    groups_own = actor_start(FIRST, group_own);
    posts[0] = actor_start(SECOND, post_much);
    posts[1] = actor_start(SECOND, post_besides);
    posts[2] = actor_start(FIRST, post_own);
    bad += start_server();
    actor_turn(&asks);
    bad += await_step();
    bad += actor_finish(&asks_own);
    bad += actor_finish(&asks);
    bad += actor_finish(&pulls);
    bad += actor_finish(&collects);
    bad += actor_finish(&exceeds);
    actor_turn(&groups);
    bad += await_step();
    bad += actor_finish(&groups_own);
    bad += actor_finish(&groups);
    bad += posting(&posts[0], &posts[1], &posts[2]);
    PMIx_server_finalize();
    return bad != 0;
}
