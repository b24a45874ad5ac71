/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* --report: each process inherits the write end of one pipe and its library writes a line there at
 * finalize: namespace, rank, reads answered from memory, messages sent, messages received, bytes of
 * the segment. What is in the segment is what pmix-shm would say: counted with the same code, just
 * before the library forgets the job. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gds/format.h"
#include "run.h"
#include "src/base/buf.h"
#include "src/heap/heap.h"
#include "src/tools/shm/find.h"
#include "src/tools/shm/tally.h"
#include "shmem/header.h"

#define PIPE_BYTES 1048576             /* for processes that end at the same time */
#define MOST_BYTES ((size_t) 64 << 20) /* of lines that are kept */
#define MOST_READS 64                  /* at a time: more than the pipe holds */

static int ends[2] = {-1, -1};
static struct px_buf come; /* what has come */

static struct {
    const char *when;
    struct px_heap heap;
} steps[8];
static size_t n_steps;

void px_run_report_step(const char *when)
{
    if (px_run.options.report && px_run.options.verbose &&
        n_steps < sizeof(steps) / sizeof(steps[0])) {
        steps[n_steps].when = when;
        steps[n_steps++].heap = px_heap_look();
    }
}

static void print_heap(void)
{
    for (size_t i = 0; i < n_steps; i++) {
        px_run_say("heap (%s) %s: %zu bytes in use, %zu held", px_heap_name(), steps[i].when,
                   steps[i].heap.used, steps[i].heap.held);
    }
}

int px_run_report_open(void)
{
    if (ends[1] < 0) {
        if (pipe2(ends, O_CLOEXEC) != 0) {
            return -1;
        }
        (void) fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
        (void) fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    return ends[1];
}

int px_run_report_poll_fd(void)
{
    return ends[0];
}

void px_run_report_move(void)
{
    static char piece[65536];
    ssize_t n = 1;

    for (int i = 0; i < MOST_READS && ends[0] >= 0 && n > 0; i++) {
        n = read(ends[0], piece, sizeof(piece));
        if (n > 0 && come.len < MOST_BYTES) { /* as many processes do not fit into one run */
            px_buf_append(&come, piece, (size_t) n);
        }
    }
}

struct line {
    uint32_t rank;
    uint64_t reads;
    uint64_t sent;
    uint64_t received;
    uint64_t segment;
};

static bool read_line(const char *text, const char *nspace, struct line *ret)
{
    size_t n = strlen(nspace);

    return strncmp(text, nspace, n) == 0 && text[n] == ' ' &&
           sscanf(text + n, " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ret->rank,
                  &ret->reads, &ret->sent, &ret->received, &ret->segment) == 5;
}

static int by_rank(const void *a, const void *b)
{
    const struct line *x = a;
    const struct line *y = b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* --- the segment */

/* This process's segment of a namespace; false when there is none. */
static bool open_own(const char *nspace, struct px_segment *ret)
{
    struct px_shm_list list;
    bool found = false;

    if (px_shm_find(getpid(), &list) != 0) {
        return false;
    }
    for (size_t i = 0; i < list.n && !found; i++) {
        int fd = px_shm_fd(&list.items[i]);

        if (fd < 0 || px_segment_open(fd, ret) != 0) {
            continue;
        }
        found = px_header_check(ret, PX_FORMAT_FINGERPRINT) == 0 &&
                strcmp(px_segment_header(ret)->id.name, nspace) == 0;
        if (!found) {
            px_segment_close(ret);
        }
    }
    px_shm_list_free(&list);
    return found;
}

void px_run_report_take(struct px_run_job *job)
{
    struct px_segment seg;

    if (!px_run.options.report || job->tally != NULL || !open_own(job->nspace, &seg)) {
        return;
    }
    job->tally = malloc(sizeof(*job->tally));
    if (job->tally != NULL && px_shm_tally(&seg, job->tally) != 0) {
        free(job->tally);
        job->tally = NULL;
    }
    px_segment_close(&seg);
}

/* "3 a, 2 b" of what is not 0. */
static void join(const uint64_t *numbers, const char *const *names, int n, char *ret, size_t room)
{
    size_t len = 0;

    ret[0] = '\0';
    for (int i = 0; i < n && len < room; i++) {
        if (numbers[i] > 0) {
            len += (size_t) snprintf(ret + len, room - len, "%s%" PRIu64 " %s", len ? ", " : "",
                                     numbers[i], names[i]);
        }
    }
}

static void print_tally(const struct px_run_job *job)
{
    const struct px_shm_tally *t = job->tally;
    const struct px_shm_fill *keys = &t->tables[PX_TABLE_KEYS];
    const struct px_shm_fill *records = &t->tables[PX_TABLE_RECORDS];
    char text[512];

    join(t->parts, px_shm_part_names, PX_N_PARTS, text, sizeof(text));
    px_run_say("%s: bytes: %s", job->nspace, text);
    join(t->kinds, px_shm_kind_names, PX_N_KINDS, text, sizeof(text));
    px_run_say("%s: columns: %s", job->nspace, text[0] != '\0' ? text : "none");
    px_run_say("%s: %" PRIu64 " keys, %" PRIu64 " records, longest probes %" PRIu64 " and %" PRIu64,
               job->nspace, keys->filled, records->filled, keys->longest, records->longest);
}

/* Processes of the job on this node. */
static size_t count_here(const struct px_run_job *job)
{
    size_t n = 0;

    for (uint32_t i = 0; i < job->n_procs; i++) {
        n += px_run_job_node(job, i) == px_run.node;
    }
    return n;
}

static void print_job(const struct px_run_job *job, const char *text)
{
    struct line *lines = calloc(job->n_procs, sizeof(*lines));
    size_t n = 0;

    for (const char *p = text; lines != NULL && *p != '\0' && n < job->n_procs;) {
        n += read_line(p, job->nspace, &lines[n]);
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    if (n > 0) {
        qsort(lines, n, sizeof(*lines), by_rank);
    }
    px_run_say("%s: %u ranks registered, %zu reported, segment of %" PRIu64 " bytes", job->nspace,
               job->n_procs, n,
               job->tally != NULL ? job->tally->bytes
               : n > 0            ? lines[0].segment
                                  : 0);
    if (n < count_here(job)) {
        px_run_say("%s: %zu ranks did not report: their program has another libpmix (grep libpmix "
                   "/proc/PID/maps), or none, or did not come to PMIx_Finalize",
                   job->nspace, count_here(job) - n);
    }
    if (job->tally != NULL && px_run.options.verbose) {
        print_tally(job);
    }
    for (size_t i = 0; i < n; i++) {
        px_run_say("rank %" PRIu32 ": %" PRIu64 " reads from memory, %" PRIu64
                   " messages sent, %" PRIu64 " received",
                   lines[i].rank, lines[i].reads, lines[i].sent, lines[i].received);
    }
    free(lines);
}

void px_run_report_print(void)
{
    char *text;

    px_run_report_move();
    text = px_buf_take_text(&come);
    for (struct px_run_job *job = px_run.jobs; text != NULL && job != NULL; job = job->next) {
        px_run_report_take(job);
        print_job(job, text);
    }
    px_run_waits_report();
    print_heap();
    free(text);
}
