/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_INHERITED_H
#define PX_SERVER_INHERITED_H

/* Connections that processes inherit from the host that starts them (docs/decisions/0044). A
 * process that takes its own is a connected client from that moment, as if its handshake had come.
 * Which process that is, the kernel says with its first message. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix_common.h>

struct px_local_proc;
struct px_nspace;
struct px_peer;
struct px_server;

/* What a host puts into PMIX_SHMIX_INHERIT, in the environment that it gives to
 * PMIx_server_setup_fork, to ask for an inherited connection. */
#define PX_INHERIT_ASK "ask"

/* Makes a mailbox for a process that is to be started and writes to `text` (PX_MAILBOX_TEXT bytes)
 * what it has to know. The descriptor named there is the host's, closed by exec until the host says
 * otherwise in the new process. False: the process connects in the ordinary way, since it is not
 * registered, its namespace has no segment, parameters exclude it, or descriptors are out. */
bool px_inherited_make(struct px_server *s, const pmix_proc_t *proc, char *text);

/* The host has admitted such a peer: who sends its first message is to be known. */
void px_inherited_admitted(struct px_peer *peer);

/* The first message of such a peer has come: true if the kernel says that it is of the user and
 * group that the process was registered for. */
bool px_inherited_prove(struct px_peer *peer);

/* Gives up what nobody has taken, of one process (rank NULL: of all of the namespace). */
void px_inherited_drop(struct px_server *s, const struct px_nspace *ns,
                       const struct px_local_proc *rank);

#endif
