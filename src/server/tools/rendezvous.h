/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_RENDEZVOUS_H
#define PX_SERVER_RENDEZVOUS_H

#include <stdbool.h>

struct px_rendezvous;
struct px_server;

/* The files by which tools find a server. Any thread, one at a time (init and finalize).
 *
 * A file holds, a line each: contact string, version, process id, "uid:gid", time of start. It
 * appears complete or not at all, and goes with the server, unless somebody else has put another in
 * its place. */

struct px_rendezvous_opts {
    bool system;     /* PMIX_SERVER_SYSTEM_SUPPORT */
    bool scheduler;  /* PMIX_SERVER_SCHEDULER */
    bool controller; /* PMIX_SERVER_SYS_CONTROLLER */
    /* PMIX_LAUNCHER_RENDEZVOUS_FILE, or NULL; its directories are made */
    const char *launcher_file;
    unsigned mode; /* of the files; 0: the default */
};

/* 0, PMIX_ERR_EXISTS (another system server is alive), PMIX_ERR_NO_PERMISSIONS,
 * PMIX_ERR_OUT_OF_RESOURCE (no such directory, disk full), PMIX_ERR_NOMEM; nothing is left behind
 * then. */
int px_rendezvous_write(const struct px_server *s, const struct px_rendezvous_opts *opts,
                        struct px_rendezvous **ret);

/* Removes what write has made. Takes NULL. */
void px_rendezvous_remove(struct px_rendezvous *rendezvous);

#endif
