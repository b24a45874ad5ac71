/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "measure.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What the clock says. */
static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t cpu_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t thread_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void sample_add(struct samples *samples, double ns)
{
    if (samples->n < SAMPLES_MAX) {
        samples->ns[samples->n++] = ns;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *) a;
    double y = *(const double *) b;

    return (x > y) - (x < y);
}

static double at_share(struct samples *samples, size_t percent)
{
    if (!samples->n) {
        return NAN;
    }
    qsort(samples->ns, samples->n, sizeof(samples->ns[0]), ascending);
    return samples->ns[samples->n * percent / 100];
}

double sample_median(struct samples *samples)
{
    return at_share(samples, 50);
}

double sample_p99(struct samples *samples)
{
    return at_share(samples, 99);
}

unsigned scaled(unsigned n)
{
    unsigned few = n / 50;

    return !getenv("BENCH_QUICK") ? n : few > 2 ? few : 2;
}

static char *put_digits(char *at, unsigned n, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; n /= 10) {
        at[i] = (char) ('0' + n % 10);
    }
    at[digits] = ' ';
    return at + digits + 1;
}

/* Without snprintf, which takes longer than a library takes for a short line. */
void numbered_line(char *line, size_t len, unsigned rank, unsigned number)
{
    (void) put_digits(put_digits(line, rank, 3), number, 8);
    memset(line + NUMBERED_HEAD, 'x', len - NUMBERED_HEAD);
    line[len - 1] = '\n';
}

void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof(set), &set) != 0) {
        perror("bench: pin");
    }
}

unsigned node_of(unsigned rank)
{
    return rank < LOCAL_CLIENTS ? 0 : 1 + (rank - LOCAL_CLIENTS) / FULL_NODE;
}

unsigned local_rank_of(unsigned rank)
{
    unsigned first = rank;

    while (first > 0 && node_of(first - 1) == node_of(rank)) {
        first--;
    }
    return rank - first;
}

void node_name(unsigned node, char *ret, size_t room)
{
    if (node == 0) {
        gethostname(ret, room);
        ret[room - 1] = '\0';
    } else {
        snprintf(ret, room, "bench-node%02u", node);
    }
}

struct memory memory_of(pid_t pid)
{
    struct memory sum = {0, 0, 0, 0};
    FILE *maps;
    bool shared = false;
    char line[512];

    snprintf(line, sizeof(line), "/proc/%d/smaps", (int) pid);
    maps = fopen(line, "r");
    while (maps && fgets(line, sizeof(line), maps)) {
        char perms[5];
        long kb;

        if (sscanf(line, "%*x-%*x %4s", perms) == 1) {
            shared = perms[3] == 's';
        } else if (sscanf(line, "Rss: %ld", &kb) == 1) {
            *(shared ? &sum.shared_kb : &sum.rss_kb) += kb;
        } else if (sscanf(line, "Pss: %ld", &kb) == 1) {
            sum.pss_kb += kb;
        } else if (sscanf(line, "Private_Dirty: %ld", &kb) == 1) {
            sum.private_kb += kb;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return sum;
}
