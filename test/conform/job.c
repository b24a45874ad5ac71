/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests about jobs that the host answers: control, allocation, credentials, fabrics; what is
 * logged where; and limits of time. */

#define _XOPEN_SOURCE 700

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/requests.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- control of jobs */

/* Answers with what it was asked, and one thing more. */
static pmix_status_t control(struct upcall *ask)
{
    struct infos list = {0};

    for (size_t i = 0; i < ask->n_infos; i++) {
        if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_JOB_CTRL_ID)) {
            add_text(&list, PMIX_JOB_CTRL_ID, ask->infos[i].value.data.string);
        }
    }
    add_u32(&list, "conform.done", 7);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void check_results(const pmix_info_t *results, size_t n)
{
    check(n == 2 && PMIX_CHECK_KEY(&results[0], PMIX_JOB_CTRL_ID) &&
              strcmp(results[0].value.data.string, "id") == 0 &&
              PMIX_CHECK_KEY(&results[1], "conform.done") && results[1].value.data.uint32 == 7,
          "the results: %zu", n);
}

static void on_results(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release, void *release_data)
{
    check_status(PMIX_SUCCESS, status, "the status");
    check_results(info, ninfo);
    if (release != NULL) {
        release(release_data);
    }
    tell(cbdata);
}

static const char *const directives[] = {PMIX_JOB_CTRL_PAUSE, PMIX_JOB_CTRL_RESUME,
                                         PMIX_JOB_CTRL_KILL, PMIX_JOB_CTRL_TERMINATE};
static const char *const with_text[] = {PMIX_JOB_CTRL_CANCEL, PMIX_JOB_CTRL_RESTART,
                                        PMIX_JOB_CTRL_CHECKPOINT};

static void control_jobs(void)
{
    pmix_proc_t targets[] = {process("A", PMIX_RANK_WILDCARD), process("B", 3)};
    int signal = 10;

    for (int form = 0; form < 3; form++) {
        struct infos list = {0};
        pmix_info_t *results = NULL;
        size_t n = 0;
        const pmix_proc_t *procs = form == 0 ? NULL : targets;
        size_t n_procs = form == 0 ? 0 : 2;

        add_text(&list, PMIX_JOB_CTRL_ID, "id");
        for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
            add_true(&list, directives[i]);
        }
        for (size_t i = 0; i < sizeof(with_text) / sizeof(with_text[0]); i++) {
            add_text(&list, with_text[i], "text");
        }
        add(&list, PMIX_JOB_CTRL_SIGNAL, &signal, PMIX_INT);
        if (form == 2) {
            check_status(PMIX_SUCCESS,
                         PMIx_Job_control_nb(procs, n_procs, list.at, list.n, on_results,
                                             (void *) "controlled"),
                         "without waiting");
            await("controlled");
        } else {
            check_status(PMIX_SUCCESS,
                         PMIx_Job_control(procs, n_procs, list.at, list.n, &results, &n), "form %d",
                         form);
            check_results(results, n);
            PMIX_INFO_FREE(results, n);
        }
        free_infos(&list);
    }
}

static void host_saw_control(void)
{
    check(upcalls(ON_CONTROL, 0) == 3, "%d upcalls", upcalls(ON_CONTROL, 0));
    for (int i = 0; i < 3; i++) {
        const struct record *r = upcall(ON_CONTROL, 0, i);

        check(r->proc.rank == 0 && PMIX_CHECK_NSPACE(r->proc.nspace, "A"), "who asks");
        check(i == 0 ? r->n_procs == 0
                     : r->n_procs == 2 && record_names(r, "A", PMIX_RANK_WILDCARD) &&
                           record_names(r, "B", 3),
              "the targets");
        for (size_t k = 0; k < sizeof(directives) / sizeof(directives[0]); k++) {
            check(record_info(r, directives[k]) != NULL, "%s", directives[k]);
        }
        for (size_t k = 0; k < sizeof(with_text) / sizeof(with_text[0]); k++) {
            same("text", record_info(r, with_text[k])->text, "%s", with_text[k]);
        }
        check(record_info(r, PMIX_JOB_CTRL_SIGNAL)->number == 10, "the signal");
    }
}

static const char *const cleanups[] = {PMIX_REGISTER_CLEANUP, PMIX_REGISTER_CLEANUP_DIR,
                                       PMIX_CLEANUP_IGNORE};
static const char *const cleanup_flags[] = {PMIX_CLEANUP_RECURSIVE, PMIX_CLEANUP_EMPTY,
                                            PMIX_CLEANUP_LEAVE_TOPDIR};

