/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_KEYS_H
#define PX_VALUE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <pmix_common.h>

/* Names in the fixed arrays of the public structures: keys and namespaces. Any thread. */

/* Copies at most max bytes of a string into an array of max + 1 bytes and fills the rest with
 * NULs, so that equal names are equal bytes. src may lack its NUL, may be NULL (an empty name),
 * and may be dst. */
void px_name_copy(char *dst, const char *src, size_t max);

/* True if two keys of values are the same: keys that are put, published, got, looked up or queried.
 * Either may be an array without a NUL. The keys of infos that say how a call is to be done are not
 * compared but read, by a table (directives.h) or by the functions of infos.h. */
static inline bool px_value_key_is(const char *key, const char *name)
{
    return strncmp(key, name, PMIX_MAX_KEYLEN) == 0;
}

#endif
