/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmixrun: see run.h for how the parts fit together. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes.h"
#include "src/base/complaints.h"
#include "src/base/param.h"
#include "src/tools/std.h"
#include "wishes.h"

static char own_nspace[PMIX_MAX_NSLEN + 1];
static struct px_run_job *first_job; /* until it is in the list of jobs; the relay's never is */

/* The job of the command line. Made before nodes are forked, so that each has the same. 0, or -1
 * after a complaint. */
static int make_first_job(void)
{
    const struct upcall order = {.apps = px_run.options.apps, .n_apps = px_run.options.n_apps};
    struct px_run_job_wishes wishes = {.input_rank = px_run.options.input_rank,
                                       .merge = px_run.options.merge,
                                       .raw = px_run.options.raw,
                                       .to = {.directory = px_run.options.output},
                                       .file_only = px_run.options.output_only};
    pmix_status_t rc = px_run_job_make(&order, px_run.options.nspace, &wishes, &first_job);

    if (rc == PMIX_ERR_JOB_FAILED_TO_MAP) {
        px_run_say("--host names a node that is not there, or more processes are asked for than "
                   "--map-by has room for");
    } else if (rc == PMIX_ERR_OUT_OF_RESOURCE) {
        px_run_say("a job has at most %d processes, those of all programs together",
                   PX_RUN_MAX_PROCS);
    } else if (rc != PMIX_SUCCESS) {
        px_run_say("cannot make the job: %s", PMIx_Error_string(rc));
    }
    pmix_rank_t input = px_run.options.input_rank;
    if (rc == PMIX_SUCCESS && input <= PMIX_RANK_VALID && input >= first_job->n_procs) {
        px_run_say("--stdin: there is no rank %u", input);
        rc = PMIX_ERR_NOT_FOUND;
    }
    return rc == PMIX_SUCCESS ? 0 : -1;
}

/* With several nodes, the server of the first one writes the file that PMIX_LAUNCHER_RNDZ_FILE
 * names. */
static pmix_status_t start_server(void)
{
    char server[PMIX_MAX_NSLEN + 1];
    pmix_rank_t rank = px_run.node;
    bool yes = true;
    /* Without that directory there is a job all the same. */
    bool tools = access(px_run_rendezvous_dir(), W_OK | X_OK) == 0;
    pmix_info_t *info = PMIx_Info_create(6);

    if (info == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (px_run.node > 0) {
        (void) unsetenv(PMIX_LAUNCHER_RNDZ_FILE);
    }
    snprintf(server, sizeof(server), PX_RUN_SERVERS "%d", (int) px_run.pid);
    pmix_status_t rc = PMIx_Info_load(&info[0], PMIX_SERVER_NSPACE, server, PMIX_STRING);
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(&info[1], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(&info[2], PMIX_HOSTNAME, px_run.hostname, PMIX_STRING);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(&info[3], PMIX_SERVER_SHARE_TOPOLOGY, &yes, PMIX_BOOL);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(&info[4], PMIX_SERVER_TOOL_SUPPORT, &tools, PMIX_BOOL);
    }
    if (!tools) {
        px_run_verbose("tools cannot find this job: nothing can be written to %s",
                       px_run_rendezvous_dir());
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(&info[5], PMIX_SERVER_TMPDIR, px_run_rendezvous_dir(), PMIX_STRING);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_server_init(px_run_host_open(), info, 6);
    }
    if (rc == PMIX_SUCCESS) {
        rc = px_run_tools_watch();
    }
    PMIx_Info_free(info, 6);
    return rc;
}

/* Runs the job from registration to its end. */
static void run_job(void)
{
    struct px_run_job *job = first_job;

    pmix_status_t rc = px_run.options.bind_core ? px_run_bind(job) : PMIX_SUCCESS;

    rc = rc == PMIX_SUCCESS ? px_run_job_add(job) : rc;
    if (rc != PMIX_SUCCESS) {
        px_run_say("cannot make the job: %s", PMIx_Error_string(rc));
        px_run.code = 1;
        return;
    }
    first_job = NULL;
    rc = px_run_job_register(job);
    if (rc != PMIX_SUCCESS) {
        px_run_say("cannot register the job: %s", PMIx_Error_string(rc));
        px_run.code = 1;
        return;
    }
    px_run_verbose("registered %s with %u processes", job->nspace, job->n_procs);
    px_run_bind_say(job);
    px_run_report_step("with a job");
    int error = px_run_job_launch(job);
    if (error != 0) {
        px_run_end(error == ENOENT ? 127 : error == EACCES || error == ENOEXEC ? 126 : 1);
    }
    px_run_stdin_feed(job);
    px_run_job_check(job);
    px_run_loop();
}

/* What the processes have left behind outside their groups became ours; nothing survives the
 * job. */
static void kill_orphans(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int) getpid());
    for (int round = 0; round < 100; round++) {
        FILE *f = fopen(path, "re");
        int pid;
        int n = 0;
        while (f != NULL && fscanf(f, "%d", &pid) == 1) {
            n += kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid;
        }
        if (f != NULL) {
            fclose(f);
        }
        if (n == 0) {
            return;
        }
    }
}