static struct infos cleanup(void)
{
    struct infos list = {0};

    for (size_t i = 0; i < sizeof(cleanups) / sizeof(cleanups[0]); i++) {
        add_text(&list, cleanups[i], "/nowhere");
        add_true(&list, cleanup_flags[i]);
    }
    return list;
}

static void clean_up(void)
{
    struct infos list = cleanup();
    pmix_info_t *results = NULL;
    size_t n = 0;

    check(PMIX_ERR_CONFLICTING_CLEANUP_DIRECTIVES == -51, "the status's value");
    check_status_for("JOB-002", PMIX_ERR_CONFLICTING_CLEANUP_DIRECTIVES,
                     PMIx_Job_control(NULL, 0, list.at, list.n, &results, &n),
                     "the host refuses what it was asked");
    PMIX_INFO_FREE(results, n);
    free_infos(&list);
    for (size_t i = 0; i < sizeof(cleanups) / sizeof(cleanups[0]); i++) {
        const struct record *r = upcall(ON_CONTROL, 0, 0);

        same_for("JOB-003", "/nowhere", record_info(r, cleanups[i])->text, "%s", cleanups[i]);
        check_for("JOB-003", record_info(r, cleanup_flags[i]) != NULL, "%s", cleanup_flags[i]);
    }
}

/* ---- allocations */

static pmix_status_t allocate(struct upcall *ask)
{
    struct infos list = {0};

    add_text(&list, PMIX_ALLOC_ID, "the allocation");
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void ask_for_nodes(void)
{
    pmix_alloc_directive_t kinds[] = {PMIX_ALLOC_NEW, PMIX_ALLOC_EXTEND, PMIX_ALLOC_RELEASE};
    uint64_t nodes = 4;

    for (int i = 0; i < 3; i++) {
        struct infos list = {0};
        pmix_info_t *results = NULL;
        size_t n = 0;
        const struct record *r;

        add(&list, PMIX_ALLOC_NUM_NODES, &nodes, PMIX_UINT64);
        check_status(PMIX_SUCCESS, PMIx_Allocation_request(kinds[i], list.at, list.n, &results, &n),
                     "request");
        check(n == 1 && PMIX_CHECK_KEY(&results[0], PMIX_ALLOC_ID) &&
                  strcmp(results[0].value.data.string, "the allocation") == 0,
              "its name");
        PMIX_INFO_FREE(results, n);
        free_infos(&list);
        r = upcall(ON_ALLOCATE, 0, i);
        check(r->number == kinds[i], "directive %d", r->number);
        check(record_info(r, PMIX_ALLOC_NUM_NODES)->number == 4, "what is asked for");
    }
}

#ifdef PMIX_ALLOC_INHERITANCE
/* Grants a request only if it requires an inheritance of the right type. */
static pmix_status_t allocate_for_heirs(struct upcall *ask)
{
    for (size_t i = 0; i < ask->n_infos; i++) {
        const pmix_info_t *info = &ask->infos[i];

        if (PMIX_CHECK_KEY(info, PMIX_ALLOC_INHERITANCE) && PMIX_INFO_IS_REQUIRED(info) &&
            info->value.type == PMIX_ALLOC_INHERIT &&
            info->value.data.inheritance == PMIX_ALLOC_INHERIT_CHILD_DEFAULT) {
            return allocate(ask);
        }
    }
    return PMIX_ERR_NOT_SUPPORTED;
}

static void ask_for_heirs(void)
{
    pmix_alloc_inheritance_t heirs = PMIX_ALLOC_INHERIT_CHILD_DEFAULT;
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    add_required(&list, PMIX_ALLOC_INHERITANCE, &heirs, PMIX_ALLOC_INHERIT);
    check_status(PMIX_SUCCESS,
                 PMIx_Allocation_request(PMIX_ALLOC_NEW, list.at, list.n, &results, &n), "request");
    check(n == 1 && PMIX_CHECK_KEY(&results[0], PMIX_ALLOC_ID), "its name");
    PMIX_INFO_FREE(results, n);
    free_infos(&list);
}
#endif

/* ---- credentials */

static const char blob[] = "a\0credential";

static pmix_status_t make_credential(struct upcall *ask)
{
    pmix_byte_object_t bytes = {.bytes = (char *) blob, .size = sizeof(blob)};
    struct infos list = {0};

    add_text(&list, PMIX_CRED_TYPE, "conform");
    ask->reply.cred(PMIX_SUCCESS, &bytes, list.at, list.n, ask->cbdata);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static pmix_status_t look_at_credential(struct upcall *ask)
{
    struct infos list = {0};
    bool good = ask->n_data == sizeof(blob) && memcmp(ask->data, blob, sizeof(blob)) == 0;

    add_u32(&list, PMIX_USERID, 77);
    ask->reply.valid(good ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED, list.at, good ? list.n : 0,
                     ask->cbdata);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void on_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                          size_t ninfo, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "credential");
    check(credential != NULL && credential->size == sizeof(blob) &&
              memcmp(credential->bytes, blob, sizeof(blob)) == 0,
          "its bytes");
    check(ninfo == 1 && PMIX_CHECK_KEY(&info[0], PMIX_CRED_TYPE), "what the host says of it");
    tell(cbdata);
}

static void trade_credentials(void)
{
    pmix_byte_object_t bytes = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status(PMIX_SUCCESS, PMIx_Get_credential(NULL, 0, &bytes), "credential");
    check(bytes.size == sizeof(blob) && memcmp(bytes.bytes, blob, sizeof(blob)) == 0, "its bytes");
    check_status(PMIX_SUCCESS,
                 PMIx_Get_credential_nb(NULL, 0, on_credential, (void *) "credential"),
                 "without waiting");
    await("credential");
    check_status(PMIX_SUCCESS, PMIx_Validate_credential(&bytes, NULL, 0, &results, &n), "validate");
    check(n == 1 && PMIX_CHECK_KEY(&results[0], PMIX_USERID) && results[0].value.data.uint32 == 77,
          "whose it is");
    PMIX_INFO_FREE(results, n);
    bytes.bytes[0] ^= 1;
    results = NULL;
    n = 0;
    check_status(PMIX_ERR_INVALID_CRED, PMIx_Validate_credential(&bytes, NULL, 0, &results, &n),
                 "a changed one");
    PMIX_INFO_FREE(results, n);
    free(bytes.bytes);
}

/* ---- fabrics and storage, of which the host knows nothing */

static void find_no_fabric(void)
{
    pmix_fabric_t fabric;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Fabric_register(&fabric, NULL, 0), "register");
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Fabric_update(&fabric), "update");
    check(ask_one(PMIX_QUERY_STORAGE_LIST, NULL).rc == PMIX_ERR_NOT_FOUND ||
              ask_one(PMIX_QUERY_STORAGE_LIST, NULL).rc == PMIX_ERR_NOT_SUPPORTED,
          "no storage");
    same("-46", got("A", 0, PMIX_FABRIC_COORDINATES, NULL, 0), "no coordinates");
}

