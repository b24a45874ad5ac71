/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A damaged segment: bytes and words of a good image are changed at random, and the whole reader's
 * interface runs over it. Statuses may differ; nothing may crash, loop or read outside. SEED
 * repeats a run.
 * Covers: SHM-011 */
#include "support.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "gds/fast_path.h"
#include "src/wire/codec.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/level.h"
#include "gds/slice.h"

enum { N_RANKS = 70, ROUNDS = 3000 };

static const char *const keys[] = {"pmix.rank", "pmix.lrank", "pmix.hname", "pmix.nodeid",
                                   "blob",      "text",       "array",      "nested",
                                   "job",       "sess",       "qual",       "none"};
enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static unsigned char *image;
static size_t image_len;

static void add_values(struct px_batch *batch, pmix_value_t *v, char (*names)[16])
{
    static uint32_t numbers[] = {1, 2, 3, 4, 5};
    static pmix_data_array_t array = {.type = PMIX_UINT32, .size = 5, .array = numbers};
    static pmix_info_t infos[2];
    static pmix_data_array_t nested = {.type = PMIX_INFO, .size = 2, .array = infos};
    static pmix_info_t qual;
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = 2, .key = "qual", .quals = &qual};
    uint32_t i;

    for (i = 0; i < N_RANKS; i++) {
        v[4 * i] = u32(i);
        v[4 * i + 1] = u16((uint16_t) (i * i % 100));
        v[4 * i + 2] = str(names[i / 8]);
        v[4 * i + 3] = bytes(names[0], i % 16);
        add(batch, PX_LEVEL_PROC, i, "pmix.rank", &v[4 * i]);
        add(batch, PX_LEVEL_PROC, i, "pmix.lrank", &v[4 * i + 1]);
        add(batch, PX_LEVEL_PROC, i, "pmix.hname", &v[4 * i + 2]);
        add(batch, PX_LEVEL_PROC, i, "blob", &v[4 * i + 3]);
    }
    add(batch, PX_LEVEL_JOB, 0, "job", &v[5]);
    add(batch, PX_LEVEL_SESSION, 9, "sess", &v[6]);
    v[4 * N_RANKS] = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    v[4 * N_RANKS + 1] = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &nested};
    PMIx_Info_load(&infos[0], "one", "text", PMIX_STRING);
    PMIx_Info_load(&infos[1], "two", &numbers[1], PMIX_UINT32);
    PMIx_Info_load(&qual, "q", &numbers[2], PMIX_UINT32);
    add(batch, PX_LEVEL_NODE, 1, "array", &v[4 * N_RANKS]);
    add(batch, PX_LEVEL_APP, 0, "nested", &v[4 * N_RANKS + 1]);
    entry.value = &v[4];
    entry.n_quals = 1;
    assert_int_equal(px_batch_add(batch, &entry), 0);
}

static void make_image(void)
{
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    static pmix_value_t v[4 * N_RANKS + 2];
    static char names[N_RANKS / 8 + 1][16];
    static const char *const aliases[] = {"other", "another", NULL};
    uint32_t i;

    for (i = 0; i <= N_RANKS / 8; i++) {
        struct px_node_def def = {.name = names[i], .nodeid = PX_NO_NODEID};
        uint32_t index;

        (void) snprintf(names[i], sizeof(names[i]), "node%u", i);
        def.aliases = i == 3 ? aliases : NULL;
        assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
    }
    for (i = 0; i < N_RANKS; i++) {
        assert_int_equal(px_batch_place_rank(batch, i, i % 3 ? i / 8 : 0, i % 2), 0);
    }
    add_values(batch, v, names);
    assert_int_equal(px_batch_local_node(batch, 2), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    for (i = 0; i < 20; i++) {
        pmix_value_t late = u32(i);

        assert_int_equal(put_one(store, PX_LEVEL_PROC, i, "pmix.lrank", &late, 0), 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, 5, "text", &late, PMIX_LOCAL), 0);
    }
    assert_sound(store);
    image_len = px_store_header(store)->used;
    image = malloc(image_len);
    memcpy(image, store->seg.base, image_len);
    px_store_destroy(store);
}

/* A sealed descriptor with these bytes, exactly as long as the header says. */
static int make_fd(unsigned char *bytes, size_t len, uint64_t size)
{
    int fd = memfd_create("damaged", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t) size), 0);
    assert_int_equal(pwrite(fd, bytes, len, 0), len);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
    return fd;
}

static size_t n_seen;

static int see(void *arg, const char *key, const struct px_slice *slice)
{
    const pmix_value_t *pointer;
    pmix_value_t value;
    pmix_info_t *quals;
    size_t n;

    (void) arg;
    n_seen += strlen(key);
    if (px_slice_fill(slice, &value) == 0) {
        PMIx_Value_destruct(&value);
    }
    if (px_slice_pointer(slice, &pointer) == 0 && pointer->type == PMIX_STRING &&
        pointer->data.string) {
        n_seen += strlen(pointer->data.string);
    }
    if (px_slice_quals(slice, &quals, &n) == 0 && quals) {
        PMIx_Info_free(quals, n);
    }
    return 0;
}

