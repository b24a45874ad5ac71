/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rendezvous files of this node and the contact strings of the environment, and what a tool gets
 * that connects to their servers. Files are anybody's: they are bounded, and never followed. */

#include "doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmix.h>
#include <pmix_tool.h>

#include "src/base/param.h"
#include "src/base/tmpdir.h"

/* The most entries of a directory that are looked at, and rendezvous files that are examined. */
enum { ENTRIES_MOST = 65536, FILES_MOST = 64 };

/* ---- which jobs a server has */

/* Milliseconds for its answer. */
enum { ANSWER_MS = 5000 };

/* A query whose answer may come after its reader has given up, so it is never freed. */
static struct {
    const char *job;
    int ends[2]; /* a pipe, into which one byte is written: whether the job is missing */
} asked;

/* The list of namespaces in the results of a query, which may be nested; NULL: there is none. */
static const char *find_jobs(const pmix_info_t *info, size_t n)
{
    const char *jobs = NULL;

    for (size_t i = 0; jobs == NULL && i < n; i++) {
        const pmix_value_t *value = &info[i].value;

        if (strcmp(info[i].key, PMIX_QUERY_NAMESPACES) == 0 && value->type == PMIX_STRING) {
            jobs = value->data.string;
        } else if (value->type == PMIX_DATA_ARRAY && value->data.darray != NULL &&
                   value->data.darray->type == PMIX_INFO) {
            jobs = find_jobs(value->data.darray->array, value->data.darray->size);
        }
    }
    return jobs;
}

/* True if the word is in the list, which has commas. */
static bool is_among(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (; list != NULL; list = strchr(list, ',') != NULL ? strchr(list, ',') + 1 : NULL) {
        if (strcspn(list, ",") == len && strncmp(list, word, len) == 0) {
            return true;
        }
    }
    return false;
}

static void on_jobs(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                    pmix_release_cbfunc_t release, void *release_cbdata)
{
    const char *jobs = status == PMIX_SUCCESS ? find_jobs(info, n) : NULL;
    char missing = jobs != NULL && !is_among(jobs, asked.job);

    (void) cbdata;
    (void) !write(asked.ends[1], &missing, 1);
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* True if the server that this tool is connected to says which jobs it has, and this is not among
 * them. */
static bool lacks(const char *job)
{
    static char key[] = PMIX_QUERY_NAMESPACES;
    static char *keys[] = {key, NULL};
    static pmix_query_t query = {.keys = keys};
    struct pollfd answer = {.events = POLLIN};
    char missing = false;

    asked.job = job;
    if (pipe(asked.ends) != 0) {
        return false;
    }
    answer.fd = asked.ends[0];
    if (PMIx_Query_info_nb(&query, 1, on_jobs, NULL) == PMIX_SUCCESS &&
        poll(&answer, 1, ANSWER_MS) == 1) {
        (void) !read(asked.ends[0], &missing, 1);
    }
    return missing;
}

/* ---- whether it answers */

/* What a tool gets that connects to this contact string; it disconnects at once.
 * PMIX_ERR_INVALID_NAMESPACE: the server does not have this job, if one is given. */
static pmix_status_t connect_to(const char *uri, const char *job)
{
    pmix_info_t info;
    pmix_proc_t server;
    pmix_status_t rc = PMIx_Info_load(&info, PMIX_SERVER_URI, uri, PMIX_STRING);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_tool_attach_to_server(NULL, &server, &info, 1);
        PMIx_Value_destruct(&info.value);
        if (rc == PMIX_SUCCESS) {
            rc = job != NULL && lacks(job) ? PMIX_ERR_INVALID_NAMESPACE : PMIX_SUCCESS;
            (void) PMIx_tool_disconnect(&server);
        }
    }
    return rc;
}

/* What a status of connect_to says about the server; NULL: it has refused the tool. */
static const char *state_of(pmix_status_t rc)
{
    switch (rc) {
    case PMIX_SUCCESS:
        return "answers";
    case PMIX_ERR_INVALID_NAMESPACE:
        return "answers, and has no such job";
    case PMIX_ERR_UNREACH:
        return "nobody answers";
    case PMIX_ERR_TIMEOUT:
        return "does not answer in time";
    case PMIX_ERR_BAD_PARAM:
        return "is no contact string";
    case PMIX_ERR_UNPACK_FAILURE:
    case PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER:
        return "is no PMIx server";
    default:
        return NULL;
    }
}

/* Describes the server of a contact string, and says what a tool gets from it, as connect_to. If
 * there is no tool to try with, nothing is known against it. */
static pmix_status_t examine(pmix_status_t tool, const char *where, const char *uri,
                             const char *job)
{
    pmix_status_t rc = tool == PMIX_SUCCESS ? connect_to(uri, job) : tool;
    char refusal[256];

    if (tool != PMIX_SUCCESS) {
        px_doctor_server(where, uri, "not tried");
        return PMIX_SUCCESS;
    }
    (void) snprintf(refusal, sizeof(refusal), "refuses this tool: %s", PMIx_Error_string(rc));
    px_doctor_server(where, uri, state_of(rc) != NULL ? state_of(rc) : refusal);
    return rc;
}

