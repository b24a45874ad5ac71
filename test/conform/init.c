/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Init, PMIx_Finalize, progress and threads. Who is let in at all is in door.c. */

#include "lib/answers.h"

#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void init(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
}

static void finalize(void)
{
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- names, versions, references */

static void init_named(void)
{
    const char *version = PMIx_Get_version();
    pmix_proc_t proc;

    check_for("INI-005", !PMIx_Initialized() && version != NULL && version[0] != '\0', "before");
    check_status_for("INI-001", PMIX_SUCCESS, PMIx_Init(NULL, NULL, 0),
                     "init without a place for the name");
    memset(&proc, 'x', sizeof(proc));
    check_status_for("INI-001", PMIX_SUCCESS, PMIx_Init(&proc, NULL, 0), "init again");
    check_for("INI-001", strcmp(proc.nspace, me.nspace) == 0 && proc.rank == me.rank,
              "started as %s:%u, named %s:%u", me.nspace, me.rank, proc.nspace, proc.rank);
    check_for("INI-005", PMIx_Initialized() == 1 && PMIx_Get_version() == version, "between");
    finalize();
    check_for("INI-005", PMIx_Initialized() == 1, "one reference is left");
    finalize();
    check_for("INI-005", PMIx_Initialized() == 0 && PMIx_Get_version() == version, "after");
}

static void count_references(void)
{
    struct infos list = {0};

    for (int i = 0; i < 3; i++) {
        init();
    }
    add_true(&list, PMIX_EXTERNAL_PROGRESS);
    check(PMIx_Init(&me, list.at, list.n) != PMIX_SUCCESS,
          "another wish about progress is refused");
    free_infos(&list);
    finalize();
    finalize();
    same("1", got(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "get after two of three");
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "fence after two of three");
    finalize();
    check(!PMIx_Initialized(), "what was refused did not count");
}

/* ---- without a server */

static void init_bare(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 12};
    pmix_proc_t self;

    memset(&self, 0, sizeof(self));
    check_status(PMIX_ERR_UNREACH, PMIx_Init(&self, NULL, 0), "there is nobody");
    check(self.nspace[0] != '\0' && self.rank == 0, "it has a name of its own, %s:%u", self.nspace,
          self.rank);
    check(PMIx_Initialized() == 1, "and is initialised");
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "own", &v), "put");
    check_status(PMIX_SUCCESS, PMIx_Commit(), "commit, to nobody");
    same("12", got(self.nspace, 0, "own", NULL, 0), "its own value");
    same("-44", peers(NULL, "elsewhere"), "a namespace that it cannot know");
    finalize();
    check(!PMIx_Initialized(), "which ends with its finalize");
}

static void check_unreachable(const char *what)
{
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    check(rc != PMIX_SUCCESS, "%s", what);
    if (PMIx_Initialized()) {
        finalize();
    }
}

static void init_without_contact(void)
{
    char name[40];

    unsetenv("PMIX_SHMIX_URI");
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "PMIX_SERVER_URI%.0d", i);
        unsetenv(name);
    }
    check_unreachable("a name and no server");
}

static void init_after_server(void)
{
    struct pollfd gone = {.events = POLLIN};

    gone.fd = (int) syscall(SYS_pidfd_open, server_pid(0), 0);
    tell("ready");
    check(gone.fd >= 0 && poll(&gone, 1, 30000) == 1, "the server is gone");
    close(gone.fd);
    check_unreachable("a server that is dead");
}

static void die_when_ready(void)
{
    await("ready");
    host_dies();
}

/* ---- everything is there */

static void add_site(const struct job *job, struct infos *list)
{
    (void) job;
    add_text(list, "site.colour", "red");
    add_u32(list, PMIX_SESSION_ID, 5);
    add_text(list, PMIX_NSDIR, "/ns");
}

static void read_all(void)
{
    static const struct {
        const char *key;
        bool own;
        const char *want;
    } table[] = {
        {PMIX_JOB_SIZE, false, "2"},      {PMIX_UNIV_SIZE, false, "2"},
        {PMIX_MAX_PROCS, false, "2"},     {PMIX_JOB_NUM_APPS, false, "1"},
        {PMIX_JOBID, false, "A"},         {PMIX_NUM_NODES, false, "1"},
        {PMIX_LOCAL_PEERS, false, "0,1"}, {PMIX_LOCAL_SIZE, false, "2"},
        {PMIX_NODE_SIZE, false, "2"},     {PMIX_LOCALLDR, false, "0"},
        {"site.colour", false, "red"},    {PMIX_SESSION_ID, false, "5"},
        {PMIX_NSDIR, false, "/ns"},       {PMIX_NODE_LIST, false, "node0"},
        {PMIX_APPNUM, true, "0"},         {PMIX_APP_RANK, true, "1"},
        {PMIX_GLOBAL_RANK, true, "1"},    {PMIX_LOCAL_RANK, true, "1"},
        {PMIX_NODE_RANK, true, "1"},      {PMIX_HOSTNAME, true, "node0"},
        {PMIX_NODEID, true, "0"},
    };

    if (me.rank == 1) {
        await("read");
        return;
    }
    kill(server_pid(0), SIGSTOP);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        same(table[i].want, got("A", table[i].own ? 1 : PMIX_RANK_WILDCARD, table[i].key, NULL, 0),
             "%s", table[i].key);
    }
    kill(server_pid(0), SIGCONT);
    tell("read");
}