static void clean_up(void)
{
    if (px_run.place == PX_RUN_AT_RELAY) {
        px_run_relay_free();
    } else {
        if (px_run.options.report) {
            px_run_report_step("behind the job");
            px_run_report_print();
        }
        px_run_script_close();
        px_run_rendezvous_close();
        px_run_push_free();
        (void) PMIx_server_finalize();
    }
    if (px_run.place != PX_RUN_AT_RELAY) {
        px_run_collect_free();
        px_run_remote_close();
    }
    if (px_run.place != PX_RUN_NODE) {
        px_run_script_unused();
    }
    px_run_published_free();
    px_run_inputs_close();
    px_run_forward_free();
    px_run_jobs_free();
    px_run_job_destroy(first_job);
    px_run_guard_stop();
    kill_orphans();
    px_run_openmpi_free();
    px_run_trace_close();
    px_run_options_free(&px_run.options);
}

/* A namespace that no other pmixrun of this host has. It must not begin with "pmix": that prefix
 * makes a key reserved, and programs build keys from their namespace. */
static void name_job(void)
{
    if (px_run.options.nspace == NULL) {
        snprintf(own_nspace, sizeof(own_nspace), "job-%.64s-%d", px_run.hostname, (int) px_run.pid);
        px_run.options.nspace = own_nspace;
    }
}

/* Before there are threads and nodes. 0 or errno. */
static int prepare(void)
{
    int error = 0;

    if (px_run.options.n_nodes > 1 && px_run_openmpi_open() != 0) {
        px_run_say("no directories can be made for the shared memory of Open MPI: its processes of "
                   "different nodes may collide");
    }
    if (px_run_guard_start() != 0) {
        error = errno;
        px_run_openmpi_remove();
        return error;
    }
    if (px_run.options.n_nodes > 1) {
        error = px_run_nodes_fork();
        if (error != 0) {
            return error;
        }
        snprintf(px_run.hostname, sizeof(px_run.hostname), "%s", px_run_node_name(px_run.node));
    }
    (void) prctl(PR_SET_CHILD_SUBREAPER, 1);
    error = px_run_script_open();
    if (error != 0) {
        return error;
    }
    px_run.task_fd = px_run_tasks_open();
    return px_run.task_fd < 0 || px_run_signals_open() < 0 ? errno : 0;
}

/* Says once, for the whole job, which settings of the library are mistakes; the processes inherit
 * them, and their library is silent. */
static void say_mistakes(void)
{
    const struct px_complaint *one;

    if (px_param_read() != 0) {
        return; /* no memory; the server will say so */
    }
    for (size_t i = 0; (one = px_param_complaint(i)) != NULL; i++) {
        if (one->sure) {
            px_run_say("%s", one->text);
        }
    }
}

/* What this process is, and the file that the user has named. 0, or -1 after a complaint. */
static int begin(void)
{
    px_run.pid = getpid();
    say_mistakes();
    (void) signal(SIGCHLD, SIG_DFL); /* a parent may have left it ignored: no wait(2) would work */
    if (gethostname(px_run.hostname, sizeof(px_run.hostname) - 1) != 0) {
        px_run_say("this host has no name: %s", strerror(errno));
        return -1;
    }
    name_job();
    if (make_first_job() != 0) {
        return -1;
    }
    px_run_files_raise();
    int error = px_run.options.record != NULL ? px_run_record_open(px_run.options.record) : 0;
    if (error != 0) {
        px_run_say("cannot write %s: %s", px_run.options.record, strerror(error));
        return -1;
    }
    error = px_run.options.trace != NULL ? px_run_trace_open(px_run.options.trace) : 0;
    if (error != 0) {
        px_run_say("cannot write %s: %s", px_run.options.trace, strerror(error));
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char name[] = "pmixrun";

    px_std_open(argv, name);
    int rc = px_run_options_read(argc, argv, &px_run.options);
    if (rc != 0) {
        return rc;
    }
    if (px_run.options.help || px_run.options.version) {
        if (px_run.options.help) {
            px_run_usage(stdout);
        } else {
            puts(PACKAGE_STRING);
        }
        px_run_options_free(&px_run.options);
        return px_std_close(name, 0);
    }
    if (begin() != 0) {
        return 1;
    }
    int error = prepare();
    if (error != 0) {
        px_run_say("cannot start: %s", strerror(error));
        return 1;
    }
    if (px_run.place == PX_RUN_AT_RELAY) {
        px_run_loop();
        clean_up();
        return px_run.code;
    }
    uint64_t since_ns = px_run_trace_now();
    px_run_report_step("without a server");
    pmix_status_t status = start_server();
    px_run_report_step("with a server");
    px_run_trace_step("PMIx_server_init", NULL, since_ns);
    if (status != PMIX_SUCCESS) {
        px_run_say("cannot start the server: %s", PMIx_Error_string(status));
        px_run_guard_stop();
        return 1;
    }
    error = px_run_rendezvous_open();
    if (error != 0) {
        px_run_say("tools cannot find this job by its process id: %s", strerror(error));
    }
    run_job();
    clean_up();
    return px_run.code;
}
