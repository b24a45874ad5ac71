/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output that a tool pulls: the host delivers numbered lines as standard output of rank 0 (node.c),
 * the tool receives them in PMIx_IOF_pull's callback and compares every byte. */

#include <pmix_tool.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "family.h"

enum { PULLS = 5, BYTES = 1 << 24, PATIENCE_S = 60 };

/* ---- the tool */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t over_now;
    pmix_proc_t source;
    char *want;  /* the whole output */
    size_t size; /* of it */
    size_t came;
    uint64_t last_ns;
    bool wrong;
    bool over; /* lock, as last_ns and wrong; the rest belongs to the callback's thread */
} pulled = {.lock = PTHREAD_MUTEX_INITIALIZER, .over_now = PTHREAD_COND_INITIALIZER};

/* Before the clock starts. False: no memory. */
static bool expect(size_t len, size_t n_lines)
{
    pulled.size = len * n_lines;
    pulled.want = malloc(pulled.size);
    for (size_t i = 0; pulled.want && i < n_lines; i++) {
        char *line = pulled.want + i * len;

        numbered_line(line, len, 0, (unsigned) i);
        line[0] = (char) (line[0] + (char) family_corrupts());
    }
    return pulled.want != NULL;
}

/* True if these are the next bytes of the output. */
static bool are_next(const char *bytes, size_t size)
{
    if (size > pulled.size - pulled.came || memcmp(pulled.want + pulled.came, bytes, size) != 0) {
        return false;
    }
    pulled.came += size;
    return true;
}

static void on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *payload, pmix_info_t info[], size_t ninfo)
{
    bool good = channel == PMIX_FWD_STDOUT_CHANNEL && source->rank == 0 &&
                PMIX_CHECK_NSPACE(source->nspace, pulled.source.nspace);

    (void) id;
    (void) info;
    (void) ninfo;
    good = good && (!payload || are_next(payload->bytes, payload->size));
    pthread_mutex_lock(&pulled.lock);
    pulled.wrong |= !good;
    if (!pulled.over && (!good || pulled.came == pulled.size)) {
        pulled.over = true;
        pulled.last_ns = now_ns();
        pthread_cond_signal(&pulled.over_now);
    }
    pthread_mutex_unlock(&pulled.lock);
}

/* Waits for the last line. False: something else has come, or nothing for too long. */
static bool all_came(void)
{
    struct timespec until;
    bool good;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&pulled.lock);
    while (!pulled.over && rc == 0) {
        rc = pthread_cond_timedwait(&pulled.over_now, &pulled.lock, &until);
    }
    good = pulled.over && !pulled.wrong;
    pthread_mutex_unlock(&pulled.lock);
    return good;
}

static bool pull(size_t len, size_t n_lines, double *ret_ns)
{
    pmix_info_t infos[2];
    pmix_status_t rc;
    uint64_t start;
    bool good;

    PMIX_INFO_CONSTRUCT(&infos[0]);
    PMIX_INFO_CONSTRUCT(&infos[1]);
    PMIX_INFO_LOAD(&infos[0], BENCH_LINE, &len, PMIX_SIZE);
    PMIX_INFO_LOAD(&infos[1], BENCH_LINES, &n_lines, PMIX_SIZE);
    start = now_ns();
    rc = PMIx_IOF_pull(&pulled.source, 1, infos, 2, PMIX_FWD_STDOUT_CHANNEL, on_output, NULL, NULL);
    good = (rc >= 0 || rc == PMIX_OPERATION_SUCCEEDED) && all_came(); /* 4.2.2 has no number */
    *ret_ns = (double) (pulled.last_ns - start);
    PMIX_INFO_DESTRUCT(&infos[0]);
    PMIX_INFO_DESTRUCT(&infos[1]);
    return good;
}

/* Arguments: process id of the server, namespace of the job, bytes of a line, lines. Prints the
 * time from the call until the last byte, in ns. */
int family_pull_tool(int argc, char **argv)
{
    pid_t server = argc == 4 ? (pid_t) strtol(argv[0], NULL, 10) : -1;
    size_t len = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    size_t n_lines = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    pmix_info_t info;
    pmix_proc_t self;
    double ns = 0;
    bool good;

    if (len <= NUMBERED_HEAD || !n_lines || !expect(len, n_lines)) {
        return 2;
    }
    PMIX_LOAD_PROCID(&pulled.source, argv[1], 0);
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_SERVER_PIDINFO, &server, PMIX_PID);
    good = PMIx_tool_init(&self, &info, 1) == PMIX_SUCCESS;
    PMIX_INFO_DESTRUCT(&info);
    if (!good) {
        return 1;
    }
    good = pull(len, n_lines, &ns);
    good &=
        PMIx_tool_finalize() == PMIX_SUCCESS && !pulled.wrong; /* nothing came behind the last */
    if (good) {
        printf("%.1f\n", ns);
    }
    free(pulled.want);
    return good ? 0 : 1;
}

/* ---- the process that starts it */

/* Argument: bytes of a line. */
bool family_pull(const struct crew *crew)
{
    struct samples bytes = {.n = 0};
    struct samples lines = {.n = 0};
    unsigned len = crew->argc == 1 ? (unsigned) strtoul(crew->argv[0], NULL, 10) : 0;
    unsigned n = len ? scaled(BYTES / len) : 0;
    bool good = n > 0;

    for (unsigned i = 0; i < scaled(PULLS) && good && crew->self.rank == 0; i++) {
        char command[512];
        double ns = 0;

        snprintf(command, sizeof(command), "pull-tool %d %s %u %u", (int) getppid(),
                 crew->self.nspace, len, n);
        good = family_run_tool(command, &ns, 1);
        if (good) {
            sample_add(&bytes, (double) n * len * 1e9 / ns);
            sample_add(&lines, (double) n * 1e9 / ns);
        }
    }
    if (crew->self.rank == 0) {
        metric_one("pull_bytes_per_s", good, sample_median(&bytes));
        metric_one("pull_lines_per_s", good, sample_median(&lines));
    }
    return crew_fence(false) && good;
}
