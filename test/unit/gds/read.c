/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a read may cost, what enumeration gives, and what a reader sees of a publication that has
 * not ended.
 * Covers: SHM-002 SHM-003 */
#include "support.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "gds/level.h"
#include "gds/read.h"
#include "shmem/put.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"
#include "gds/slice.h"

enum { NO_SECCOMP = 77 }; /* of a child that cannot have it here */

static void fill(struct px_store *store)
{
    struct px_batch *batch = px_batch_create();
    static pmix_value_t v[64];
    static struct px_node_def def = {.name = "n0", .nodeid = PX_NO_NODEID};
    uint32_t node;
    uint32_t i;

    assert_int_equal(px_batch_node(batch, store, &def, &node), 0);
    for (i = 0; i < 64; i++) {
        v[i] = u32(i * i);
        add(batch, PX_LEVEL_PROC, i, PMIX_LOCAL_RANK, &v[i]);
        assert_int_equal(px_batch_place_rank(batch, i, node, 0), 0);
    }
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, &v[8]);
    add(batch, PX_LEVEL_NODE, node, PMIX_NODE_SIZE, &v[8]);
    assert_int_equal(px_batch_local_node(batch, node), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "posted", &v[5], PMIX_GLOBAL), 0);
}

static int read_everything(const struct px_store *store)
{
    static const char *const keys[] = {PMIX_LOCAL_RANK, PMIX_JOB_SIZE, PMIX_NODE_SIZE,
                                       PMIX_HOSTNAME, "posted"};
    struct px_slice slice;
    size_t k;
    int n = 0;

    for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;

        spec.rank = 3;
        spec.self = 3;
        spec.key = keys[k];
        spec.key_len = strlen(keys[k]);
        n += px_store_get(store, &spec, &slice) == 0;
        spec.key = "no such key";
        spec.key_len = strlen(spec.key);
        n += px_store_get(store, &spec, &slice) == PMIX_ERR_NOT_FOUND;
        n += px_store_find(store, PX_LEVEL_PROC, 99, keys[k], strlen(keys[k]), &slice) ==
             PMIX_ERR_NOT_FOUND;
    }
    return n;
}

static void no_allocation(void **state)
{
    struct px_store *store = make_store(true);
    size_t before;

    (void) state;
    fill(store);
    before = n_allocs;
    assert_int_equal(read_everything(store), 15);
    assert_int_equal(n_allocs, before);
    drop_store(store);
}

/* In strict mode any system call but exit is fatal. SHM-002, SHM-003. */
static void no_system_call(void **state)
{
#ifdef __SANITIZE_THREAD__
    (void) state;
    skip(); /* the sanitizer has a thread of its own, which the end of this one does not end */
#else
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    int status;
    pid_t pid;

    (void) state;
    fill(store);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int i;
        int n = 0;

        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) {
            _exit(NO_SECCOMP);
        }
        for (i = 0; i < 1000; i++) {
            n += read_everything(reader);
        }
        syscall(SYS_exit, n == 15000 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    close_reader(store, reader);
    drop_store(store);
    if (WEXITSTATUS(status) == NO_SECCOMP) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
}

static int count(void *arg, const char *key, const struct px_slice *slice)
{
    (void) key;
    *(unsigned *) arg += slice->hidden ? 100 : slice->quals ? 1000 : 1;
    return 0;
}

static int stop(void *arg, const char *key, const struct px_slice *slice)
{
    (void) key;
    (void) slice;
    return ++*(unsigned *) arg == 2 ? 42 : 0;
}

static void enumerates(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store_entry entry = {.level = PX_LEVEL_PROC, .index = 3, .key = "q", .n_quals = 1};
    struct px_batch *batch = px_batch_create();
    pmix_info_t qual;
    pmix_info_t *got;
    pmix_value_t v = u32(1);
    unsigned n = 0;
    size_t n_got;
    struct px_slice slice;
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;

    (void) state;
    fill(store);
    PMIx_Info_load(&qual, "color", "red", PMIX_STRING);
    entry.quals = &qual;
    entry.value = &v;
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "hidden", NULL, PMIX_REMOTE), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, PMIX_LOCAL_RANK, &v, 0), 0);
    assert_int_equal(px_store_each(store, PX_LEVEL_PROC, 3, count, &n), 0);
    assert_int_equal(n, 1000 + 100 + 2);
    n = 0;
    assert_int_equal(px_store_each(store, PX_LEVEL_PROC, 4, count, &n), 0);
    assert_int_equal(n, 1);
    n = 0;
    assert_int_equal(px_store_each(store, PX_LEVEL_JOB, 0, count, &n), 0);
    assert_int_equal(n, 1);
    n = 0;
    assert_int_equal(px_store_each(store, PX_LEVEL_PROC, 3, stop, &n), 42);
    assert_int_equal(n, 2);
    n = 0;
    assert_int_equal(px_store_each(store, PX_LEVEL_SESSION, 3, count, &n), 0);
    assert_int_equal(n, 0);
    spec.rank = 3;
    spec.key = "q";
    spec.key_len = 1;
    spec.quals = &qual;
    spec.n_quals = 1;
    assert_int_equal(px_store_get(store, &spec, &slice), 0);
    assert_int_equal(px_slice_quals(&slice, &got, &n_got), 0);
    assert_int_equal(n_got, 1);
    assert_string_equal(got->key, "color");
    assert_string_equal(got->value.data.string, "red");
    PMIx_Info_free(got, n_got);
    PMIx_Value_destruct(&qual.value);
    drop_store(store);
}