/* ---- nothing is left */

static int count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strstr(line, "(deleted)") != NULL || strstr(line, "dstor") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

static int count_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        n += e->d_name[0] != '.';
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

/* True once there is one thread only. One that was joined is listed for a moment more. */
static bool one_thread(void)
{
    time_t end = time(NULL) + 10;

    while (count_threads() > 1 && time(NULL) < end) {
        (void) sched_yield();
    }
    return count_threads() == 1;
}

/* An allocator that keeps freed pieces for each thread counts them as used, and keeps some more now
 * and then. A leak makes the memory in use grow in every part of the rounds. */
enum { TIMES = 200, WARM = 100, PART = 25, PART_GROWTH = 4096 };

/* Compares the memory in use with *used, what it was a part before, and updates *used. *least
 * becomes the growth if that is less. Under a sanitizer both are 0, and its own search for leaks
 * stands for this. */
static void note_growth(size_t *used, size_t *least)
{
    size_t now = mallinfo2().uordblks;
    size_t growth = now > *used ? now - *used : 0;

    *least = growth < *least ? growth : *least;
    *used = now;
}

static void init_often(void)
{
    int mappings = count_mappings();
    size_t used = 0;
    size_t least = SIZE_MAX;

    for (int i = 0; i < TIMES; i++) {
        init();
        check_for("INI-009", !shared_form() || count_mappings() > mappings,
                  "the segment is mapped");
        same_for("INI-009", "1", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
                 "get, round %d", i);
        check_status_for("INI-009", PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "fence, round %d",
                         i);
        finalize();
        check_for("INI-007", count_mappings() == mappings, "the mapping is gone");
        check_for("INI-007", one_thread(), "the thread is gone");
        if (i == WARM - 1) {
            used = mallinfo2().uordblks;
        }
        if (i >= WARM && (i + 1) % PART == 0) {
            note_growth(&used, &least);
        }
    }
    check_for("INI-007", least <= PART_GROWTH,
              "memory in use grew by %zu bytes or more in each %d rounds", least, PART);
}

static void check_rounds(void)
{
    check_for("INI-009", upcalls(ON_CONNECTED, 0) == TIMES && upcalls(ON_FINALIZED, 0) == TIMES,
              "all came and went");
}

/* ---- leaving together, or not */

static void leave_alone(void)
{
    init();
    if (me.rank == 1) {
        await("0 is gone");
    }
    finalize();
    tell("0 is gone");
}

static void check_no_fence(void)
{
    check(upcalls(ON_FENCE, -1) == 0, "nobody was waited for");
}

static void leave_together(void)
{
    struct infos list = {0};
    bool yes = true;

    add(&list, PMIX_EMBED_BARRIER, &yes, PMIX_BOOL);
    init();
    if (me.rank == 1) {
        await_upcalls(ON_FENCE, 1);
        check(upcalls(ON_FINALIZED, 0) == 0, "rank 0 has not left");
        tell("1 comes");
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(list.at, list.n), "finalize with a barrier");
    check(told("1 comes") == 1, "it waited for rank 1");
    free_infos(&list);
}

/* ---- progress */

static void count_op(pmix_status_t status, void *cbdata)
{
    if (status == PMIX_SUCCESS) {
        (*(int *) cbdata)++;
    }
}

static void progress_by_hand(void)
{
    struct infos list = {0};
    int fences = 0;

    add_true(&list, PMIX_EXTERNAL_PROGRESS);
    check_status(PMIX_SUCCESS, PMIx_Init(&me, list.at, list.n), "init");
    free_infos(&list);
    check(count_threads() == 1, "there is no thread");
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, count_op, &fences), "fence_nb");
    check(fences == 0, "nothing happens by itself");
    while (fences == 0) {
        PMIx_Progress();
        sched_yield();
    }
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "what blocks makes its own progress");
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "get");
    finalize();
}

/* Each callback starts the next call. */
static struct {
    pthread_t caller;
    int stage;
} chain;

static void link_in_chain(pmix_status_t status, int stage)
{
    check_status(PMIX_SUCCESS, status, "stage %d", stage);
    check(chain.stage == stage - 1, "stage %d after %d", stage, chain.stage);
    check(!pthread_equal(chain.caller, pthread_self()), "from the progress thread");
    chain.stage = stage;
}

