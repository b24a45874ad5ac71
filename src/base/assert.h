/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ASSERT_H
#define PX_BASE_ASSERT_H

/* Assertions are for bugs of this library only: nothing that a peer, an application, a file or a
 * segment says may reach one. Level by --enable-debug (default 0: a production library never
 * aborts); they never change a layout that processes share.
 *   px_assert  from 1: invariants and preconditions, O(1)
 *   px_check   from 2: a structure is valid, O(its size)
 *   px_verify  at 3:   whole segments and registries, O(everything) */

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
