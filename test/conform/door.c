/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who is let in, and when: what the kernel says of a process, what was registered, what the host
 * says; impostors, noise and clones at the listener. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void stay_out(const char *what)
{
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    check(rc != PMIX_SUCCESS, "%s: is let in", what);
    if (PMIx_Initialized()) {
        (void) PMIx_Finalize(NULL, 0);
    }
}

static void come_and_go(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    same("0", got(me.nspace, me.rank, PMIX_APPNUM, NULL, 0), "get");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static int upcalls_of(enum entry entry, const char *nspace, pmix_rank_t rank)
{
    int n = 0;

    for (int i = 0; i < upcalls(entry, -1); i++) {
        const struct record *r = upcall(entry, -1, i);

        n += strcmp(r->proc.nspace, nspace) == 0 && r->proc.rank == rank;
    }
    return n;
}

/* ---- by user and group */

static void visit_as_registered(void)
{
    if (strcmp(me.nspace, "A") == 0) {
        come_and_go();
    } else {
        stay_out(strcmp(me.nspace, "B") == 0 ? "registered for another user"
                                             : "registered for another group");
    }
}

/* In place of what the harness has registered. */
static void register_anew(const char *job, pmix_rank_t rank, uid_t uid, gid_t gid, void *object)
{
    pmix_proc_t proc = process(job, rank);
    pmix_status_t rc;

    PMIx_server_deregister_client(&proc, NULL, NULL);
    rc = PMIx_server_register_client(&proc, uid, gid, object, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "register_client: %s",
          PMIx_Error_string(rc));
}

static void register_others(void)
{
    for (int i = 0; i < 2; i++) {
        const char *job = i == 0 ? "B" : "C";

        job_register(job);
        register_anew(job, 0, geteuid() + (uid_t) (i == 0), getegid() + (gid_t) (i == 1), NULL);
        job_start(job);
    }
}

static void check_visits(void)
{
    check(upcalls(ON_CONNECTED, -1) == 1 && upcalls(ON_FINALIZED, -1) == 1,
          "the host hears of one process");
    check(upcalls_of(ON_CONNECTED, "A", 0) == 1, "which is A:0");
}

/* ---- the host's own mark */

static int marks[2];

static void register_marks(void)
{
    job_register("A");
    for (pmix_rank_t r = 0; r < 2; r++) {
        register_anew("A", r, geteuid(), getegid(), &marks[r]);
    }
    job_start("A");
}

static void abort_softly(void)
{
    check_status(PMIX_SUCCESS, PMIx_Abort(3, "enough", NULL, 0), "abort");
}

static void check_marks(void)
{
    static const enum entry entries[] = {ON_CONNECTED, ON_ABORT, ON_FINALIZED};

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        check(upcalls(entries[i], 0) == 2, "two upcalls of kind %d", entries[i]);
        for (int n = 0; n < upcalls(entries[i], 0); n++) {
            const struct record *r = upcall(entries[i], 0, n);

            check(r->object == &marks[r->proc.rank % 2], "kind %d comes with the mark of rank %u",
                  entries[i], r->proc.rank);
        }
    }
}

/* ---- with a copied environment */

static void pretend(const char *nspace, const char *rank, const char *what)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        setenv("PMIX_NAMESPACE", nspace, 1);
        setenv("PMIX_RANK", rank, 1);
        stay_out(what);
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid && status == 0, "%s: ends with %d", what, status);
}

/* Tries as another user. Only root can become another user; others try nothing here. */
static void pretend_as_nobody(void)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        if (geteuid() == 0) {
            check(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0,
                  "another user");
            stay_out("another user");
        }
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid && status == 0, "another user ends with %d", status);
}

static void send_impostors(void)
{
    about("INI-011");
    pretend("A", "99", "a rank that there is not");
    pretend("A", "7", "a rank that there is not");
    pretend("nobody", "0", "a namespace that there is not");
    about("INI-010");
    pretend_as_nobody();
    about(NULL);
    come_and_go();
}

/* ---- noise: bytes at random, and connections that say nothing */

enum { IDLE = 1000 };

