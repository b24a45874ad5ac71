/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Readers of the area of open waits: what is torn is said to be, what is damaged is not believed,
 * and a copy of any bytes can be walked. SEED=NUMBER repeats a run of the random part. */
#include "support.h"

#include <pthread.h>

#include "src/base/atomic.h"
#include "src/base/status.h"
#include "src/waits/words.h"

static union {
    struct px_waits_area area;
    uint64_t words[sizeof(struct px_waits_area) / 8];
} fake;
static struct px_waits_copy copy;

/* A sound area in this process's memory. */
static void make_fake(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.area.head = (struct px_waits_head){
        .magic = PX_WAITS_MAGIC, .version = PX_WAITS_VERSION, .bytes = sizeof(fake.area)};
    strcpy(fake.area.nspaces[0].name, "job");
    fake.area.procs[0] = (struct px_waits_proc){.nspace = 1, .rank = 4, .pid = 77};
    fake.area.entries[2].kind = PX_WAITS_GET;
    fake.area.entries[2].asker = 1;
}

static int read_fake(void)
{
    return px_waits_copy(&fake, sizeof(fake), &copy);
}

static void other_versions_are_refused(void **state)
{
    (void) state;
    make_fake();
    assert_int_equal(read_fake(), 0);
    assert_int_equal(copy.area.entries[2].kind, PX_WAITS_GET);
    assert_int_equal(px_waits_copy(&fake, sizeof(fake) - 8, &copy), PX_ERR_UNPACK_FAILURE);
    fake.area.head.version++;
    assert_int_equal(read_fake(), PX_ERR_UNPACK_FAILURE);
    make_fake();
    fake.area.head.magic++;
    assert_int_equal(read_fake(), PX_ERR_UNPACK_FAILURE);
    make_fake();
    fake.area.head.bytes--;
    assert_int_equal(read_fake(), PX_ERR_UNPACK_FAILURE);
}

/* A server that is stopped in the middle of writing leaves an odd lock. */
static void torn_entries_are_named(void **state)
{
    (void) state;
    make_fake();
    fake.area.entries[2].lock = 7;
    assert_int_equal(read_fake(), 0);
    assert_int_equal(copy.torn, 1 << 2);
    assert_int_equal(copy.damaged, 0);
    assert_int_equal(copy.area.entries[2].kind, PX_WAITS_NONE);
    make_fake();
    fake.area.lock = 1;
    assert_int_equal(read_fake(), 0);
    assert_true(copy.names_torn);
    assert_int_equal(copy.torn, 0);
    assert_int_equal(copy.area.entries[2].kind, PX_WAITS_GET);
}

static void damaged_entries_are_named(void **state)
{
    struct px_waits_entry *e = &fake.area.entries[2];

    (void) state;
    for (int i = 0; i < 5; i++) {
        make_fake();
        e->kind = i == 0 ? PX_WAITS_KINDS : e->kind;
        e->stage = i == 1 ? PX_WAITS_STAGES : 0;
        e->asker = i == 2 ? PX_WAITS_PROCS + 1 : 1;
        e->named[7].nspace = i == 3 ? PX_WAITS_NAMESPACES + 1 : 0;
        memset(e->text, i == 4 ? 'x' : 0, sizeof(e->text));
        assert_int_equal(read_fake(), 0);
        assert_int_equal(copy.damaged, 1 << 2);
        assert_int_equal(copy.torn, 0);
        assert_int_equal(copy.area.entries[2].kind, PX_WAITS_NONE);
    }
    make_fake();
    fake.area.procs[0].nspace = PX_WAITS_NAMESPACES + 1;
    memset(fake.area.nspaces[0].name, 'n', PX_WAITS_NAME);
    memset(fake.area.head.hostname, 'h', PX_WAITS_NAME);
    assert_int_equal(read_fake(), 0);
    assert_int_equal(copy.area.procs[0].nspace, 0);
    assert_int_equal(strlen(copy.area.nspaces[0].name), PX_WAITS_NAME - 1);
    assert_int_equal(strlen(copy.area.head.hostname), PX_WAITS_NAME - 1);
}

