/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connections that processes inherit: a server that starts processes, and does to what they inherit
 * what can happen to it. Each process is this program again; its exit code says by which way it
 * came to its server. Writes "ok - TEXT" or "not ok - TEXT" for each attempt. */

#include <pmix.h>
#include <pmix_server.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOB "inherit"
#define BOX "PMIX_SHMIX_INHERIT"

enum { INHERITED = 10, ORDINARY = 20, NOT_SERVED = 30, REFUSED = 31, FAILED = 40, RANKS = 2 };
enum { OTHER_USER = 65534, THIRD_USER = 1, PATIENCE_S = 60 };

/* ---- a process of the job */

static int n_calls; /* of those by which a client would connect or send */

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
    n_calls++;
    return (int) syscall(SYS_connect, fd, to, len);
}

int socket(int domain, int type, int protocol)
{
    n_calls++;
    return (int) syscall(SYS_socket, domain, type, protocol);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
    n_calls++;
    return syscall(SYS_sendmsg, fd, msg, flags);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    n_calls++;
    return syscall(SYS_sendto, fd, bytes, len, flags, NULL, 0);
}

static pmix_proc_t me;

/* Init, and what it took. */
static int come(void)
{
    pmix_value_t *size = NULL;
    pmix_proc_t job;

    n_calls = 0;
    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) {
        return REFUSED;
    }
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &size) != PMIX_SUCCESS) {
        return FAILED;
    }
    PMIX_VALUE_RELEASE(size);
    return n_calls == 0 ? INHERITED : ORDINARY;
}

/* Something that the server has to answer. */
static bool is_served(void)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = me.rank};

    return PMIx_Put(PMIX_GLOBAL, "inherit.key", &value) == PMIX_SUCCESS &&
           PMIx_Commit() == PMIX_SUCCESS && PMIx_Fence(&me, 1, NULL, 0) == PMIX_SUCCESS;
}

static int visit(void)
{
    int way = come();
    bool served = way < NOT_SERVED && is_served();

    if (PMIx_Initialized()) {
        (void) PMIx_Finalize(NULL, 0);
    }
    return way >= NOT_SERVED ? way : served ? way : NOT_SERVED;
}

/* Runs this program again in the same environment, and waits. */
static int again(const char *what)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/proc/self/exe", "inherit", what, (char *) NULL);
        _exit(FAILED);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

/* As a shell script with two clients in a row. */
static int twice(void)
{
    int first = again("visit");

    return first == INHERITED ? again("visit") : FAILED;
}

/* A client that starts another one, and goes on. */
static int nested(void)
{
    int way = come();
    int other = again("visit");
    bool served = is_served();

    (void) PMIx_Finalize(NULL, 0);
    return way == INHERITED && served ? other : FAILED;
}

/* A client that ends without a word, while its parent has all that it had inherited. */
static int die(void)
{
    return come() == INHERITED && kill(getpid(), SIGKILL) == 0 ? FAILED : FAILED;
}

static int holder(void)
{
    char byte;

    (void) again("die");
    return read(STDIN_FILENO, &byte, 1) == 0 ? 0 : FAILED; /* until the server closes the pipe */
}

/* Waits for a process that dies: the fence is to tell. */
static int bereft(void)
{
    int way = come();
    pmix_status_t rc = PMIx_Fence(NULL, 0, NULL, 0);

    (void) PMIx_Finalize(NULL, 0);
    return way == INHERITED && rc != PMIX_SUCCESS ? INHERITED : FAILED;
}

static int act(const char *what)
{
    static const struct {
        const char *name;
        int (*fn)(void);
    } acts[] = {{"visit", visit}, {"twice", twice},   {"nested", nested},
                {"die", die},     {"holder", holder}, {"bereft", bereft}};

    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        if (strcmp(what, acts[i].name) == 0) {
            return acts[i].fn();
        }
    }
    return 0; /* no client at all */
}

/* ---- the server */

static int n_connected; /* atomic */
static int n_finalized; /* atomic */

static pmix_status_t connected(const pmix_proc_t *proc, void *object, pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) object;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    (void) __atomic_add_fetch(&n_connected, 1, __ATOMIC_SEQ_CST);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    (void) proc;
    (void) object;
    (void) cbfunc;
    (void) cbdata;
    (void) __atomic_add_fetch(&n_finalized, 1, __ATOMIC_SEQ_CST);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_server_module_t module = {.client_connected2 = connected,
                                      .client_finalized = finalized};

static int n_failed;

static void say(bool holds, const char *what)
{
    n_failed += !holds;
    printf("%s - %s\n", holds ? "ok" : "not ok", what);
    fflush(stdout);
}

