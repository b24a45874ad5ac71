/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_WAITS_SUPPORT_H
#define PX_TEST_WAITS_SUPPORT_H

/* An area, and how another process would find and read it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "shmem/segment.h"
#include "src/waits/reader.h"
#include "src/waits/writer.h"

__attribute__((unused)) static struct px_waits *make_area(void)
{
    const struct px_waits_head who = {.rank = 3, .nspace = "server", .hostname = "node7"};
    struct px_waits *waits;

    assert_int_equal(px_waits_create(&who, &waits), 0);
    return waits;
}

/* The descriptors of areas that this process has; *ret_last is one of them. */
__attribute__((unused)) static int count_areas(int *ret_last)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    char target[64];
    int n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

        target[len > 0 ? len : 0] = '\0';
        if (strcmp(target, "/memfd:" PX_WAITS_LABEL " (deleted)") == 0) {
            *ret_last = atoi(entry->d_name);
            n++;
        }
    }
    closedir(dir);
    return n;
}

/* Maps the area of this process as another process would. */
__attribute__((unused)) static struct px_segment map_area(void)
{
    struct px_segment seg;
    char path[64];
    int fd = -1;

    assert_int_equal(count_areas(&fd), 1);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    assert_int_equal(px_segment_open(open(path, O_RDONLY | O_CLOEXEC), &seg), 0);
    return seg;
}

/* A copy of the area, in memory that the next call uses again. */
__attribute__((unused)) static struct px_waits_copy *read_area(void)
{
    static struct px_waits_copy copy;
    struct px_segment seg = map_area();

    assert_int_equal(px_waits_copy(seg.base, seg.size, &copy), 0);
    px_segment_close(&seg);
    return &copy;
}

#endif