/* True if there is a server, whatever it says to a tool. */
static bool is_there(pmix_status_t rc)
{
    return state_of(rc) == NULL || rc == PMIX_SUCCESS || rc == PMIX_ERR_INVALID_NAMESPACE;
}

/* ---- rendezvous files */

/* The first line of a rendezvous file, and the process id of its third; 0: it has none. False: it
 * cannot be read, or is no rendezvous file. */
static bool read_file(const char *path, char *uri, size_t n, long *ret_pid)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    char text[4096];
    struct stat st;
    ssize_t len = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
                      ? read(fd, text, sizeof(text) - 1)
                      : -1;
    char *line;

    if (fd >= 0) {
        (void) close(fd);
    }
    if (len <= 0) {
        return false;
    }
    text[len] = '\0';
    (void) snprintf(uri, n, "%.*s", (int) strcspn(text, "\n"), text);
    line = strchr(text, '\n');
    line = line != NULL ? strchr(line + 1, '\n') : NULL;
    *ret_pid = line != NULL ? strtol(line + 1, NULL, 10) : 0;
    return strchr(uri, ';') != NULL;
}

static bool is_trusted(uid_t uid)
{
    return uid == 0 || uid == geteuid() || (int64_t) uid == px_param_int(PX_P_SERVER_UID);
}

/* Looks at one rendezvous file. */
static void look_at_file(pmix_status_t tool, const char *path)
{
    char remedy[PATH_MAX + 64];
    char uri[1024];
    struct stat st;
    long pid = 0;

    (void) snprintf(remedy, sizeof(remedy), "rm %s", path);
    if (lstat(path, &st) != 0) {
        return; /* it has gone meanwhile */
    }
    if (!is_trusted(st.st_uid)) {
        px_doctor_server(path, NULL, "of another user, passed over");
        px_doctor_find(
            PX_WARNING, "if servers of that user are to be trusted: PMIX_MCA_shmix_server_uid",
            "%s is of user %lu: tools of this user do not use it", path, (unsigned long) st.st_uid);
    } else if (!read_file(path, uri, sizeof(uri), &pid)) {
        px_doctor_server(path, NULL, "no rendezvous file, or not readable");
        px_doctor_find(PX_WARNING, remedy, "%s cannot be read as a rendezvous file", path);
    } else if (pid > 0 && kill((pid_t) pid, 0) != 0 && errno == ESRCH) {
        px_doctor_server(path, uri, "dead");
        px_doctor_find(PX_WARNING, remedy, "the server of %s, process %ld, has ended", path, pid);
    } else if (!is_there(examine(tool, path, uri, NULL))) {
        px_doctor_find(PX_PROBLEM, "look whether that process hangs or is another one by now",
                       "the server of %s, process %ld, does not answer", path, pid);
    }
}

/* Looks at the rendezvous files of this node in a directory. */
static void look_into(pmix_status_t tool, const char *dir)
{
    static const char *const kinds[][2] = {
        {"", ".tool"}, {"sys.", ""}, {"sched.", ""}, {"sysctrlr.", ""}};
    char host[256] = "";
    char name[300];
    char path[PATH_MAX];
    DIR *d = opendir(dir);
    const struct dirent *entry = d != NULL ? readdir(d) : NULL;
    unsigned files = 0;

    (void) gethostname(host, sizeof(host) - 1);
    for (int i = 0; entry != NULL && i < ENTRIES_MOST && files < FILES_MOST; i++) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            (void) snprintf(name, sizeof(name), "pmix.%s%s%s", kinds[k][0], host, kinds[k][1]);
            if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
                snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < (int) sizeof(path)) {
                look_at_file(tool, path);
                files++;
            }
        }
        entry = readdir(d);
    }
    if (d != NULL) {
        (void) closedir(d);
    }
}

/* ---- the environment of a process of a job */

/* Variables with the contact string of a server that this library speaks to, the first ones first;
 * and those of servers that it does not. */
static const char *const spoken[] = {"PMIX_SHMIX_URI",    "PMIX_SERVER_URI61", "PMIX_SERVER_URI51",
                                     "PMIX_SERVER_URI41", "PMIX_SERVER_URI4",  NULL};
static const char *const unspoken[] = {"PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2",
                                       "PMIX_SERVER_URI", NULL};

/* The first variable of the list that is set and not empty; NULL: none. */
static const char *first_set(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *value = getenv(*names);

        if (value != NULL && value[0] != '\0') {
            return *names;
        }
    }
    return NULL;
}

static bool is_set(const char *name)
{
    return getenv(name) != NULL && getenv(name)[0] != '\0';
}

