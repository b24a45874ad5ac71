/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "actors.h"

#include <fcntl.h>
#include <grp.h>
#include <pmix.h>
#include <pmix_server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
static int turns;
static int steps[2]; /* a pipe: each byte is a step that an actor has done */

void *actors_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || pipe2(steps, O_CLOEXEC) != 0) {
        exit(1);
    }
    return memory;
}

int await_step(void)
{
    char byte;

    return read(steps[0], &byte, 1) != 1;
}

void await_turn(void)
{
    char byte;

    if (read(turns, &byte, 1) != 1) {
        exit(2);
    }
}

void step_done(void)
{
    (void) !write(steps[1], "", 1);
    await_turn();
}

void say(bool held, const char *what)
{
    failures += !held;
    printf("%s - %s\n", held ? "ok" : "not ok", what);
    fflush(stdout);
}

struct actor actor_start(uid_t uid, void (*play)(void))
{
    struct actor actor;
    int turn[2];

    if (pipe2(turn, O_CLOEXEC) != 0) {
        exit(1);
    }
    actor = (struct actor){.pid = fork(), .turn = turn[1]};
    if (actor.pid == 0) {
        alarm(ACTOR_SECONDS);
        close(turn[1]);
        turns = turn[0];
        if (setgroups(0, NULL) || setgid(uid) || setuid(uid)) {
            exit(2);
        }
        await_turn();
        play();
        exit(failures != 0);
    }
    close(turn[0]);
    return actor;
}

void actor_turn(const struct actor *actor)
{
    (void) !write(actor->turn, "", 1);
}

int actor_finish(const struct actor *actor)
{
    int status = -1;

    actor_turn(actor);
    return waitpid(actor->pid, &status, 0) == actor->pid && status == 0 ? 0 : 1;
}

static const char *const uris[] = {"PMIX_SHMIX_URI", "PMIX_SERVER_URI41", "PMIX_SERVER_URI4",
                                   "PMIX_VERSION"};

void join_job(const struct contact *contact, const char *name)
{
    pmix_proc_t me;

    for (int i = 0; i < 4; i++) {
        if (contact->env[i][0] != '\0') {
            setenv(uris[i], contact->env[i], 1);
        }
    }
    setenv("PMIX_NAMESPACE", name, 1);
    setenv("PMIX_RANK", "0", 1);
    say(PMIx_Init(&me, NULL, 0) == PMIX_SUCCESS, "a client");
}

void contact_read(struct contact *contact, const char *name)
{
    for (int i = 0; i < 4; i++) {
        (void) environment_of(name, uris[i], contact->env[i], sizeof(contact->env[i]));
    }
}

void add_job(const char *name, uid_t uid)
{
    pmix_proc_t proc;
    pmix_info_t info[2];
    uint32_t size = 1;

    PMIX_LOAD_PROCID(&proc, name, 0);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_LOCAL_PEERS, "0", PMIX_STRING);
    PMIx_server_register_nspace(proc.nspace, 1, info, 2, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info[1]);
    PMIx_server_register_client(&proc, uid, uid, NULL, NULL, NULL);
}

bool environment_of(const char *name, const char *variable, char *ret, size_t room)
{
    size_t len = strlen(variable);
    char **env = NULL;
    bool found = false;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, name, 0);
    PMIx_server_setup_fork(&proc, &env);
    for (char **at = env; !found && at != NULL && *at != NULL; at++) {
        found = strncmp(*at, variable, len) == 0 && (*at)[len] == '=';
        if (found) {
            snprintf(ret, room, "%s", *at + len + 1);
        }
    }
    PMIX_ARGV_FREE(env);
    return found;
}

int server_start(pmix_server_module_t *module, const char *const (*params)[2], size_t n)
{
    pmix_status_t rc;

    for (size_t i = 0; i < n; i++) {
        (void) setenv(params[i][0], params[i][1], 1);
    }
    rc = PMIx_server_init(module, NULL, 0);
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "server init: %s\n", PMIx_Error_string(rc));
        return 1;
    }
    return 0;
}

int segments(void)
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