static void must(bool held, const char *what)
{
    if (!held) {
        printf("not ok - %s\n", what);
        exit(1);
    }
}

static bool sound(pmix_status_t rc)
{
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED;
}

static pmix_proc_t process(pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, JOB, rank);
    return proc;
}

static void register_rank(pmix_rank_t rank, uid_t uid, gid_t gid)
{
    pmix_proc_t proc = process(rank);

    PMIx_server_deregister_client(&proc, NULL, NULL);
    must(sound(PMIx_server_register_client(&proc, uid, gid, NULL, NULL, NULL)), "register_client");
}

static void register_job(void)
{
    uint32_t size = RANKS;
    pmix_info_t info[3];

    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    must(sound(PMIx_server_register_nspace(process(0).nspace, RANKS, info, 3, NULL, NULL)),
         "register_nspace");
    for (pmix_rank_t r = 0; r < RANKS; r++) {
        register_rank(r, geteuid(), getegid());
    }
    for (int i = 0; i < 3; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
}

/* How a process is started, beside what setup_fork says. */
struct start {
    pmix_rank_t rank;
    const char *what;
    char **env;
    int box;                               /* what it inherits; -1: nothing */
    void (*change)(const struct start *s); /* in the child, before it becomes its program */
    uid_t uid;
    int input;
};

static const char *value_of(char **env, const char *name)
{
    size_t len = strlen(name);

    for (; *env != NULL; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') {
            return *env + len + 1;
        }
    }
    return NULL;
}

static struct start prepare(pmix_rank_t rank, const char *what, const char *ask)
{
    struct start s = {.rank = rank, .what = what, .uid = geteuid(), .box = -1, .input = -1};
    pmix_proc_t proc = process(rank);

    s.env = NULL;
    for (char **at = environ; *at != NULL; at++) {
        must(PMIx_Argv_append_nosize(&s.env, *at) == PMIX_SUCCESS, "environment");
    }
    if (ask != NULL) {
        must(PMIx_Setenv(BOX, ask, true, &s.env) == PMIX_SUCCESS, "environment");
    }
    must(PMIx_server_setup_fork(&proc, &s.env) == PMIX_SUCCESS, "setup_fork");
    if (value_of(s.env, BOX) != NULL) {
        s.box = atoi(value_of(s.env, BOX));
    }
    return s;
}

static void become(const struct start *s)
{
    if (s->box >= 0) {
        (void) fcntl(s->box, F_SETFD, 0);
    }
    if (s->input >= 0) {
        (void) dup2(s->input, STDIN_FILENO);
    }
    if (s->change != NULL) {
        s->change(s);
    }
    if (s->uid != geteuid() &&
        (setgroups(0, NULL) != 0 || setgid(s->uid) != 0 || setuid(s->uid) != 0)) {
        _exit(FAILED);
    }
    execle("/proc/self/exe", "inherit", s->what, (char *) NULL, s->env);
    _exit(FAILED);
}

static pid_t launch(struct start *s)
{
    pid_t pid = fork();

    if (pid == 0) {
        become(s);
    }
    must(pid > 0, "fork");
    if (s->box >= 0) {
        close(s->box);
    }
    PMIx_Argv_free(s->env);
    return pid;
}

static int end_of(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static int run(struct start s)
{
    return end_of(launch(&s));
}

static int run_changed(const char *what, void (*change)(const struct start *s))
{
    struct start s = prepare(0, what, "ask");

    s.change = change;
    return run(s);
}

static int n_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    closedir(dir);
    return n;
}

/* Waits until the server has as few descriptors as before; it learns of an end a moment later. */
static bool as_before(int n)
{
    time_t end = time(NULL) + PATIENCE_S;

    while (n_descriptors() > n && time(NULL) < end) {
        sched_yield();
    }
    return n_descriptors() <= n;
}

/* ---- what happens to descriptors, in the child */

static void close_box(const struct start *s)
{
    close(s->box);
}

static void box_is_file(const struct start *s)
{
    (void) dup2(open("/dev/null", O_RDWR), s->box);
}

static int
    others[2]; /* a pair of sockets of the test's own, one end of which stands in the place */

static void box_is_other(const struct start *s)
{
    (void) dup2(others[0], s->box);
}

static void no_inherit(const struct start *s)
{
    (void) PMIx_Setenv("PMIX_MCA_shmix_inherit", "0", true, (char ***) &s->env);
}

/* ---- attempts */

