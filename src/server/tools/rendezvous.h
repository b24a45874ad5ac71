/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_RENDEZVOUS_H
#define PX_SERVER_RENDEZVOUS_H

/* The files by which tools find a server (Standard: rendezvous files). Called by init and finalize
 * only, one thread at a time.
 *
 * A file holds, a line each: contact string, version, process id, "uid:gid", time of start. It
 * appears complete or not at all, and is removed when the server stops, unless another file has
 * taken its place. */

#include <stdbool.h>

struct px_rendezvous;
struct px_server;

/* Which files to write, by the directives of PMIx_server_init. Strings are borrowed. */
struct px_rendezvous_opts {
    bool tools;      /* the files by which tools find a server; without it none of the others */
    bool system;     /* PMIX_SERVER_SYSTEM_SUPPORT */
    bool scheduler;  /* PMIX_SERVER_SCHEDULER */
    bool controller; /* PMIX_SERVER_SYS_CONTROLLER */
    /* PMIX_LAUNCHER_RENDEZVOUS_FILE, or NULL; its directories are made */
    const char *launcher_file;
    /* PMIX_TCP_REPORT_URI, or NULL: "-" and "+" stand for standard output and error, else a file */
    const char *report;
    unsigned mode;  /* permissions of the files, PMIX_SOCKET_MODE; 0: the default */
    bool keep_dirs; /* PMIX_TDIR_RMCLEAN: the host removes the directories that are made */
};

/* Writes the files, and makes their directories, and reports the contact string; *ret owns them
 * until px_rendezvous_remove. 0, PMIX_ERR_EXISTS (another system server is alive,
 * and shmix_one_system_server is set),
 * PMIX_ERR_NO_PERMISSIONS, PMIX_ERR_OUT_OF_RESOURCE (no directory can be made there, disk full),
 * PMIX_ERR_BAD_PARAM (a path or the text is too long), PMIX_ERR_NOMEM, PMIX_ERR_UNREACH (nobody
 * reads the standard output that the report is for); on failure no file is left. */
int px_rendezvous_write(const struct px_server *s, const struct px_rendezvous_opts *opts,
                        struct px_rendezvous **ret);

/* Removes the files and, unless the host wants to, the directories that px_rendezvous_write has
 * made, and frees the object. Takes NULL. */
void px_rendezvous_remove(struct px_rendezvous *rendezvous);

#endif
