/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_STEP_H
#define PX_SERVER_STEP_H

/* Requests that take long, which their handlers serve in parts (dispatch.h). Loop thread. */

#include "src/server/peers/dispatch.h"

/* A walk over more processes than these takes so long that no other follows in the same turn of the
 * loop. */
enum { PX_MANY_PROCS = 8192 };

/* A request of which a part has been handled: a long one (px_is_long), or a short one that names
 * many processes by their group. A step of a short one has no pointers into the message. The step
 * is embedded in the handler's state for the request, and peer->step owns both while other messages
 * are handled. */
struct px_step {
    /* Handles the next part, and takes over the step, which is not peer->step any more; sets
     * peer->step if more is to follow, as the last thing that it does. Returns as a px_handler. */
    int (*go_on)(struct px_step *step, struct px_peer *peer);
    /* Frees the step: the request is not going to be handled. */
    void (*drop)(struct px_step *step);
    struct px_reply_to reply_to; /* the requester */
};

#endif