/* The host knows a fabric by its index. */
static pmix_status_t number_fabric(struct upcall *ask)
{
    struct infos list = {0};
    size_t index = 3;

    add(&list, PMIX_FABRIC_INDEX, &index, PMIX_SIZE);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void find_fabric(void)
{
    pmix_fabric_t fabric;
    const struct note *index;

    PMIX_FABRIC_CONSTRUCT(&fabric);
    check_status(PMIX_SUCCESS, PMIx_Fabric_register(&fabric, NULL, 0), "register");
    check(fabric.index == 3 && fabric.ninfo == 1, "index %zu", fabric.index);
    check_status(PMIX_SUCCESS, PMIx_Fabric_update(&fabric), "update");
    index = record_info(upcall(ON_FABRIC, 0, 1), PMIX_FABRIC_INDEX);
    check(index != NULL && index->number == 3, "the host is told which one");
    check_status(PMIX_SUCCESS, PMIx_Fabric_deregister(&fabric), "deregister");
}

/* ---- logs */

static void tell_host(void)
{
    struct infos data = {0};
    struct infos list = {0};
    const struct record *r;

    add_text(&data, PMIX_LOG_STDERR, "words");
    add_text(&data, "conform.channel", "others");
    add_true(&list, PMIX_LOG_ONCE);
    check_status(PMIX_SUCCESS, PMIx_Log(data.at, data.n, list.at, list.n), "log");
    free_infos(&data);
    free_infos(&list);
    r = upcall(ON_LOG, 0, 0);
    same("words", record_info(r, PMIX_LOG_STDERR)->text, "data");
    same("others", record_info(r, "conform.channel")->text, "data of any channel");
}

/* (host) Standard output and error go to files, and there is a log daemon. */
static int daemon_fd = -1;

static const char *in_scratch(const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    return path;
}

static void divert(int fd, const char *name)
{
    int to = open(in_scratch(name), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

    check(to >= 0 && dup2(to, fd) == fd, "%s", name);
    close(to);
}

static void become_quiet(struct infos *list)
{
    (void) list;
    divert(STDOUT_FILENO, "out");
    divert(STDERR_FILENO, "err");
}

static void be_daemon(struct infos *list)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    (void) list;
    if (!check(strlen(in_scratch("s")) < sizeof(at.sun_path), "the name is short enough")) {
        return;
    }
    memcpy(at.sun_path, in_scratch("s"), strlen(in_scratch("s")));
    daemon_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    check(bind(daemon_fd, (struct sockaddr *) &at, sizeof(at)) == 0, "%s", at.sun_path);
    setenv("PMIX_MCA_shmix_syslog_socket", at.sun_path, 1);
}

static const char *content(const char *name)
{
    static char text[4096];
    FILE *file = fopen(in_scratch(name), "r");
    size_t n = 0;

    if (file != NULL) {
        n = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
    }
    text[n] = '\0';
    return text;
}

static pmix_status_t log_two(const char *first, const char *second, struct infos *list)
{
    struct infos data = {0};
    pmix_status_t rc;

    add_text(&data, first, "one");
    if (second != NULL) {
        add_text(&data, second, "two\n");
    }
    rc = PMIx_Log(data.at, data.n, list->at, list->n);
    free_infos(&data);
    free_infos(list);
    return rc;
}

static void log_without_host(void)
{
    struct infos list = {0};

    check_status(PMIX_SUCCESS, log_two(PMIX_LOG_STDERR, PMIX_LOG_STDOUT, &list), "both");
    same("one\n", content("err"), "on standard error");
    same("two\n", content("out"), "on standard output");
    add_true(&list, PMIX_LOG_ONCE);
    check_status(PMIX_SUCCESS, log_two(PMIX_LOG_STDOUT, PMIX_LOG_STDERR, &list), "once");
    same("two\none\n", content("out"), "the first channel");
    same("one\n", content("err"), "not the other");
    add_true(&list, PMIX_LOG_ONCE);
    check_status(PMIX_SUCCESS, log_two("conform.channel", PMIX_LOG_STDERR, &list),
                 "once, on the first channel that there is");
    same("one\ntwo\n", content("err"), "the other one");
    add_true(&list, PMIX_LOG_TAG_OUTPUT);
    check_status(PMIX_ERR_PARTIAL_SUCCESS, log_two(PMIX_LOG_STDERR, "conform.channel", &list),
                 "one of two");
    same("one\ntwo\n[A,0]<stderr>: one\n", content("err"), "with a tag");
    check_status(PMIX_ERR_NOT_SUPPORTED, log_two("conform.channel", NULL, &list), "none");
    add_required(&list, "conform.directive", "yes", PMIX_STRING);
    check_status(PMIX_ERR_NOT_SUPPORTED, log_two(PMIX_LOG_STDERR, NULL, &list),
                 "what nobody knows");
    same("one\ntwo\n[A,0]<stderr>: one\n", content("err"), "nothing more");
    check(unlink(in_scratch("out")) == 0 && unlink(in_scratch("err")) == 0, "unlink");
}

static void log_to_daemon(void)
{
    struct infos list = {0};
    int priority = 3;

    add(&list, PMIX_LOG_SYSLOG_PRI, &priority, PMIX_INT);
    check_status(PMIX_SUCCESS, log_two(PMIX_LOG_SYSLOG, PMIX_LOG_LOCAL_SYSLOG, &list), "syslog");
    tell("logged");
    await("read");
    check(unlink(in_scratch("s")) == 0, "unlink");
    check_status(PMIX_ERR_UNREACH, log_two(PMIX_LOG_SYSLOG, NULL, &list), "no daemon");
}

static void read_log(void)
{
    char text[512];

    await("logged");
    for (int i = 0; i < 2; i++) {
        ssize_t n = recv(daemon_fd, text, sizeof(text) - 1, 0);

        text[n > 0 ? n : 0] = '\0';
        check(strncmp(text, "<11>", 4) == 0, "user's errors: %s", text);
        check(strstr(text, " A[") != NULL && strstr(text, i == 0 ? "]: one" : "]: two") != NULL,
              "who says what: %s", text);
    }
    close(daemon_fd);
    tell("read");
}

/* ---- limits of time, of a host that never answers */

static void run_out_of_time(void)
{
    struct infos list = {0};
    pmix_app_t app;
    pmix_nspace_t nspace = "";
    struct asked asked;

    add_u32(&list, PMIX_TIMEOUT, 1);
    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("true");
    app.maxprocs = 1;
    check_status(PMIX_ERR_TIMEOUT, PMIx_Spawn(list.at, list.n, &app, 1, nspace), "spawn");
    PMIX_APP_DESTRUCT(&app);
    asked = ask_one("conform.question", &list);
    check_status(PMIX_ERR_TIMEOUT, asked.rc, "query");
    free_asked(&asked);
}

/* The host's answer that comes too late does nothing, and what it was given is freed then. */
static void run_own_out_of_time(void)
{
    struct infos list = {0};
    struct infos word = {0};
    struct asked asked;

    add_u32(&list, PMIX_TIMEOUT, 1);
    asked = ask_one("conform.question", &list);
    check_status(PMIX_ERR_TIMEOUT, asked.rc, "query");
    free_asked(&asked);
    add_text(&word, "word", "given");
    add_u32(&word, PMIX_TIMEOUT, 1);
    check_status(PMIX_ERR_TIMEOUT, PMIx_Publish(word.at, word.n), "publish");
    tell("too late");
    drop(&word, PMIX_TIMEOUT);
    add_u32(&word, PMIX_TIMEOUT, 30);
    check_status(PMIX_SUCCESS, PMIx_Publish(word.at, word.n), "in time");
    drop(&word, PMIX_TIMEOUT);
    add_text(&word, PMIX_TIMEOUT, "soon");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Publish(word.at, word.n), "no time");
    free_infos(&word);
}

