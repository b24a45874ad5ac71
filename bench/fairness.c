/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Latency of a job while another user's process attacks their server. Each attack gets a new
 * server, an honest job of two processes of one user that fence and exchange values by message, and
 * one attacking process of a second user. Without root both have the caller's user.
 *
 * One row an attack: the slowest fence and get of the whole trial, the medians of the first
 * SAMPLES_MAX fences and gets, the attacker's calls and how many of them were refused by a quota
 * (PMIX_ERR_OUT_OF_RESOURCE), the server's peak memory.
 *
 * usage: fairness [SECONDS [ATTACK]] */
#include <grp.h>
#include <pmix.h>
#include <pmix_server.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "src/host/host.h"

enum { HONEST_UID = 1001, ATTACKER_UID = 1002, HONEST = 2, PROCESSES = 3, MILLION = 1000000 };
enum { CODES = 4096, DIRECTIVES = 1024, VALUE = 30 * MILLION, EVENT = 1 * MILLION, NAMES = 3000 };
enum { KEYS = 8000, BATCH = 1000 };

struct latency {
    struct samples first; /* the first SAMPLES_MAX */
    double slowest;       /* of all, ns */
};

/* One mapping of the host, which starts a trial and ends it, and of its three processes. */
static struct {
    volatile int over;              /* written by the host: the honest job is to end */
    struct latency fences;          /* written by rank 0 of the honest job, read after its end */
    struct latency gets;            /* the same */
    volatile unsigned long tries;   /* calls; written by the attacker */
    volatile unsigned long refused; /* PMIX_ERR_OUT_OF_RESOURCE; written by the attacker */
} * shared;

static pmix_proc_t self; /* of this process, after PMIx_Init */

static void need(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fairness: %s\n", what);
        _exit(1);
    }
}

/* --- the attacks: each function is one round; the attacker repeats it until it is killed */

/* The status that a call returned. */
static void count(pmix_status_t rc)
{
    shared->tries++;
    shared->refused += rc == PMIX_ERR_OUT_OF_RESOURCE;
}

/* The status of a callback: its call is counted already. */
static void on_op(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    shared->refused += status == PMIX_ERR_OUT_OF_RESOURCE;
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    on_op(status, cbdata);
}

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) code, (void) source, (void) info, (void) ninfo, (void) results;
    (void) nresults;
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void none(void)
{
    (void) pause();
}

static void codes(void)
{
    static pmix_status_t list[CODES];
    pmix_status_t id;

    for (int i = 0; i < CODES; i++) {
        list[i] = -10000 - i;
    }
    id = PMIx_Register_event_handler(list, CODES, NULL, 0, on_event, NULL, NULL);
    count(id);
    if (id >= 0) {
        (void) PMIx_Deregister_event_handler((size_t) id, NULL, NULL);
    }
}

static void directives(void)
{
    static pmix_info_t infos[DIRECTIVES];
    char key[32];

    for (int i = 0; i < DIRECTIVES; i++) {
        snprintf(key, sizeof(key), "example.%d", i);
        PMIX_INFO_LOAD(&infos[i], key, NULL, PMIX_BOOL);
    }
    count(PMIx_Fence(&self, 1, infos, DIRECTIVES));
}

static void open_gets(void)
{
    char key[32];

    for (int i = 0; i < BATCH; i++) {
        snprintf(key, sizeof(key), "never.%lu", shared->tries);
        count(PMIx_Get_nb(&self, key, NULL, 0, on_value, NULL));
    }
    (void) PMIx_Fence(&self, 1, NULL, 0);
}

/* Random bytes, which no compression shortens. */
static void post(const char *key, size_t n)
{
    static char bytes[VALUE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, n}};

    for (size_t i = 0; i < n; i += sizeof(int)) {
        int random = rand();

        memcpy(bytes + i, &random, sizeof(random));
    }
    (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    count(PMIx_Commit());
    (void) PMIx_Fence(&self, 1, NULL, 0);
}

static void posts(void)
{
    char key[32];

    snprintf(key, sizeof(key), "value.%lu", shared->tries % 16);
    post(key, VALUE);
}

static void large_gets(void)
{
    if (!shared->tries) {
        post("large", VALUE);
    }
    for (int i = 0; i < 20; i++) {
        count(PMIx_Get_nb(&self, "large", NULL, 0, on_value, NULL));
    }
    (void) PMIx_Fence(&self, 1, NULL, 0);
}

/* range: PMIX_EVENT_CUSTOM_RANGE, or NULL for a global event. */
static void raise_event(size_t bytes, pmix_info_t *range)
{
    static char text[EVENT];
    pmix_info_t infos[2];

    memset(text, 'x', bytes);
    PMIX_INFO_LOAD(&infos[0], "example.text", text, PMIX_STRING);
    if (range) {
        infos[1] = *range;
    }
    count(PMIx_Notify_event(-6001, NULL, range ? PMIX_RANGE_CUSTOM : PMIX_RANGE_GLOBAL, infos,
                            range ? 2 : 1, NULL, NULL));
}

