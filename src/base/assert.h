/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ASSERT_H
#define PX_BASE_ASSERT_H

/* Assertions are for bugs of this library only. The content of a message, an argument, a file or
 * a segment must never make one fail: it is checked and refused with a status. The level is
 * chosen by --enable-debug; the default is 0, so that a production library never aborts. No
 * level changes a layout that processes share.
 *   px_assert  from level 1: invariants and preconditions, O(1)
 *   px_check   from level 2: a structure is valid, O(its size)
 *   px_verify  at level 3: whole segments and registries, O(everything) */

#include "config.h"

#include <assert.h>

#if PX_DEBUG >= 1
#define px_assert(e) assert(e)
#else
#define px_assert(e) ((void) sizeof(e))
#endif

#if PX_DEBUG >= 2
#define px_check(e) assert(e)
#else
#define px_check(e) ((void) sizeof(e))
#endif

#if PX_DEBUG >= 3
#define px_verify(e) assert(e)
#else
#define px_verify(e) ((void) sizeof(e))
#endif

#endif
