/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LIBRARY_H
#define PX_BASE_LIBRARY_H

#include <stddef.h>

/* Optional shared libraries, opened at run time (dlopen). Any thread. */

/* Opens the shared library `name` and looks up n functions. Returns the handle, which the caller
 * may close with dlclose, and sets ret[i] to the address of names[i]. NULL: the library cannot be
 * opened (it is not installed, or memory is out), or lacks a function; ret is undefined then.
 * POSIX allows to convert these addresses to pointers to functions. */
void *px_library_open(const char *name, const char *const *names, size_t n, void **ret);

#endif
