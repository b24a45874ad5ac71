/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool that uses only what every PMIx of the 4.2 to 6.1 series has: built against any library, it
 * visits the host of test/interop while "interop-job" runs there.
 *
 *     visitor PID attach         is connected, asks for the namespaces, and gets the job's size
 *     visitor PID output GATE    gets what the job writes when it is let go, by the gate
 *
 * Returns 0, or 1 after a line on standard error. */

#include <pmix.h>
#include <pmix_tool.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/interop/marks.h"
#include "test/interop/results.h"

static const pmix_nspace_t job_name = "interop-job";
static bool line_came; /* a mark */
static bool pulled;    /* a mark */

static void must(bool held, const char *what, pmix_status_t rc)
{
    if (!held) {
        fprintf(stderr, "visitor: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void attach(void)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    pmix_value_t *value = NULL;
    size_t n = 0;
    pmix_proc_t job;
    pmix_status_t rc;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
    rc = PMIx_Query_info(&query, 1, &results, &n);
    must(rc == PMIX_SUCCESS && has_text(results, n, PMIX_QUERY_NAMESPACES, job_name),
         "query the namespaces", rc);
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    PMIX_LOAD_PROCID(&job, job_name, PMIX_RANK_WILDCARD);
    rc = PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value);
    must(rc == PMIX_SUCCESS && value->type == PMIX_UINT32 && value->data.uint32 == 2,
         "get the job's size", rc);
    PMIX_VALUE_RELEASE(value);
}

static void on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *payload, pmix_info_t info[], size_t ninfo)
{
    static const char want[] = "interop line of 0";

    (void) id;
    (void) channel;
    (void) info;
    (void) ninfo;
    if (source->rank == 0 && payload && payload->size >= sizeof(want) - 1 &&
        memmem(payload->bytes, payload->size, want, sizeof(want) - 1)) {
        mark(&line_came);
    }
}

static void on_pull(pmix_status_t status, size_t id, void *cbdata)
{
    (void) id;
    (void) cbdata;
    must(status == PMIX_SUCCESS, "the answer to the pull", status);
    mark(&pulled);
}

static void output(const char *gate)
{
    pmix_proc_t job;
    pmix_status_t rc;
    FILE *file;

    PMIX_LOAD_PROCID(&job, job_name, 0);
    rc = PMIx_IOF_pull(&job, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, on_output, on_pull, NULL);
    must(rc == PMIX_SUCCESS, "pull", rc);
    await(&pulled);
    file = fopen(gate, "w");
    must(file && fputs("go\n", file) >= 0 && fflush(file) == 0, "open the gate", PMIX_ERROR);
    await(&line_came);
    fclose(file);
}

int main(int argc, char **argv)
{
    pid_t pid = argc > 2 ? (pid_t) atoi(argv[1]) : 0;
    pmix_info_t info;
    pmix_proc_t self;
    pmix_status_t rc;

    alarm(60);
    if (pid <= 0) {
        return 64;
    }
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    rc = PMIx_tool_init(&self, &info, 1);
    must(rc == PMIX_SUCCESS, "init", rc);
    if (!strcmp(argv[2], "attach")) {
        attach();
    } else if (argc > 3) {
        output(argv[3]);
    }
    rc = PMIx_tool_finalize();
    must(rc == PMIX_SUCCESS, "finalize", rc);
    return 0;
}
