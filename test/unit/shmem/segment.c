/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Segments: who can write what, limits, and that memory comes before the store.
 * Covers: SHM-001 SHM-008 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmem/layout.h"
#include "shmem/segment.h"
#include "src/base/status.h"

static struct px_segment make(bool shared, uint64_t size)
{
    struct px_segment seg;

    assert_int_equal(px_segment_create(shared, size, NULL, &seg), 0);
    return seg;
}

static void nobody_else_writes(void **state)
{
    struct px_segment seg = make(true, 0);
    char path[64];
    struct stat st;
    int fd;

    (void) state;
    assert_int_equal(seg.size, PX_SEGMENT_DEFAULT_SIZE);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, seg.fd, 0), MAP_FAILED);
    assert_int_equal(pwrite(seg.fd, "x", 1, 0), -1);
    assert_int_equal(ftruncate(seg.fd, 4096), -1);
    assert_int_equal(ftruncate(seg.fd, (off_t) seg.size * 2), -1);
    assert_int_equal(fcntl(seg.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_true(fcntl(seg.fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(fstat(seg.fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0400);
    (void) snprintf(path, sizeof(path), "/proc/self/fd/%d", seg.fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) { /* root may open it, and still cannot map it for writing */
        assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
        close(fd);
    }
    memset(seg.base, 1, 4096); /* the creator can */
    px_segment_close(&seg);
}

static void reader_maps_read_only(void **state)
{
    struct px_segment seg = make(true, 1 << 20);
    struct px_segment reader;
    int status;
    pid_t pid;

    (void) state;
    memcpy(seg.base, "hello", 6);
    assert_int_equal(px_segment_open(dup(seg.fd), &reader), 0);
    assert_int_equal(reader.size, seg.size);
    assert_int_equal(reader.fd, -1);
    assert_string_equal((char *) reader.base, "hello");
    assert_int_equal(mprotect(reader.base, 4096, PROT_READ | PROT_WRITE), -1);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        *reader.base = 'x';
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    px_segment_close(&reader);
    px_segment_close(&seg);
}

/* Another user cannot get at it through /proc. */
static void another_user(void **state)
{
    struct px_segment seg;
    char path[64];
    int status;
    pid_t pid;

    (void) state;
    if (getuid() != 0) {
        skip();
    }
    seg = make(true, 1 << 20);
    (void) snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int) getpid(), seg.fd);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char own[64];

        if (setgid(65534) || setuid(65534)) {
            _exit(1);
        }
        if (open(path, O_RDONLY) >= 0 || open(path, O_RDWR) >= 0) {
            _exit(2);
        }
        /* nor, with the descriptor in hand, get a better one */
        (void) snprintf(own, sizeof(own), "/proc/self/fd/%d", seg.fd);
        _exit(open(own, O_RDWR) >= 0 ? 3 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    px_segment_close(&seg);
}

/* What a descriptor with these seals and this size gives. */
static int opened(int seals, off_t size)
{
    struct px_segment seg;
    int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int rc;

    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    rc = px_segment_open(fd, &seg);
    if (rc == 0) {
        px_segment_close(&seg);
    }
    return rc;
}

/* Each seal is needed: who could shrink it could end its readers, who could write it, deceive
 * them. SHM-008. */
static void every_seal(void **state)
{
    (void) state;
    assert_int_equal(opened(F_SEAL_WRITE, 8192), PX_ERR_NO_PERMISSIONS);
    assert_int_equal(opened(F_SEAL_SHRINK, 8192), PX_ERR_NO_PERMISSIONS);
    assert_int_equal(opened(F_SEAL_SHRINK | F_SEAL_WRITE, 100), PX_ERR_UNPACK_FAILURE);
    assert_int_equal(opened(F_SEAL_SHRINK | F_SEAL_WRITE, 8192), 0);
}

static void refusals(void **state)
{
    struct px_segment seg;
    int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int pipes[2];

    (void) state;
    assert_int_equal(ftruncate(fd, 8192), 0);
    assert_int_equal(px_segment_open(fd, &seg), PX_ERR_NO_PERMISSIONS);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    assert_int_equal(px_segment_open(pipes[0], &seg), PX_ERR_NOT_SUPPORTED);
    close(pipes[1]);
    assert_int_equal(px_segment_open(-1, &seg), PX_ERR_NOT_SUPPORTED);
}

static void commits_ahead(void **state)
{
    unsigned shared;

    (void) state;
    for (shared = 0; shared < 2; shared++) {
        struct px_segment seg = make(shared, 1 << 20);
        uint64_t at;

        for (at = 4096; at <= seg.size; at += 4096) {
            assert_int_equal(px_segment_commit(&seg, at), 0);
            assert_true(seg.committed >= at);
            memset(seg.base + at - 4096, 7, 4096);
        }
        assert_int_equal(px_segment_commit(&seg, seg.size + 1), PX_ERR_OUT_OF_RESOURCE);
        px_segment_close(&seg);
    }
}

/* Memory for what is needed, and none for what would be backed ahead: the addresses behind are
 * gone, so the system refuses them. */
static void nothing_ahead(void **state)
{
    struct px_segment seg = make(false, 1 << 20);
    uint64_t upto = seg.committed + 4096;

    (void) state;
    assert_int_equal(munmap(seg.base + upto, 4096), 0);
    assert_int_equal(px_segment_commit(&seg, upto), 0);
    assert_int_equal(seg.committed, upto);
    memset(seg.base, 7, upto);
    assert_int_equal(px_segment_commit(&seg, upto + 1), PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(seg.committed, upto);
    px_segment_close(&seg);
}

static void in_child(int (*fn)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(20);
        _exit(fn());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int small_files(void)
{
    struct rlimit lim = {1 << 20, 1 << 20};
    struct px_segment seg;

    if (setrlimit(RLIMIT_FSIZE, &lim) || px_segment_create(true, 0, NULL, &seg)) {
        return 1;
    }
    if (seg.size != 1 << 20 || px_segment_commit(&seg, seg.size)) {
        return 2;
    }
    memset(seg.base, 1, seg.size);
    px_segment_close(&seg);
    lim.rlim_cur = 1000;
    if (setrlimit(RLIMIT_FSIZE, &lim)) {
        return 3;
    }
    return px_segment_create(true, 0, NULL, &seg) == PX_ERR_OUT_OF_RESOURCE ? 0 : 4;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static int small_address_space(void)
{
    return 0; /* the sanitizer needs more address space than such a limit leaves */
}
#else
static int small_address_space(void)
{
    struct rlimit lim = {UINT64_C(3) << 29, UINT64_C(3) << 29}; /* a GiB would fit as well */
    struct px_segment seg;
    int shared;

    if (setrlimit(RLIMIT_AS, &lim)) {
        return 1;
    }
    for (shared = 0; shared < 2; shared++) {
        if (px_segment_create(shared, 0, NULL, &seg)) {
            return 2;
        }
        if (seg.size > lim.rlim_cur / 2 || seg.size < 1 << 20) {
            return 3;
        }
        px_segment_close(&seg);
    }
    return 0;
}
#endif

static int no_descriptors(void)
{
    struct rlimit lim = {0, 0};
    struct px_segment seg;

    if (setrlimit(RLIMIT_NOFILE, &lim)) {
        return 1;
    }
    return px_segment_create(true, 0, NULL, &seg) == PX_ERR_OUT_OF_RESOURCE ? 0 : 2;
}

static void limits(void **state)
{
    (void) state;
    in_child(small_files);
    in_child(small_address_space);
    in_child(no_descriptors);
}

/* What /proc says of a mapping: the number behind a name, or for "VmFlags" whether a flag is
 * there. */
static long about(const void *base, const char *name, const char *flag)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    unsigned long low = 0;
    long found = -1;

    assert_non_null(maps);
    while (found < 0 && fgets(line, sizeof(line), maps)) {
        unsigned long from;
        unsigned long to;

        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            low = from;
        } else if (low == (unsigned long) base && strncmp(line, name, strlen(name)) == 0) {
            found = flag ? strstr(line, flag) != NULL : atol(line + strlen(name) + 1);
        }
    }
    (void) fclose(maps);
    return found;
}

static void not_in_core_dumps(void **state)
{
    struct px_segment seg = make(true, 1 << 20);
    struct px_segment reader;

    (void) state;
    assert_int_equal(px_segment_open(dup(seg.fd), &reader), 0);
    assert_int_equal(about(seg.base, "VmFlags", " dd"), 1);
    assert_int_equal(about(reader.base, "VmFlags", " dd"), 1);
    px_segment_close(&reader);
    px_segment_close(&seg);
}

/* --- hints --- */

static long blocks(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return (long) st.st_blocks * 512;
}

static struct {
    void *at;
    size_t len;
    unsigned calls;
    long had; /* memory, in KiB, when it was asked */
} placed;

static void place(void *at, size_t len)
{
    placed.at = at;
    placed.len = len;
    placed.calls++;
    placed.had = about(at, "Rss", NULL);
}

static void memory_is_placed_before_there_is_any(void **state)
{
    const struct px_segment_hints hints = {.set_numa_policy = place};
    unsigned shared;

    (void) state;
    for (shared = 0; shared < 2; shared++) {
        struct px_segment seg;

        placed.calls = 0;
        assert_int_equal(px_segment_create(shared, 1 << 20, &hints, &seg), 0);
        assert_int_equal(placed.calls, 1);
        assert_ptr_equal(placed.at, seg.base);
        assert_int_equal(placed.len, seg.size);
        assert_int_equal(placed.had, 0);
        px_segment_close(&seg);
    }
}

static void first_and_ahead(void **state)
{
    static const struct {
        uint64_t first, ahead, committed, then;
    } cases[] = {
        /* what is there at once, and after 512 KiB more than it are asked for */
        {0, 0, 65536, 65536 + (512 << 10) + 65536},
        {4096, 4096, 4096, 4096 + (512 << 10) + 4096},
        {5000, 8192, 8192, 8192 + (512 << 10) + 8192},
        {2 << 20, 1 << 20, 2 << 20, (2 << 20) + (512 << 10) + (512 << 10)},
        {UINT64_C(1) << 40, 4096, 4096 + 4096, 4096 + 4096 + (512 << 10) + 4096}, /* too much */
    };

    (void) state;
    for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        bool shared = i % 2;
        const struct px_segment_hints hints = {.initial_commit = cases[i / 2].first,
                                               .reserve_ahead = cases[i / 2].ahead};
        struct px_segment seg;

        assert_int_equal(px_segment_create(shared, 16 << 20, &hints, &seg), 0);
        assert_int_equal(seg.committed, cases[i / 2].committed);
        if (shared) {
            assert_int_equal(blocks(seg.fd), seg.committed);
        }
        assert_int_equal(px_segment_commit(&seg, seg.committed + (512 << 10)), 0);
        assert_int_equal(seg.committed, cases[i / 2].then);
        memset(seg.base, 1, seg.committed);
        px_segment_close(&seg);
    }
}

static void prefault_maps_what_is_used(void **state)
{
    static const struct {
        uint64_t prefault, used;
        long kb;
    } cases[] = {{0, 1 << 20, 0},
                 {512 << 10, 1 << 20, 512},
                 {1, 65536, 4},
                 {1 << 30, 600000, 588},
                 {1 << 30, 0, 0}};
    const struct px_segment_hints large = {.initial_commit = 1 << 20};
    struct px_segment seg;

    (void) state;
    assert_int_equal(px_segment_create(true, 16 << 20, &large, &seg), 0);
    memset(seg.base, 1, 65536);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct px_segment_hints hints = {.prefault = cases[i].prefault};
        struct px_segment reader;
        long kb;

        assert_int_equal(px_segment_open(dup(seg.fd), &reader), 0);
        px_segment_prefault(&reader, &hints, cases[i].used / 4);
        px_segment_prefault(&reader, &hints, cases[i].used); /* to what has come since */
        kb = about(reader.base, "Rss", NULL);
        /* The kernel maps what lies around a page too, up to 64 KiB. */
        assert_in_range(kb, 0, cases[i].kb ? cases[i].kb + 64 : 0);
        assert_true(kb >= cases[i].kb || madvise(reader.base, 4096, 22) != 0); /* before 5.14 */
        assert_int_equal(blocks(seg.fd), seg.committed); /* no memory was taken for it */
        px_segment_close(&reader);
    }
    px_segment_close(&seg);
}

/* Faults of this process while it stores into the first bytes of a segment. */
static long faults_of_stores(const struct px_segment *seg, size_t len)
{
    struct rusage before, after;

    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    memset(seg->base, 1, len);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    return after.ru_minflt - before.ru_minflt;
}

/* What is committed is stored to without a fault for each page, and not much more is mapped; of
 * process memory, where a page costs memory, nothing more. */
static void pages_are_mapped_together(void **state)
{
    static const struct {
        size_t upto, next;
        long kb; /* after both */
    } cases[] = {{100000, 1 << 20, 1024}, {1 << 20, (1 << 20) + 4096, 1028}};
    long sharp = sysconf(_SC_PAGESIZE) == 4096;

    (void) state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    sharp = 0; /* their own memory takes faults, too */
#endif
    for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        bool shared = i % 2;
        struct px_segment seg = make(shared, 16 << 20);
        bool can = madvise(seg.base, 4096, 23) == 0; /* before 5.14 not */
        long kb;

        assert_int_equal(px_segment_commit(&seg, cases[i / 2].upto), 0);
        assert_int_equal(px_segment_commit(&seg, cases[i / 2].next), 0);
        assert_true(seg.populated <= seg.committed);
        kb = about(seg.base, "Rss", NULL);
        if (can && sharp) {
            assert_in_range(kb, 0, cases[i / 2].kb + (shared ? 16 : 0));
            assert_in_range(faults_of_stores(&seg, cases[i / 2].next), 0, 8); /* else 256 */
        }
        px_segment_close(&seg);
    }
}

static void huge_pages_are_asked_for(void **state)
{
    const struct px_segment_hints hints = {.huge = true};
    struct px_segment seg;
    struct px_segment reader;

    (void) state;
    assert_int_equal(px_segment_create(true, 16 << 20, &hints, &seg), 0);
    assert_int_equal(px_segment_open(dup(seg.fd), &reader), 0);
    if (madvise(seg.base, seg.size, MADV_HUGEPAGE) != 0) {
        px_segment_close(&reader);
        px_segment_close(&seg);
        skip();
    }
    assert_int_equal(about(seg.base, "VmFlags", " hg"), 1);
    assert_int_equal(about(reader.base, "VmFlags", " hg"), 0);
    px_segment_prefault(&reader, &hints, 4096);
    assert_int_equal(about(reader.base, "VmFlags", " hg"), 1);
    px_segment_close(&reader);
    px_segment_close(&seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_else_writes),
        cmocka_unit_test(reader_maps_read_only),
        cmocka_unit_test(another_user),
        cmocka_unit_test(refusals),
        cmocka_unit_test(every_seal),
        cmocka_unit_test(commits_ahead),
        cmocka_unit_test(nothing_ahead),
        cmocka_unit_test(limits),
        cmocka_unit_test(not_in_core_dumps),
        cmocka_unit_test(memory_is_placed_before_there_is_any),
        cmocka_unit_test(first_and_ahead),
        cmocka_unit_test(prefault_maps_what_is_used),
        cmocka_unit_test(pages_are_mapped_together),
        cmocka_unit_test(huge_pages_are_asked_for),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
