/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of zlib that we use, found when one is first called (zlib_lib.h). Two threads may
 * look for them at once, and find the same: so no thread waits for another one, which in a forked
 * child may not be there any more. */

#include "zlib_lib.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/atomic.h"

enum { INFLATE_INIT, INFLATE, INFLATE_END, COMPRESS, N_FUNCTIONS };

static const char *const names[N_FUNCTIONS] = {
    [INFLATE_INIT] = "inflateInit_",
    [INFLATE] = "inflate",
    [INFLATE_END] = "inflateEnd",
    [COMPRESS] = "compress2",
};

static uint64_t functions[N_FUNCTIONS]; /* atomic: addresses */
static uint64_t opened;                 /* atomic: 1 when all are there, which is for good */

/* Finds all functions, or none. */
static bool find_all(void)
{
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    bool found = handle != NULL;

    for (int i = 0; found && i < N_FUNCTIONS; i++) {
        void *at = dlsym(handle, names[i]);

        found = at != NULL;
        px_store_relaxed(&functions[i], (uintptr_t) at);
    }
    if (!found && handle) {
        (void) dlclose(handle);
    }
    return found;
}

static bool is_open(void)
{
    if (!px_load_acquire(&opened) && find_all()) {
        px_store_release(&opened, 1);
    }
    return px_load_relaxed(&opened) != 0;
}

/* The address of a function of this type. */
#define FUNCTION(which, type) ((type) (uintptr_t) px_load_relaxed(&functions[which]))

int inflateInit_(z_streamp z, const char *version, int size)
{
    return is_open()
               ? FUNCTION(INFLATE_INIT, int (*)(z_streamp, const char *, int))(z, version, size)
               : Z_VERSION_ERROR;
}

int inflate(z_streamp z, int flush)
{
    return is_open() ? FUNCTION(INFLATE, int (*)(z_streamp, int))(z, flush) : Z_VERSION_ERROR;
}

int inflateEnd(z_streamp z)
{
    return is_open() ? FUNCTION(INFLATE_END, int (*)(z_streamp))(z) : Z_VERSION_ERROR;
}

int compress2(Bytef *to, uLongf *n, const Bytef *from, uLong n_from, int level)
{
    return is_open() ? FUNCTION(COMPRESS, int (*)(Bytef *, uLongf *, const Bytef *, uLong, int))(
                           to, n, from, n_from, level)
                     : Z_VERSION_ERROR;
}
