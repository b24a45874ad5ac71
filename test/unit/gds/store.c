/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A store's life: made, handed over, opened or refused, flagged, and gone.
 * Covers: SHM-009 SHM-010 SHM-012 SHM-016 */
#include "support.h"

#include <fcntl.h>
#include <sys/mman.h>

static void creation(void **state)
{
    char longest[PMIX_MAX_NSLEN + 2];
    struct px_store_opts opts = {.nspace = longest, .shared = true, .uid = 7, .gid = 8};
    struct px_store *store;
    struct px_store_info info;

    (void) state;
    memset(longest, 'n', sizeof(longest));
    longest[PMIX_MAX_NSLEN + 1] = '\0';
    assert_int_equal(px_store_create(&opts, &store), PMIX_ERR_BAD_PARAM);
    longest[PMIX_MAX_NSLEN] = '\0';
    assert_int_equal(px_store_create(&opts, &store), 0);
    assert_string_equal(px_store_nspace(store), longest);
    assert_int_equal(px_store_header(store)->id.uid, 7);
    assert_int_equal(px_store_header(store)->id.gid, 8);
    px_store_info(store, &info);
    assert_int_equal(info.sequence, 0);
    assert_int_equal(info.n_ranks, 0);
    assert_true(info.shared);
    assert_false(info.dead);
    drop_store(store);
    opts.nspace = "";
    assert_int_equal(px_store_create(&opts, &store), PMIX_ERR_BAD_PARAM);
    opts.nspace = NULL;
    assert_int_equal(px_store_create(&opts, &store), PMIX_ERR_BAD_PARAM);
    px_store_destroy(NULL);
}

static void creation_without_memory(void **state)
{
    struct px_store_opts opts = {.nspace = "job"};
    struct px_store *store;
    long left = 0;
    int rc;

    (void) state;
    do {
        fail_allocs_after(left++);
        rc = px_store_create(&opts, &store);
        fail_allocs_after(-1);
        assert_true(rc == 0 || rc == PMIX_ERR_NOMEM);
    } while (rc);
    assert_true(left > 2);
    drop_store(store);
}

static void flags_and_death(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    struct px_store_info info;
    pmix_value_t v = str("still here");

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "k", &v, 0), 0);
    assert_int_equal(px_store_flags(reader), 0);
    px_store_set_flags(store, PX_STORE_JOB_COMPLETE | PX_STORE_NO_REBUILD);
    assert_int_equal(px_store_flags(reader), PX_STORE_JOB_COMPLETE | PX_STORE_NO_REBUILD);
    px_store_set_flags(reader, 0); /* a reader's is ignored */
    assert_int_equal(px_store_flags(store), PX_STORE_JOB_COMPLETE | PX_STORE_NO_REBUILD);
    px_store_destroy(store);
    px_store_info(reader, &info);
    assert_true(info.dead);
    assert_string_equal(text(reader, PX_LEVEL_JOB, 0, "k"), "still here"); /* SHM-016 */
    px_store_destroy(reader);
}

static int copy_with(const struct px_store *store, size_t at, unsigned char byte, int seals)
{
    int fd = memfd_create("copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_int_equal(ftruncate(fd, (off_t) store->seg.size), 0);
    assert_int_equal(pwrite(fd, store->seg.base, PX_SHM_HEADER_LEN, 0), PX_SHM_HEADER_LEN);
    if (at < SIZE_MAX) {
        assert_int_equal(pwrite(fd, &byte, 1, (off_t) at), 1);
    }
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static void refusals(void **state)
{
    struct px_store_opts opts = {.nspace = "job", .shared = true, .virtual_size = 1 << 20};
    const int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    struct px_store *store;
    struct px_store *reader;
    static const struct {
        size_t at;
        int rc;
    } cases[] = {
        {offsetof(struct px_segment_id, magic), PMIX_ERR_UNPACK_FAILURE},
        {offsetof(struct px_segment_id, major), PMIX_ERR_NOT_SUPPORTED}, /* SHM-010 */
        {offsetof(struct px_segment_id, probe), PMIX_ERR_NOT_SUPPORTED},
        {offsetof(struct px_segment_id, fingerprint), PMIX_ERR_NOT_SUPPORTED},
        {offsetof(struct px_segment_id, virtual_size), PMIX_ERR_UNPACK_FAILURE},
        {offsetof(struct px_segment_id, header_len), PMIX_ERR_UNPACK_FAILURE},
        {offsetof(struct px_store_header, state), PMIX_ERR_UNPACK_FAILURE},
        {offsetof(struct px_store_header, used) + 6, PMIX_ERR_UNPACK_FAILURE},
    };
    size_t i;

    (void) state;
    assert_int_equal(px_store_create(&opts, &store), 0);
    assert_int_equal(px_store_open(copy_with(store, SIZE_MAX, 0, sealed), &reader), 0);
    px_store_destroy(reader);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd = copy_with(store, cases[i].at, 0x5a, sealed);

        assert_int_equal(px_store_open(fd, &reader), cases[i].rc);
        assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed in any case */
    }
    assert_int_equal(px_store_open(copy_with(store, SIZE_MAX, 0, F_SEAL_SHRINK), &reader),
                     PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(px_store_open(copy_with(store, SIZE_MAX, 0, F_SEAL_WRITE), &reader),
                     PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(px_store_open(open("/dev/null", O_RDONLY | O_CLOEXEC), &reader),
                     PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_store_open(-1, &reader), PMIX_ERR_NOT_SUPPORTED);
    drop_store(store);
}

/* A namespace that fills its field has no end: what readers could not read is not stored, and what
 * was there stays. */
static void namespaces_without_an_end(void **state)
{
    struct px_store *store = make_store(false);
    pmix_proc_t proc = {.rank = 3};
    pmix_value_t value = {.type = PMIX_PROC, .data.proc = &proc};
    pmix_value_t name = {.type = PMIX_PROC_NSPACE, .data.nspace = &proc.nspace};
    pmix_value_t got;
    struct px_slice slice;

    (void) state;
    memset(proc.nspace, 'n', PMIX_MAX_NSLEN);
    for (int full = 0; full < 2; full++) {
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 0, "a.proc", &value, PMIX_GLOBAL),
                         full ? PMIX_ERR_BAD_PARAM : 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 0, "a.name", &name, PMIX_GLOBAL),
                         full ? PMIX_ERR_BAD_PARAM : 0);
        assert_int_equal(find(store, PX_LEVEL_PROC, 0, "a.proc", &slice), 0);
        assert_int_equal(px_slice_fill(&slice, &got), 0);
        assert_int_equal(strlen(got.data.proc->nspace), PMIX_MAX_NSLEN);
        PMIx_Value_destruct(&got);
        assert_int_equal(find(store, PX_LEVEL_PROC, 0, "a.name", &slice), 0);
        proc.nspace[PMIX_MAX_NSLEN] = 'n';
    }
    drop_store(store);
}

static void any_address(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *a = open_reader(store);
    struct px_store *b = open_reader(store);
    pmix_value_t v = str("at any address");

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "k", &v, 0), 0);
    assert_ptr_not_equal(a->seg.base, b->seg.base); /* SHM-012 */
    assert_string_equal(text(a, PX_LEVEL_JOB, 0, "k"), text(b, PX_LEVEL_JOB, 0, "k"));
    px_store_destroy(a);
    px_store_destroy(b);
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),        cmocka_unit_test(creation_without_memory),
        cmocka_unit_test(flags_and_death), cmocka_unit_test(refusals),
        cmocka_unit_test(any_address),     cmocka_unit_test(namespaces_without_an_end),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