static void ask_all(const struct px_store *store, uint32_t rank)
{
    static const pmix_rank_t special[] = {PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF, PMIX_RANK_INVALID};
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;
    const struct px_key *hinted;
    struct px_scalar scalar;
    size_t k;

    for (k = 0; k < N_KEYS; k++) {
        enum px_level level;

        for (level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
            if (px_store_find(store, level, rank, keys[k], strlen(keys[k]), &slice) == 0) {
                (void) see(NULL, keys[k], &slice);
            }
        }
        spec.key = keys[k];
        spec.key_len = strlen(keys[k]);
        spec.rank = rank % 5 ? rank : special[k % 3];
        spec.hostname = rank % 7 ? NULL : rank % 2 ? "another" : "node1";
        spec.nodeid = rank % 11 ? PX_NO_NODEID : 3;
        if (px_store_get(store, &spec, &slice) == 0) {
            (void) see(NULL, keys[k], &slice);
        }
        if (px_store_hinted_key(store, keys[k], &hinted)) {
            (void) px_store_get_scalar(store, hinted, spec.rank, &scalar);
        }
        spec.realm =
            (enum px_realm[]){PX_REALM_NONE, PX_REALM_NODE, PX_REALM_JOB, PX_REALM_PROC}[rank % 4];
        if (px_store_get(store, &spec, &slice) == 0) {
            (void) see(NULL, keys[k], &slice);
        }
        spec.realm = PX_REALM_NONE;
    }
}

static void walk(const struct px_store *store)
{
    struct px_store_info info;
    struct px_node_view node;
    uint32_t ranks[16];
    enum px_level level;
    uint32_t i;

    px_store_info(store, &info);
    (void) px_store_flags(store);
    for (i = 0; i < N_RANKS + 2; i++) {
        ask_all(store, i);
        (void) px_store_app_of(store, i);
        (void) px_store_node(store, px_store_node_of(store, i), &node);
    }
    for (level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
        for (i = 0; i < 12; i++) {
            (void) px_store_each(store, level, i, see, NULL);
        }
    }
    for (i = 0; i < 11; i++) {
        const char *alias = px_store_node_alias(store, i, i % 2);

        n_seen += alias ? strlen(alias) : 0;
        if (px_store_node(store, i, &node) == 0) {
            n_seen += strlen(node.name);
            (void) px_store_node_by_name(store, node.name);
        }
        (void) px_store_node_ranks(store, i, ranks, 16);
        (void) px_store_node_by_id(store, i);
    }
    (void) px_store_local_node(store);
}

static void damage(unsigned char *bytes, uint64_t *rng)
{
    static const uint64_t nasty[] = {0, 1, 7, 512, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 47};
    uint32_t n = 1 + next_random(rng) % 4;

    while (n-- > 0) {
        /* seldom the header: most of it only makes the store refuse to open */
        size_t from = next_random(rng) % 8 ? PX_SHM_HEADER_LEN : 512;
        size_t at = from + next_random(rng) % (image_len - from);
        uint64_t w;

        if (next_random(rng) % 2) {
            bytes[at] ^= (unsigned char) (1u << next_random(rng) % 8);
            continue;
        }
        at &= ~(size_t) 7;
        memcpy(&w, bytes + at, 8);
        switch (next_random(rng) % 4) {
        case 0:
            w = nasty[next_random(rng) % 7];
            break;
        case 1:
            w += next_random(rng) % 3 - 1;
            break;
        case 2:
            w = next_random(rng) % (image_len / 8 + 4);
            break;
        default:
            memcpy(&w, bytes + (next_random(rng) % (image_len / 8)) * 8, 8);
            break;
        }
        memcpy(bytes + at, &w, 8);
    }
}

static void random_damage(void **state)
{
    const char *seed = getenv("SEED");
    uint64_t rng = seed ? strtoull(seed, NULL, 0) : (uint64_t) getpid() * 2654435761u;
    uint64_t size = (image_len + 4095) & ~UINT64_C(4095);
    unsigned rounds = getenv("PX_LONG") ? 100 * ROUNDS : ROUNDS;
    unsigned opened = 0;
    unsigned round;

    (void) state;
    print_message("# SEED=%llu\n", (unsigned long long) rng);
    for (round = 0; round < rounds; round++) {
        unsigned char *bytes = malloc(image_len);
        struct px_store *store;

        memcpy(bytes, image, image_len);
        memcpy(bytes + offsetof(struct px_segment_id, virtual_size), &size, sizeof(size));
        if (round) {
            damage(bytes, &rng);
        }
        if (px_store_open(make_fd(bytes, image_len, size), &store) == 0) {
            struct px_fault fault;

            opened++;
            walk(store);
            (void) px_format_verify(&store->seg, PX_VERIFY_ALL, &fault);
            px_store_destroy(store);
        }
        free(bytes);
    }
    assert_true(opened > rounds / 2);
}

static void truncated(void **state)
{
    uint64_t size = (image_len + 4095) & ~UINT64_C(4095);
    struct px_store *store;
    size_t len;

    (void) state;
    assert_int_equal(px_store_open(make_fd(image, 100, 100), &store), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(px_store_open(make_fd(image, image_len, size), &store),
                     PMIX_ERR_UNPACK_FAILURE); /* another size than the header says */
    memcpy(image + offsetof(struct px_segment_id, virtual_size), &size, sizeof(size));
    for (len = PX_SHM_HEADER_LEN; len < image_len; len += 512) {
        if (px_store_open(make_fd(image, len, size), &store) == 0) {
            walk(store);
            px_store_destroy(store);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_damage),
        cmocka_unit_test(truncated),
    };
    int rc;

    alarm(300);
    make_image();
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    free(image);
    return rc;
}
