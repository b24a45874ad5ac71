/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a process reads of other namespaces. Where there is a segment it reads the server's; the
 * answers are those of messages. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOT_FOUND     "-46"
#define OUTSIDE_SCOPE "-62"

/* (host) A server that is told to have none has none. */
static void look_in_the_host(void)
{
    check((n_segments() > 0) == shared_form(), "%d segments are mapped", n_segments());
}

static void check_segments(int want, const char *what)
{
    int n = n_segments();

    check(n == (shared_form() ? want : 0), "%s: %d segments are mapped", what, n);
}

static const char *of(const char *nspace, pmix_rank_t rank, const char *key)
{
    return got(nspace, rank, key, NULL, 0);
}

static const char *with(const char *directive, const char *nspace, pmix_rank_t rank,
                        const char *key)
{
    struct infos list = {0};
    const char *text;

    add_true(&list, directive);
    text = got(nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return text;
}

static void fence_both(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    check_status(PMIX_SUCCESS, fence(both, 2, PMIX_COLLECT_DATA), "a fence of both jobs");
}

static void connect_both(void)
{
    pmix_proc_t both[] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    check_status(PMIX_SUCCESS, PMIx_Connect(both, 2, NULL, 0), "connect");
}

static const char *other(void)
{
    return strcmp(me.nspace, "A") == 0 ? "B" : "A";
}

static void post_where(void)
{
    char text[32];

    snprintf(text, sizeof(text), "at %c %u", me.nspace[0], me.rank);
    put_text(PMIX_GLOBAL, "where", text);
    commit();
}

static void check_where(const char *nspace, pmix_rank_t rank)
{
    char text[32];

    snprintf(text, sizeof(text), "at %c %u", nspace[0], rank);
    same(text, of(nspace, rank, "where"), "%s %u", nspace, rank);
}

/* ---- the server is asked once, then it may stop */

static void point_at_where(pmix_rank_t rank)
{
    pmix_proc_t b = process("B", rank);
    pmix_value_t *value = NULL;
    struct infos pointer = {0};

    add_true(&pointer, PMIX_GET_POINTER_VALUES);
    if (check_status(PMIX_SUCCESS, PMIx_Get(&b, "where", pointer.at, pointer.n, &value), "hold")) {
        same(rank == 0 ? "at B 0" : "at B 1", text_of(value), "by pointer");
    }
    free_infos(&pointer);
}

static void look_around(void)
{
    same("2", of("B", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "job size");
    for (pmix_rank_t r = 0; r < 2; r++) {
        check_where("B", r);
        same(r == 0 ? "0" : "1", of("B", r, PMIX_LOCAL_RANK), "local rank");
        same("node0", of("B", r, PMIX_HOSTNAME), "node");
        point_at_where(r);
    }
    same("B:0,B:1", peers_sorted("node0", "B"), "peers");
    same("node0", hosts("B"), "nodes");
    same(NOT_FOUND, of("B", 0, "pmix.none.such"), "a key that the host did not give");
    same(NOT_FOUND, with(PMIX_OPTIONAL, "B", 0, "nobody.posted"), "a key that nobody has posted");
}

static void read_alone(void)
{
    post_where();
    connect_both();
    tell("posted");
    await_n("posted", 4);
    check_where(other(), me.rank);
    check_segments(2, "one's own and the other");
    if (me.nspace[0] == 'A') {
        look_around();
        tell("looked");
    }
    await_n("looked", 2);
    if (me.nspace[0] == 'A' && me.rank == 0) {
        kill(server_pid(0), SIGSTOP);
        look_around();
        kill(server_pid(0), SIGCONT);
        tell("done");
    }
    await("done");
}

/* The first touch is a get, of what is to be had only by it. */
static void read_without_connecting(void)
{
    post_where();
    tell("posted");
    await_n("posted", 4);
    check_segments(1, "nothing was needed yet");
    same("node0", of(other(), 1, PMIX_HOSTNAME), "a key of the host first");
    check_segments(2, "then it is there");
    check_where(other(), 0);
    same("2", with(PMIX_GET_REFRESH_CACHE, other(), PMIX_RANK_WILDCARD, PMIX_JOB_SIZE),
         "what is to be fresh");
    check_segments(2, "still");
}

/* The first touch is a get of everything. */
static void read_everything(void)
{
    pmix_proc_t proc = process("B", 0);
    pmix_value_t *value = NULL;
    bool posted = false;

    if (me.nspace[0] == 'B') {
        post_where();
        tell("posted");
        await("read");
        return;
    }
    await("posted");
    if (check_status(PMIX_SUCCESS, PMIx_Get(&proc, NULL, NULL, 0, &value), "everything")) {
        for (size_t i = 0; value->type == PMIX_DATA_ARRAY && i < value->data.darray->size; i++) {
            const pmix_info_t *info = (const pmix_info_t *) value->data.darray->array + i;

            posted = posted || strcmp(info->key, "where") == 0;
        }
        PMIX_VALUE_RELEASE(value);
    }
    check(posted, "what was posted is there");
    tell("read");
}

/* ---- scopes, and another node */

static void see_scopes(void)
{
    bool near = node() == 0;

    if (me.nspace[0] == 'B') {
        put_text(PMIX_LOCAL, "local", "l");
        put_text(PMIX_REMOTE, "remote", "r");
        put_text(PMIX_GLOBAL, "global", "g");
        commit();
        tell("posted");
        await_n("seen", 2);
        return;
    }
    await("posted");
    for (int i = 0; i < 2; i++) { /* the second time from memory, where there is one */
        same("g", of("B", 0, "global"), "global");
        same(near ? OUTSIDE_SCOPE : "r", of("B", 0, "remote"), "remote");
        same(near ? "l" : NOT_FOUND, of("B", 0, "local"), "local");
    }
    tell("seen");
}

static void fetch_once(void)
{
    if (me.nspace[0] == 'B') {
        post_where();
        tell("posted");
        await_n("read", 2);
        return;
    }
    await("posted");
    if (me.rank == 1) {
        await("first");
    }
    check_where("B", 0);
    check(upcalls(ON_MODEX, 0) == 1, "the other node was asked once");
    tell("first");
    await_n("first", 2);
    if (me.rank == 1 && shared_form()) {
        kill(server_pid(0), SIGSTOP);
        check_where("B", 0);
        kill(server_pid(0), SIGCONT);
    }
    tell("read");
}

/* ---- generations */

enum { ROUNDS = 40, BLOB = 4096 };

static void move_often(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_segment_dead", "16384", 1);
}

static void put_round(int round)
{
    char text[BLOB];

    memset(text, 'a' + round % 26, sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    put_number("round", (uint32_t) round);
    put_text(PMIX_GLOBAL, "blob", text);
    commit();
}

static void see_round(int round)
{
    char number[16];
    const char *blob;

    snprintf(number, sizeof(number), "%d", round);
    same(number, of("B", 0, "round"), "posted before the fence");
    blob = of("B", 0, "blob");
    check(strlen(blob) == BLOB - 1 && blob[0] == 'a' + round % 26 &&
              blob[BLOB - 2] == 'a' + round % 26,
          "the bytes are of round %d", round);
    same(number, with(PMIX_OPTIONAL, "B", 0, "round"), "without the server");
}

static bool is_all(const pmix_value_t *value, char letter)
{
    for (int i = 0; i < BLOB - 1; i++) {
        if (value->data.string[i] != letter) {
            return false;
        }
    }
    return value->data.string[BLOB - 1] == '\0';
}

static void follow(void)
{
    pmix_proc_t b = process("B", 0);
    pmix_value_t *held = NULL;
    struct infos pointer = {0};

    add_true(&pointer, PMIX_GET_POINTER_VALUES);
    for (int round = 0; round < ROUNDS; round++) {
        if (me.nspace[0] == 'B') {
            put_round(round);
        }
        fence_both();
        if (me.nspace[0] == 'A') {
            see_round(round);
        }
        if (me.nspace[0] == 'A' && round == 0) {
            check_status(PMIX_SUCCESS, PMIx_Get(&b, "blob", pointer.at, pointer.n, &held), "hold");
        }
        fence_both();
    }
    if (me.nspace[0] == 'A') {
        check(is_all(held, 'a'), "what was given away stays");
        check(n_segments() <= (shared_form() ? 5 : 0), "%d segments are mapped", n_segments());
        check(n_segments() >= (shared_form() ? 3 : 0), "one of them is old");
    }
    free_infos(&pointer);
}

/* ---- jobs that come and go */

static void note_done(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "%s", (char *) cbdata);
    tell(cbdata);
}

static void register_job(const char *name, uint32_t size, int nth)
{
    static char done[] = "registered";
    pmix_proc_t proc = process(name, PMIX_RANK_UNDEF);
    struct infos list = {0};

    add_u32(&list, PMIX_JOB_SIZE, size);
    add_text(&list, PMIX_LOCAL_PEERS, "0");
    check_status(PMIX_SUCCESS,
                 PMIx_server_register_nspace(proc.nspace, 0, list.at, list.n, note_done, done),
                 "register");
    await_n(done, nth);
    free_infos(&list);
}

static void deregister_job(const char *name, int nth)
{
    static char done[] = "deregistered";
    pmix_proc_t proc = process(name, PMIX_RANK_UNDEF);

    PMIx_server_deregister_nspace(proc.nspace, note_done, done);
    await_n(done, nth);
}

static void come_and_go(void)
{
    register_job("other", 64, 1);
    tell("come");
    await("read");
    deregister_job("other", 1);
    tell("gone");
    await("read.gone");
    register_job("other", 32, 2);
    tell("again");
    await("read.again");
    deregister_job("other", 2);
}

/* A job that is no more can still be read, as one's own can; the next of its name is found. */
static void see_them(void)
{
    const char *size = "";

    await("come");
    same("64", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "a job");
    check_segments(2, "its segment");
    tell("read");
    await("gone");
    same("64", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "it is no more");
    same("64", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "and can be read");
    tell("read.gone");
    await("again");
    same("32", with(PMIX_GET_REFRESH_CACHE, "other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "another");
    for (int i = 0; i < 1000 && strcmp(size, "32") != 0; i++) {
        fence_all(NULL);
        size = of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    }
    same("32", size, "of the same name");
    check(n_segments() <= (shared_form() ? 3 : 0), "%d segments are mapped", n_segments());
    tell("read.again");
}

enum { MANY = 60 };

static void come_and_go_often(void)
{
    char name[32];

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "other.%d", i);
        register_job(name, (uint32_t) i, i + 1);
        tell("come");
        await_n("read", i + 1);
        deregister_job(name, i + 1);
    }
}

static void see_many(void)
{
    char name[32];
    char size[32];

    for (int i = 0; i < MANY; i++) {
        await_n("come", i + 1);
        snprintf(name, sizeof(name), "other.%d", i);
        snprintf(size, sizeof(size), "%d", i);
        same(size, of(name, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "%s", name);
        tell("read");
    }
    check(n_segments() <= (shared_form() ? 12 : 0), "%d segments are mapped", n_segments());
}

/* ---- memory */

#ifdef __SANITIZE_ADDRESS__
enum { LITTLE = 16384 }; /* what is freed is kept, and marked */
#else
enum { LITTLE = 512 };
#endif
enum { BIG = 20000 };

static void register_big(void)
{
    static char done[] = "registered";
    pmix_proc_t proc = process("big", PMIX_RANK_UNDEF);
    struct infos list = {0};
    uint32_t size = BIG;
    char text[32];

    PMIX_INFO_CREATE(list.at, BIG + 1);
    list.n = BIG + 1;
    PMIX_INFO_LOAD(&list.at[BIG], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    for (uint32_t r = 0; r < BIG; r++) {
        pmix_data_array_t *array;
        pmix_info_t *infos;

        snprintf(text, sizeof(text), "NM0:SK0:L%u", r);
        PMIX_DATA_ARRAY_CREATE(array, 3, PMIX_INFO);
        infos = array->array;
        PMIX_INFO_LOAD(&infos[0], PMIX_RANK, &r, PMIX_PROC_RANK);
        PMIX_INFO_LOAD(&infos[1], PMIX_GLOBAL_RANK, &r, PMIX_UINT32);
        PMIX_INFO_LOAD(&infos[2], PMIX_LOCALITY_STRING, text, PMIX_STRING);
        PMIX_LOAD_KEY(list.at[r].key, PMIX_PROC_INFO_ARRAY);
        list.at[r].value.type = PMIX_DATA_ARRAY;
        list.at[r].value.data.darray = array;
    }
    check_status(PMIX_SUCCESS,
                 PMIx_server_register_nspace(proc.nspace, 0, list.at, list.n, note_done, done),
                 "register");
    await(done);
    free_infos(&list);
    await("read");
    deregister_job("big", 1);
}

static long private_kib(void)
{
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;
    long n;

    while (rollup != NULL && fgets(line, sizeof(line), rollup) != NULL) {
        kib += sscanf(line, "Private_Dirty: %ld", &n) == 1 ? n : 0;
    }
    if (rollup != NULL) {
        fclose(rollup);
    }
    return kib;
}

static void read_big(void)
{
    char text[32];
    long before;
    long grown;

    await("registered");
    same("2", of("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "one's own job, to begin with");
    before = private_kib();
    for (uint32_t r = 0; r < BIG; r += 97) {
        snprintf(text, sizeof(text), "NM0:SK0:L%u", r);
        same(text, of("big", r, PMIX_LOCALITY_STRING), "rank %u", r);
    }
    grown = private_kib() - before;
    check(before > 0 && (shared_form() ? grown < LITTLE : grown > 512),
          "private memory has grown by %ld KiB", grown);
    if (me.rank == 0) {
        await("read.1");
        tell("read");
    }
    tell("read.1");
}

/* ---- who cannot map it reads by messages */

static void read_in_little_space(void)
{
    struct rlimit space;
    FILE *statm;
    long pages = 0;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check_segments(1, "one's own");
    statm = fopen("/proc/self/statm", "r");
    check(statm != NULL && fscanf(statm, "%ld", &pages) == 1, "how large is it?");
    if (statm != NULL) {
        fclose(statm);
    }
    space.rlim_cur = (rlim_t) pages * (rlim_t) sysconf(_SC_PAGESIZE) + ((rlim_t) 256 << 20);
    space.rlim_max = RLIM_INFINITY;
    check(setrlimit(RLIMIT_AS, &space) == 0, "a limit");
    post_where();
    tell("posted");
    await_n("posted", 4);
    same("node0", of(other(), 1, PMIX_HOSTNAME), "a key of the host first");
    check_where(other(), 0);
    same("2", of(other(), PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "job size");
    same(NOT_FOUND, of(other(), 0, "pmix.none.such"), "a key that the host did not give");
    check_segments(1, "there was no room for another");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

#define AB                                                                                         \
    {                                                                                              \
        {"A", {2}},                                                                                \
        {                                                                                          \
            "B",                                                                                   \
            {                                                                                      \
                2                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

const struct conform_case cases[] = {
    {.ids = "SHM-001",
     .what = "another job is read without its server",
     .jobs = AB,
     .client = read_alone,
     .form = SHARED,
     .ours_only = "the distribution's library reads other jobs by messages"},
    {.ids = "SHM-001",
     .what = "another job that one is not connected to",
     .jobs = AB,
     .client = read_without_connecting,
     .ours_only = "there are no segments to be counted"},
    {.ids = "GET-016",
     .what = "everything of a process of another job",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .client = read_everything,
     .ours_only = "the distribution's library refuses a get without a key"},
    {.ids = "GET-011",
     .what = "scopes of another job, on its node and on another one",
     .nodes = 2,
     .jobs = {{"A", {1, 1}}, {"B", {1}}},
     .client = see_scopes,
     .ours_only = "the distribution's library hands out what its scope hides"},
    {.ids = "NRK-010",
     .what = "another job's data from another node are fetched once for the node",
     .nodes = 2,
     .jobs = {{"A", {2}}, {"B", {0, 1}}},
     .client = fetch_once},
    {.ids = "SHM-006",
     .what = "another job's segment moves",
     .jobs = {{"A", {1}}, {"B", {1}}},
     .server = move_often,
     .client = follow,
     .ours_only = "the distribution's library keeps what it was told first"},
    {.ids = "KEY-003",
     .what = "another job goes, and one of its name comes",
     .ranks = 1,
     .client = see_them,
     .script = come_and_go,
     .form = SHARED,
     .ours_only = "a private copy does not change"},
    {.ids = "SHM-001",
     .what = "many other jobs that come and go",
     .ranks = 1,
     .client = see_many,
     .script = come_and_go_often,
     .ours_only = "there are no segments to be counted"},
    {.ids = "SHM-001",
     .what = "another job's size is not its readers'",
     .ranks = 2,
     .client = read_big,
     .script = register_big,
     .ours_only = "the distribution's library keeps a copy"},
    {.ids = "SHM-017",
     .what = "another job's segment finds no room",
     .jobs = AB,
     .client = read_in_little_space,
     .raw = true,
     .ours_only = "there are no segments to be counted"},
    {.ids = "SHM-017",
     .what = "a server makes no segments where messages are wanted",
     .script = look_in_the_host,
     .ours_only = "how this library's segments are called"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
