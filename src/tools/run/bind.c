/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* --bind-to core: the cores that we may use, as the kernel lists them, are dealt out in rank
 * order. */

#include <stdlib.h>
#include <string.h>

#include "run.h"

#define SIBLINGS "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"

/* Adds the CPUs of a list such as "0-1,8" that lie in `allowed` to `core`. */
static void add_list(const char *list, const cpu_set_t *allowed, cpu_set_t *core)
{
    const char *p = list;

    while (*p >= '0' && *p <= '9') {
        char *end;
        long first = strtol(p, &end, 10);
        long last = first;
        if (*end == '-') {
            last = strtol(end + 1, &end, 10);
        }
        for (long i = first; i <= last && i < CPU_SETSIZE; i++) {
            if (CPU_ISSET(i, allowed)) {
                CPU_SET(i, core);
            }
        }
        p = *end == ',' ? end + 1 : end;
    }
}

/* The hardware threads of a CPU's core that we may use; the CPU alone when the kernel does not
 * tell. */
static void core_of(int cpu, const cpu_set_t *allowed, cpu_set_t *ret_core)
{
    char path[sizeof(SIBLINGS) + 12];
    char list[256];

    CPU_ZERO(ret_core);
    CPU_SET(cpu, ret_core);
    snprintf(path, sizeof(path), SIBLINGS, cpu);
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return;
    }
    if (fgets(list, sizeof(list), f) != NULL) {
        add_list(list, allowed, ret_core);
    }
    fclose(f);
}

/* "hwloc:0-1,8", malloc'd. */
static char *text_of(const cpu_set_t *set)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (f == NULL) {
        return NULL;
    }
    fputs("hwloc:", f);
    const char *comma = "";
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, set)) {
            int last = i;
            while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set)) {
                last++;
            }
            fprintf(f, last > i ? "%s%d-%d" : "%s%d", comma, i, last);
            comma = ",";
            i = last;
        }
    }
    return fclose(f) == 0 ? text : NULL;
}

static int bind_one(struct px_run_proc *proc, const cpu_set_t *core)
{
    proc->cpus = malloc(sizeof(*proc->cpus));
    proc->cpuset = text_of(core);
    if (proc->cpus == NULL || proc->cpuset == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *proc->cpus = *core;
    return 0;
}

/* What --report-bindings and --verbose say of the processes of this node. */
void px_run_bind_say(const struct px_run_job *job)
{
    for (uint32_t i = 0; i < job->n_procs; i++) {
        const struct px_run_proc *proc = &job->procs[i];
        bool here = proc->node == px_run.node;

        if (here && proc->cpuset == NULL && px_run.options.report_bindings) {
            px_run_say("%s rank %u on %s is not bound", job->nspace, proc->rank, px_run.hostname);
        } else if (here && proc->cpuset != NULL &&
                   (px_run.options.report_bindings || px_run.options.verbose)) {
            px_run_say("%s rank %u on %s is bound to CPUs %s", job->nspace, proc->rank,
                       px_run.hostname, strchr(proc->cpuset, ':') + 1);
        }
    }
}

int px_run_bind(struct px_run_job *job)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    cpu_set_t left = allowed;
    bool shared = false;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < job->n_procs; i++) {
        if (CPU_COUNT(&left) == 0) {
            left = allowed; /* every core is taken: once more from the first */
            shared = true;
        }
        int cpu = 0;
        while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &left)) {
            cpu++;
        }
        cpu_set_t core;
        core_of(cpu, &allowed, &core);
        cpu_set_t both;
        CPU_AND(&both, &left, &core);
        CPU_XOR(&left, &left, &both);
        rc = bind_one(&job->procs[i], &core);
    }
    if (shared && px_run.node == 0) {
        px_run_say("--bind-to core: there are more processes than cores, so some share one");
    }
    return rc;
}
