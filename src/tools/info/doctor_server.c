/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rendezvous files of this node and the contact strings of the environment, and what a tool gets
 * that connects to their servers. Files are anybody's: they are bounded, and never followed. */

#include "doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* What a tool gets that connects to this contact string; it disconnects at once. A tool that could
 * not be initialized gets that status. */
static pmix_status_t connect_to(pmix_status_t tool, const char *uri)
{
    pmix_info_t info;
    pmix_proc_t server;
    pmix_status_t rc = tool;

    if (rc == PMIX_SUCCESS && PMIx_Info_load(&info, PMIX_SERVER_URI, uri, PMIX_STRING) == 0) {
        rc = PMIx_tool_attach_to_server(NULL, &server, &info, 1);
        PMIx_Info_destruct(&info);
        if (rc == PMIX_SUCCESS) {
            (void) PMIx_tool_disconnect(&server);
        }
    }
    return rc;
}

/* Describes the server of a contact string. True if there is one, whatever it says to a tool. */
static bool examine(pmix_status_t tool, const char *where, const char *uri)
{
    pmix_status_t rc = connect_to(tool, uri);
    char state[256];

    if (rc == PMIX_SUCCESS) {
        px_doctor_server(where, uri, "answers");
    } else if (rc == PMIX_ERR_UNREACH || rc == PMIX_ERR_TIMEOUT || rc == PMIX_ERR_BAD_PARAM) {
        (void) snprintf(state, sizeof(state), "%s",
                        rc == PMIX_ERR_UNREACH   ? "nobody answers"
                        : rc == PMIX_ERR_TIMEOUT ? "does not answer in time"
                                                 : "is no contact string");
        px_doctor_server(where, uri, state);
    } else {
        (void) snprintf(state, sizeof(state), "refuses this tool: %s", PMIx_Error_string(rc));
        px_doctor_server(where, uri, state);
    }
    return rc != PMIX_ERR_UNREACH && rc != PMIX_ERR_TIMEOUT && rc != PMIX_ERR_BAD_PARAM;
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
    } else if (!examine(tool, path, uri)) {
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

#define AT_ALL                                                                                     \
    "start it with a launcher: pmixrun, mpirun, or srun --mpi=pmix; alone it is a singleton"
#define UNSET "start a new shell, or unset every variable that begins with PMIX_"

/* Says how PMIx_Init of a process with this environment ends, where that is not success. */
static void foresee_init(pmix_status_t tool)
{
    const char *name = first_set(spoken);
    const char *older = first_set(unspoken);
    bool named = is_set("PMIX_NAMESPACE") && is_set("PMIX_RANK");

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
    } else if (!examine(tool, name, getenv(name))) {
        px_doctor_find(PX_PROBLEM, UNSET,
                       "PMIx_Init ends with PMIX_ERR_UNREACH: the server of %s does not answer; "
                       "the variables of its job %s have outlived it",
                       name, getenv("PMIX_NAMESPACE"));
    }
}

/* ---- */

void px_doctor_servers(void)
{
    const char *session = px_tmpdir_peek("PMIX_SERVER_TMPDIR");
    const char *node = px_tmpdir_peek("PMIX_SYSTEM_TMPDIR");
    pmix_info_t info;
    bool yes = true;
    pmix_status_t tool = PMIx_Info_load(&info, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);

    (void) setenv("PMIX_MCA_ptl_base_connection_wait_time", "5", 0);
    tool = tool == PMIX_SUCCESS ? PMIx_tool_init(NULL, &info, 1) : tool;
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
