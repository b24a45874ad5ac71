/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of zlib that we use, looked up when one is first called (zlib_lib.h). No lock: two
 * threads that look them up at once store the same addresses, and a forked child cannot wait for a
 * thread that it does not have. */

#include "zlib_lib.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/atomic.h"
#include "src/base/library.h"

enum { INFLATE_INIT, INFLATE, INFLATE_END, COMPRESS, N_FUNCTIONS };

static const char *const names[N_FUNCTIONS] = {
    [INFLATE_INIT] = "inflateInit_",
    [INFLATE] = "inflate",
    [INFLATE_END] = "inflateEnd",
    [COMPRESS] = "compress2",
};

static uint64_t functions[N_FUNCTIONS]; /* atomic: addresses */
static uint64_t opened; /* atomic: 1 after all addresses are stored; never 0 again */

/* Looks up all functions. The library stays open. False: it cannot be opened. */
static bool look_up(void)
{
    void *found[N_FUNCTIONS];

    if (!px_library_open("libz.so.1", names, N_FUNCTIONS, found)) {
        return false;
    }
    for (int i = 0; i < N_FUNCTIONS; i++) {
        px_store_relaxed(&functions[i], (uintptr_t) found[i]);
    }
    return true;
}

static bool is_open(void)
{
    if (!px_load_acquire(&opened) && look_up()) {
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
