/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_TIMERS_H
#define PX_LOOP_TIMERS_H

/* The armed timers of a loop, the earliest first: a pairing heap whose links are in the timers, so
 * that nothing is allocated and nothing can fail. Adding takes constant time, removing log n
 * (amortized). Loop thread. */

#include "src/loop/watch.h"

/* Adds a timer whose due_ns is set. It must not be in a heap. */
void px_timers_add(struct px_timer **first, struct px_timer *timer);

/* Takes a timer out of the heap that it is in. */
void px_timers_remove(struct px_timer **first, struct px_timer *timer);

#endif
