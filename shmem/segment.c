/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The one file that maps segment memory. The whole virtual size is mapped once, so growth never
 * moves anything and readers never map again. The writer backs memory before it stores there: a
 * machine without memory is a status here, not a signal at the store. The seals are added when the
 * writer's mapping exists: FUTURE_WRITE spares that mapping and forbids every later one for
 * writing. */

#include "shmem/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shmem/layout.h"
#include "src/base/assert.h"
#include "src/base/release.h"
#include "src/base/status.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static const uint64_t min_size = UINT64_C(64) << 10;
static const uint64_t first_bytes = UINT64_C(64) << 10;
static const uint64_t min_ahead = UINT64_C(64) << 10;
static const uint64_t max_ahead = UINT64_C(1) << 20;
static const uint64_t populate_step = UINT64_C(16) << 10;
static const struct px_segment_hints no_hints;
static const int needed_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

/* The system's page size in bytes. */
static uint64_t page_size(void)
{
    long n = sysconf(_SC_PAGESIZE);

    return n > 0 ? (uint64_t) n : 4096;
}

/* n, rounded up to a multiple of `unit`, which need not be a power of two. */
static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

uint64_t px_segment_address_space(void)
{
    struct rlimit lim;

    return getrlimit(RLIMIT_AS, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY ? lim.rlim_cur
                                                                            : UINT64_MAX;
}

/* Lowers `size` to what the process may have: half of a limited address space and, for a memfd, the
 * limit on file sizes. Rounds down to pages. */
static uint64_t limited(uint64_t size, bool shared)
{
    uint64_t room = px_segment_address_space();
    struct rlimit lim;

    if (room != UINT64_MAX && size > room / 2) {
        size = room / 2;
    }
    if (shared && getrlimit(RLIMIT_FSIZE, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY &&
        size > lim.rlim_cur) {
        size = lim.rlim_cur;
    }
    return size / page_size() * page_size();
}

/* A new memfd that can be sealed, close-on-exec, or -1 with errno. Kernels before 6.3 do not know
 * MFD_NOEXEC_SEAL and answer EINVAL. */
static int make_memfd(const char *label)
{
    int fd = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    return fd;
}

/* Maps seg->size bytes for the writer. The private form is reserved without access; back() opens it
 * piece by piece. PX_ERR_OUT_OF_RESOURCE (file size), PX_ERR_NOMEM (address space): a smaller size
 * may succeed. */
static int map_writable(struct px_segment *seg)
{
    void *at;

    if (seg->shared) {
        if (ftruncate(seg->fd, (off_t) seg->size)) {
            return PX_ERR_OUT_OF_RESOURCE;
        }
        at = mmap(NULL, seg->size, PROT_READ | PROT_WRITE, MAP_SHARED, seg->fd, 0);
    } else {
        at = mmap(NULL, seg->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (at == MAP_FAILED) {
        return PX_ERR_NOMEM;
    }
    seg->base = at;
    (void) madvise(at, seg->size, MADV_DONTDUMP); /* a larger core dump is all that failure costs */
    return 0;
}

/* Makes the memfd read-only for all but the mapping that exists. PX_ERR_NOT_SUPPORTED if the kernel
 * refuses a seal. */
static int seal(int fd)
{
    if (fchmod(fd, 0400) || fcntl(fd, F_ADD_SEALS, needed_seals)) {
        return PX_ERR_NOT_SUPPORTED;
    }
    return 0;
}

/* Passes the page-size and NUMA hints to the kernel. A hint that fails leaves everything as it
 * was. */
static void advise(const struct px_segment *seg, const struct px_segment_hints *hints)
{
    if (hints->huge) {
        (void) madvise(seg->base, seg->size, MADV_HUGEPAGE);
    }
    if (hints->set_numa_policy && seg->writer) {
        hints->set_numa_policy(seg->base, seg->size);
    }
}

/* Backs the bytes from `committed` to `upto` with memory: fallocate for a memfd, mprotect for
 * process memory. Leaves `committed` to the caller. PX_ERR_OUT_OF_RESOURCE if the system
 * refuses. */
static int back(struct px_segment *seg, uint64_t upto)
{
    uint64_t from = seg->committed;
    int rc;

    px_assert(seg->writer && upto > from && upto <= seg->size);
    if (!seg->shared) {
        return mprotect(seg->base + from, upto - from, PROT_READ | PROT_WRITE)
                   ? PX_ERR_OUT_OF_RESOURCE
                   : 0;
    }
    do {
        rc = fallocate(seg->fd, 0, (off_t) from, (off_t) (upto - from));
    } while (rc && errno == EINTR);
    return rc ? PX_ERR_OUT_OF_RESOURCE : 0;
}

/* Backs the first bytes of a new segment: as many as the hints ask for, or at least the header. */
static int commit_first(struct px_segment *seg, const struct px_segment_hints *hints)
{
    uint64_t first =
        round_up(hints->initial_commit ? hints->initial_commit : first_bytes, page_size());

    if (first < PX_SHM_HEADER_LEN || first > seg->size || back(seg, first)) {
        return px_segment_commit(seg, PX_SHM_HEADER_LEN);
    }
    seg->committed = first;
    return 0;
}

/* Address space may be short even without a limit, so the size is halved until a mapping
 * succeeds. */
int px_segment_create(bool shared, uint64_t size, const struct px_segment_hints *hints,
                      struct px_segment *ret)
{
    struct px_segment seg = {.fd = -1, .shared = shared, .writer = true};
    int rc = PX_ERR_NOMEM;

    hints = hints ? hints : &no_hints;
    seg.reserve_ahead =
        hints->reserve_ahead ? hints->reserve_ahead / page_size() * page_size() : max_ahead;

    size = limited(round_up(size ? size : PX_SEGMENT_DEFAULT_SIZE, page_size()), shared);
    if (size < min_size) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    if (shared) {
        seg.fd = make_memfd(hints->label ? hints->label : "shmix");
        if (seg.fd < 0) {
            return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? PX_ERR_OUT_OF_RESOURCE
                                                                         : PX_ERR_NOT_SUPPORTED;
        }
    }
    for (; rc && size >= min_size; size = size / 2 / page_size() * page_size()) {
        seg.size = size;
        rc = map_writable(&seg);
    }
    if (rc == 0 && shared) {
        rc = seal(seg.fd);
    }
    if (rc == 0) {
        advise(&seg, hints);
        rc = commit_first(&seg, hints);
    }
    if (rc) {
        px_segment_close(&seg);
        return rc;
    }
    *ret = seg;
    return 0;
}

/* Checks the seals and the size before it maps: a file that can shrink or change under a reader
 * could raise SIGBUS or tear an object. The mapping covers the whole file, whatever its header
 * says. */
static int map_reader(int fd, struct px_segment *seg)
{
    struct stat st;
    void *at;
    int seals = fcntl(fd, F_GET_SEALS);

    if (seals < 0 || fstat(fd, &st)) {
        return PX_ERR_NOT_SUPPORTED;
    }
    if ((seals & F_SEAL_SHRINK) == 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0) {
        return PX_ERR_NO_PERMISSIONS;
    }
    if (st.st_size < PX_SHM_HEADER_LEN) {
        return PX_ERR_UNPACK_FAILURE;
    }
    at = mmap(NULL, (size_t) st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return PX_ERR_NOMEM;
    }
    seg->base = at;
    seg->size = (uint64_t) st.st_size;
    (void) madvise(at, seg->size, MADV_DONTDUMP); /* a larger core dump is all that failure costs */
    return 0;
}

int px_segment_open(int fd, struct px_segment *ret)
{
    struct px_segment seg = {.fd = -1, .shared = true};
    int rc = map_reader(fd, &seg);

    close(fd);
    if (rc == 0) {
        *ret = seg;
    }
    return rc;
}

/* MADV_POPULATE_READ maps the pages at once. Older kernels refuse it; the pages are then mapped
 * when they are touched. */
void px_segment_prefault(struct px_segment *seg, const struct px_segment_hints *hints,
                         uint64_t used)
{
    uint64_t n = hints->prefault < used ? hints->prefault : used;

    px_assert(!seg->writer);
    if (seg->prefaulted == 0) {
        advise(seg, hints);
    }
    if (n > seg->prefaulted && n <= seg->size) {
        n = round_up(n, page_size());
        (void) madvise(seg->base + seg->prefaulted, n - seg->prefaulted, MADV_POPULATE_READ);
        seg->prefaulted = n;
    }
}

/* Backs at least `upto` bytes with memory. A quarter more than is committed is backed ahead, within
 * bounds, so that the number of system calls grows with the logarithm of the size. If that much is
 * not to be had, exactly `upto` is tried. */
static int back_ahead(struct px_segment *seg, uint64_t upto)
{
    uint64_t ahead = seg->committed / 4;
    uint64_t want;

    upto = round_up(upto, page_size());
    ahead = ahead < min_ahead ? min_ahead : ahead / page_size() * page_size();
    ahead = ahead > seg->reserve_ahead ? seg->reserve_ahead : ahead;
    want = upto + ahead < seg->size ? upto + ahead : seg->size;
    if (back(seg, want)) {
        want = upto;
        if (back(seg, want)) {
            return PX_ERR_OUT_OF_RESOURCE;
        }
    }
    px_assert(want >= upto && want <= seg->size && want % page_size() == 0);
    seg->committed = want;
    return 0;
}

/* Maps the pages below `upto` into the writer's address space, by one system call for many where
 * each would take a fault when it is stored to. Of a memfd, whose pages have their memory already,
 * a step more is mapped, for the small things that come next; process memory is not touched before
 * it is needed, and mapped when that is a step. Kernels before 5.14 refuse; the pages are then
 * mapped by faults. */
static void populate(struct px_segment *seg, uint64_t upto)
{
    uint64_t want = round_up(upto + (seg->shared ? populate_step : 0), page_size());

    want = want > seg->committed ? seg->committed : want;
    if (seg->shared || want - seg->populated >= populate_step) {
        (void) madvise(seg->base + seg->populated, want - seg->populated, MADV_POPULATE_WRITE);
        seg->populated = want;
    }
}

/* Called for everything that is written, most of which needs neither memory nor pages. */
int px_segment_commit(struct px_segment *seg, uint64_t upto)
{
    px_assert(seg->writer && seg->populated <= seg->committed);
    if (upto <= seg->populated) {
        return 0;
    }
    if (upto > seg->size) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    if (upto > seg->committed && back_ahead(seg, upto)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    populate(seg, upto);
    return 0;
}

/* For px_release. */
static void give_back(const void *what)
{
    const struct px_segment *seg = what;

    if (seg->base) {
        (void) munmap(seg->base, seg->size); /* our own mapping: cannot fail */
    }
    if (seg->fd >= 0) {
        (void) close(seg->fd);
    }
}

void px_segment_close(struct px_segment *seg)
{
    int saved = errno;

    px_release(give_back, seg, sizeof(*seg), seg->populated);
    *seg = (struct px_segment){.fd = -1};
    errno = saved;
}
