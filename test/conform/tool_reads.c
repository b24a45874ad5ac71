/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a tool reads of jobs. Over the AF_UNIX socket of a server of its user it gets their
 * segments, and then asks no more; the answers are those of messages. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void begin(void)
{
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
}

/* ---- one server */

static void post(void)
{
    put_text(PMIX_GLOBAL, "where", me.rank == 0 ? "at A 0" : "at A 1");
    put_text(PMIX_REMOTE, "far", "away");
    commit();
    tell("posted");
    await("read");
}

static void look_around(void)
{
    same("2", of("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "job size");
    same("at A 0", of("A", 0, "where"), "what was posted");
    same("at A 1", of("A", 1, "where"), "by another one");
    same("1", of("A", 1, PMIX_LOCAL_RANK), "local rank");
    same("node0", of("A", 1, PMIX_HOSTNAME), "node");
    same("A:0,A:1", peers_sorted("node0", "A"), "peers");
    same("node0", hosts("A"), "nodes");
    same("-46", of("A", 0, "pmix.none.such"), "a key that the host did not give");
    same("-46", with(PMIX_OPTIONAL, "A", 0, "nobody.posted"), "a key that nobody has posted");
    same("-62", of("A", 0, "far"), "what is for other nodes");
}

/* A server that is stopped answers nothing. */
static void look_alone(void)
{
    kill(server_pid(0), SIGSTOP);
    look_around();
    kill(server_pid(0), SIGCONT);
}

static void read_alone(void)
{
    await_n("posted", 2);
    begin();
    check_segments(0, "nothing was asked yet");
    look_around();
    check_segments(1, "the job's");
    if (shared_form()) {
        look_alone();
    }
    look_around();
    tool_end();
    check_segments(0, "nothing is left");
    tell("read");
}

static void read_by_messages(struct infos *list, const char *what)
{
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
    look_around();
    check(n_segments() == 0, "%s: %d segments are mapped", what, n_segments());
    tool_end();
}

/* What the tool does not want, and what it does not get over TCP. */
static void read_without(void)
{
    const char *file = tool_file(scratch(), path_named("%d", (int) server_pid(0)));
    const char *uri = read_text(file);

    await_n("posted", 2);
    uri = path_named("%.*s", uri != NULL ? (int) strcspn(uri, "\n") : 0, uri != NULL ? uri : "");
    read_by_messages(one_text(PMIX_SERVER_URI, uri), "over TCP");
    setenv("PMIX_MCA_shmix_tool_segments", "0", 1);
    read_by_messages(one_pid(server_pid(0)), "the tool does not want any");
    tell("read");
}

static void refuse_segments(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_tool_segments", "0", 1);
}

static void read_refused(void)
{
    await_n("posted", 2);
    setenv("PMIX_MCA_shmix_tool_segments", "1", 1); /* it may have its host's variables */
    read_by_messages(one_pid(server_pid(0)), "the server does not give any");
    tell("read");
}

/* ---- a process of a job that is a tool */

static void be_a_tool(void)
{
    check_status(PMIX_SUCCESS, PMIx_tool_init(&me, NULL, 0), "tool_init");
    check_segments(1, "its own job's");
    same("2", of(me.nspace, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "job size");
    put_text(PMIX_GLOBAL, "where", "here");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    same("A:0,A:1", peers_sorted("node0", me.nspace), "peers");
    if (me.rank == 0 && shared_form()) {
        kill(server_pid(0), SIGSTOP);
        same("here", of(me.nspace, 1, "where"), "what was posted");
        kill(server_pid(0), SIGCONT);
    }
    same("here", of(me.nspace, 1 - me.rank, "where"), "what was posted");
    fence_all(NULL);
    tool_end();
    check_segments(0, "nothing is left");
}

/* ---- what changes */

enum { ROUNDS = 40, BLOB = 4096, MOST = 10000000 };

static void move_often(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_segment_dead", "16384", 1);
}

static void post_rounds(void)
{
    char text[BLOB];

    for (int round = 0; round < ROUNDS; round++) {
        memset(text, 'a' + round % 26, sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        put_number("round", (uint32_t) round);
        put_text(PMIX_GLOBAL, "blob", text);
        commit();
        tell("posted");
        await_n("seen", round + 1);
    }
}

/* A read may find what was there before, but none for ever. */
static void await_value(const char *want, const char *nspace, pmix_rank_t rank, const char *key)
{
    const char *is = of(nspace, rank, key);

    for (int i = 0; i < MOST && strcmp(is, want) != 0; i++) {
        is = of(nspace, rank, key);
    }
    same(want, is, "%s of %s", key, nspace);
}

static void follow(void)
{
    char number[16];

    begin();
    for (int round = 0; round < ROUNDS; round++) {
        await_n("posted", round + 1);
        snprintf(number, sizeof(number), "%d", round);
        await_value(number, "A", 0, "round");
        check(strlen(of("A", 0, "blob")) == BLOB - 1, "its bytes");
        check(of("A", 0, "blob")[0] == 'a' + round % 26, "of the round");
        tell("seen");
    }
    check(n_segments() >= (shared_form() ? 1 : 0), "%d segments are mapped", n_segments());
    tool_end();
}

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

static void see_first(void)
{
    await("come");
    begin();
    same("64", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "a job");
    check_segments(1, "its segment");
    tell("read");
    await("gone");
    same("64", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "it is no more, and can be read");
    /* a question behind the one for a new segment, which is in vain */
    same("-46", of("other", PMIX_RANK_WILDCARD, "conform.nothing"), "what nobody has");
    tell("read.gone");
    await("again");
}

static void see_them(void)
{
    see_first();
    same("32", with(PMIX_GET_REFRESH_CACHE, "other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE),
         "another of its name");
    same("32", of("other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE), "and so it stays");
    same("-46", of("other", PMIX_RANK_WILDCARD, "conform.nothing"), "what nobody has");
    check(n_segments() <= 2 && (n_segments() > 0) == shared_form(), "%d segments are mapped",
          n_segments());
    tool_end();
    tell("read.again");
}

static void notice_them(void)
{
    see_first();
    await_value("32", "other", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
    tool_end();
    tell("read.again");
}

/* ---- several servers */

enum { CYCLES = 1000 };

static pmix_proc_t attach(int node)
{
    pmix_proc_t server = {0};

    check_status(PMIX_SUCCESS, attach_by(one_pid(server_pid(node)), &server), "attach to %d", node);
    return server;
}

static void choose(const pmix_proc_t *server)
{
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(server, NULL, 0), "set_server");
}

static pmix_proc_t first_server(void)
{
    pmix_proc_t *all = NULL;
    pmix_proc_t first = {0};
    size_t n = 0;

    if (check_status(PMIX_SUCCESS, PMIx_tool_get_servers(&all, &n), "get_servers")) {
        first = all[0];
    }
    PMIX_PROC_FREE(all, n);
    return first;
}

/* Ranks 0 and 1 of the job are on node 0, rank 2 on node 1: each server has its own peers. */
static void check_peers(const char *want, const char *what)
{
    same(want, of("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS), "%s", what);
}

static void wait_for_tool(void)
{
    put_text(PMIX_LOCAL, "where", "here");
    commit();
    tell("posted");
    await("read");
}

static void check_two(const pmix_proc_t *first, const pmix_proc_t *second)
{
    check_peers("0,1", "the first server's");
    choose(second);
    check_peers("2", "the second server's");
    check_segments(2, "of both");
    same("here", of("A", 2, "where"), "what was posted there");
    choose(first);
    same("here", of("A", 0, "where"), "what was posted here");
    if (shared_form()) {
        kill(server_pid(0), SIGSTOP);
        check_peers("0,1", "the first one's again, without it");
        same("here", of("A", 0, "where"), "without it");
        kill(server_pid(0), SIGCONT);
    }
    check_peers("0,1", "the first one's again");
}

static void store_own(void)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_value_t value;

    PMIX_VALUE_LOAD(&value, "mine", PMIX_STRING);
    check_status(PMIX_SUCCESS, PMIx_Store_internal(&job, "conform.mine", &value), "store");
    PMIX_VALUE_DESTRUCT(&value);
}

static void read_two(void)
{
    pmix_proc_t first;
    pmix_proc_t second;

    await_n("posted", 3);
    begin();
    first = first_server();
    check_peers("0,1", "of the first server");
    second = attach(1);
    check_two(&first, &second);
    store_own();
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&second), "disconnect");
    check_segments(1, "of the first");
    check_peers("0,1", "of the first server still");
    second = attach(1);
    check_two(&first, &second);
    choose(&second);
    same("mine", of("A", PMIX_RANK_WILDCARD, "conform.mine"), "what the tool has stored itself");
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&second), "disconnect");
    check(strcmp(of("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS), "-46") == 0,
          "a server that is left is read no more: %s",
          of("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS));
    same("mine", of("A", PMIX_RANK_WILDCARD, "conform.mine"), "its own is there without a server");
    choose(&first);
    check_peers("0,1", "of the first server");
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&first), "disconnect");
    check_segments(0, "nothing is left");
    tool_end();
    tell("read");
}

/* Mappings of files and segments: those without a file are the allocator's and the threads'. */
static int n_maps(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strchr(line, '/') != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

static int n_descriptors(pid_t pid)
{
    return count_entries(path_named("/proc/%d/fd", (int) pid), "");
}

/* Another server, which has the job, too, comes and goes. The first rounds are not counted: the
 * C library and the progress threads take what they keep. */
static void come_often(void)
{
    int maps = 0;
    int own = 0;
    int its = 0;

    await_n("posted", 3);
    begin();
    check_peers("0,1", "of the first server");
    for (int i = 0; i < CYCLES; i++) {
        pmix_proc_t second = attach(1);

        choose(&second);
        check_peers("2", "of the second server");
        check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&second), "disconnect");
        if (i == CYCLES / 10) {
            maps = n_maps();
            own = n_descriptors(getpid());
            its = n_descriptors(server_pid(1));
        }
    }
    check(n_maps() <= maps, "%d maps, and %d in the end", maps, n_maps());
    check(n_descriptors(getpid()) <= own, "%d descriptors, and %d in the end", own,
          n_descriptors(getpid()));
    check(n_descriptors(server_pid(1)) <= its + 1, "of the server %d, and %d in the end", its,
          n_descriptors(server_pid(1)));
    check_segments(1, "of the first server");
    tool_end();
    tell("read");
}

const struct conform_case cases[] = {
    {.ids = "SHM-001",
     .what = "a tool reads a job without its server",
     .ranks = 2,
     .client = post,
     .tools = 1,
     .tool = read_alone,
     .own_host = true},
    {.ids = "SHM-017",
     .what = "a tool over TCP, or one that wants no segments, reads by messages",
     .ranks = 2,
     .client = post,
     .tools = 1,
     .tool = read_without,
     .own_host = true},
    {.ids = "SHM-017",
     .what = "a server gives tools no segments",
     .ranks = 2,
     .server = refuse_segments,
     .client = post,
     .tools = 1,
     .tool = read_refused,
     .own_host = true},
    {.ids = "SHM-001",
     .what = "a process of a job that is a tool reads its job's segment",
     .ranks = 2,
     .raw = true,
     .client = be_a_tool,
     .own_host = true},
    {.ids = "SHM-006",
     .what = "a job that a tool reads moves from segment to segment",
     .server = move_often,
     .client = post_rounds,
     .tools = 1,
     .tool = follow,
     .own_host = true},
    {.ids = "KEY-003",
     .what = "a job that a tool reads goes, and one of its name comes",
     .script = come_and_go,
     .jobs = {{"A", {0}}},
     .tools = 1,
     .tool = see_them,
     .own_host = true},
    {.ids = "KEY-003",
     .what = "a tool that reads segments finds the new job without a directive",
     .script = come_and_go,
     .jobs = {{"A", {0}}},
     .tools = 1,
     .tool = notice_them,
     .form = SHARED,
     .own_host = true},
    {.ids = "TOOL-054",
     .what =
         "what servers have said of a job is read of the primary one, and goes with the connection",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}},
     .server = as_node0,
     .client = wait_for_tool,
     .tools = 1,
     .tool = read_two,
     .own_host = true},
    {.ids = "TOOL-057",
     .what = "a server whose job a tool reads is attached and left a thousand times",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}},
     .server = as_node0,
     .client = wait_for_tool,
     .tools = 1,
     .tool = come_often,
     .own_host = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
