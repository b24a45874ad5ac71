/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Servers that die and come again, and one that sees many jobs go by: what their clients can still
 * do, and that nothing piles up. Each check is a line. Processes are forked before there is a
 * server in them. life JOBS */

#include <dirent.h>
#include <pmix_server.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 100, BLOB = 8192, MOVES = 100 };

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

static void feed(int fd, pmix_rank_t rank)
{
    pmix_proc_t proc;
    char **env = NULL;
    char **line;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    (void) PMIx_server_setup_fork(&proc, &env);
    for (line = env; line != NULL && *line != NULL; line++) {
        dprintf(fd, "%s\n", *line);
    }
    dprintf(fd, "\n");
    PMIX_ARGV_FREE(env);
}

static void serve(void)
{
    pmix_server_module_t upcalls = {0};

    if (PMIx_server_init(&upcalls, NULL, 0) != PMIX_SUCCESS) {
        exit(5);
    }
    add_job(nspace);
}

/* --- a client --- */

static void start_client(int from_host)
{
    FILE *lines = fdopen(dup(from_host), "re");
    char line[8192];
    pmix_proc_t me;

    setvbuf(lines, NULL, _IONBF, 0);
    while (fgets(line, sizeof(line), lines) != NULL && line[0] != '\n') {
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
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS,
        "without its server a client reads what is there");
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
    say(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == PMIX_SUCCESS,
        "who was there all the time still reads");
    (void) PMIx_Finalize(NULL, 0);
}

/* All bytes of the blob are alike, whatever they are. */
static bool is_whole(void)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    bool whole;
    size_t i;

    PMIX_LOAD_PROCID(&proc, nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&proc, "blob", NULL, 0, &value) != PMIX_SUCCESS) {
        return false;
    }
    whole = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == BLOB;
    for (i = 1; whole && i < BLOB; i++) {
        whole = value->data.bo.bytes[i] == value->data.bo.bytes[0];
    }
    PMIX_VALUE_RELEASE(value);
    return whole;
}

/* Reads until it is told to stop. */
static void reading(int from_host, int go, int ready)
{
    struct pollfd end = {.fd = go, .events = POLLIN};
    bool whole = true;

    start_client(from_host);
    pass(ready);
    while (whole && poll(&end, 1, 0) == 0) {
        whole = is_whole();
    }
    say(whole && is_whole(), "a reader that was stopped meanwhile found every value whole");
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
    pair = (struct pair){.client = fork(), .to_client = env[1], .go = go[1], .ready = ready[0]};
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
        serve();
        feed(pair.to_client, 0);
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

    snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
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

    snprintf(path, sizeof(path), "/proc/%d/maps", (int) pid);
    maps = fopen(path, "re");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strstr(line, "memfd:shmix (") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

/* The line of our own segment, which names it by its inode. */
static bool where(char *ret, int size)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;

    while (maps != NULL && !found && fgets(ret, size, maps) != NULL) {
        found = strstr(ret, "memfd:shmix (") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

struct counts {
    int of[4];
};

static struct counts count(pid_t client)
{
    return (struct counts){
        {descriptors(getpid()), mappings(getpid()), descriptors(client), mappings(client)}};
}

static void jobs_come_and_go(int n)
{
    struct pair pair = start(long_lived);
    struct counts before;
    struct counts after;
    pmix_nspace_t name;
    int most = 0;
    int i;

    serve();
    feed(pair.to_client, 0);
    await(pair.ready);
    before = count(pair.client);
    for (i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "job.%d", i);
        add_job(name);
        most = i % 100 == 0 && mappings(getpid()) > most ? mappings(getpid()) : most;
        PMIx_server_deregister_nspace(name, NULL, NULL);
    }
    after = count(pair.client);
    say(memcmp(&before, &after, sizeof(before)) == 0,
        "jobs that are over leave no descriptor and no mapping");
    say(getenv("PMIX_MCA_gds") != NULL || most == before.of[1] + 1,
        "each had one while it was there");
    pass(pair.go);
    say(ended_well(pair.client), "the client ends as it should");
    say(PMIx_server_finalize() == PMIX_SUCCESS && mappings(getpid()) == 0,
        "the server leaves nothing mapped");
}

static void update(int i)
{
    static char bytes[BLOB];
    pmix_info_t info = {
        .key = "blob",
        .value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = BLOB}}};
    pmix_nspace_t name;

    PMIX_LOAD_NSPACE(name, nspace);
    memset(bytes, 'a' + i % 26, sizeof(bytes));
    (void) PMIx_server_register_nspace(name, 1, &info, 1, NULL, NULL);
}

/* How often the server's own segment is another one than before, while one client is stopped and
 * one is killed. */
static int move_often(pid_t stopped, pid_t killed)
{
    char now[4096];
    char before[4096] = "";
    int moves = -1;
    int i;

    for (i = 0; moves < MOVES && i < 20 * MOVES; i++) {
        update(i);
        if (i == 3) {
            kill(stopped, SIGSTOP);
        } else if (i == 50) {
            kill(killed, SIGKILL);
        }
        if (where(now, sizeof(now)) && strcmp(now, before) != 0) {
            strcpy(before, now);
            moves++;
        }
    }
    return moves;
}

static void segments_move(void)
{
    struct pair stopped = start(reading);
    struct pair killed = start(reading);
    pmix_proc_t proc;
    bool moved;

    (void) setenv("PMIX_MCA_shmix_segment_dead", "4096", 1);
    serve();
    update(0);
    feed(stopped.to_client, 0);
    PMIX_LOAD_PROCID(&proc, nspace, 1);
    (void) PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    feed(killed.to_client, 1);
    await(stopped.ready);
    await(killed.ready);
    moved = move_often(stopped.client, killed.client) == MOVES;
    say(getenv("PMIX_MCA_gds") != NULL || moved, "the segment has moved a hundred times");
    say(mappings(getpid()) <= 1, "of which the server has the last");
    (void) waitpid(killed.client, NULL, 0);
    kill(stopped.client, SIGCONT);
    pass(stopped.go);
    say(ended_well(stopped.client), "and ends as it should");
    (void) PMIx_server_finalize();
}

int main(int argc, char **argv)
{
    pid_t pid;

    alarm(SECONDS);
    server_is_killed();
    pid = fork(); /* this one is a server with parameters of its own */
    if (pid == 0) {
        segments_move();
        exit(0);
    }
    (void) ended_well(pid);
    jobs_come_and_go(argc > 1 ? atoi(argv[1]) : 1000);
    return 0;
}
