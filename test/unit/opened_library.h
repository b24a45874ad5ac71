/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_OPENED_LIBRARY_H
#define PX_TEST_UNIT_OPENED_LIBRARY_H

/* For tests of a shared library that is opened when it is first needed. */

#include <fcntl.h>
#include <string.h>

#include "scratch.h"

/* True if this process has mapped a file whose path contains `part`. */
static inline bool library_is_mapped(const char *part)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    bool found = false;

    check(maps != NULL);
    while (fgets(line, sizeof(line), maps)) {
        found = found || strstr(line, part);
    }
    (void) fclose(maps);
    return found;
}

/* Executes this program anew, with the scratch directory as its argument, where the loader finds an
 * empty file in place of the library `name`. For a case of in_scratch. */
static inline void execute_without(const char *name)
{
    check(close(open(scratch_path(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
    check(setenv("LD_LIBRARY_PATH", scratch, 1) == 0);
    (void) execl("/proc/self/exe", "test", scratch, (char *) NULL);
    check(false);
}

#endif
