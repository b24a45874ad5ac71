/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The area of open waits as its writer leaves it, seen through a mapping of a reader: entries, rows
 * and names come and go, nothing is left, and what there is no room for is counted. */
#include "support.h"

#include <sys/mman.h>
#include <sys/resource.h>

static void nobody_else_writes(void **state)
{
    struct px_waits *w = make_area();
    struct px_waits_copy *copy = read_area();
    int fd = -1;

    (void) state;
    assert_int_equal(count_areas(&fd), 1);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(copy->area.head.pid, getpid());
    assert_int_equal(copy->area.head.rank, 3);
    assert_string_equal(copy->area.head.nspace, "server");
    assert_string_equal(copy->area.head.hostname, "node7");
    px_waits_destroy(w);
    assert_int_equal(count_areas(&fd), 0);
}

/* A fence of two processes, of which one has come. */
static uint32_t open_fence(struct px_waits *w, uint32_t a, uint32_t b)
{
    uint32_t wait = px_waits_open(w);
    struct px_waits_entry *e = px_waits_edit(w, wait);

    e->kind = PX_WAITS_FENCE;
    e->stage = PX_WAITS_GATHERS;
    e->n_expected = 2;
    e->since_ns = 5;
    e->expected[(a - 1) / 64] |= UINT64_C(1) << (a - 1) % 64;
    e->expected[(b - 1) / 64] |= UINT64_C(1) << (b - 1) % 64;
    px_waits_name(w, e, "job", PX_WAITS_ALL);
    px_waits_publish(w, wait);
    px_waits_come(w, wait, a, 1);
    return wait;
}

static void a_wait_comes_and_goes(void **state)
{
    struct px_waits *w = make_area();
    uint32_t a = px_waits_set_proc(w, 0, "job", 0, 100, PX_WAITS_CONNECTED);
    uint32_t b = px_waits_set_proc(w, 0, "job", 1, 101, 0);
    uint32_t wait = open_fence(w, a, b);
    struct px_waits_copy *copy = read_area();
    const struct px_waits_entry *e = &copy->area.entries[wait - 1];

    (void) state;
    assert_int_equal(e->kind, PX_WAITS_FENCE);
    assert_int_equal(e->n_expected, 2);
    assert_int_equal(e->n_come, 1);
    assert_int_equal(e->since_ns, 5);
    assert_true(px_waits_has(e->come, a));
    assert_false(px_waits_has(e->come, b));
    assert_true(px_waits_has(e->expected, b));
    assert_string_equal(px_waits_nspace_name(&copy->area, e->named[0].nspace), "job");
    assert_int_equal(copy->area.procs[b - 1].pid, 101);
    assert_int_equal(copy->torn | copy->damaged | (uint64_t) copy->names_torn, 0);
    px_waits_close(w, wait);
    copy = read_area();
    assert_int_equal(copy->area.entries[wait - 1].kind, PX_WAITS_NONE);
    assert_int_equal(px_waits_open(w), wait); /* and what was in it is no part of the next one */
    px_waits_edit(w, wait)->kind = PX_WAITS_CONNECT;
    px_waits_publish(w, wait);
    e = &read_area()->area.entries[wait - 1];
    assert_int_equal(e->kind, PX_WAITS_CONNECT);
    assert_int_equal(e->expected[0] | e->come[0] | e->since_ns | e->n_come, 0);
    px_waits_close(w, wait);
    px_waits_drop_proc(w, a);
    assert_string_equal(read_area()->area.nspaces[0].name, "job");
    px_waits_drop_proc(w, b);
    assert_string_equal(read_area()->area.nspaces[0].name, ""); /* the last user has gone */
    px_waits_destroy(w);
}

/* A row that is freed leaves the waits, so that the next process in it is not taken for the first.
 */
static void a_row_leaves_the_waits(void **state)
{
    struct px_waits *w = make_area();
    uint32_t a = px_waits_set_proc(w, 0, "job", 0, 100, 0);
    uint32_t b = px_waits_set_proc(w, 0, "job", 1, 101, 0);
    uint32_t wait = open_fence(w, a, b);
    const struct px_waits_entry *e;

    (void) state;
    px_waits_edit(w, wait)->asker = b;
    px_waits_drop_proc(w, a);
    px_waits_drop_proc(w, b);
    assert_int_equal(px_waits_set_proc(w, 0, "other", 9, 102, 0), a);
    e = &read_area()->area.entries[wait - 1];
    assert_false(px_waits_has(e->come, a));
    assert_false(px_waits_has(e->expected, a));
    assert_false(px_waits_has(e->expected, b));
    assert_int_equal(e->asker, 0);
    px_waits_destroy(w);
}

static void what_has_no_room_is_counted(void **state)
{
    struct px_waits *w = make_area();
    uint32_t waits[PX_WAITS_ENTRIES + 2];

    (void) state;
    for (int i = 0; i < PX_WAITS_ENTRIES + 2; i++) {
        waits[i] = px_waits_open(w);
        assert_int_equal(waits[i] == PX_WAITS_NO_ROOM, i >= PX_WAITS_ENTRIES);
        if (i < PX_WAITS_ENTRIES) {
            px_waits_edit(w, waits[i])->kind = PX_WAITS_GET;
            px_waits_publish(w, waits[i]);
        } else {
            assert_null(px_waits_edit(w, waits[i]));
            px_waits_publish(w, waits[i]); /* does nothing, as px_waits_come */
            px_waits_come(w, waits[i], 1, 1);
        }
    }
    assert_int_equal(read_area()->area.hidden, 2);
    px_waits_close(w, waits[PX_WAITS_ENTRIES]);
    px_waits_close(w, PX_WAITS_NO_ENTRY);
    assert_int_equal(read_area()->area.hidden, 1);
    px_waits_close(w, waits[7]);
    assert_int_equal(px_waits_open(w), waits[7]);
    px_waits_destroy(w);
}

