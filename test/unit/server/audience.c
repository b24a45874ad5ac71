/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An event for many names whose names are looked at ahead, in parts. It is for the same processes
 * as if all names were looked at at once, also if a process connects in between. [EVT-009] */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/loop/loop.h"
#include "src/server/events/audience.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"

/* Ten parts, and one that finds nothing left; the second one begins with number SECOND. */
enum { MANY = 40000, N_PARTS = 11, SECOND = 4096, CODE = -5000 };

static pmix_proc_t names[MANY];

/* An event for the names, in infos that are its own. */
struct ranged {
    pmix_data_array_t array;
    pmix_info_t info;
    struct px_event event;
};

static void ranged_make(struct ranged *ranged, pmix_proc_t *procs, size_t n)
{
    *ranged = (struct ranged){.array = {.type = PMIX_PROC, .size = n, .array = procs}};
    PMIX_LOAD_KEY(ranged->info.key, PMIX_EVENT_CUSTOM_RANGE);
    ranged->info.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &ranged->array};
    ranged->event = (struct px_event){
        .code = CODE, .range = PMIX_RANGE_CUSTOM, .info = &ranged->info, .ninfo = 1};
}

/* Of the names only rank 1 of the job and the last one, a tool, may be here. The name before that
 * of rank 1 has the same namespace. */
static void fill(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        PMIX_LOAD_PROCID(&names[i], i % 2 ? "nobody" : JOB, 1000 + i);
    }
    PMIX_LOAD_PROCID(&names[SECOND - 1], JOB, 5000);
    PMIX_LOAD_PROCID(&names[SECOND], JOB, 1);
    PMIX_LOAD_PROCID(&names[MANY - 1], "tool", 0);
}

/* A peer of no registered JOB, listed for a while. */
static struct px_peer *tool_come(struct px_server *s)
{
    struct px_peer *peer = calloc(1, sizeof(*peer));

    assert_non_null(peer);
    PMIX_LOAD_PROCID(&peer->proc, "tool", 0);
    px_list_append(&s->peer_list, &peer->link);
    s->admitted++;
    return peer;
}

static void tool_go(struct px_peer *peer)
{
    px_list_remove(&peer->link);
    free(peer);
}

static bool has(struct px_audience *to, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return px_audience_has(to, &proc);
}

/* True if the audience has the job's rank 1, the tool if `has_tool`, and nobody who is not named.
 */
static bool is_right(struct px_audience *to, bool has_tool)
{
    return has(to, JOB, 1) && has(to, "tool", 0) == has_tool && !has(to, JOB, 0) &&
           !has(to, "tool", 1);
}

/* --- on the loop thread --- */

/* What came of it. */
struct outcome {
    unsigned n_parts;
    bool right;
    bool taken; /* what was looked at ahead was used */
};

static void look_ahead(struct px_server *s, struct ranged *ranged, struct px_named **named,
                       struct outcome *to)
{
    do {
        to->n_parts++;
    } while (px_named_ahead(s, &ranged->event, named));
}

static void judge(struct px_server *s, struct ranged *ranged, struct px_named *named, bool has_tool,
                  struct outcome *outcome)
{
    size_t n_ahead = named ? named->here.n : 0;
    struct px_audience to;

    px_audience_init(s, &to, &ranged->event, (struct px_raiser){0}, named);
    outcome->right = is_right(&to, has_tool);
    outcome->taken = n_ahead && !named->here.n;
    px_audience_fini(&to);
}

static void all_here(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer *tool = tool_come(s);
    struct px_named *named = NULL;
    struct ranged ranged;

    ranged_make(&ranged, names, MANY);
    look_ahead(s, &ranged, &named, arg);
    judge(s, &ranged, named, true, arg);
    px_named_free(named);
    tool_go(tool);
}

/* The tool comes after the last part. */
static void one_late(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_named *named = NULL;
    struct px_peer *tool;
    struct ranged ranged;

    ranged_make(&ranged, names, MANY);
    look_ahead(s, &ranged, &named, arg);
    tool = tool_come(s);
    judge(s, &ranged, named, true, arg);
    px_named_free(named);
    tool_go(tool);
}

/* The event names others than those that were looked at: as the members of a group. */
static void other_names(void *arg)
{
    static pmix_proc_t others[MANY];
    struct px_server *s = px_ctx()->server;
    struct px_named *named = NULL;
    struct ranged ranged;

    ranged_make(&ranged, others, MANY);
    memcpy(others, names, sizeof(others));
    PMIX_LOAD_PROCID(&others[0], JOB, 0);
    look_ahead(s, &ranged, &named, arg);
    ranged_make(&ranged, names, MANY);
    judge(s, &ranged, named, false, arg);
    px_named_free(named);
}

/* The event comes before all parts were. */
static void too_early(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer *tool = tool_come(s);
    struct px_named *named = NULL;
    struct ranged ranged;

    PMIX_LOAD_PROCID(&names[0], JOB, 1); /* the part has somebody */
    ranged_make(&ranged, names, MANY);
    (void) px_named_ahead(s, &ranged.event, &named);
    judge(s, &ranged, named, true, arg);
    px_named_free(named);
    tool_go(tool);
}

