/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What one process asks of its server and the host: to spawn a process, to publish and look up, a
 * query; and a tool that attaches. */

#include <pmix_tool.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "board.h"
#include "family.h"

enum { ROUNDS = 501, WARM_UP = 2, SPAWNS = 51, ATTACHES = 21, PATIENCE_S = 30 };

/* One operation of a family that rank 0 repeats; true if its answer was right. */
typedef bool (*ask_fn)(const struct crew *crew, unsigned nth);

static bool repeat(const struct crew *crew, const char *name, ask_fn ask, unsigned rounds)
{
    struct samples samples = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < rounds + WARM_UP && good; i++) {
        uint64_t start = now_ns();

        good = ask(crew, i);
        if (i >= WARM_UP) {
            sample_add(&samples, (double) (now_ns() - start));
        }
    }
    metric(name, good, &samples);
    return good;
}

/* ---- publish, look up */

static void entry_key(char ret[32], unsigned nth)
{
    snprintf(ret, 32, "bench-entry-%u", nth);
}

static bool publish(const struct crew *crew, unsigned nth)
{
    uint32_t value = nth + family_corrupts();
    pmix_info_t info;
    char key[32];
    bool good;

    (void) crew;
    entry_key(key, nth);
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, key, &value, PMIX_UINT32);
    good = PMIx_Publish(&info, 1) == PMIX_SUCCESS;
    PMIX_INFO_DESTRUCT(&info);
    return good;
}

static bool lookup(const struct crew *crew, unsigned nth)
{
    pmix_pdata_t found;
    char key[32];
    bool good;

    entry_key(key, nth);
    PMIX_PDATA_CONSTRUCT(&found);
    PMIX_LOAD_KEY(found.key, key);
    good = PMIx_Lookup(&found, 1, NULL, 0) == PMIX_SUCCESS && found.value.type == PMIX_UINT32 &&
           found.value.data.uint32 == nth && found.proc.rank == crew->self.rank;
    PMIX_PDATA_DESTRUCT(&found);
    return good;
}

static bool unpublish(const struct crew *crew, unsigned nth)
{
    char key[32];
    char *keys[2] = {key, NULL};

    (void) crew;
    entry_key(key, nth);
    return PMIx_Unpublish(keys, NULL, 0) == PMIX_SUCCESS;
}

bool family_publish(const struct crew *crew)
{
    bool good = crew->self.rank != 0 || (repeat(crew, "publish", publish, scaled(ROUNDS)) &&
                                         repeat(crew, "lookup", lookup, scaled(ROUNDS)) &&
                                         repeat(crew, "unpublish", unpublish, scaled(ROUNDS)));

    return crew_fence(false) && good;
}

/* ---- query */

static bool query(const struct crew *crew, unsigned nth)
{
    char key[] = PMIX_QUERY_NAMESPACES;
    char *keys[2] = {key, NULL};
    pmix_query_t ask;
    pmix_info_t *results = NULL;
    const pmix_value_t *value;
    size_t n = 0;
    bool good;

    (void) nth;
    PMIX_QUERY_CONSTRUCT(&ask);
    ask.keys = keys;
    good = PMIx_Query_info(&ask, 1, &results, &n) == PMIX_SUCCESS;
    value = good ? family_find(results, n, PMIX_QUERY_NAMESPACES) : NULL;
    good = value && value->type == PMIX_STRING && strstr(value->data.string, crew->self.nspace);
    PMIX_INFO_FREE(results, n);
    return good;
}

bool family_query(const struct crew *crew)
{
    bool good = crew->self.rank != 0 || repeat(crew, "query", query, scaled(ROUNDS));

    return crew_fence(false) && good;
}

/* ---- spawn: until the process's PMIx_Init has returned */

bool family_spawn_child(const struct crew *crew)
{
    if (crew->size != 1 + family_corrupts()) {
        return false;
    }
    board_arrive();
    return true;
}