/* Everything of a batch is in place but its number: readers have the state before. */
static void unfinished_publication(void **state)
{
    struct px_store *store = make_store(true);
    const struct px_store_header *h = px_store_header(store);
    pmix_value_t old = u32(1);
    pmix_value_t new_value = u32(2);
    struct px_slice slice;
    struct px_store_info info;
    struct px_batch *batch = px_batch_create();
    struct px_node_def def = {.name = "n1", .nodeid = PX_NO_NODEID};
    uint32_t node;
    uint32_t i;

    (void) state;
    fill(store);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "job", &old, 0), 0);
    assert_int_equal(put_one(store, PX_LEVEL_APP, 5, "app", &old, 0), 0);
    add(batch, PX_LEVEL_JOB, 0, "job", &new_value);
    add(batch, PX_LEVEL_JOB, 0, "job2", &new_value);
    add(batch, PX_LEVEL_APP, 5, "app", &new_value);
    add(batch, PX_LEVEL_APP, 6, "app", &new_value);
    for (i = 0; i < 64; i++) {
        add(batch, PX_LEVEL_PROC, i, PMIX_LOCAL_RANK, &new_value);
        add(batch, PX_LEVEL_PROC, i, "posted", &new_value);
    }
    assert_int_equal(px_batch_node(batch, store, &def, &node), 0);
    assert_int_equal(px_batch_place_rank(batch, 7, node, 0), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    px_publish(&h->sequence, h->sequence - 1); /* as a reader in the midst of it sees it */
    assert_sound(store);
    assert_int_equal(word(store, PX_LEVEL_JOB, 0, "job"), 1);
    assert_int_equal(word(store, PX_LEVEL_APP, 5, "app"), 1);
    assert_int_equal(word(store, PX_LEVEL_PROC, 5, PMIX_LOCAL_RANK), 25);
    assert_int_equal(word(store, PX_LEVEL_PROC, 3, "posted"), 25);
    assert_int_equal(find(store, PX_LEVEL_PROC, 4, "posted", &slice), PMIX_ERR_NOT_FOUND);
    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "job2", &slice), PMIX_ERR_NOT_FOUND);
    assert_int_equal(find(store, PX_LEVEL_APP, 6, "app", &slice), PMIX_ERR_NOT_FOUND);
    px_store_info(store, &info);
    assert_int_equal(info.n_nodes, 1);
    assert_int_equal(px_store_node_of(store, 7), 0);
    px_publish(&h->sequence, h->sequence + 1);
    assert_int_equal(word(store, PX_LEVEL_JOB, 0, "job"), 2);
    assert_int_equal(word(store, PX_LEVEL_PROC, 4, "posted"), 2);
    assert_int_equal(px_store_node_of(store, 7), 1);
    drop_store(store);
}

static struct px_column *column_of(struct px_store *store, const char *key)
{
    const struct px_key *known;
    struct px_read read;

    px_read_begin(store, &read);
    known = px_read_find_key(&read, key, strlen(key));
    assert_non_null(known);
    return (struct px_column *) (uintptr_t) px_read_column(&read, known);
}

