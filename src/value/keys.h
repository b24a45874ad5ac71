/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_KEYS_H
#define PX_VALUE_KEYS_H

#include <stddef.h>

/* Names in the fixed arrays of the public structures: keys and namespaces. Any thread. */

/* Copies at most max bytes of a string into an array of max + 1 bytes and fills the rest with
 * NULs, so that equal names are equal bytes. src may lack its NUL, may be NULL (an empty name),
 * and may be dst. */
void px_name_copy(char *dst, const char *src, size_t max);

#endif