static void in_order(void)
{
    int before = n_descriptors();
    int way = run(prepare(0, "visit", "ask"));

    say(way == INHERITED,
        "a process inherits its connection, and neither connects nor sends in init");
    say(as_before(before) && n_connected == 1 && n_finalized == 1,
        "its host is told that it came and left, and keeps no descriptor");
    say(run(prepare(0, "visit", NULL)) == ORDINARY, "without a question nothing is inherited");
    say(run(prepare(0, "visit", "57:1:0:" JOB)) == ORDINARY, "nor what was another's");
    say(run_changed("visit", no_inherit) == ORDINARY, "nor where a parameter forbids it");
}

static void spoiled(void)
{
    char text[8] = "";

    say(run_changed("visit", close_box) == ORDINARY, "a descriptor that is closed");
    say(run_changed("visit", box_is_file) == ORDINARY, "one that is a file by now");
    must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, others) == 0 &&
             write(others[1], "mine", 4) == 4,
         "socketpair");
    say(run_changed("visit", box_is_other) == ORDINARY, "one that is another socket by now");
    say(recv(others[0], text, sizeof(text), MSG_DONTWAIT) == 4 && strcmp(text, "mine") == 0,
        "what lies in that is not touched");
    close(others[0]);
    close(others[1]);
}

static void shared_by_several(void)
{
    struct start wrong;
    struct start right = prepare(0, "visit", "ask");

    wrong = prepare(1, "visit", NULL);
    must(PMIx_Setenv(BOX, value_of(right.env, BOX), true, &wrong.env) == PMIX_SUCCESS, "Setenv");
    wrong.box = fcntl(right.box, F_DUPFD_CLOEXEC, right.box + 1);
    must(wrong.box >= 0 && fcntl(right.box, F_SETFD, 0) == 0, "fcntl");
    say(run(wrong) == ORDINARY, "another rank does not take what is not its own");
    say(run(right) == INHERITED, "which is there for the right one");
    say(run(prepare(0, "twice", "ask")) == ORDINARY, "a script's second client");
    say(run(prepare(0, "nested", "ask")) == ORDINARY, "a client's own child");
}

static void ends(void)
{
    int before = n_descriptors();
    int connections = n_connected;
    int pipes[2];
    struct start s;
    pid_t kept;

    say(run(prepare(0, "nothing", "ask")) == 0 && as_before(before) && n_connected == connections,
        "who is no client has not been there");
    must(pipe2(pipes, O_CLOEXEC) == 0, "pipe");
    s = prepare(0, "holder", "ask");
    s.input = pipes[0];
    kept = launch(&s);
    say(run(prepare(1, "bereft", "ask")) == INHERITED,
        "a client that dies is missed, though its parent has what it had inherited");
    close(pipes[0]);
    close(pipes[1]);
    say(end_of(kept) == 0, "that was there all the time");
    s = prepare(0, "visit", "ask");
    register_rank(0, geteuid(), getegid());
    say(run(s) == ORDINARY, "what a server has given up is not used");
    register_rank(1, geteuid(), getegid());
}

/* A socket of a user that is not trusted stands in the environment as ours would. */
static void box_is_foreign(const struct start *s)
{
    char text[128];
    struct stat st;

    (void) dup2(others[0], s->box);
    (void) fstat(s->box, &st);
    snprintf(text, sizeof(text), "%d:%llu:0:%s", s->box, (unsigned long long) st.st_ino, JOB);
    (void) PMIx_Setenv(BOX, text, true, (char ***) &s->env);
}

static void users(void)
{
    struct start s;
    char text[8];

    register_rank(0, OTHER_USER, OTHER_USER);
    s = prepare(0, "visit", "ask");
    s.uid = OTHER_USER;
    say(run(s) == INHERITED, "a process of the user that it is registered for");
    s = prepare(0, "visit", "ask");
    s.uid = THIRD_USER;
    say(run(s) == NOT_SERVED, "one of another user is not served");
    must(seteuid(THIRD_USER) == 0 &&
             socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, others) == 0 &&
             seteuid(0) == 0 && write(others[1], "trap", 4) == 4,
         "socketpair");
    register_rank(0, OTHER_USER, OTHER_USER);
    s = prepare(0, "visit", "ask");
    s.uid = OTHER_USER;
    s.change = box_is_foreign;
    say(run(s) == ORDINARY, "a socket of a user that is not trusted");
    say(recv(others[0], text, sizeof(text), MSG_DONTWAIT) == 4, "nothing is read from that");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return act(argv[1]);
    }
    must(sound(PMIx_server_init(&module, NULL, 0)), "server_init");
    register_job();
    in_order();
    spoiled();
    shared_by_several();
    ends();
    if (geteuid() == 0) {
        users();
    } else {
        say(true, "other users # SKIP only root can be two users");
    }
    return sound(PMIx_server_finalize()) && n_failed == 0 ? 0 : 1;
}
