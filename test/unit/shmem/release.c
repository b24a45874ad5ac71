/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Memory that is given back: all of it, when one has waited for that; at once where it is little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shmem/release.h"

enum { SMALL = 1 << 20, LARGE = 32 << 20, MANY = 10 };

static unsigned n_lines(const char *path, const char *what)
{
    FILE *file = fopen(path, "re");
    char line[4096];
    unsigned n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        n += strstr(line, what) != NULL;
    }
    (void) fclose(file);
    return n;
}

static unsigned n_mapped(void)
{
    return n_lines("/proc/self/maps", "memfd:release");
}

/* Maps so much, all of it with memory. */
static void *map(size_t size, int *ret_fd)
{
    void *at;

    *ret_fd = memfd_create("release", MFD_CLOEXEC);
    assert_true(*ret_fd >= 0);
    assert_int_equal(ftruncate(*ret_fd, (off_t) size), 0);
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    memset(at, 1, size);
    return at;
}

static void little_at_once(void **state)
{
    int fd;
    void *at = map(SMALL, &fd);

    (void) state;
    px_release(at, SMALL, fd, SMALL);
    assert_int_equal(n_mapped(), 0);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), -1); /* closed */
    px_release(NULL, 0, -1, 0);
}

/* More than there are threads for. */
static void much_in_the_end(void **state)
{
    void *at[MANY];
    int fds[MANY];

    (void) state;
    for (int i = 0; i < MANY; i++) {
        at[i] = map(LARGE, &fds[i]);
    }
    for (int i = 0; i < MANY; i++) {
        px_release(at[i], LARGE, fds[i], LARGE);
    }
    px_release_wait();
    assert_int_equal(n_mapped(), 0);
    assert_int_equal(n_lines("/proc/self/status", "Threads:\t1\n"), 1);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(lseek(fds[i], 0, SEEK_CUR), -1);
    }
    px_release_wait();
}

/* A child has none of its parent's threads, and releases of its own. */
static void in_a_child(void **state)
{
    int fd;
    void *at = map(LARGE, &fd);
    int status;
    pid_t pid;

    (void) state;
    px_release(at, LARGE, fd, LARGE);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        px_release_wait();
        at = map(LARGE, &fd);
        px_release(at, LARGE, fd, LARGE);
        px_release_wait();
        _exit(lseek(fd, 0, SEEK_CUR) == -1 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    px_release_wait();
    assert_int_equal(n_mapped(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_at_once),
                                       cmocka_unit_test(much_in_the_end),
                                       cmocka_unit_test(in_a_child)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
