/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_SCRATCH_H
#define PX_TEST_UNIT_SCRATCH_H

#include <ftw.h>

#include "process.h"

/* A directory for one case, below TMPDIR or /tmp. */
static char scratch[128];

/* The path of a file in it; valid until the next call. */
static inline const char *scratch_path(const char *name)
{
    static char path[sizeof(scratch) + 257];

    (void) snprintf(path, sizeof(path), "%s/%s", scratch, name);
    return path;
}

static inline void scratch_make(void)
{
    const char *below = getenv("TMPDIR");
    int n = snprintf(scratch, sizeof(scratch), "%s/shmix-unit.XXXXXX", below ? below : "/tmp");

    assert_true(n > 0 && (size_t) n < sizeof(scratch));
    assert_non_null(mkdtemp(scratch));
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
                                     struct FTW *at)
{
    (void) st;
    (void) type;
    (void) at;
    return remove(path);
}

/* With all that is in it. */
static inline void scratch_remove(void)
{
    assert_int_equal(nftw(scratch, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* in_process, with a directory that is removed however fn ends. */
static inline void in_scratch(void (*fn)(void))
{
    int status;

    scratch_make();
    status = status_of(fn);
    scratch_remove();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