static void short_one(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_named *named = NULL;
    struct ranged ranged;

    ranged_make(&ranged, names + SECOND - 50, 100);
    look_ahead(s, &ranged, &named, arg);
    judge(s, &ranged, named, false, arg);
}

/* --- cases --- */

static struct outcome run(void (*fn)(void *arg))
{
    struct outcome outcome = {0};

    fill();
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, &outcome), 0);
    assert_true(outcome.right);
    return outcome;
}

static void names_are_looked_at_in_parts(void **state)
{
    struct outcome outcome = run(all_here);

    (void) state;
    assert_int_equal(outcome.n_parts, N_PARTS);
    assert_true(outcome.taken);
}

static void who_comes_late_is_found(void **state)
{
    (void) state;
    assert_false(run(one_late).taken);
}

static void other_names_are_looked_at(void **state)
{
    (void) state;
    assert_false(run(other_names).taken);
}

static void a_part_is_not_all(void **state)
{
    (void) state;
    assert_false(run(too_early).taken);
}

static void few_names_wait_for_the_event(void **state)
{
    struct outcome outcome = run(short_one);

    (void) state;
    assert_int_equal(outcome.n_parts, 1);
    assert_false(outcome.taken);
}

static void count_admitted(void *arg)
{
    *(uint64_t *) arg = px_ctx()->server->admitted;
}

/* A process of the job connects. */
static void who_is_let_in_is_counted(void **state)
{
    const char *const argv[] = {"audience", "client", NULL};
    uint64_t before = 0;
    uint64_t after = 0;
    char **env = NULL;
    pmix_proc_t proc;
    int status = 0;
    pid_t pid;

    (void) state;
    PMIX_LOAD_PROCID(&proc, JOB, 0);
    for (char **at = environ; *at; at++) {
        assert_int_equal(PMIx_Argv_append_nosize(&env, *at), 0);
    }
    assert_int_equal(PMIx_server_setup_fork(&proc, &env), 0);
    assert_int_equal(px_loop_run(px_ctx()->loop, count_admitted, &before), 0);
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, (char *const *) argv, env), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(px_loop_run(px_ctx()->loop, count_admitted, &after), 0);
    assert_int_equal(after, before + 1);
    PMIx_Argv_free(env);
}

/* --- who may have it */

static unsigned n_looks;

bool __real_px_access_event(struct px_server *s, const struct px_peer *peer, uid_t user,
                            const char *nspace);
bool __wrap_px_access_event(struct px_server *s, const struct px_peer *peer, uid_t user,
                            const char *nspace);

bool __wrap_px_access_event(struct px_server *s, const struct px_peer *peer, uid_t user,
                            const char *nspace)
{
    n_looks++;
    return __real_px_access_event(s, peer, user, nspace);
}

static void look_at_kinds(void *arg)
{
    struct px_server *s = arg;
    struct px_event event = {.code = CODE, .range = PMIX_RANGE_SESSION};
    struct px_raiser by = {.client = true, .user = 4711};
    struct px_peer peers[4] = {{.server = s, .uid = 4712},
                               {.server = s, .uid = 4711},
                               {.server = s, .uid = 4712},
                               {.server = s, .uid = 4712}};
    struct px_audience to;

    PMIX_LOAD_PROCID(&event.source, "raiser", 0);
    PMIX_LOAD_PROCID(&peers[0].proc, "raiser", 1);
    PMIX_LOAD_PROCID(&peers[1].proc, "raiser", 2);
    PMIX_LOAD_PROCID(&peers[2].proc, "raiser2", 3);
    PMIX_LOAD_PROCID(&peers[3].proc, "raiser", 4);
    peers[3].tool = true;
    px_audience_init(s, &to, &event, by, NULL);
    for (int i = 0; i < 10; i++) {
        assert_true(px_audience_has_peer(s, &to, &peers[0]));
        assert_true(px_audience_has_peer(s, &to, &peers[1]));
        assert_false(px_audience_has_peer(s, &to, &peers[2]));
        assert_false(px_audience_has_peer(s, &to, &peers[3]));
    }
    px_audience_fini(&to);
    assert_int_equal(n_looks, 4);
}

/* Peers of several jobs and users come in any order; each kind is looked at once. A tool that has
 * the name of a job is another kind than its processes. */
static void each_kind_is_looked_at_once(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, look_at_kinds, px_ctx()->server), 0);
}

static int be_client(void)
{
    return PMIx_Init(NULL, NULL, 0) || PMIx_Finalize(NULL, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_looked_at_in_parts), cmocka_unit_test(who_comes_late_is_found),
        cmocka_unit_test(other_names_are_looked_at),    cmocka_unit_test(a_part_is_not_all),
        cmocka_unit_test(few_names_wait_for_the_event), cmocka_unit_test(who_is_let_in_is_counted),
        cmocka_unit_test(each_kind_is_looked_at_once),
    };

    alarm(60);
    if (argc == 2 && strcmp(argv[1], "client") == 0) {
        return be_client();
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, job_of_two_start, job_of_two_stop);
}
