/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_ATTRIBUTES_H
#define PX_BASE_ATTRIBUTES_H

/* Attributes of functions that not every compiler has. */

/* For a function of the fast path of PMIx_Get with no array in its frame that could be overrun: a
 * stack protector would take 6 instructions of each call. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define PX_NO_STACK_PROTECTOR __attribute__((no_stack_protector))
#endif
#endif
#ifndef PX_NO_STACK_PROTECTOR
#define PX_NO_STACK_PROTECTOR
#endif

#endif
