/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_SHM_H
#define PX_TOOLS_SHM_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix.h>

#include "gds/store.h"
#include "src/tools/out.h"
#include "find.h"

/* The parts of pmix-shm. Whatever lies in a segment is hostile to all of them. */

/* --- live segments --- */

/* Opens one; it may be gone (PMIX_ERR_NOT_FOUND) or damaged: a PMIX_ERR_* status. */
int px_shm_open(const struct px_shm_live *live, struct px_store **ret);

/* Opens the segment of a namespace (NULL: the only one there is) at a server (0: the only one that
 * has it), in its present generation; the caller destroys *ret. 0; PMIX_ERR_NOT_FOUND: there is
 * none; PMIX_ERR_BAD_PARAM: there are several, and standard error says what chooses among them;
 * PMIX_ERR_NOMEM. */
int px_shm_choose(const char *nspace, pid_t pid, struct px_store **ret);

/* Prints all, or those of one server. 0, or PMIX_ERR_NOMEM. */
int px_shm_list(pid_t server, bool json);

/* --- what servers wait for --- */

struct px_shm_waits_want {
    char **nspaces; /* only what concerns one of these */
    int n_nspaces;  /* 0: all */
    pid_t pid;      /* of the server; 0: all */
    bool tree;      /* for programs */
};

/* Prints what the servers of this node wait for. 0; PMIX_ERR_NOT_FOUND: there is no such server;
 * PMIX_ERR_NOMEM. */
int px_shm_waits(const struct px_shm_waits_want *want);

/* --- what servers do --- */

struct px_shm_top_want {
    pid_t pid; /* of the server; 0: all */
    int interval_s;
    bool once;
    bool tree; /* for programs */
};

/* Prints what the servers of this node do, once, or every so often until SIGINT, SIGTERM, SIGHUP or
 * SIGQUIT, which then end the process as they do. 0; PMIX_ERR_NOMEM; with `once`
 * PMIX_ERR_NOT_FOUND: there is no such server. */
int px_shm_top(const struct px_shm_top_want *want);

/* --- one segment, as a copy that nobody changes --- */

struct px_shm_want {
    uint32_t rank;   /* PMIX_RANK_UNDEF: all */
    const char *key; /* NULL: all */
};

/* 0, or -1 when something in it was damaged, which is said. Of a wanted key only what has it is
 * shown; ret_found: there was such a rank and such a key. */
int px_shm_show(const struct px_store *store, const struct px_shm_want *want, bool *ret_found);
int px_shm_stats(const struct px_store *store);

#endif