const struct conform_case cases[] = {
    {.ids = "JOB-001",
     .what = "targets and directives of job control come to the host, and its results come back",
     .host = {[ON_CONTROL] = {OWN, .own = control}},
     .client = control_jobs,
     .after = host_saw_control},
    {.ids = "JOB-002 JOB-003",
     .what = "what is to be cleaned up is the host's to know, and to refuse",
     .host = {[ON_CONTROL] = {AT_ONCE, PMIX_ERR_CONFLICTING_CLEANUP_DIRECTIVES}},
     .otherwise = "JOB-002",
     .client = clean_up},
    {.ids = "JOB-006",
     .what = "allocations of each kind",
     .host = {[ON_ALLOCATE] = {OWN, .own = allocate}},
     .client = ask_for_nodes},
#ifdef PMIX_ALLOC_INHERITANCE
    {.ids = "JOB-006",
     .what = "the inheritance of an allocation reaches the host, required and with its type",
     .host = {[ON_ALLOCATE] = {OWN, .own = allocate_for_heirs}},
     .client = ask_for_heirs},
#endif
    {.ids = "JOB-007",
     .what = "a host that logs gets everything",
     .host = {[ON_LOG] = {CALLBACK, PMIX_SUCCESS}},
     .client = tell_host},
    {.ids = "JOB-007",
     .what = "without such a host there are standard output and error",
     .server = become_quiet,
     .host = {[ON_LOG] = {MISSING}},
     .client = log_without_host},
    {.ids = "JOB-007",
     .what = "and the node's log daemon",
     .server = be_daemon,
     .script = read_log,
     .host = {[ON_LOG] = {MISSING}},
     .client = log_to_daemon,
     .ours_only = "the socket of the log daemon is set by a parameter of ours"},
    {.ids = "JOB-008",
     .what = "credentials are what the host says they are",
     .host = {[ON_CREDENTIAL] = {OWN, .own = make_credential},
              [ON_VALIDATE] = {OWN, .own = look_at_credential}},
     .client = trade_credentials},
    {.ids = "JOB-009",
     .what = "fabrics and storage that nobody knows",
     .host = {[ON_FABRIC] = {MISSING}},
     .client = find_no_fabric},
    {.ids = "JOB-009",
     .what = "a fabric is updated by the index that its host gave",
     .host = {[ON_FABRIC] = {OWN, .own = number_fabric}},
     .client = find_fabric,
     .ours_only = "the other library keeps the index that was there"},
    {.ids = "UPC-002",
     .what = "a host that never answers, and limits of time",
     .host = {[ON_SPAWN] = {NEVER}, [ON_QUERY] = {NEVER}},
     .client = run_out_of_time},
    {.ids = "UPC-002",
     .what = "and so of a server's own requests",
     .host = {[ON_PUBLISH] = {CALLBACK, PMIX_SUCCESS, .when = "too late"}, [ON_QUERY] = {NEVER}},
     .jobs = {{"A", {1}, .quiet = true}},
     .script = run_own_out_of_time,
     .ours_only = "a server's requests to its own host are left open"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