static void events(void)
{
    raise_event(EVENT - 1, NULL);
}

static void ranges(void)
{
    static pmix_proc_t names[NAMES];
    pmix_data_array_t list = {.type = PMIX_PROC, .size = NAMES, .array = names};
    pmix_info_t range;

    for (unsigned i = 0; i < NAMES; i++) {
        char name[32];

        snprintf(name, sizeof(name), "nobody.%u", i);
        PMIX_LOAD_PROCID(&names[i], name, i);
    }
    PMIX_INFO_CONSTRUCT(&range);
    PMIX_LOAD_KEY(range.key, PMIX_EVENT_CUSTOM_RANGE);
    range.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &list};
    raise_event(1, &range);
}

static void groups(void)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    char name[32];

    snprintf(name, sizeof(name), "group.%lu", shared->tries);
    count(PMIx_Group_construct(name, &self, 1, NULL, 0, &results, &n));
    PMIX_INFO_FREE(results, n);
    raise_event(1, NULL);
}

static void queries(void)
{
    static char *keys[KEYS + 1];
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (int i = 0; i < KEYS; i++) {
        keys[i] = (char *) PMIX_QUERY_NAMESPACES;
    }
    count(PMIx_Query_info(&query, 1, &results, &n));
    PMIX_INFO_FREE(results, n);
}

/* Requests that the host leaves unanswered: ON_UNPUBLISH is NEVER. */
static void unanswered(void)
{
    for (int i = 0; i < BATCH; i++) {
        count(PMIx_Unpublish_nb(NULL, NULL, 0, on_op, NULL));
    }
    (void) PMIx_Fence(&self, 1, NULL, 0);
}

static void connections(void)
{
    (void) PMIx_Finalize(NULL, 0);
    count(PMIx_Init(&self, NULL, 0));
}

static const struct {
    const char *name;
    const char *what;
    void (*round)(void);
} attacks[] = {
    {"none", "nobody attacks", none},
    {"codes", "4,096 event codes registered, again and again", codes},
    {"directives", "fences with 1,024 directives", directives},
    {"gets", "gets that wait, 1,000 at once", open_gets},
    {"unanswered", "requests that the host leaves open", unanswered},
    {"posts", "values of 30 MB, posted and replaced", posts},
    {"replies", "gets of 30 MB, 20 at once", large_gets},
    {"events", "events of 1 MB to everybody", events},
    {"ranges", "events to 3,000 names", ranges},
    {"groups", "a group and an event, again and again", groups},
    {"queries", "8,000 keys in one query", queries},
    {"connections", "starts and ends", connections},
};

enum { N_ATTACKS = sizeof(attacks) / sizeof(attacks[0]) };

/* --- the processes: 0 and 1 are the honest job, 2 is the attacker */

static bool is_honest(unsigned number)
{
    return number < HONEST;
}

/* As root; else all have the caller's user. */
static uid_t user_of(unsigned number)
{
    return geteuid() != 0 ? geteuid() : is_honest(number) ? HONEST_UID : ATTACKER_UID;
}

static pmix_proc_t name_of(unsigned number)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, is_honest(number) ? "honest" : "attack",
                     is_honest(number) ? number : 0);
    return proc;
}

/* Rank 0 is measured. */
static void timed(struct latency *latency, uint64_t since)
{
    double ns = (double) (now_ns() - since);

    if (self.rank == 0) {
        sample_add(&latency->first, ns);
        latency->slowest = ns > latency->slowest ? ns : latency->slowest;
    }
}

/* Rounds of a fence and a get of what rank 1 posted before it. The value is shared->over: both
 * ranks read the same one, so they end in the same round. */
static void be_honest(void)
{
    pmix_proc_t other = self;
    int over = 0;

    other.rank = 1;
    for (unsigned i = 0; !over; i++) {
        pmix_value_t value = {.type = PMIX_INT, .data.integer = shared->over};
        pmix_value_t *got = NULL;
        char key[32];
        uint64_t since;

        snprintf(key, sizeof(key), "key.%u", i % 64);
        if (self.rank == 1) {
            (void) PMIx_Put(PMIX_GLOBAL, key, &value);
            (void) PMIx_Commit();
        }
        since = now_ns();
        need(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "an honest fence failed");
        timed(&shared->fences, since);
        since = now_ns();
        need(PMIx_Get(&other, key, NULL, 0, &got) == PMIX_SUCCESS, "an honest get failed");
        timed(&shared->gets, since);
        over = got->data.integer;
        PMIX_VALUE_RELEASE(got);
        need(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "an honest fence failed");
    }
}

