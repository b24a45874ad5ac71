/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a segment is worth against those whom it is not for. A host (root) has two jobs, "mine" of
 * root and "theirs" of another user, and others that nobody runs. A process of the other user has
 * the environment of mine, a member of mine does to its own segment what it can, and a member of
 * theirs tries to get that of mine. Each says of every attempt whether it came to nothing; what
 * must succeed is tried too, so that nothing fails for want of a connection. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/falloc.h>
#include <pmix_server.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

enum { OTHER = 65534, SECONDS = 60, MANY_FDS = 256 };

/* One process of the test: forked before there is a server, fed with its environment when it is its
 * turn. */
struct actor {
    pid_t pid;
    int feed; /* to it: lines of the environment, then a byte: go on */
    int said; /* from it: a byte when it is ready */
};

static struct shared {
    pid_t server;
    pid_t member;
    void *segment; /* where the member has it */
} * shared;

static void say(bool held, const char *what)
{
    printf("%s - %s\n", held ? "ok" : "not ok", what);
    fflush(stdout);
}

/* --- looking at processes --- */

/* Lines of /proc/self/maps that are segments; *ret: where the last one is. */
static int segments(void **ret)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        if (strstr(line, "memfd:shmix (") != NULL) {
            *ret = (void *) (uintptr_t) strtoull(line, NULL, 16);
            n++;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

static int take_fd(pid_t pid, int fd)
{
    int pidfd = (int) syscall(SYS_pidfd_open, pid, 0);
    int got = pidfd < 0 ? -1 : (int) syscall(SYS_pidfd_getfd, pidfd, fd, 0);

    if (pidfd >= 0) {
        close(pidfd);
    }
    return got;
}

/* The server's descriptor of the segment that is mapped here, as a message would bring it. */
static int descriptor_of_mine(void)
{
    char path[64];
    char name[256];
    int found = -1;
    int fd;

    for (fd = 0; fd < MANY_FDS && found < 0; fd++) {
        ssize_t n;

        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int) shared->server, fd);
        n = readlink(path, name, sizeof(name) - 1);
        name[n > 0 ? n : 0] = '\0';
        if (strstr(name, "memfd:shmix (") != NULL) {
            found = take_fd(shared->server, fd);
        }
    }
    return found;
}

/* Reads of another job, whatever the server tells. */
static void read_of(const char *nspace)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&proc, PMIX_JOB_SIZE, NULL, 0, &value) == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(value);
    }
    proc.rank = 0;
    if (PMIx_Get(&proc, PMIX_LOCAL_RANK, NULL, 0, &value) == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(value);
    }
}

/* --- the member of mine --- */

static bool may_write(int fd)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool can = at != MAP_FAILED || pwrite(fd, "x", 1, 0) == 1;

    if (at != MAP_FAILED) {
        munmap(at, 4096);
    }
    at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    can = can || at == MAP_FAILED || mprotect(at, 4096, PROT_READ | PROT_WRITE) == 0;
    if (at != MAP_FAILED) {
        munmap(at, 4096);
    }
    return can;
}

static bool reopened_may_write(int fd)
{
    char path[64];
    int again;
    bool can;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    again = open(path, O_RDWR | O_CLOEXEC);
    can = again >= 0 && may_write(again);
    if (again >= 0) {
        close(again);
    }
    return can;
}

static bool forced(void *at)
{
    int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    char first = *(volatile char *) at;
    bool can = mem >= 0 && pwrite(mem, "x", 1, (off_t) (uintptr_t) at) == 1 &&
               *(volatile char *) at != first;

    if (mem >= 0) {
        close(mem);
    }
    return can;
}

static void attack_descriptor(void)
{
    int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
    int fd = descriptor_of_mine();

    say(fd >= 0, "the descriptor is there to be tried");
    say((fcntl(fd, F_GET_SEALS) & seals) == seals, "it has its four seals");
    say(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EPERM, "no seal can be added");
    say(!may_write(fd), "it cannot be written or mapped for writing");
    say(!reopened_may_write(fd), "nor when it is opened again");
    say(ftruncate(fd, 1 << 20) != 0 && ftruncate(fd, (off_t) 1 << 50) != 0, "it keeps its size");
    say(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) != 0,
        "it gets no holes");
    say(mprotect(shared->segment, 4096, PROT_READ | PROT_WRITE) != 0,
        "the mapping stays read-only");
    say(!forced(shared->segment), "by way of /proc/self/mem too");
    close(fd);
}

static void wait_for_turn(int feed)
{
    char byte;

    (void) !read(feed, &byte, 1);
}

static void member_of_mine(int feed, int ready)
{
    pmix_proc_t me;

    say(PMIx_Init(&me, NULL, 0) == PMIX_SUCCESS, "a member of mine is served");
    shared->member = getpid();
    say(segments(&shared->segment) == 1, "in one segment");
    (void) !write(ready, "", 1);
    wait_for_turn(feed);
    attack_descriptor();
    read_of("theirs");
    say(segments(&shared->segment) == 1, "asking for theirs brings mine no segment");
    say(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "and it is still served after that");
}

/* --- the other user --- */

static void thief(int feed, int ready)
{
    void *at;
    pmix_proc_t me;

    (void) ready;
    wait_for_turn(feed);
    say(PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS,
        "the environment of mine does not let another user in");
    say(segments(&at) == 0, "and he maps nothing");
}

