/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_DOOR_PRIV_H
#define PX_NET_DOOR_PRIV_H

#include "src/base/list.h"
#include "src/net/door.h"
#include "src/net/listen.h"

/* Inside of the doors, shared by door.c (listening) and guest.c (one connection until it is
 * admitted). */

/* Strangers at once, at most, and no more than a quarter of the descriptor table. */
enum { PX_DOOR_STRANGERS = 1024 };

struct px_doorway {
    struct px_doors *doors;
    struct px_io io;
    int fd; /* -1: shut */
};

/* Loop thread, once open. */
struct px_doors {
    struct px_loop *loop;
    size_t max_msg;
    unsigned handshake_ms;
    struct px_door_ops ops;
    void *arg;
    struct px_doorway unix_way;
    struct px_doorway tcp_way;
    int spare;                /* a descriptor kept to be given up when the table is full, or -1 */
    struct px_timer pause;    /* nothing could be given up: listening rests for a moment */
    struct px_list strangers; /* guests that have not introduced themselves, oldest first */
    size_t n_strangers;
    size_t most_strangers;
    struct px_list waiting; /* guests whose hello was handed over */
    struct px_path_mark mark;
    char unix_uri[PX_URI_BYTES];
    char tcp_uri[PX_URI_BYTES];
};

/* Takes over an accepted descriptor. */
void px_guest_arrived_loop(struct px_doors *doors, int fd);

/* Closes the stranger that has been here longest; false when there is none. */
bool px_guest_drop_oldest_loop(struct px_doors *doors);

/* Closes all strangers; those that wait for an answer are reported gone. */
void px_guest_drop_all_loop(struct px_doors *doors);

#endif
