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

static int n_segments(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strstr(line, "memfd:shmix (") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
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
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
