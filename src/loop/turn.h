/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_TURN_H
#define PX_LOOP_TURN_H

#include <stdint.h>

#include "src/base/assert.h"
#include "src/loop/loop.h"
#include "src/loop/poll.h"

/* A number that grows when every descriptor that was ready has had its turn. So who stops after a
 * while, and goes on when the number is another one, lets all others be served in between. The
 * loop's thread. */
static inline uint64_t px_loop_turn(struct px_loop *loop)
{
    px_assert(px_loop_inside(loop));
    return px_loop_poll(loop)->turn;
}

#endif
