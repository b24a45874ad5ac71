/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_STRANGERS_H
#define PX_NET_STRANGERS_H

/* Connections whose handshake has not arrived, by user. When there are too many, the server closes
 * the oldest connection of the user that has most of them: a user with few connections loses none
 * because of another user with many. Those that the kernel has not named when they came
 * (tcp_owner.h) count as one user's. Loop thread. */

#include <stddef.h>
#include <sys/types.h>

#include "src/base/list.h"

struct px_strangers_user; /* the connections of one user; here while there is one */

/* A zeroed struct is of no user. Embedded in its connection. */
struct px_stranger {
    struct px_list link; /* of its user, oldest first */
    struct px_strangers_user *user;
    size_t bytes; /* that have arrived of its handshake */
};

struct px_strangers {
    struct px_list users;
    size_t n;     /* connections, of all users */
    size_t bytes; /* that have arrived of their handshakes */
};

/* What a user has most of. */
enum px_strangers_most { PX_MOST_CONNS, PX_MOST_BYTES };

void px_strangers_init(struct px_strangers *strangers);

/* Adds one of a user; (uid_t) -1: of those whose user is not known. 0 or PX_ERR_NOMEM. */
int px_strangers_add(struct px_strangers *strangers, struct px_stranger *stranger, uid_t uid);

/* So many more bytes of its handshake have arrived. */
void px_strangers_read(struct px_strangers *strangers, struct px_stranger *stranger, size_t n);

/* Takes it off, with its bytes. Harmless for one that was not added, or was removed. */
void px_strangers_remove(struct px_strangers *strangers, struct px_stranger *stranger);

/* The oldest but `except` (may be NULL) of the user that has most besides it; NULL: there is no
 * other. Linear in the number of users. */
struct px_stranger *px_strangers_of_most(const struct px_strangers *strangers,
                                         enum px_strangers_most most,
                                         const struct px_stranger *except);

#endif
