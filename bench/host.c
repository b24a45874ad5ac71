/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The host daemon of the benchmark: registers one job of JOB_RANKS over JOB_NODES nodes, of which
 * LOCAL_CLIENTS ranks run here, hands fence data straight back, and starts the measuring
 * clients. */

#include <pmix.h>
#include <pmix_server.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "layout.h"
#include "measure.h"

/* Starts this program as a client of the given kind, behind the wrapper (callgrind, strace) when
 * there is one. */
static pid_t start(unsigned rank, char *self, char *kind, const char *const *wrapper)
{
    char *argv[32];
    int n = 0;

    for (; wrapper && wrapper[n] && n < 28; n++) {
        argv[n] = (char *) wrapper[n];
    }
    argv[n++] = self;
    argv[n++] = kind;
    argv[n] = NULL;
    return daemon_spawn(JOB_NSPACE, rank, argv, -1, -1);
}

int run_host(char *self, const char *const *wrapper)
{
    struct layout layout = {JOB_NSPACE, JOB_ID,  JOB_RANKS,     JOB_NODES,
                            0,          node_of, local_rank_of, node_name};
    pid_t pids[LOCAL_CLIENTS];
    int bad = 0;

    daemon_init(NULL, NULL);
    layout_register(&layout);
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        pids[r] = start(r, self, "client", r == 0 ? wrapper : NULL);
    }
    for (unsigned r = 0; r < LOCAL_CLIENTS; r++) {
        bad |= daemon_wait(pids[r]);
    }
    /* Last, because 4.2.2 loses process data of a namespace once a client of it has finalized. */
    for (unsigned i = 0; i < scaled(INIT_CLIENTS) && !wrapper; i++) {
        bad |= daemon_wait(start(1, self, "init", NULL));
    }
    daemon_fini(JOB_NSPACE);
    return bad;
}