/* The variable of the two that name a process whose value cannot be that; NULL: neither. */
static const char *malformed(void)
{
    const char *rank = getenv("PMIX_RANK");
    const char *rest = rank;
    unsigned long number = rank != NULL ? strtoul(rank, (char **) &rest, 10) : 0;

    if (is_set("PMIX_NAMESPACE") && strlen(getenv("PMIX_NAMESPACE")) > PMIX_MAX_NSLEN) {
        return "PMIX_NAMESPACE";
    }
    return rank != NULL && (rest[0] != '\0' || number > PMIX_RANK_VALID) ? "PMIX_RANK" : NULL;
}

#define AT_ALL                                                                                     \
    "start it with a launcher: pmixrun, mpirun, or srun --mpi=pmix; alone it is a singleton"
#define UNSET "start a new shell, or unset every variable that begins with PMIX_"

/* Says how PMIx_Init ends where the server of that variable has been tried as a tool. */
static void foresee_answer(pmix_status_t rc, const char *name)
{
    const char *job = getenv("PMIX_NAMESPACE");

    if (rc == PMIX_ERR_INVALID_NAMESPACE) {
        px_doctor_find(PX_PROBLEM, UNSET,
                       "PMIx_Init ends with PMIX_ERR_UNREACH: the server of %s has no job %s", name,
                       job);
    } else if (rc == PMIX_ERR_UNREACH || rc == PMIX_ERR_TIMEOUT) {
        px_doctor_find(PX_PROBLEM, UNSET,
                       "PMIx_Init ends with PMIX_ERR_UNREACH: the server of %s does not answer; "
                       "the variables of its job %s have outlived it",
                       name, job);
    } else if (!is_there(rc)) {
        px_doctor_find(PX_PROBLEM, UNSET, "PMIx_Init ends with an error: %s %s", name,
                       state_of(rc));
    }
}

/* Says how PMIx_Init of a process with this environment ends, where that is not success. */
static void foresee_init(pmix_status_t tool)
{
    const char *name = first_set(spoken);
    const char *older = first_set(unspoken);
    bool named = is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK");

    if (named && malformed() != NULL) {
        px_doctor_find(PX_PROBLEM, UNSET,
                       "PMIx_Init ends with PMIX_ERR_UNREACH: %s cannot be \"%s\"", malformed(),
                       getenv(malformed()));
        return;
    }
    if (name == NULL && older != NULL) {
        px_doctor_find(PX_PROBLEM, "start the job with a server of release 4.2 or newer",
                       "PMIx_Init ends with PMIX_ERR_UNREACH: %s is of a server of release 2 or 3, "
                       "which this library does not speak to",
                       older);
    } else if (!named && (name != NULL || is_set("PMIX_NAMESPACE") || is_set("PMIX_RANK"))) {
        px_doctor_find(PX_PROBLEM, UNSET,
                       "PMIx_Init ends with PMIX_ERR_UNREACH: of PMIX_NAMESPACE and PMIX_RANK only "
                       "one, or none, is set, though %s is",
                       name != NULL               ? name
                       : is_set("PMIX_NAMESPACE") ? "PMIX_NAMESPACE"
                                                  : "PMIX_RANK");
    } else if (name == NULL && (named || is_set("SLURM_STEP_ID"))) {
        px_doctor_find(PX_PROBLEM, named ? UNSET : "srun --mpi=pmix, and srun --mpi=list",
                       named ? "PMIx_Init ends with PMIX_ERR_UNREACH: PMIX_NAMESPACE is set, and "
                               "no variable names the server"
                             : "PMIx_Init ends with PMIX_ERR_UNREACH: this is a step of Slurm "
                               "without PMIx");
    } else if (name == NULL) {
        px_doctor_find(PX_NOTE, AT_ALL,
                       "PMIx_Init in this shell ends with PMIX_ERR_UNREACH: no server has started "
                       "it");
    } else {
        foresee_answer(examine(tool, name, getenv(name), getenv("PMIX_NAMESPACE")), name);
    }
}

/* ---- */

void px_doctor_servers(void)
{
    const char *session = px_tmpdir_peek("PMIX_SERVER_TMPDIR");
    const char *node = px_tmpdir_peek("PMIX_SYSTEM_TMPDIR");
    pmix_info_t info;
    pmix_proc_t self;
    bool yes = true;
    pmix_status_t tool = PMIx_Info_load(&info, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);

    (void) setenv("PMIX_MCA_ptl_base_connection_wait_time", "5", 0);
    tool = tool == PMIX_SUCCESS ? PMIx_tool_init(&self, &info, 1) : tool;
    if (tool != PMIX_SUCCESS) {
        px_doctor_find(PX_PROBLEM, "see PMIX_MCA_pmix_client_base_verbose=5 pmix_info --doctor",
                       "PMIx_tool_init without a server ends with %s", PMIx_Error_string(tool));
    }
    look_into(tool, session);
    if (strcmp(session, node) != 0) {
        look_into(tool, node);
    }
    foresee_init(tool);
    if (tool == PMIX_SUCCESS) {
        (void) PMIx_tool_finalize();
    }
}
