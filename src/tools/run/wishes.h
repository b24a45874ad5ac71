/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_RUN_WISHES_H
#define PX_TOOLS_RUN_WISHES_H

#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/output_format.h"

/* What the directives of a PMIx_Spawn ask for: those of the job are read first, then those of an
 * application, which replace what the job's have set. Borrowed from the request. Main thread. */

enum px_run_policy { PX_RUN_BY_DEFAULT, PX_RUN_BY_SLOT, PX_RUN_BY_NODE, PX_RUN_BY_NUMBER };

struct px_run_app;

/* Result of the directives for one application. */
struct px_run_app_wishes {
    char ***env;       /* its environment, which is changed */
    pmix_rank_t first; /* the rank of its first process; for directives of the job: 0 */
    const char *cwd;
    enum px_run_policy policy;
    uint32_t per_node;         /* PX_RUN_BY_NUMBER: processes on each node */
    bool rank_by_node;         /* ranks go to the nodes in turn, where `policy` has put how many */
    const char *hosts;         /* with commas; NULL: all nodes */
    const pmix_proc_t *target; /* of a debugger's daemons; NULL: none */
    uint16_t daemons_per_node;
    uint16_t daemons_per_proc;
};

/* Result of the directives for the job, those of its applications included. */
struct px_run_job_wishes {
    bool notify;     /* say when it has ended */
    bool job_events; /* and when it has started */
    bool tool;       /* it is a tool, or a debugger's daemons: its failure is not the run's */
    bool from_tool;  /* a tool asks */
    unsigned format; /* PX_FORMAT_, of its lines */
    bool merge;      /* standard error is written to standard output */
    bool raw;        /* output is passed on also before its line has an end */
    struct px_output_file to;
    bool file_only; /* output with a file is not shown */
    pmix_iof_channel_t forwarded;
    pmix_rank_t input_rank;
    /* the ranks that are stopped before their first instruction; NULL: none */
    const pmix_value_t *stop;
};

/* Where px_run_wishes_read puts the results. job: borrowed, never NULL. */
struct px_run_wishes {
    struct px_run_app_wishes app;
    struct px_run_job_wishes *job;
};

/* Takes one list of directives, and changes the environment. PMIX_ERR_NOT_SUPPORTED: a required one
 * is not known, or asks for what pmixrun cannot do; PMIX_ERR_BAD_PARAM: a value makes no sense.
 * With --verbose pmixrun writes which directive it was. */
pmix_status_t px_run_wishes_read(const pmix_info_t *info, size_t n, struct px_run_wishes *wishes);
/* The keys that are known, with commas; malloc'd. */
char *px_run_wishes_known(void);

/* ---- map.c */

/* Says on which node each process of the application is: app->place, and how many they are where
 * the wishes say that. `first` is the rank of its first. PMIX_ERR_JOB_FAILED_TO_MAP: there is no
 * such node, or not enough room; PMIX_ERR_NOT_FOUND: there is no such job to debug;
 * PMIX_ERR_BAD_PARAM: no processes; PMIX_ERR_NOMEM. */
pmix_status_t px_run_map(struct px_run_app *app, uint32_t first,
                         const struct px_run_app_wishes *wishes);

#endif
