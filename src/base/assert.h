/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ASSERT_H
#define PX_BASE_ASSERT_H

/* Asserts are for our own bugs only: nothing a peer, an application, a file or a segment says may
 * reach one. px_assert is on from --enable-debug=1, px_check from 2. They never change a shared
 * layout. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <assert.h>

#ifndef PX_DEBUG
#define PX_DEBUG 1
#endif

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

#endif
