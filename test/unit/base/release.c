/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Memory that is given back: all of it, when one has waited for that; at once where it is little.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/atomic.h"
#include "src/base/release.h"
#include "src/base/thread.h"

enum { SMALL = 1 << 20, LARGE = 32 << 20, MANY = 10 };

/* A thread is started under the lock of the releases; here it may have to wait for that. */
enum { AT_ONCE, HOLD, HELD };
static uint64_t start; /* atomic: one of these */

int __real_px_thread_start(void *(*run)(void *), void *arg, pthread_t *ret);
int __wrap_px_thread_start(void *(*run)(void *), void *arg, pthread_t *ret);

int __wrap_px_thread_start(void *(*run)(void *), void *arg, pthread_t *ret)
{
    if (px_load_acquire(&start) == HOLD) {
        px_store_release(&start, HELD);
        while (px_load_acquire(&start) == HELD) {
            sched_yield();
        }
    }
    return __real_px_thread_start(run, arg, ret);
}

/* A file in memory, mapped. */
struct file {
    void *base;
    size_t size;
    int fd;
};

static void give_back(const void *what)
{
    const struct file *seg = what;

    (void) munmap(seg->base, seg->size);
    (void) close(seg->fd);
}

/* Threads of this process. */
static unsigned n_threads(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[4096];
    unsigned n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) && sscanf(line, "Threads: %u", &n) != 1) {
    }
    (void) fclose(file);
    return n;
}

static void *say_id(void *ret_id)
{
    *(pid_t *) ret_id = gettid();
    return NULL;
}

/* Threads of this process when none of its own is left, with those that a sanitizer starts beside
 * the first one. A joined thread is listed until a moment after pthread_join. */
static unsigned n_threads_left(void)
{
    char path[64];
    pthread_t thread;
    pid_t id = 0;

    assert_int_equal(pthread_create(&thread, NULL, say_id, &id), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void) snprintf(path, sizeof(path), "/proc/self/task/%d", (int) id);
    while (access(path, F_OK) == 0) {
        sched_yield();
    }
    return n_threads();
}

/* True when that many threads are left, which has to be within ten seconds. */
static bool come_down_to(unsigned n)
{
    time_t until = time(NULL) + 10;

    while (n_threads() != n && time(NULL) < until) {
        sched_yield();
    }
    return n_threads() == n;
}

static unsigned n_mapped(void)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[4096];
    unsigned n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        n += strstr(line, "memfd:release") != NULL;
    }
    (void) fclose(file);
    return n;
}

/* Maps so much, all of it with memory. */
static struct file map(size_t size)
{
    struct file seg = {.size = size};

    seg.fd = memfd_create("release", MFD_CLOEXEC);
    assert_true(seg.fd >= 0);
    assert_int_equal(ftruncate(seg.fd, (off_t) size), 0);
    seg.base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, seg.fd, 0);
    assert_ptr_not_equal(seg.base, MAP_FAILED);
    memset(seg.base, 1, size);
    return seg;
}

static void release(const struct file *seg)
{
    px_release(give_back, seg, sizeof(*seg), seg->size);
}

static bool is_closed(const struct file *seg)
{
    return lseek(seg->fd, 0, SEEK_CUR) == -1;
}

static void little_at_once(void **state)
{
    struct file seg = map(SMALL);

    (void) state;
    release(&seg);
    assert_int_equal(n_mapped(), 0);
    assert_true(is_closed(&seg));
}

/* More than there are threads for. */
static void much_in_the_end(void **state)
{
    struct file segs[MANY];
    unsigned before = n_threads_left();

    (void) state;
    for (int i = 0; i < MANY; i++) {
        segs[i] = map(LARGE);
    }
    for (int i = 0; i < MANY; i++) {
        release(&segs[i]);
    }
    px_release_wait();
    assert_int_equal(n_mapped(), 0);
    assert_true(come_down_to(before));
    for (int i = 0; i < MANY; i++) {
        assert_true(is_closed(&segs[i]));
    }
    px_release_wait();
}

/* The pages of a block go in a thread; the block is freed, whatever its size. */
static void blocks(void **state)
{
    static const size_t sizes[] = {1, SMALL, LARGE, LARGE, LARGE + 1, LARGE};

    (void) state;
    px_release_block(NULL, LARGE);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char *block = malloc(sizes[i]);

        assert_non_null(block);
        memset(block, 1, sizes[i]);
        px_release_block(block, sizes[i]);
    }
    px_release_wait();
}

#ifndef __SANITIZE_THREAD__ /* which takes the parent's thread for one that the child has lost */
/* What a forked child does: it waits for its own releases only. Does not return. */
static void release_in_child(void)
{
    struct file seg;

    px_release_wait();
    seg = map(LARGE);
    release(&seg);
    px_release_wait();
    _exit(is_closed(&seg) ? 0 : 1);
}

/* A child has none of its parent's threads, and releases of its own. */
static void in_a_child(void **state)
{
    struct file seg = map(LARGE);
    int status;
    pid_t pid;

    (void) state;
    release(&seg);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        release_in_child();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    px_release_wait();
    assert_int_equal(n_mapped(), 0);
}

static void *release_in_thread(void *seg)
{
    release(seg);
    return NULL;
}

/* A child that was forked while another thread held the lock does not wait for that thread. */
static void in_a_child_of_a_holder(void **state)
{
    struct file seg = map(LARGE);
    pthread_t thread;
    int status;
    pid_t pid;

    (void) state;
    px_release_wait();
    px_store_release(&start, HOLD);
    assert_int_equal(pthread_create(&thread, NULL, release_in_thread, &seg), 0);
    while (px_load_acquire(&start) != HELD) {
        sched_yield();
    }
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(10);
        px_store_release(&start, AT_ONCE);
        release_in_child();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    px_store_release(&start, AT_ONCE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    px_release_wait();
    assert_int_equal(status, 0);
    assert_int_equal(n_mapped(), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_at_once), cmocka_unit_test(much_in_the_end),
        cmocka_unit_test(blocks),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(in_a_child),     cmocka_unit_test(in_a_child_of_a_holder),
#endif
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