static bool start_and_wait(const char *program, const char *argument)
{
    extern char **environ;
    char *argv[] = {(char *) program, (char *) argument, NULL};
    int status = 0;
    pid_t pid;

    return posix_spawn(&pid, program, NULL, NULL, argv, environ) == 0 &&
           waitpid(pid, &status, 0) == pid && status == 0;
}

/* The program that is spawned, which ends at once. */
static bool start_own(const struct crew *crew, unsigned nth)
{
    (void) crew;
    (void) nth;
    return start_and_wait(family_program, "nothing");
}

/* A program that does nothing either, and is linked with the C library only. */
static bool start_bare(const struct crew *crew, unsigned nth)
{
    (void) crew;
    (void) nth;
    return start_and_wait("/bin/true", NULL);
}

bool family_spawn_one(const struct crew *crew)
{
    struct samples samples = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < scaled(SPAWNS) + WARM_UP && good && crew->self.rank == 0; i++) {
        pmix_nspace_t nspace = "";
        uint64_t start;

        board_reset(1);
        start = now_ns();
        good = family_spawn("spawn-child", NULL, 1, nspace) && board_wait(PATIENCE_S);
        if (i >= WARM_UP) {
            sample_add(&samples, (double) (board_time(STAMP_ARRIVED) - start));
        }
    }
    if (crew->self.rank == 0) {
        metric("spawn", good, &samples);
        (void) repeat(crew, "spawn_posix", start_own, scaled(SPAWNS));
        (void) repeat(crew, "spawn_bare", start_bare, scaled(SPAWNS));
    }
    return crew_fence(false) && good;
}

/* ---- a tool */

static bool attach_once(pid_t server, double *ret_ns)
{
    pmix_info_t info;
    pmix_proc_t self;
    uint64_t start = now_ns();
    bool good;

    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &server, PMIX_PID);
    good = PMIx_tool_init(&self, &info, 1) == PMIX_SUCCESS;
    *ret_ns = (double) (now_ns() - start);
    PMIX_INFO_DESTRUCT(&info);
    return good && self.nspace[0] != '\0' && PMIx_tool_finalize() == PMIX_SUCCESS;
}

/* A process of its own: prints what its first attachment took, and its second. */
int family_tool(int argc, char **argv)
{
    pid_t server = argc == 1 ? (pid_t) strtol(argv[0], NULL, 10) : -1;
    double ns[2];

    for (unsigned i = 0; i < 2; i++) {
        if (!attach_once(server, &ns[i])) {
            return 1;
        }
    }
    printf("%.1f %.1f\n", ns[0], ns[1]);
    return 0;
}

/* The command line says in a shell's words that no variable of the job is inherited. */
bool family_run_tool(const char *arguments, double *ret, unsigned n)
{
    char command[5000];
    bool good = true;
    FILE *said;

    snprintf(command, sizeof(command),
             "for v in $(env | sed -n 's/^\\(PMIX_[A-Za-z0-9_]*\\)=.*/\\1/p'); do case $v in "
             "PMIX_MCA_*) ;; *) unset $v ;; esac; done; exec '%s' %s",
             family_program, arguments);
    said = popen(command, "r");
    for (unsigned i = 0; i < n && good; i++) {
        good = said && fscanf(said, "%lf", &ret[i]) == 1;
    }
    return said && pclose(said) == 0 && good;
}

bool family_attach(const struct crew *crew)
{
    struct samples samples[2] = {{.n = 0}, {.n = 0}};
    bool good = true;

    for (unsigned i = 0; i < scaled(ATTACHES) && good && crew->self.rank == 0; i++) {
        char command[32];
        double ns[2];

        snprintf(command, sizeof(command), "tool %d", (int) getppid());
        good = family_run_tool(command, ns, 2);
        for (unsigned k = 0; k < 2 && good; k++) {
            sample_add(&samples[k], ns[k]);
        }
    }
    if (crew->self.rank == 0) {
        metric("attach", good, &samples[0]);
        metric("attach_again", good, &samples[1]);
    }
    return crew_fence(false) && good;
}
