/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Segments of each released format, kept in test/golden: they must be read for ever, or refused.
 * The file of the present version was written by this program with PX_GOLDEN_WRITE=<file>. */
#include "support.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/slice.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20, N_RANKS = 40 };

/* Those of the file of the present version; before 1.2 only the first. */
enum { FLAGS = PX_STORE_JOB_COMPLETE | PX_STORE_HOST_QUERIES | PX_STORE_PEERS_DECLINED };

static char names[5][8] = {"node0", "node1", "node2", "node3", "node4"};

static void fill(struct px_store *store)
{
    static const char *const aliases[] = {"alias0", "10.0.0.1", NULL};
    static uint32_t numbers[] = {10, 20, 30};
    static pmix_data_array_t array = {.type = PMIX_UINT32, .size = 3, .array = numbers};
    static pmix_proc_t proc = {.nspace = "parent", .rank = 3};
    static pmix_value_t v[N_RANKS * 5];
    struct px_batch *batch = px_batch_create();
    pmix_value_t late = str("late");
    pmix_value_t one[4] = {
        u32(N_RANKS), str("a session"), {.type = PMIX_DATA_ARRAY}, {.type = PMIX_PROC}};
    uint32_t i;

    one[2].data.darray = &array;
    one[3].data.proc = &proc;
    for (i = 0; i < 5; i++) {
        struct px_node_def def = {
            .name = names[i], .aliases = i ? NULL : aliases, .nodeid = 50 + i};
        uint32_t index;

        assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
    }
    for (i = 0; i < N_RANKS; i++) {
        pmix_value_t *at = &v[5 * i];

        assert_int_equal(px_batch_place_rank(batch, i, i < 20 ? i / 8 : i % 5, i / 30), 0);
        at[0] = u32(7);
        at[1] = u32(100 + i);
        at[2] = u16((uint16_t) (i * i));
        at[3] = str(names[i % 5]);
        at[4] = bytes(&numbers, i % 12);
        add(batch, PX_LEVEL_PROC, i, "constant", &at[0]);
        add(batch, PX_LEVEL_PROC, i, "line", &at[1]);
        add(batch, PX_LEVEL_PROC, i, "array", &at[2]);
        add(batch, PX_LEVEL_PROC, i, "texts", &at[3]);
        if (i % 3) {
            add(batch, PX_LEVEL_PROC, i, "blob", &at[4]);
        }
    }
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &one[0]);
    add(batch, PX_LEVEL_SESSION, 3, PMIX_RM_NAME, &one[1]);
    add(batch, PX_LEVEL_APP, 1, "numbers", &one[2]);
    add(batch, PX_LEVEL_NODE, 2, "proc", &one[3]);
    assert_int_equal(px_batch_local_node(batch, 1), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 4, "texts", &late, PMIX_LOCAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 5, "hidden", NULL, PMIX_REMOTE), 0);
    px_store_set_flags(store, FLAGS);
}

static void check_places(const struct px_store *store)
{
    struct px_node_view node;
    uint32_t ranks[N_RANKS];

    assert_int_equal(px_store_local_node(store), 1);
    assert_int_equal(px_store_node_by_name(store, "10.0.0.1"), 0);
    assert_int_equal(px_store_node_by_id(store, 53), 3);
    assert_int_equal(px_store_node(store, 4, &node), 0);
    assert_string_equal(node.name, "node4");
    assert_int_equal(node.n_ranks, 4);
    assert_int_equal(px_store_node_ranks(store, 4, ranks, N_RANKS), 4);
    assert_int_equal(ranks[0], 24);
    assert_int_equal(ranks[3], 39);
    assert_int_equal(px_store_node_of(store, 17), 2);
    assert_int_equal(px_store_app_of(store, 31), 1);
}

static void check_contents(const struct px_store *store, uint32_t flags)
{
    struct px_slice slice;
    pmix_value_t got;
    uint32_t i;

    assert_string_equal(px_store_nspace(store), "job");
    assert_int_equal(px_store_flags(store), flags);
    for (i = 0; i < N_RANKS; i++) {
        assert_int_equal(word(store, PX_LEVEL_PROC, i, "constant"), 7);
        assert_int_equal(word(store, PX_LEVEL_PROC, i, "line"), 100 + i);
        assert_int_equal(word(store, PX_LEVEL_PROC, i, "array"), i * i);
        assert_string_equal(text(store, PX_LEVEL_PROC, i, "texts"), i == 4 ? "late" : names[i % 5]);
        assert_int_equal(find(store, PX_LEVEL_PROC, i, "blob", &slice),
                         i % 3 ? 0 : PMIX_ERR_NOT_FOUND);
    }
    assert_int_equal(word(store, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE), N_RANKS);
    assert_string_equal(text(store, PX_LEVEL_SESSION, 3, PMIX_RM_NAME), "a session");
    assert_int_equal(find(store, PX_LEVEL_APP, 1, "numbers", &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &got), 0);
    assert_int_equal(((uint32_t *) got.data.darray->array)[2], 30);
    PMIx_Value_destruct(&got);
    assert_int_equal(find(store, PX_LEVEL_NODE, 2, "proc", &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &got), 0);
    assert_string_equal(got.data.proc->nspace, "parent");
    assert_int_equal(got.data.proc->rank, 3);
    PMIx_Value_destruct(&got);
    assert_int_equal(find(store, PX_LEVEL_PROC, 5, "hidden", &slice),
                     PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    check_places(store);
}

static struct px_store *make_golden(void)
{
    struct px_store_opts opts = {.nspace = "job", .shared = true, .virtual_size = SIZE};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    fill(store);
    return store;
}

static int open_file(unsigned char *file, size_t len)
{
    int fd = memfd_create("golden", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_int_equal(ftruncate(fd, SIZE), 0);
    assert_int_equal(pwrite(fd, file, len, 0), len);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE), 0);
    return fd;
}

static void write_present(const struct px_store *store, const char *to)
{
    FILE *f = fopen(to, "we");
    size_t len = px_store_header(store)->used;

    assert_non_null(f);
    assert_int_equal(fwrite(store->seg.base, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void check_file(const char *name, unsigned minor)
{
    const char *top = getenv("PX_TOP_SRCDIR");
    struct px_store *reader;
    static unsigned char file[1 << 16];
    char path[4096];
    size_t len;
    FILE *f;

    (void) snprintf(path, sizeof(path), "%s/test/golden/%s", top ? top : ".", name);
    f = fopen(path, "re");
    assert_non_null(f);
    len = fread(file, 1, sizeof(file), f);
    (void) fclose(f);
    assert_int_equal(px_store_open(open_file(file, len), &reader), 0);
    assert_int_equal(px_store_header(reader)->id.minor, minor);
    assert_sound(reader);
    check_contents(reader, minor < 2 ? PX_STORE_JOB_COMPLETE : FLAGS);
    px_store_destroy(reader);
}

static void present_version(void **state)
{
    const char *write_to = getenv("PX_GOLDEN_WRITE");
    struct px_store *store = make_golden();

    (void) state;
    check_contents(store, FLAGS);
    if (write_to) {
        write_present(store, write_to);
    }
    drop_store(store);
}

static void released_versions(void **state)
{
    (void) state;
    check_file("segment-1.0", 0);
    check_file("segment-1.1", 1);
    check_file("segment-1.2", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(present_version),
                                       cmocka_unit_test(released_versions)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
