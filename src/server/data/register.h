/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REGISTER_H
#define PX_SERVER_REGISTER_H

#include <stddef.h>
#include <sys/types.h>

#include <pmix_server.h>

struct px_buf;
struct px_server;

/* What the exported calls ask for: args points to the structure that goes before, borrowed until
 * the function has run. Loop thread. */

struct px_nspace_args {
    pmix_nspace_t nspace; /* a copy: the caller's is good during its call only */
    int n_local;
    const pmix_info_t *info;
    size_t ninfo;
};

struct px_client_args {
    pmix_proc_t proc;
    uid_t uid;
    gid_t gid;
    void *object;
};

struct px_infos_args {
    const pmix_info_t *info;
    size_t ninfo;
};

struct px_collect_args {
    const pmix_proc_t *procs;
    size_t nprocs;
    struct px_buf *buf;
};

int px_register_nspace(struct px_server *s, void *args);
int px_deregister_nspace(struct px_server *s, void *args);

int px_register_client(struct px_server *s, void *args);
int px_deregister_client(struct px_server *s, void *args);

int px_register_resources(struct px_server *s, void *args);
int px_deregister_resources(struct px_server *s, void *args);

int px_collect_job_info(struct px_server *s, void *args);

#endif