/* The body of a process: reads its environment (lines NAME=VALUE) from the host's pipe, takes its
 * user, and behaves honestly or attacks. Does not return. */
static void play(int from, unsigned number, void (*round)(void))
{
    uid_t uid = user_of(number);
    FILE *file = fdopen(from, "r");
    char line[4096];

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        (void) putenv(strdup(line));
    }
    need(geteuid() != 0 || (!setgroups(0, NULL) && !setgid(uid) && !setuid(uid)), "a user");
    if (is_honest(number)) {
        (void) setenv("PMIX_MCA_gds", "hash", 1);
    }
    need(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "a process does not start");
    if (is_honest(number)) {
        be_honest();
    }
    while (!is_honest(number)) {
        round();
    }
    (void) PMIx_Finalize(NULL, 0);
    _exit(0);
}

/* --- the host */

static const struct answer answers[N_ENTRIES] = {[ON_UNPUBLISH] = {NEVER}};
static const struct px_host host = {.answers = answers};

static void add_jobs(void)
{
    for (unsigned i = 0; i < PROCESSES; i++) {
        uid_t uid = user_of(i);
        uint32_t size = is_honest(i) ? HONEST : 1;
        pmix_proc_t proc = name_of(i);
        pmix_info_t info;

        PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
        if (proc.rank == 0) {
            (void) PMIx_server_register_nspace(proc.nspace, (int) size, &info, 1, NULL, NULL);
        }
        (void) PMIx_server_register_client(&proc, uid, uid, NULL, NULL, NULL);
    }
}

/* Sends a process the environment in which it can start, and closes its pipe. */
static void send_environment(int to, unsigned number)
{
    pmix_proc_t proc = name_of(number);
    char **env = NULL;

    need(PMIx_server_setup_fork(&proc, &env) == PMIX_SUCCESS, "an environment");
    for (char **at = env; *at; at++) {
        (void) dprintf(to, "%s\n", *at);
    }
    (void) close(to);
    PMIx_Argv_free(env);
}

static long peak_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;

    while (file && fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "VmHWM: %ld", &kb);
    }
    if (file) {
        (void) fclose(file);
    }
    return kb;
}

static void print_row(unsigned attack)
{
    printf("| %s | %.1f | %.1f | %.2f | %.2f | %lu | %lu | %ld |\n", attacks[attack].what,
           shared->fences.slowest / MILLION, shared->gets.slowest / MILLION,
           sample_median(&shared->fences.first) / MILLION,
           sample_median(&shared->gets.first) / MILLION, shared->tries, shared->refused,
           peak_kb() / 1024);
    fflush(stdout);
}

/* One attack against a new server. This process is its host; it exits with 0 or 1. */
static void trial(unsigned attack, unsigned seconds)
{
    pid_t pids[PROCESSES];
    int to[PROCESSES];

    memset(shared, 0, sizeof(*shared));
    for (unsigned i = 0; i < PROCESSES; i++) {
        int ends[2];

        need(pipe(ends) == 0 && (pids[i] = fork()) >= 0, "a process");
        if (pids[i] == 0) {
            for (unsigned other = 0; other < i; other++) {
                (void) close(to[other]);
            }
            (void) close(ends[1]);
            play(ends[0], i, attacks[attack].round);
        }
        (void) close(ends[0]);
        to[i] = ends[1];
    }
    need(PMIx_server_init(px_host_module(&host), NULL, 0) == PMIX_SUCCESS, "the server");
    add_jobs();
    for (unsigned i = 0; i < PROCESSES; i++) {
        send_environment(to[i], i);
    }
    (void) sleep(seconds);
    shared->over = 1;
    for (unsigned i = 0; i < HONEST; i++) {
        int status = 0;

        need(waitpid(pids[i], &status, 0) == pids[i] && status == 0, "an honest process failed");
    }
    (void) kill(pids[HONEST], SIGKILL);
    (void) waitpid(pids[HONEST], NULL, 0);
    print_row(attack);
    _exit(0);
}

int main(int argc, char **argv)
{
    unsigned seconds = argc > 1 ? (unsigned) atoi(argv[1]) : scaled(5);
    int bad = 0;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    printf("%s; %u s each\n\n", geteuid() == 0 ? "two users" : "one user", seconds);
    printf("| attack | slowest fence, ms | slowest get, ms | median fence, ms | median get, ms | "
           "attempts | refused | server's memory, MiB |\n|---|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    for (unsigned i = 0; i < N_ATTACKS; i++) {
        int status = 1;
        pid_t pid;

        if (argc > 2 && strcmp(argv[2], attacks[i].name) != 0) {
            continue;
        }
        pid = fork();
        if (pid == 0) {
            trial(i, seconds);
        }
        bad += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
    }
    return bad != 0;
}
