/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The files by which tools find a server: when they are there, what is in them, and that they go.
 * Each case in its own process. Requirement ids in brackets. Covers: SHM-009 */

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "src/host/host.h"
#include "test/unit/scratch.h"

static pmix_status_t tool_connected(struct upcall *upcall)
{
    upcall->reply.tool(PMIX_SUCCESS, NULL, upcall->cbdata);
    return PMIX_SUCCESS;
}

static const struct answer answers[N_ENTRIES] = {[ON_TOOL] = {OWN, .own = tool_connected}};
static const struct px_host host = {.answers = answers};

static pmix_status_t start(const char *support, const char *launcher)
{
    pmix_info_t info[6];
    size_t n = 0;
    bool yes = true;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[n], PMIX_SERVER_TMPDIR, scratch, PMIX_STRING);
    n++;
    PMIX_INFO_LOAD(&info[n], PMIX_SYSTEM_TMPDIR, scratch, PMIX_STRING);
    n++;
    PMIX_INFO_LOAD(&info[n], PMIX_SERVER_NSPACE, "srv", PMIX_STRING);
    n++;
    PMIX_INFO_LOAD(&info[n], PMIX_HOSTNAME, "here", PMIX_STRING);
    n++;
    if (support) {
        PMIX_INFO_LOAD(&info[n], support, &yes, PMIX_BOOL);
        n++;
    }
    if (launcher) {
        PMIX_INFO_LOAD(&info[n], PMIX_LAUNCHER_RENDEZVOUS_FILE, launcher, PMIX_STRING);
        n++;
    }
    rc = PMIx_server_init(px_host_module(&host), info, n);
    for (size_t i = 0; i < n; i++) {
        PMIx_Value_destruct(&info[i].value);
    }
    return rc;
}

static bool there(const char *name)
{
    return access(scratch_path(name), F_OK) == 0;
}

static bool there_by_pid(void)
{
    char name[64];

    snprintf(name, sizeof(name), "pmix.here.tool.%d", (int) getpid());
    return there(name);
}

static unsigned entries(void)
{
    DIR *dir = opendir(scratch);
    struct dirent *entry;
    unsigned n = 0;

    check(dir != NULL);
    for (entry = readdir(dir); entry; entry = readdir(dir)) {
        n += entry->d_name[0] != '.';
    }
    (void) closedir(dir);
    return n;
}

static struct stat identity(const char *name)
{
    struct stat st;

    check(stat(scratch_path(name), &st) == 0);
    return st;
}

/* [TOOL-001] */
static void not_asked(void)
{
    check(start(NULL, NULL) == PMIX_SUCCESS);
    check(entries() == 0);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
}

/* [TOOL-006], [TOOL-011], [TOOL-012], [TOOL-013], [TOOL-014] */
static void asked(void)
{
    char line[256];
    struct stat st;
    FILE *f;

    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) == PMIX_SUCCESS);
    check(there("pmix.here.tool") && there("pmix.here.tool.srv") && there_by_pid());
    check(entries() == 3);
    st = identity("pmix.here.tool.srv");
    check((st.st_mode & 0777) == 0640);
    f = fopen(scratch_path("pmix.here.tool.srv"), "r");
    check(f != NULL);
    check(fgets(line, sizeof(line), f) != NULL &&
          strncmp(line, "srv.0;tcp4://127.0.0.1:", 23) == 0);
    check(fgets(line, sizeof(line), f) != NULL && strcmp(line, "5.0.0\n") == 0);
    check(fgets(line, sizeof(line), f) != NULL && atoi(line) == (int) getpid());
    check(fgets(line, sizeof(line), f) != NULL && atoi(line) == (int) geteuid());
    check(fgets(line, sizeof(line), f) != NULL && strlen(line) > 10);
    (void) fclose(f);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 0);
}

/* A second server, in a process of its own, is refused if that is wanted; otherwise it starts, and
 * leaves the file to the first one, also when it ends. */
static void start_second(const char *support, bool refused)
{
#if !defined(__SANITIZE_THREAD__) /* which takes no thread of a child where its parent had one */
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        check(setenv("PMIX_MCA_shmix_one_system_server", refused ? "1" : "0", 1) == 0);
        check(start(support, NULL) == (refused ? PMIX_ERR_EXISTS : PMIX_SUCCESS));
        check(there_by_pid() == !refused);
        _exit(refused || PMIx_server_finalize() == PMIX_SUCCESS ? 0 : 1);
    }
    check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