static bool opened(pid_t pid, const char *what, int flags)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, what);
    fd = open(path, flags | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* Anything of another process that is a descriptor. */
static int obtained(pid_t pid)
{
    char name[32];
    int n = 0;
    int i;

    for (i = 0; i < MANY_FDS; i++) {
        int fd = take_fd(pid, i);

        snprintf(name, sizeof(name), "fd/%d", i);
        n += opened(pid, name, O_RDONLY) || fd >= 0;
        if (fd >= 0) {
            close(fd);
        }
    }
    return n;
}

static bool peeked(void)
{
    char byte;
    struct iovec to = {.iov_base = &byte, .iov_len = 1};
    struct iovec from = {.iov_base = shared->segment, .iov_len = 1};

    return process_vm_readv(shared->member, &to, 1, &from, 1, 0) == 1;
}

static void ask_for_others(void)
{
    void *at;

    read_of("mine");
    say(segments(&at) == 1, "asking for mine brings theirs no segment");
    read_of("nobodys");
    say(segments(&at) == 1, "nor does a job without clients, which is the server's user's");
    read_of("both");
    say(segments(&at) == 1, "nor one that has clients of both users");
    read_of("also");
    say(segments(&at) == 2, "but another job of the same user does");
}

static void member_of_theirs(int feed, int ready)
{
    pmix_value_t *value = NULL;
    pmix_proc_t me;
    void *at;

    (void) ready;
    wait_for_turn(feed);
    say(PMIx_Init(&me, NULL, 0) == PMIX_SUCCESS && segments(&at) == 1,
        "a member of theirs has a segment");
    me.rank = PMIX_RANK_WILDCARD;
    say(PMIx_Get(&me, PMIX_JOB_SIZE, NULL, 0, &value) == PMIX_SUCCESS && value->data.uint32 == 2,
        "its own");
    ask_for_others();
    say(obtained(shared->server) == 0, "no descriptor of the server is to be had");
    say(obtained(shared->member) == 0, "none of a client");
    say(!opened(shared->member, "mem", O_RDONLY) &&
            !opened(shared->member, "map_files", O_RDONLY | O_DIRECTORY) && !peeked(),
        "its memory is not to be seen");
    PMIX_VALUE_RELEASE(value);
    PMIx_Finalize(NULL, 0);
}

/* --- the host --- */

static void expect(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "other_user: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void read_environment(int feed)
{
    FILE *lines = fdopen(dup(feed), "re");
    char line[8192];

    setvbuf(lines, NULL, _IONBF, 0);
    while (fgets(line, sizeof(line), lines) != NULL && line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        putenv(strdup(line));
    }
    fclose(lines);
}

static void become(uid_t uid)
{
    if (uid != geteuid() && (setgroups(0, NULL) || setgid(uid) || setuid(uid))) {
        perror("other_user: setuid");
        exit(1);
    }
}

static struct actor start(uid_t uid, void (*play)(int feed, int ready))
{
    int feed[2];
    int said[2];
    struct actor actor;

    if (pipe2(feed, O_CLOEXEC) || pipe2(said, O_CLOEXEC)) {
        perror("other_user: pipe");
        exit(1);
    }
    actor = (struct actor){.pid = fork(), .feed = feed[1], .said = said[0]};
    if (actor.pid == 0) {
        alarm(SECONDS);
        close(feed[1]);
        close(said[0]);
        become(uid);
        read_environment(feed[0]);
        play(feed[0], said[1]);
        exit(0);
    }
    close(feed[0]);
    close(said[1]);
    return actor;
}

static void feed(const struct actor *actor, const char *nspace)
{
    pmix_proc_t proc;
    char **env = NULL;
    char **line;

    PMIX_LOAD_PROCID(&proc, nspace, 0);
    expect(PMIx_server_setup_fork(&proc, &env), "set up the environment");
    for (line = env; *line != NULL; line++) {
        dprintf(actor->feed, "%s\n", *line);
    }
    dprintf(actor->feed, "\n");
    PMIX_ARGV_FREE(env);
}

static int ended(const struct actor *actor)
{
    int status;

    (void) !write(actor->feed, "", 1);
    if (waitpid(actor->pid, &status, 0) != actor->pid || status != 0) {
        fprintf(stderr, "other_user: a process ended with %d\n", status);
        return 1;
    }
    return 0;
}

static void add_client(const char *nspace, pmix_rank_t rank, uid_t uid)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    expect(PMIx_server_register_client(&proc, uid, uid, NULL, NULL, NULL), "register a process");
}

static void add_job(const char *nspace, uint32_t size)
{
    pmix_info_t info[2];
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, 0);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_LOCAL_PEERS, "0", PMIX_STRING);
    expect(PMIx_server_register_nspace(proc.nspace, 1, info, 2, NULL, NULL), "register a job");
    PMIX_INFO_DESTRUCT(&info[1]);
}

int main(void)
{
    pmix_server_module_t upcalls = {0};
    struct actor thieving;
    struct actor mine;
    struct actor theirs;
    char byte;
    int bad;

    alarm(2 * SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return 1;
    }
    shared->server = getpid();
    thieving = start(OTHER, thief);
    mine = start(0, member_of_mine);
    theirs = start(OTHER, member_of_theirs);
    expect(PMIx_server_init(&upcalls, NULL, 0), "start the server");
    add_job("mine", 1);
    add_client("mine", 0, 0);
    add_job("theirs", 2);
    add_client("theirs", 0, OTHER);
    add_job("also", 1);
    add_client("also", 0, OTHER);
    add_job("nobodys", 1);
    add_job("both", 2);
    add_client("both", 0, OTHER);
    add_client("both", 1, 0);
    feed(&thieving, "mine");
    bad = ended(&thieving);
    feed(&mine, "mine");
    bad += read(mine.said, &byte, 1) != 1;
    feed(&theirs, "theirs");
    bad += ended(&theirs);
    bad += ended(&mine);
    expect(PMIx_server_finalize(), "stop the server");
    return bad != 0;
}