static void last_fence(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    link_in_chain(status, 4);
    tell("chained");
}

static void second_get(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) cbdata;
    check(v != NULL && v->data.uint32 == 31, "the value");
    link_in_chain(status, 3);
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, last_fence, NULL),
                 "fence_nb in a callback");
}

static void first_get(pmix_status_t status, pmix_value_t *v, void *cbdata)
{
    (void) cbdata;
    (void) v;
    link_in_chain(status, 2);
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&me, "word", NULL, 0, second_get, NULL),
                 "get_nb in a get's callback");
}

static void first_fence(pmix_status_t status, void *cbdata)
{
    pmix_proc_t job;

    (void) cbdata;
    link_in_chain(status, 1);
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    check_status(PMIX_SUCCESS, PMIx_Get_nb(&job, PMIX_JOB_SIZE, NULL, 0, first_get, NULL),
                 "get_nb in a callback");
}

static void chain_calls(void)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = 31};

    chain.caller = pthread_self();
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, "word", &v), "put");
    check_status(PMIX_SUCCESS, PMIx_Commit(), "commit");
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, first_fence, NULL), "fence_nb");
    await_n("chained", 2);
}

/* ---- many threads */

enum { THREADS = 32, ROUNDS = 20 };

static void post_one(int thread, int round)
{
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = (uint32_t) (thread * ROUNDS + round)};
    char key[32];
    char want[16];

    snprintf(key, sizeof(key), "key.%d.%d", thread, round);
    snprintf(want, sizeof(want), "%u", v.data.uint32);
    check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, key, &v), "put %s", key);
    check_status(PMIX_SUCCESS, PMIx_Commit(), "commit %s", key);
    same(want, got("A", me.rank, key, NULL, 0), "%s", key);
}

static void publish_one(int thread, int round)
{
    struct infos list = {0};
    char key[32];

    snprintf(key, sizeof(key), "key.%d.%d.%u", thread, round, me.rank);
    add_text(&list, key, "text");
    check_status(PMIX_SUCCESS, PMIx_Publish(list.at, list.n), "publish %s", key);
    free_infos(&list);
}

static void *work(void *arg)
{
    int thread = (int) (intptr_t) arg;

    for (int i = 0; i < ROUNDS; i++) {
        same("2", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "job size");
        same("A:0,A:1", peers(NULL, "A"), "peers");
        same("node0", hosts("A"), "nodes");
        switch (thread % 4) {
        case 0:
            post_one(thread, i);
            break;
        case 1:
            publish_one(thread, i);
            break;
        case 2:
            same("-46", got("A", me.rank, "pmix.none.such", NULL, 0), "a key that there is not");
            break;
        default:
            check_status(PMIX_SUCCESS, PMIx_Fence(&me, 1, NULL, 0), "fence with itself");
            break;
        }
    }
    return NULL;
}

static void call_from_threads(void)
{
    pthread_t threads[THREADS];

    for (intptr_t i = 0; i < THREADS; i++) {
        check(pthread_create(&threads[i], NULL, work, (void *) i) == 0, "thread");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

const struct conform_case cases[] = {
    {.ids = "INI-001 INI-005",
     .what = "a process learns its name; what may be asked at any time",
     .jobs = {{"A", {2}}, {"B", {1}}},
     .client = init_named,
     .raw = true},
    {.ids = "INI-002",
     .what = "without an address there is nobody",
     .client = init_without_contact,
     .raw = true},
    {.ids = "INI-002",
     .what = "a dead server is nobody",
     .client = init_after_server,
     .script = die_when_ready,
     .raw = true,
     .dirty = true},
    {.ids = "INI-003",
     .what = "a process that nobody started is a singleton, and told so",
     .alone = true,
     .client = init_bare},
    {.ids = "INI-004",
     .what = "each init wants its finalize",
     .client = count_references,
     .raw = true},
    {.ids = "INI-006",
     .what = "after init all is there, without the server",
     .ranks = 2,
     .setup = add_site,
     .client = read_all},
    {.ids = "INI-007 INI-009",
     .what = "two hundred times in and out, and nothing is left",
     .client = init_often,
     .after = check_rounds,
     .raw = true},
    {.ids = "INI-008",
     .what = "a process leaves alone",
     .nodes = 2,
     .client = leave_alone,
     .after = check_no_fence,
     .raw = true},
    {.ids = "INI-008",
     .what = "a process that asks for a barrier leaves with the others",
     .nodes = 2,
     .client = leave_together,
     .raw = true},
    {.ids = "INI-016",
     .what = "without a progress thread",
     .ranks = 2,
     .client = progress_by_hand,
     .raw = true,
     .seconds = 20},
    {.ids = "INI-017", .what = "callbacks call on", .ranks = 2, .client = chain_calls},
    {.ids = "INI-018",
     .what = "many threads",
     .ranks = 2,
     .client = call_from_threads,
     .host = {[ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
