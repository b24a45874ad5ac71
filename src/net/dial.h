/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_DIAL_H
#define PX_NET_DIAL_H

/* How a client or tool connects to its server: connect, check who serves, introduce itself, read
 * the answer. Blocking, in the caller's thread, with one deadline. Nothing is kept here: the caller
 * makes a link of the descriptor (src/context/request.h). */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/net/handshake.h"

/* An accepted connection, ready for px_link_open. Members that the kind of peer does not get keep
 * what the caller's URI and handshake say. */
struct px_dialed {
    int fd;               /* connected, non-blocking, close-on-exec; the caller owns it */
    uint32_t index;       /* our index at the server (clients) */
    pmix_proc_t assigned; /* our name: the one introduced, or the one given to a tool */
    pmix_proc_t server;   /* the server's name */
};

/* Which servers are trusted besides those of root, of our own user and of the parameter
 * shmix_server_uid. */
struct px_trust {
    uid_t uid; /* a user named by the launcher; (uid_t) -1: none */
    /* The address is from the user or the launcher: trusted where the kernel does not know the
     * server's user. */
    bool named;
};

/* True if servers of this user are trusted: root, our own, or the one of shmix_server_uid. Any
 * thread. */
bool px_trusts(uid_t uid);

/* Checks by the kernel's word that the other end of the connected socket is a trusted user's (trust
 * NULL: only the usual users). 0, PMIX_ERR_NO_PERMISSIONS, PMIX_ERR_UNREACH (it has closed). Any
 * thread. */
int px_dial_check(int fd, const struct px_trust *trust);

/* Connects to "<nspace>.<rank>;<scheme>://<address>", scheme tcp4, tcp6 or unix, and introduces
 * this process by `handshake`. The server's user is checked by the kernel's word first: nothing is
 * sent to one that is not trusted (trust NULL: only the usual users). *ret, with its descriptor, is
 * the caller's.
 *
 * 0, PMIX_ERR_BAD_PARAM (malformed), PMIX_ERR_UNREACH (also: it closed without an answer),
 * PMIX_ERR_TIMEOUT, PMIX_ERR_NOMEM, PMIX_ERR_NO_PERMISSIONS (not a trusted user's),
 * PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_NOT_SUPPORTED (it requires a further handshake), or the status
 * with which the server refused. */
int px_dial(const char *uri, const struct px_handshake *handshake, unsigned timeout_ms,
            const struct px_trust *trust, struct px_dialed *ret);

#endif
