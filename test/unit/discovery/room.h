/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_OPS_ROOM_H
#define PX_TEST_UNIT_OPS_ROOM_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* A directory for rendezvous files, new for each test, and an environment that names no server. */

static char room[64];

static inline int room_make(void **state)
{
    static const char *const names[] = {"PMIX_SERVER_URI61",
                                        "PMIX_SERVER_URI51",
                                        "PMIX_SERVER_URI41",
                                        "PMIX_SERVER_URI4",
                                        "PMIX_LAUNCHER_RNDZ_URI",
                                        "PMIX_SERVER_TMPDIR",
                                        "PMIX_SYSTEM_TMPDIR",
                                        "TEMP",
                                        "TMP"};

    (void) state;
    alarm(60);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsetenv(names[i]);
    }
    snprintf(room, sizeof(room), "/tmp/px-room-XXXXXX");
    return mkdtemp(room) ? setenv("TMPDIR", room, 1) : -1;
}

static inline const char *room_path(const char *name)
{
    static char path[sizeof(room) + 257];

    snprintf(path, sizeof(path), "%s/%s", room, name);
    return path;
}

static inline void write_file(const char *name, const char *text)
{
    FILE *f = fopen(room_path(name), "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline void remove_file(const char *name)
{
    (void) unlink(room_path(name));
}

static inline int room_clear(void **state)
{
    DIR *list = opendir(room);
    struct dirent *at;

    (void) state;
    while (list && (at = readdir(list))) {
        remove_file(at->d_name); /* the directory itself and its parent are no files */
    }
    if (list) {
        closedir(list);
    }
    return rmdir(room);
}

#endif
