/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Servers that die and come again, and one that sees many jobs go by: what their clients can still do, and that nothing
 * piles up. Each check is a line. Processes are forked before there is a server in them. life JOBS */

#include <dirent.h>
#include <pmix_server.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 100 };

static const pmix_nspace_t nspace = "life";

static void say(bool held, const char *what)
{
    printf("%s - %s\n", held ? "ok" : "not ok", what);
    fflush(stdout);
}

static void pass(int fd)
{
    if (write(fd, "", 1) != 1) {
        exit(3);
    }
}

static void await(int fd)
{
    char byte;

    if (read(fd, &byte, 1) != 1) {
        exit(4);
    }
}

/* --- the host --- */

static void add_job(const char *name)
{
    uint32_t size = 1;
    pmix_info_t info[2];
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, name, 0);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_LOCAL_PEERS, "0", PMIX_STRING);
    (void) PMIx_server_register_nspace(proc.nspace, 1, info, 2, NULL, NULL);
    (void) PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info[1]);
}

static void feed(int fd)
{
    pmix_proc_t proc;
    char **env = NULL;
    char **line;

    PMIX_LOAD_PROCID(&proc, nspace, 0);
    (void) PMIx_server_setup_fork(&proc, &env);
    for (line = env; line != NULL && *line != NULL; line++) {
        dprintf(fd, "%s\n", *line);
    }
    dprintf(fd, "\n");
    PMIX_ARGV_FREE(env);
}

static void serve(int to_client)
{
    pmix_server_module_t upcalls = {0};

    if (PMIx_server_init(&upcalls, NULL, 0) != PMIX_SUCCESS) {
        exit(5);
    }
    add_job(nspace);
    feed(to_client);
}

/* --- a client --- */

static void start_client(int from_host)
{
    FILE *lines = fdopen(dup(from_host), "re");
    char line[8192];
    pmix_proc_t me;

    setvbuf(lines, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, lines) != NULL && line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        putenv(strdup(line));
    }
    fclose(lines);
    say(PMIx_Init(&me, NULL, 0) == PMIX_SUCCESS, "a client is served");
}

static pmix_status_t get(pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    rc = PMIx_Get(&proc, key, NULL, 0, &value);
    if (value != NULL) {
        PMIX_VALUE_RELEASE(value);
    }
    return rc;
}

static bool is_lost(pmix_status_t rc)
{
    return rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_UNREACH;
}

static void bereaved(int from_host, int go, int ready)
{
    pmix_proc_t another;

    start_client(from_host);
    pass(ready);
    await(go);
    PMIX_LOAD_PROCID(&another, "elsewhere", 0);
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS, "without its server a client reads what is there");
    say(is_lost(PMIx_Connect(&another, 1, NULL, 0)), "it is told that the server is lost");
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS, "and reads on");
    (void) PMIx_Finalize(NULL, 0);
    say(true, "its finalize ends");
}

static void long_lived(int from_host, int go, int ready)
{
    start_client(from_host);
    pass(ready);
    await(go);
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS, "who was there all the time still reads");
    (void) PMIx_Finalize(NULL, 0);
}

/* --- the plot --- */

struct pair {
    pid_t client;
    int to_client; /* the environment */
    int go;
    int ready;
};

static struct pair start(void (*play)(int from_host, int go, int ready))
{
    int env[2];
    int go[2];
    int ready[2];
    struct pair pair;

    if (pipe(env) || pipe(go) || pipe(ready)) {
        exit(6);
    }
    pair = (struct pair) {.client = fork(), .to_client = env[1], .go = go[1], .ready = ready[0]};
    if (pair.client == 0) {
        alarm(SECONDS);
        play(env[0], go[0], ready[1]);
        exit(0);
    }
    return pair;
}

static bool ended_well(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && status == 0;
}

static void server_is_killed(void)
{
    struct pair pair = start(bereaved);
    pid_t host = fork();

    if (host == 0) {
        alarm(SECONDS);
        serve(pair.to_client);
        for (;;) {
            pause();
        }
    }
    await(pair.ready);
    kill(host, SIGKILL);
    (void) waitpid(host, NULL, 0);
    pass(pair.go);
    say(ended_well(pair.client), "it ends as it should");
}

static int descriptors(pid_t pid)
{
    char path[64];
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int) pid);
    dir = opendir(path);
    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static int mappings(pid_t pid)
{
    char path[64];
    char line[4096];
    FILE *maps;
    int n = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", (int) pid);
    maps = fopen(path, "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        n += strstr(line, "memfd:shmix") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

struct counts {
    int of[4];
};

static struct counts count(pid_t client)
{
    return (struct counts) {{descriptors(getpid()), mappings(getpid()), descriptors(client), mappings(client)}};
}

static void jobs_come_and_go(int n)
{
    struct pair pair = start(long_lived);
    struct counts before;
    struct counts after;
    pmix_nspace_t name;
    int most = 0;
    int i;

    serve(pair.to_client);
    await(pair.ready);
    before = count(pair.client);
    for (i = 0; i < n; i++) {
        snprintf(name, sizeof name, "job.%d", i);
        add_job(name);
        most = i % 100 == 0 && mappings(getpid()) > most ? mappings(getpid()) : most;
        PMIx_server_deregister_nspace(name, NULL, NULL);
    }
    after = count(pair.client);
    say(memcmp(&before, &after, sizeof before) == 0, "jobs that are over leave no descriptor and no mapping");
    say(getenv("PMIX_MCA_gds") != NULL || most == before.of[1] + 1, "each had one while it was there");
    pass(pair.go);
    say(ended_well(pair.client), "the client ends as it should");
    say(PMIx_server_finalize() == PMIX_SUCCESS && mappings(getpid()) == 0, "the server leaves nothing mapped");
}

int main(int argc, char **argv)
{
    alarm(SECONDS);
    server_is_killed();
    jobs_come_and_go(argc > 1 ? atoi(argv[1]) : 1000);
    return 0;
}