/* --- while it is written --- */

static uint64_t over;

static void *write_all_the_time(void *arg)
{
    struct px_waits *w = arg;
    uint32_t wait = px_waits_open(w);

    for (uint64_t i = 1; !px_load_acquire(&over); i++) {
        struct px_waits_entry *e = px_waits_edit(w, wait);

        e->kind = PX_WAITS_FENCE;
        e->since_ns = i;
        e->deadline_ns = i;
        e->key = i;
        for (int k = 0; k < PX_WAITS_BITS; k++) {
            e->come[k] = i;
        }
        px_waits_publish(w, wait);
    }
    return NULL;
}

/* All of a copy is of one moment. */
static void copies_are_of_one_moment(void **state)
{
    struct px_waits *w = make_area();
    struct px_segment seg = map_area();
    pthread_t thread;
    int whole = 0;

    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, write_all_the_time, w), 0);
    for (int i = 0; i < 2000 || whole == 0; i++) {
        const struct px_waits_entry *e = &copy.area.entries[0];

        assert_int_equal(px_waits_copy(seg.base, seg.size, &copy), 0);
        whole += copy.torn == 0 && e->key != 0;
        for (int k = 0; k < PX_WAITS_BITS; k++) {
            assert_int_equal(e->come[k], e->key);
        }
        assert_int_equal(e->since_ns, e->key);
        assert_int_equal(e->deadline_ns, e->key);
    }
    px_store_release(&over, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(whole > 0);
    px_segment_close(&seg);
    px_waits_destroy(w);
}

/* --- any bytes --- */

static uint64_t rng;

static uint64_t next_random(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng;
}

/* Walks a copy as the commands do. */
static void walk(void)
{
    char text[300];

    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        const struct px_waits_entry *e = &copy.area.entries[i];

        assert_true(e->kind < PX_WAITS_KINDS);
        assert_true(px_waits_tell(&copy.area, e, next_random(), text, sizeof(text)) < sizeof(text));
        assert_true(px_waits_list(&copy.area, e, i % 2, text, sizeof(text)) < sizeof(text));
    }
    for (int i = 0; i < PX_WAITS_PAST; i++) {
        assert_true(strlen(copy.area.past[i].last_nspace) < PX_WAITS_NAME);
        assert_true(strlen(copy.area.past[i].text) < PX_WAITS_TEXT);
        assert_true(copy.area.past[i].kind < PX_WAITS_KINDS);
    }
}

/* All random, or a sound area of which some words are. */
static void any_bytes_can_be_read(void **state)
{
    const char *seed = getenv("SEED");
    size_t n = sizeof(fake) / 8;

    (void) state;
    rng = seed ? strtoull(seed, NULL, 0) : ((uint64_t) getpid() * 2654435761u) | 1;
    printf("# SEED=%llu\n", (unsigned long long) rng);
    for (int round = 0; round < 200; round++) {
        make_fake();
        for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
            fake.area.entries[i] = fake.area.entries[2];
            fake.area.entries[i].kind = (uint32_t) (next_random() % PX_WAITS_KINDS);
        }
        if (round % 4 == 0) {
            for (size_t i = sizeof(struct px_waits_head) / 8; i < n; i++) {
                fake.words[i] = next_random();
            }
        }
        for (int i = 0; i < 400; i++) {
            uint64_t value = next_random();

            fake.words[3 + value % (n - 3)] = i % 3 == 0   ? value
                                              : i % 3 == 1 ? value % 70
                                                           : value & UINT64_C(0xff000000ff);
        }
        assert_int_equal(read_fake(), 0);
        walk();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_refused), cmocka_unit_test(torn_entries_are_named),
        cmocka_unit_test(damaged_entries_are_named),  cmocka_unit_test(copies_are_of_one_moment),
        cmocka_unit_test(any_bytes_can_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