#else
    (void) support;
    (void) refused;
#endif
}

/* [TOOL-008] Hosts that all take themselves for the node's scheduler, as launchers do. */
static void several(void)
{
    static const char *const support[][2] = {{PMIX_SERVER_SYSTEM_SUPPORT, "pmix.sys.here"},
                                             {PMIX_SERVER_SCHEDULER, "pmix.sched.here"},
                                             {PMIX_SERVER_SYS_CONTROLLER, "pmix.sysctrlr.here"}};

    for (size_t i = 0; i < 3; i++) {
        struct stat first;

        check(start(support[i][0], NULL) == PMIX_SUCCESS);
        first = identity(support[i][1]);
        start_second(support[i][0], false);
        start_second(support[i][0], true);
        check(identity(support[i][1]).st_ino == first.st_ino);
        check(PMIx_server_finalize() == PMIX_SUCCESS);
        check(entries() == 0);
    }
}

/* [TOOL-007], [TOOL-008], [TOOL-016] */
static void one_system_server(void)
{
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(there("pmix.sys.here") && there("pmix.here.tool"));
    start_second(PMIX_SERVER_SYSTEM_SUPPORT, true);
    check(there("pmix.sys.here") && entries() == 4);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 0);
}

/* What a dead server left is replaced. */
static void left_behind(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid && there("pmix.sys.here"));
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(!there("pmix.sys.here") && !there("pmix.here.tool.srv"));
}

/* A server that is killed, and what it leaves. */
static pid_t leave(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return pid;
}

static void put_file(const char *name, const char *text)
{
    FILE *f = fopen(scratch_path(name), "w");

    check(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* All that killed servers left goes with the next one's start; what is anybody else's stays, and so
 * does what may be a living server's. */
static void swept(void)
{
    char name[64];
    char text[512];
    FILE *f;
    size_t n;

    snprintf(name, sizeof(name), "pmix.here.tool.%d", (int) leave());
    check(there(name) && there("pmix.here.tool"));
    f = fopen(scratch_path(name), "r");
    check(f != NULL);
    n = fread(text, 1, sizeof(text) - 1, f);
    text[n] = 0;
    (void) fclose(f);
    put_file("pmix.here.other", text);
    put_file("pmix.here.tool.rubbish", "rubbish\n");
    put_file("pmix.here.tool.stock", "a.0;tcp4://127.0.0.1:9\n5.0.0\n999999999\n0:0\nonce\n\n");
    put_file("pmix.here.tool.elsewhere",
             "a.0;tcp4://127.0.0.1:9\n5.0.0\n999999999\n0:0\nonce\n77\n88\n");
    check(symlink(name, scratch_path("pmix.here.tool.link")) == 0);
    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) == PMIX_SUCCESS);
    check(!there(name) && there_by_pid());
    check(there("pmix.here.other") && there("pmix.here.tool.rubbish"));
    check(there("pmix.here.tool.stock") && there("pmix.here.tool.elsewhere"));
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 6); /* those, the link, and the file of the system server */
}

/* Its number is another process's by now: the name is free. */
static void recycled_pid(void)
{
    char text[256];

    snprintf(text, sizeof(text), "a.0;tcp4://127.0.0.1:9\n5.0.0\n%d\n0:0\nonce\n1\n",
             (int) getppid());
    put_file("pmix.sys.here", text);
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 0);
}

/* [TOOL-010] */
static void launcher(void)
{
    check(start(PMIX_SERVER_TOOL_SUPPORT, scratch_path("a/b/file")) == PMIX_SUCCESS);
    check(access(scratch_path("a/b/file"), R_OK) == 0);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 0);
}

/* Nowhere to write: the server does not start, and leaves nothing. */
static void no_directory(void)
{
    char kept[sizeof(scratch)];

    memcpy(kept, scratch, sizeof(kept));
    snprintf(scratch, sizeof(scratch), "/dev/null/none");
    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) != PMIX_SUCCESS);
    memcpy(scratch, kept, sizeof(kept));
    check(entries() == 0);
    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) == PMIX_SUCCESS);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
}

static void plant(const char *name, const char *text)
{
    put_file(name, text);
    if (geteuid() == 0) {
        check(chown(scratch_path(name), 54321, 54321) == 0);
    }
}

/* What others have put there does not keep a server from starting, nor is it waited for. The names
 * with a process in front of ".new" are those that a server writes aside. */
