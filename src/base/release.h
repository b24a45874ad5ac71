/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_RELEASE_H
#define PX_BASE_RELEASE_H

/* Giving back memory. The system takes some 0.2 ms for each MiB of a file in memory that is mapped
 * nowhere else, and 0.06 ms for each MiB of a process, so much memory is given back by a thread of
 * its own. The threads are few, block all signals, and run only this file and the functions that
 * its callers hand over. */

#include <stddef.h>

/* Calls give_back with a copy of the len bytes of `what`: at once, or for much memory (`bytes`) in
 * a thread, then it may be done when this returns, or later. give_back may call these functions for
 * what belongs to `what`. Any thread. */
void px_release(void (*give_back)(const void *what), const void *what, size_t len, size_t bytes);

/* Frees a block of malloc with that many bytes, likewise. Takes NULL. Any thread. */
void px_release_block(void *block, size_t bytes);

/* Waits until everything is given back, and no thread is left: before the library may be unloaded.
 * A forked child has nothing to wait for of its parent. Any thread. */
void px_release_wait(void);

#endif
