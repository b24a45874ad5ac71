/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "tmpdir.h"

#include <stddef.h>
#include <stdlib.h>

/* TEMPDIR is RFC 0001's; OpenPMIx does not look at it. */
const char *px_tmpdir_peek(const char *variable)
{
    static const char *const fallbacks[] = {"TMPDIR", "TEMPDIR", "TEMP", "TMP"};
    const char *dir = secure_getenv(variable);

    for (size_t i = 0; i < 4 && (dir == NULL || dir[0] == '\0'); i++) {
        dir = secure_getenv(fallbacks[i]);
    }
    return dir != NULL && dir[0] != '\0' ? dir : "/tmp";
}
