/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* --trace: the library's servers and we append records (src/waits/trace.h) to a file without a
 * name, the same for all nodes; the process that was started makes a timeline of it when all have
 * ended. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "src/base/clock.h"
#include "src/waits/trace.h"
#include "timeline.h"

static FILE *records; /* NULL: no trace */
static FILE *file;

int px_run_trace_open(const char *path)
{
    char number[16];

    file = fopen(path, "we");
    records = file != NULL ? tmpfile() : NULL;
    if (records == NULL || fcntl(fileno(records), F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(fileno(records), F_SETFL, O_APPEND | O_RDWR) != 0) {
        return errno;
    }
    /* For our own library: the environment of the processes has been copied before. */
    snprintf(number, sizeof(number), "%d", fileno(records));
    return setenv("PMIX_MCA_shmix_trace_fd", number, 1) == 0 ? 0 : errno;
}

uint64_t px_run_trace_now(void)
{
    return records != NULL ? px_clock_ns() : 0;
}

void px_run_trace_step(const char *what, const char *nspace, uint64_t since_ns)
{
    struct px_trace_record record = {
        .kind = PX_TRACE_STEP, .ns = since_ns, .until_ns = px_run_trace_now(), .node = px_run.node};

    if (records != NULL) {
        px_trace_write(fileno(records), &record, nspace, what);
    }
}

void px_run_trace_forked(const struct px_run_proc *proc, uint64_t since_ns)
{
    struct px_trace_record record = {.kind = PX_TRACE_FORK,
                                     .ns = since_ns,
                                     .until_ns = px_run_trace_now(),
                                     .node = px_run.node,
                                     .rank = proc->rank,
                                     .number = proc->pid};

    if (records != NULL) {
        px_trace_write(fileno(records), &record, proc->job->nspace, proc->job->apps[proc->app].cmd);
    }
}

void px_run_trace_ended(const struct px_run_proc *proc)
{
    struct px_trace_record record = {.kind = PX_TRACE_END,
                                     .ns = px_run_trace_now(),
                                     .node = px_run.node,
                                     .rank = proc->rank,
                                     .number = proc->status};

    if (records != NULL && px_run.place != PX_RUN_AT_RELAY) {
        px_trace_write(fileno(records), &record, proc->job->nspace, NULL);
    }
}

/* The timeline, in the process that was started, when nobody writes any more. */
static int print(void)
{
    rewind(records);
    int rc = px_run_timeline(records, (uint32_t) px_run.options.n_nodes, px_run_node_name, file);

    if (rc < 0) {
        px_run_say("the trace is cut short: a record is damaged");
    } else if (rc > 0) {
        errno = rc;
        return -1;
    }
    return 0;
}

void px_run_trace_close(void)
{
    if (records == NULL) {
        return;
    }
    bool failed = px_run.place != PX_RUN_NODE && print() != 0;
    failed = fclose(file) != 0 || failed;
    if (failed) {
        px_run_say("cannot write %s: %s", px_run.options.trace, strerror(errno));
        px_run.code = px_run.code != 0 ? px_run.code : 1;
    }
    fclose(records);
    records = NULL;
}
