/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The memory sanitizer sees what its own code writes, and other libraries are built without it:
 * what zlib has written is told to it here, and hwloc is not opened, which is another form of the
 * library that has to work. In other builds both are only called. Linked into every target, with
 * --wrap for these functions. */

#include <dlfcn.h>
#include <string.h>

#include "src/wire/zlib_lib.h"

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN(at, n) __msan_unpoison((at), (n))
#define HAS_OTHERS     0
#endif
#endif
#ifndef WRITTEN
#define WRITTEN(at, n) ((void) (at))
#define HAS_OTHERS     1
#endif

int __real_px_zlib_inflate(z_streamp z, int flush);
int __wrap_px_zlib_inflate(z_streamp z, int flush);
int __real_px_zlib_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong n_from, int level);
int __wrap_px_zlib_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong n_from, int level);

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
    return HAS_OTHERS || strncmp(name, "libz.", 5) == 0 ? __real_dlopen(name, flags) : NULL;
}

int __wrap_px_zlib_inflate(z_streamp z, int flush)
{
    Bytef *before = z->next_out;
    int rc = __real_px_zlib_inflate(z, flush);

    WRITTEN(z, sizeof(*z));
    WRITTEN(before, (uLong) (z->next_out - before));
    return rc;
}

int __wrap_px_zlib_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong n_from, int level)
{
    int rc = __real_px_zlib_compress2(to, n, from, n_from, level);

    WRITTEN(n, sizeof(*n));
    WRITTEN(to, rc == Z_OK ? *n : 0);
    return rc;
}