static int dial_tcp(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const char *colon = strrchr(address, ':');
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t) atoi(colon + 1));
    if (fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof(to)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int dial_unix(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t len = strlen(name);

    memcpy(to.sun_path, name, len);
    to.sun_path[0] = name[0] == '@' ? '\0' : name[0];
    if (fd >= 0 && connect(fd, (struct sockaddr *) &to,
                           (socklen_t) (offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int dial(const char *uri)
{
    const char *address = strchr(uri, ';') + 1;

    return strncmp(address, "unix://", 7) == 0 ? dial_unix(address + 7) : dial_tcp(address);
}

static void babble(const char *uri)
{
    unsigned char bytes[4096];
    unsigned seed = (unsigned) getpid();
    int fd = dial(uri);

    check(fd >= 0, "a stranger reaches %s", uri);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char) rand_r(&seed);
    }
    for (int i = 0; i < 16 && send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
         i++) {
    }
    close(fd);
}

static void allow_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void make_noise(void)
{
    static int idle[IDLE];
    const char *uris[2] = {getenv("PMIX_SHMIX_URI"), getenv("PMIX_SERVER_URI41")};

    if (me.rank == 1) {
        await("noise");
    } else {
        allow_files();
        check(uris[1] != NULL, "there is an address");
        for (int i = 0; i < IDLE; i++) {
            idle[i] = dial(uris[i % 2 == 0 && uris[0] != NULL ? 0 : 1]);
        }
        for (int i = 0; i < 2; i++) {
            if (uris[i] != NULL) {
                babble(uris[i]);
            }
        }
        tell("noise");
    }
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    fence_all(NULL);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    if (me.rank == 0) {
        for (int i = 0; i < IDLE; i++) {
            close(idle[i]);
        }
    }
}

static void many_files(struct infos *list)
{
    (void) list;
    allow_files();
}

static void check_two(void)
{
    check(upcalls(ON_CONNECTED, -1) == 2 && upcalls(ON_FINALIZED, -1) == 2,
          "the host hears of two processes");
}

/* ---- the host decides */

static void be_refused(void)
{
    stay_out("the host said no");
}

static void check_refused(void)
{
    check(upcalls(ON_CONNECTED, -1) + upcalls(ON_CONNECTED1, -1) >= 1, "the host was asked");
    check(upcalls(ON_FINALIZED, -1) == 0, "who never was in does not finalize");
}

static void be_welcome(void)
{
    check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "who is let in goes on");
}

static pmix_status_t refuse_odd(struct upcall *ask)
{
    return ask->proc->rank % 2 == 1 ? PMIX_ERR_NO_PERMISSIONS : PMIX_OPERATION_SUCCEEDED;
}

static void be_odd_or_even(void)
{
    if (me.rank % 2 == 1) {
        stay_out("the host refuses odd ranks");
    } else {
        check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    }
}

static void check_even(void)
{
    check(upcalls(ON_CONNECTED, 0) >= 4 && upcalls(ON_FINALIZED, 0) == 2,
          "asked for four, let two in");
    check(upcalls_of(ON_FINALIZED, "A", 1) == 0 && upcalls_of(ON_FINALIZED, "A", 3) == 0,
          "the even ones");
}

static void be_held(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(told("let in") == 1, "init waited for the host");
    tell("is in");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    check(told("let go") == 1, "finalize waited for the host");
}

static void hold(void)
{
    await_upcalls(ON_CONNECTED, 1);
    check(told("is in") == 0, "it is held in init");
    tell("let in");
    await_upcalls(ON_FINALIZED, 1);
    check(told("is in") == 1, "it came in before it left");
    tell("let go");
}

/* ---- an end without finalize, and clones */

static void just_end(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (strcmp(me.nspace, "A") == 0) {
        _exit(0);
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* The server has seen the end of A when it has served B. */
static void then_b(void)
{
    job_end("A");
    job_register("B");
    job_start("B");
    job_end("B");
}

static void check_only_b(void)
{
    check(upcalls_of(ON_CONNECTED, "A", 0) == 1 && upcalls_of(ON_FINALIZED, "A", 0) == 0,
          "A only came");
    check(upcalls_of(ON_FINALIZED, "B", 0) == 1, "B came and went");
}

static void clone_self(const char *what)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        come_and_go();
        check(strcmp(me.nspace, "A") == 0 && me.rank == 0, "%s is %s:%u", what, me.nspace, me.rank);
        _exit(0);
    }
    check(waitpid(pid, &status, 0) == pid && status == 0, "%s ends with %d", what, status);
}

static void make_clones(void)
{
    clone_self("a clone that came first");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    clone_self("a clone of a process that is connected");
    same("1", got("A", PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, NULL, 0), "get");
    put_number("still", 5);
    commit();
    fence_all(NULL);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static void check_clones(void)
{
    check(upcalls_of(ON_CONNECTED, "A", 0) >= 1, "the host heard of it");
}

/* ---- who was taken off the list */

static void visit_after(void)
{
    if (me.rank == 0) {
        come_and_go();
        tell("went");
        await("struck off");
        stay_out("no longer registered");
    } else {
        await("struck off");
        check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init of another");
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize of another");
    }
}

static void note_status(pmix_status_t status, void *cbdata)
{
    *(pmix_status_t *) cbdata = status;
    tell("deregistered");
}

static void strike_off(void)
{
    pmix_proc_t proc = process("A", 0);
    pmix_status_t status = PMIX_ERROR;

    await("went");
    PMIx_server_deregister_client(&proc, note_status, &status);
    await("deregistered");
    check_status(PMIX_SUCCESS, status, "deregister_client");
    tell("struck off");
}

static void check_struck_off(void)
{
    check(upcalls_of(ON_CONNECTED, "A", 0) == 1 && upcalls_of(ON_CONNECTED, "A", 1) == 1,
          "each came once");
}

const struct conform_case cases[] = {
    {.ids = "INI-010 S32",
     .what = "registered for another user or group",
     .jobs = {{"A", {1}}, {"B", {1}, .later = true}, {"C", {1}, .later = true}},
     .client = visit_as_registered,
     .script = register_others,
     .after = check_visits,
     .raw = true},
    {.ids = "SRV-018",
     .what = "upcalls bring the object that the host registered",
     .jobs = {{"A", {2}, .later = true}},
     .client = abort_softly,
     .script = register_marks,
     .after = check_marks},
    {.ids = "INI-010 INI-011 S32",
     .what = "copied environments",
     .client = send_impostors,
     .after = check_visits,
     .raw = true},
    {.ids = "S32",
     .what = "noise at the door delays nobody",
     .ranks = 2,
     .client = make_noise,
     .server = many_files,
     .after = check_two,
     .raw = true},
    {.ids = "INI-012",
     .what = "the host refuses at once",
     .client = be_refused,
     .after = check_refused,
     .raw = true,
     .host = {[ON_CONNECTED] = {AT_ONCE, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "INI-012",
     .what = "the host refuses later",
     .client = be_refused,
     .after = check_refused,
     .raw = true,
     .host = {[ON_CONNECTED] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "INI-012",
     .what = "a host with the older entry refuses",
     .client = be_refused,
     .after = check_refused,
     .raw = true,
     .host = {[ON_CONNECTED] = {MISSING}, [ON_CONNECTED1] = {AT_ONCE, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "INI-012",
     .what = "a host with the older entry calls back",
     .ranks = 2,
     .client = be_welcome,
     .host = {[ON_CONNECTED] = {MISSING}, [ON_CONNECTED1] = {CALLBACK, PMIX_SUCCESS}},
     .ours_only = "releases before 5.0.11 give it no callback"},
    {.ids = "INI-012",
     .what = "the host lets some in",
     .ranks = 4,
     .client = be_odd_or_even,
     .after = check_even,
     .raw = true,
     .host = {[ON_CONNECTED] = {OWN, .own = refuse_odd}}},
    {.ids = "INI-013",
     .what = "held until the host answers",
     .client = be_held,
     .script = hold,
     .raw = true,
     .host = {[ON_CONNECTED] = {CALLBACK, PMIX_SUCCESS, .when = "let in"},
              [ON_FINALIZED] = {CALLBACK, PMIX_SUCCESS, .when = "let go"}}},
    {.ids = "INI-014",
     .what = "an end is no finalize",
     .jobs = {{"A", {1}}, {"B", {1}, .later = true}},
     .client = just_end,
     .script = then_b,
     .after = check_only_b,
     .raw = true},
    {.ids = "INI-015 S32",
     .what = "clones are let in",
     .client = make_clones,
     .after = check_clones,
     .raw = true},
    {.ids = "SRV-019",
     .what = "who is deregistered stays out",
     .ranks = 2,
     .client = visit_after,
     .script = strike_off,
     .after = check_struck_off,
     .raw = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