static void put_texts(struct px_store *store, const char *key, unsigned different)
{
    struct px_batch *batch = px_batch_create();
    static char texts[256][16];
    pmix_value_t v[256];

    for (unsigned i = 0; i < 256; i++) {
        (void) snprintf(texts[i], sizeof(texts[i]), "%s %u", key, i % different);
        v[i] = str(texts[i]);
        add(batch, PX_LEVEL_PROC, i, key, &v[i]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

static int status_of(const struct px_store *store, const char *key)
{
    struct px_slice slice;

    return px_store_find(store, PX_LEVEL_PROC, 255, key, strlen(key), &slice);
}

/* Columns that lead out of their dictionary, or the dictionary out of the segment. SHM-011. */
static void damaged_columns(void **state)
{
    const uint64_t outside = UINT64_C(1) << 40;
    struct px_store *store = make_store(true);
    struct px_column *few;
    struct px_column *many;
    struct px_column good;

    (void) state;
    put_texts(store, "few", 4);
    put_texts(store, "many", 256);
    few = column_of(store, "few");
    many = column_of(store, "many");
    assert_int_equal(few->kind, PX_COLUMN_DICT);
    assert_int_equal(many->kind, PX_COLUMN_LOC);
    good = *few;
    few->n_dict = 1;
    assert_int_equal(status_of(store, "few"), PMIX_ERR_UNPACK_FAILURE);
    *few = good;
    few->base = outside;
    assert_int_equal(status_of(store, "few"), PMIX_ERR_UNPACK_FAILURE);
    *few = good;
    assert_int_equal(status_of(store, "few"), 0);
    good = *many;
    many->data = outside;
    assert_int_equal(status_of(store, "many"), PMIX_ERR_UNPACK_FAILURE);
    *many = good;
    drop_store(store);
}

/* A slice that px_store_each gives for key "q". */
static int keep_q(void *arg, const char *key, const struct px_slice *slice)
{
    if (strcmp(key, "q") == 0) {
        *(struct px_slice *) arg = *slice;
    }
    return 0;
}

static struct px_slice qualified(const struct px_store *store)
{
    struct px_slice slice = {0};

    assert_int_equal(px_store_each(store, PX_LEVEL_PROC, 3, keep_q, &slice), 0);
    assert_non_null(slice.quals);
    return slice;
}

/* Two sets of qualifiers are one only if number and both sums are; and a set that leads outside, or
 * has fewer bytes than qualifiers, is damaged. SHM-011. */
static void damaged_qualifiers(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store_entry entry = {.level = PX_LEVEL_PROC, .index = 3, .key = "q", .n_quals = 1};
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_batch *batch = px_batch_create();
    pmix_value_t v = u32(1);
    struct px_quals *quals;
    struct px_slice slice;
    struct px_quals good;
    unsigned char infos[256];
    pmix_info_t qual;
    pmix_info_t *got;
    size_t before;
    size_t n;

    (void) state;
    PMIx_Info_load(&qual, "color", &(uint32_t){5}, PMIX_UINT32);
    entry.quals = spec.quals = &qual;
    entry.value = &v;
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    slice = qualified(store);
    quals = (struct px_quals *) (uintptr_t) slice.quals;
    good = *quals;
    assert_in_range(quals->len, 1, sizeof(infos));
    memcpy(infos, quals->infos, quals->len);
    spec.rank = 3;
    spec.key = "q";
    spec.key_len = 1;
    spec.n_quals = 1;
    assert_int_equal(px_store_get(store, &spec, &slice), 0);
    quals->sum_b++;
    assert_int_equal(px_store_get(store, &spec, &slice), PMIX_ERR_NOT_FOUND);
    quals->sum_b = good.sum_b;
    quals->len = UINT32_MAX;
    assert_int_equal(px_store_get(store, &spec, &slice), PMIX_ERR_UNPACK_FAILURE);
    quals->len = good.len;
    memset(quals->infos, 0xff, quals->len);
    slice = qualified(store);
    got = &qual;
    assert_int_equal(px_slice_quals(&slice, &got, &n), PMIX_ERR_UNPACK_FAILURE);
    assert_ptr_equal(got, &qual);
    memcpy(quals->infos, infos, quals->len);
    quals->n = quals->len + 1;
    slice = qualified(store);
    before = n_allocs;
    assert_int_equal(px_slice_quals(&slice, &got, &n), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(n_allocs, before); /* nothing is taken for them */
    *quals = good;
    drop_store(store);
}

/* An index list that goes round in a circle is damaged, and is not followed for ever. SHM-011. */
static void circular_list(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t v = u32(1);
    struct px_slice slice;
    struct px_record *rec;
    unsigned n = 0;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_APP, 5, "first", &v, 0), 0);
    assert_int_equal(put_one(store, PX_LEVEL_APP, 5, "second", &v, 0), 0);
    assert_int_equal(find(store, PX_LEVEL_APP, 5, "first", &slice), 0);
    rec = (struct px_record *) (uintptr_t) ((const unsigned char *) slice.payload -
                                            sizeof(struct px_cell) - sizeof(*rec));
    assert_int_equal(rec->link, 0);
    rec->link = slice.locator + 1000;
    assert_int_equal(px_store_each(store, PX_LEVEL_APP, 5, count, &n), PMIX_ERR_UNPACK_FAILURE);
    rec->link = slice.locator - sizeof(*rec) / 8; /* itself */
    assert_int_equal(px_store_each(store, PX_LEVEL_APP, 5, count, &n), PMIX_ERR_UNPACK_FAILURE);
    rec->link = 0;
    drop_store(store);
}

/* A process in a cell, whose name is longer than any can be. SHM-011. */
static void damaged_process(void **state)
{
    static const char long_name[sizeof(pmix_proc_t) + 64];
    struct px_store *store = make_store(true);
    pmix_value_t v = bytes(long_name, sizeof(long_name));
    pmix_value_t got = {.type = 77};
    struct px_slice slice;
    struct px_cell *cell;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "k", &v, 0), 0);
    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "k", &slice), 0);
    cell = (struct px_cell *) (uintptr_t) ((const unsigned char *) slice.payload - sizeof(*cell));
    cell->type = PMIX_PROC;
    cell->form = PX_FORM_PROC;
    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "k", &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &got), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(got.type, 77);
    cell->type = PMIX_BYTE_OBJECT;
    cell->form = PX_FORM_BYTES;
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation),   cmocka_unit_test(no_system_call),
        cmocka_unit_test(enumerates),      cmocka_unit_test(unfinished_publication),
        cmocka_unit_test(damaged_columns), cmocka_unit_test(damaged_qualifiers),
        cmocka_unit_test(damaged_process), cmocka_unit_test(circular_list),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
