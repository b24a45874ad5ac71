/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What Open MPI's own launcher tells its processes about where they run, as variables of Open
 * MPI's. A variable that the user has set is left alone.
 *
 * Emulated nodes share one host name, after which Open MPI's shared-memory transports name their
 * files; so the files of each node go into a directory of its own. All the directories are below
 * one, which the guard removes at the end, however pmixrun ends. */

#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes.h"

#define MAX_TRIES 1000 /* to remove the directory while killed processes may still write there */

static char *shared_dir; /* NULL: none */

/* ---- the directories */

static char *make_dir(const char *where)
{
    char *path;

    if (asprintf(&path, "%s/pmixrun-XXXXXX", where) < 0) {
        return NULL;
    }
    if (mkdtemp(path) == NULL) {
        free(path);
        return NULL;
    }
    return path;
}

static char *node_dir(uint32_t node)
{
    char *path;

    return asprintf(&path, "%s/node%u", shared_dir, node) < 0 ? NULL : path;
}

int px_run_openmpi_open(void)
{
    const char *tmp = getenv("TMPDIR");

    shared_dir = make_dir("/dev/shm");
    if (shared_dir == NULL) {
        shared_dir = make_dir(tmp != NULL ? tmp : "/tmp");
    }
    if (shared_dir == NULL) {
        return errno;
    }
    for (uint32_t i = 0; i < (uint32_t) px_run.options.n_nodes; i++) {
        char *path = node_dir(i);
        int error = path == NULL ? ENOMEM : mkdir(path, 0700) != 0 ? errno : 0;

        free(path);
        if (error != 0) {
            px_run_openmpi_remove();
            return error;
        }
    }
    return 0;
}

void px_run_openmpi_free(void)
{
    free(shared_dir);
    shared_dir = NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void) st;
    (void) type;
    (void) ftw;
    (void) remove(path); /* what cannot be removed keeps the directory, which is tried again */
    return 0;
}

void px_run_openmpi_remove(void)
{
    for (int i = 0; shared_dir != NULL && i < MAX_TRIES; i++) {
        (void) nftw(shared_dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        if (access(shared_dir, F_OK) != 0) {
            break;
        }
    }
    px_run_openmpi_free();
}

/* ---- the variables */

static uint32_t n_cpus(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? (uint32_t) CPU_COUNT(&allowed)
                                                                : UINT32_MAX;
}

bool px_run_oversubscribed(const struct px_run_job *job)
{
    uint32_t n = job->n_procs;

    /* All nodes share this machine's CPUs. */
    for (const struct px_run_job *other = px_run.running; other != NULL; other = other->peer) {
        n += other == job ? 0 : other->n_procs;
    }
    return n > n_cpus();
}

static int set_default(char ***env, const char *name, const char *value)
{
    return px_env_get(*env, name) != NULL ? 0 : px_env_set(env, name, value);
}

/* Versions 4 and 5 call their transport within a node vader and sm. */
static int set_directories(char ***env)
{
    static const char *const names[] = {
        "OMPI_MCA_btl_vader_backing_directory",
        "OMPI_MCA_btl_sm_backing_directory",
        "OMPI_MCA_osc_sm_backing_directory",
        "OMPI_MCA_osc_rdma_backing_directory",
    };
    char *path = node_dir(px_run.node);
    int rc = path == NULL ? PMIX_ERR_NOMEM : 0;

    for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        rc = set_default(env, names[i], path);
    }
    free(path);
    return rc;
}

int px_run_openmpi_set(const struct px_run_job *job, char ***env)
{
    int rc = px_run_oversubscribed(job) ? set_default(env, "OMPI_MCA_mpi_oversubscribe", "1") : 0;

    if (rc == 0 && shared_dir != NULL) {
        rc = set_directories(env);
    }
    /* Nodes of one machine reach each other by its loopback interface, which Open MPI leaves out
     * unless told. */
    if (rc == 0 && px_run.options.n_nodes > 1 &&
        px_env_get(*env, "OMPI_MCA_btl_tcp_if_exclude") == NULL) {
        rc = set_default(env, "OMPI_MCA_btl_tcp_if_include", "lo");
    }
    /* Debian leaves out the only windows that work between nodes without RDMA. */
    if (rc == 0 && px_run.options.n_nodes > 1) {
        rc = set_default(env, "OMPI_MCA_osc", "^ucx");
    }
    return rc;
}