static void rows_and_names_end(void **state)
{
    struct px_waits *w = make_area();
    uint32_t wait = px_waits_open(w);
    struct px_waits_entry *e = px_waits_edit(w, wait);
    char name[16];

    (void) state;
    e->kind = PX_WAITS_GET;
    for (uint32_t i = 0; i < PX_WAITS_PROCS; i++) {
        assert_int_equal(px_waits_set_proc(w, 0, "job", i, i, 0), i + 1);
    }
    assert_int_equal(px_waits_set_proc(w, 0, "job", PX_WAITS_PROCS, 1, 0), 0);
    px_waits_drop_proc(w, 0);
    px_waits_drop_proc(w, 5);
    for (int i = 1; i < PX_WAITS_NAMESPACES; i++) {
        snprintf(name, sizeof(name), "more%d", i);
        px_waits_name(w, e, name, 0);
        if (i <= PX_WAITS_NAMED) {
            assert_int_equal(e->named[i - 1].nspace, i + 1);
        }
    }
    assert_int_equal(e->n_named, PX_WAITS_NAMESPACES - 1); /* counted, without room */
    px_waits_unname(w, e);
    for (int i = 1; i < PX_WAITS_NAMESPACES; i++) {
        uint32_t other = px_waits_open(w);

        snprintf(name, sizeof(name), "more%d", i);
        px_waits_name(w, px_waits_edit(w, other), name, 0);
        assert_int_equal(px_waits_edit(w, other)->named[0].nspace, i + 1);
        px_waits_edit(w, other)->kind = PX_WAITS_GET;
    }
    px_waits_name(w, e, "one too many", 0);
    assert_int_equal(e->named[0].nspace, 0);
    assert_int_equal(px_waits_set_proc(w, 0, "one too many", 0, 1, 0), 0);
    assert_int_equal(read_area()->area.procs[4].nspace, 0); /* its row is free still */
    px_waits_destroy(w);
}

static void counts_are_published(void **state)
{
    struct px_waits *w = make_area();

    (void) state;
    px_waits_count(w, PX_WAITS_N_PROCS, 3);
    px_waits_count(w, PX_WAITS_BYTES_IN, INT64_C(1) << 40);
    px_waits_count(w, PX_WAITS_N_PROCS, -1);
    assert_int_equal(read_area()->area.counts[PX_WAITS_N_PROCS], 2);
    assert_int_equal(read_area()->area.counts[PX_WAITS_BYTES_IN], INT64_C(1) << 40);
    assert_int_equal(read_area()->area.counts[PX_WAITS_BYTES_OUT], 0);
    px_waits_destroy(w);
}

static void the_past_is_a_ring(void **state)
{
    struct px_waits *w = make_area();
    struct px_waits_past past = {.kind = PX_WAITS_FENCE, .last_nspace = "job"};

    (void) state;
    for (uint32_t i = 0; i < PX_WAITS_PAST + 3; i++) {
        past.last_rank = i;
        px_waits_note_past(w, &past);
    }
    assert_int_equal(read_area()->area.past[0].number, PX_WAITS_PAST + 1);
    assert_int_equal(read_area()->area.past[2].last_rank, PX_WAITS_PAST + 2);
    assert_int_equal(read_area()->area.past[3].last_rank, 3);
    px_waits_destroy(w);
}

static void long_texts_are_cut(void **state)
{
    char text[PX_WAITS_TEXT];
    char value[PX_WAITS_TEXT * 2];

    (void) state;
    memset(value, 'k', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    px_waits_text(text, value);
    assert_int_equal(strlen(text), PX_WAITS_TEXT - 1);
    px_waits_text(text, "ab");
    assert_string_equal(text, "ab");
    assert_int_equal(text[PX_WAITS_TEXT - 2], 0); /* nothing of the last one is left */
    px_waits_text(text, NULL);
    assert_string_equal(text, "");
}

/* Without a descriptor the writer works all the same, for the server's own words. */
static void without_a_descriptor(void **state)
{
    struct rlimit old;
    struct rlimit none;
    struct px_waits *w;
    uint32_t wait;
    int fd;

    (void) state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){.rlim_cur = 3, .rlim_max = old.rlim_max};
    fd = dup(0);
    none.rlim_cur = (rlim_t) fd;
    close(fd);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    w = make_area();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(count_areas(&fd), 0);
    wait = open_fence(w, px_waits_set_proc(w, 0, "job", 0, 1, 0),
                      px_waits_set_proc(w, 0, "job", 1, 1, 0));
    assert_int_equal(px_waits_own(w)->entries[wait - 1].n_come, 1);
    px_waits_close(w, wait);
    px_waits_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_else_writes),     cmocka_unit_test(a_wait_comes_and_goes),
        cmocka_unit_test(a_row_leaves_the_waits), cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(rows_and_names_end),     cmocka_unit_test(the_past_is_a_ring),
        cmocka_unit_test(counts_are_published),   cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(without_a_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
