/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_DIAL_H
#define PX_NET_DIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/net/handshake.h"

/* How a client or tool reaches its server: blocking, in the caller's thread, with a deadline. */

struct px_dialed {
    int fd;               /* connected, non-blocking, close-on-exec; the caller owns it */
    uint32_t index;       /* our index at the server (clients) */
    pmix_proc_t assigned; /* our id when a tool asked for one */
    pmix_proc_t server;   /* tools: the server's id */
};

/* Whom to expect at the other end, besides root, our own user and that of shmix_server_uid. */
struct px_trust {
    uid_t uid;  /* whoever started us says so; (uid_t) -1: nobody else */
    bool named; /* the address was given by the user or by whoever started us, so it stands where
                   the kernel cannot say who is there */
};

/* Is it a user whose servers are trusted? */
bool px_trusts(uid_t uid);

/* "<nspace>.<rank>;<scheme>://<address>" with scheme tcp4, tcp6 or unix; only loopback and AF_UNIX
 * addresses are dialled unless they come from the launcher (any address it names is accepted).
 * Nothing is said to a server that is not to be trusted (NULL: nobody but the usual). 0,
 * PMIX_ERR_BAD_PARAM (malformed), PMIX_ERR_UNREACH, PMIX_ERR_TIMEOUT, PMIX_ERR_NOMEM,
 * PMIX_ERR_NO_PERMISSIONS (it is another user's), or the status with which the server refused. */
int px_dial(const char *uri, const struct px_handshake *handshake, unsigned timeout_ms,
            const struct px_trust *trust, struct px_dialed *ret);

#endif
