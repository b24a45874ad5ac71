/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_RELEASE_H
#define PX_SHMEM_RELEASE_H

/* Giving back the memory of a segment. The system takes some 0.2 ms for each MiB of a file in
 * memory that is mapped nowhere else, so a large one is given back by a thread of its own. The
 * threads are few, block all signals, and run no code but this file's. */

struct px_segment;

/* Calls give_back with a copy of the segment: at once, or for one with much memory in a thread,
 * then it may be done when this returns, or later. Any thread. */
void px_release(const struct px_segment *seg, void (*give_back)(const struct px_segment *seg));

/* Waits until everything is given back, and no thread is left: before the library may be unloaded.
 * In a forked child there is nothing to wait for. Any thread. */
void px_release_wait(void);

#endif
