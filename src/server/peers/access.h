/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_ACCESS_H
#define PX_SERVER_ACCESS_H

/* Which user a peer is given data and events of. What one user has, another does not get by message
 * where it would not get it by memory, unless the host has connected the two: by PMIx_Connect, or
 * by a group that it took part in. Root and the server's own user see all. Names of namespaces,
 * ranks and nodes are open to everybody. Loop thread. */

#include <stdbool.h>
#include <sys/types.h>

#include <pmix_common.h>

struct px_nspace;
struct px_peer;
struct px_server;

/* True if the peer may have the values and process tables of the namespace. One without a
 * registered process has no user, and is open: the host has brought it here for somebody. One whose
 * processes are of several users is open to them alone. */
bool px_access_data(struct px_server *s, const struct px_peer *peer, const struct px_nspace *ns);

/* True if the peer may have an event that a process of the user and namespace has raised. */
bool px_access_event(struct px_server *s, const struct px_peer *peer, uid_t user,
                     const char *nspace);

/* True if the peer (NULL: none) may have the output of the process before the host has allowed it:
 * as px_access_data, but that of a job without a user is for the server's own user and root alone.
 */
bool px_access_output(struct px_server *s, const struct px_peer *peer, const pmix_proc_t *source);

/* True if this server may start, signal and feed processes for the process where no host decides:
 * they would be this user's. It is the server's own process, or it is connected, and each of its
 * connections is of root or of the server's own user. */
bool px_access_command(const struct px_server *s, const pmix_proc_t *proc);

/* Frees what was noted of connected namespaces, when the server ends. */
void px_access_forget(struct px_server *s);

#endif