static void planted(void)
{
    char aside[64];

    snprintf(aside, sizeof(aside), "pmix.sys.here.%ld.new", (long) getpid());
    check(mkfifo(scratch_path("pmix.sys.here"), 0666) == 0);
    check(symlink("/proc/self/environ", scratch_path("pmix.here.tool")) == 0);
    check(symlink("/nowhere/at/all", scratch_path("pmix.here.tool.srv")) == 0);
    check(mkfifo(scratch_path(aside), 0666) == 0);
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(there("pmix.sys.here") && there("pmix.here.tool") && there("pmix.here.tool.srv"));
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(!there("pmix.sys.here") && !there("pmix.here.tool") && !there("pmix.here.tool.srv"));
}

/* Whether another user can reach the directory. He cannot below a TMPDIR that is private. */
static bool is_reached_by(unsigned id)
{
    bool reached = setegid(id) == 0 && seteuid(id) == 0 && eaccess(scratch, F_OK) == 0;

    check(seteuid(0) == 0 && setegid(0) == 0);
    return reached;
}

/* A file of another user that names a process that lives is no server's. */
static void planted_by_another(void)
{
    if (!is_reached_by(54322)) {
        return;
    }
    plant("pmix.sys.here", "x.0;tcp4://127.0.0.1:1\n5.0.0\n1\n0:0\n");
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 0);
    /* One that cannot be removed, as in a directory that everybody shares. */
    plant("pmix.sys.here", "x.0;tcp4://127.0.0.1:1\n5.0.0\n1\n0:0\n");
    check(chmod(scratch, 01777) == 0 && setgid(54322) == 0 && setuid(54322) == 0);
    check(start(PMIX_SERVER_SYSTEM_SUPPORT, NULL) == PMIX_SUCCESS);
    check(entries() == 4 && there("pmix.here.tool.srv"));
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(entries() == 1);
}

/* A process that may not write files gets a status, not a signal. */
static void no_files(void)
{
    struct rlimit none = {0};
    struct rlimit before;
    sigset_t pending;

    check(getrlimit(RLIMIT_FSIZE, &before) == 0);
    none.rlim_max = before.rlim_max;
    check(setrlimit(RLIMIT_FSIZE, &none) == 0);
    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) != PMIX_SUCCESS);
    check(entries() == 0);
    check(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ));
    check(setrlimit(RLIMIT_FSIZE, &before) == 0);
    check(start(PMIX_SERVER_TOOL_SUPPORT, NULL) == PMIX_SUCCESS);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
}

/* The contact string goes to standard output or error, whose reader has ended. */
static void reported_to_nobody(void)
{
    static const char *const how[] = {"-", "+"};
    pmix_info_t info;
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0);
    for (size_t i = 0; i < 2; i++) {
        int fd = i == 0 ? STDOUT_FILENO : STDERR_FILENO;
        int kept = dup(fd);
        pmix_status_t rc;

        check(dup2(ends[1], fd) >= 0);
        PMIX_INFO_LOAD(&info, PMIX_TCP_REPORT_URI, how[i], PMIX_STRING);
        rc = PMIx_server_init(px_host_module(&host), &info, 1);
        PMIX_INFO_DESTRUCT(&info);
        check(dup2(kept, fd) >= 0 && rc == PMIX_ERR_UNREACH);
    }
}

CASE(in_scratch, not_asked)
CASE(in_scratch, asked)
CASE(in_scratch, one_system_server)
CASE(in_scratch, several)
CASE(in_scratch, left_behind)
CASE(in_scratch, swept)
CASE(in_scratch, recycled_pid)
CASE(in_scratch, launcher)
CASE(in_scratch, no_directory)
CASE(in_scratch, planted)
static void test_planted_by_another(void **state)
{
    (void) state;
    if (geteuid() != 0) {
        skip(); /* only root can write as two users */
    }
    in_scratch(planted_by_another);
}

CASE(in_scratch, no_files)
CASE(in_scratch, reported_to_nobody)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_asked),          cmocka_unit_test(test_asked),
        cmocka_unit_test(test_one_system_server),  cmocka_unit_test(test_several),
        cmocka_unit_test(test_left_behind),        cmocka_unit_test(test_swept),
        cmocka_unit_test(test_recycled_pid),       cmocka_unit_test(test_launcher),
        cmocka_unit_test(test_no_directory),       cmocka_unit_test(test_planted),
        cmocka_unit_test(test_planted_by_another), cmocka_unit_test(test_no_files),
        cmocka_unit_test(test_reported_to_nobody),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
