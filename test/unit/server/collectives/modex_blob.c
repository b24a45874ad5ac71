/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/modex_blob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

/* The values of a process: `len` bytes at `bytes`, as one. */
static struct px_modex_list list_of(const void *bytes, size_t len)
{
    struct px_modex_list list = {0};

    assert_int_equal(px_modex_list_add(&list, bytes, len), 0);
    return list;
}

/* Ends a blob and appends it to `to`. */
static void end(struct px_modex_blob *blob, struct px_buf *to, bool empty)
{
    bool is_empty;
    char *bytes;
    size_t len;

    assert_int_equal(px_modex_blob_end(blob, &bytes, &len, &is_empty), 0);
    assert_int_equal(is_empty, empty);
    px_buf_append(to, bytes, len);
    free(bytes);
}

/* A blob of n processes; process i has i bytes that are its rank. */
static void piece(struct px_buf *buf, const char *nspace, pmix_rank_t first, size_t n)
{
    struct px_modex_blob_head head = {.server_id = UINT64_C(0x123456789abcdef0) + first,
                                      .flags = first ? PX_MODEX_BLOB_RESEND : 0};
    struct px_modex_blob blob = {0};
    char bytes[8][8];

    px_modex_blob_begin(&blob, &head);
    for (size_t i = 0; i < n; i++) {
        struct px_modex_blob_part part = {
            .nspace = nspace, .rank = first + (pmix_rank_t) i, .from = i, .to = UINT64_MAX - i};
        struct px_modex_list values = list_of(bytes[i], i);

        memset(bytes[i], (int) part.rank, sizeof(bytes[i]));
        px_modex_blob_add_take(&blob, &part, &values);
        assert_int_equal(values.n, 0);
    }
    end(&blob, buf, n == 0);
    assert_true(px_buf_ok(buf));
}

/* px_modex_blob_each, with a room of its own. */
static int each(const void *bytes, size_t len, px_modex_blob_fn fn, void *arg)
{
    struct px_modex_room room;
    int rc;

    px_modex_room_init(&room);
    rc = px_modex_blob_each(bytes, len, &room, fn, arg);
    px_modex_room_free(&room);
    return rc;
}

struct seen {
    size_t n_pieces;
    size_t n;
    pmix_rank_t first; /* of the piece */
    uint64_t ranks;
    int refuse;
};

static int on_proc(void *arg, const struct px_modex_blob_head *head,
                   const struct px_modex_blob_part *part)
{
    struct seen *seen = arg;
    pmix_rank_t i;

    if (!part) {
        seen->n_pieces++;
        seen->first = (pmix_rank_t) (head->server_id - UINT64_C(0x123456789abcdef0));
        assert_int_equal(head->flags, seen->first ? PX_MODEX_BLOB_RESEND : 0);
        return 0;
    }
    i = part->rank - seen->first;
    assert_true(part->from == i && part->to == UINT64_MAX - i);
    seen->n++;
    seen->ranks += part->rank;
    assert_int_equal(px_in_left(&part->kvals), i);
    for (const unsigned char *at = part->kvals.at; at < part->kvals.end; at++) {
        assert_int_equal(*at, part->rank);
    }
    return seen->refuse;
}

/* [FEN-012] hosts concatenate, in any order. */
static void pieces_in_any_order(void **state)
{
    struct px_buf a = {0};
    struct px_buf b = {0};
    struct px_buf both = {0};
    struct seen seen = {0};

    (void) state;
    piece(&a, "A", 0, 3);
    piece(&b, "B", 10, 2);
    px_buf_append(&both, b.data, b.len);
    px_buf_append(&both, a.data, a.len);
    assert_int_equal(each(both.data, both.len, on_proc, &seen), 0);
    assert_int_equal(seen.n_pieces, 2);
    assert_int_equal(seen.n, 5);
    assert_int_equal(seen.ranks, 0 + 1 + 2 + 10 + 11);
    px_buf_fini(&a);
    px_buf_fini(&b);
    px_buf_fini(&both);
}

static void nothing(void **state)
{
    struct px_buf a = {0};
    struct seen seen = {0};

    (void) state;
    assert_int_equal(each(NULL, 0, on_proc, &seen), 0);
    piece(&a, "A", 0, 0);
    assert_int_equal(each(a.data, a.len, on_proc, &seen), 0);
    assert_int_equal(seen.n_pieces, 1);
    assert_int_equal(seen.n, 0);
    px_buf_fini(&a);
}

static void stops(void **state)
{
    struct px_buf a = {0};
    struct seen seen = {.refuse = PMIX_ERR_NOMEM};

    (void) state;
    piece(&a, "A", 0, 3);
    assert_int_equal(each(a.data, a.len, on_proc, &seen), PMIX_ERR_NOMEM);
    assert_int_equal(seen.n, 1);
    px_buf_fini(&a);
}

static int ignore(void *arg, const struct px_modex_blob_head *head,
                  const struct px_modex_blob_part *part)
{
    (void) arg;
    (void) head;
    (void) part;
    return 0;
}

/* --- deltas --- */

enum { RANKS = 40, VALUES = 3, LONG = 500 };

/* What the processes of a job post: a constant, an address with a counter, and a text whose length
 * changes. */
static char posted[RANKS][VALUES][LONG];

static struct px_modex_list posted_by(size_t rank)
{
    struct px_modex_list list = {0};

    for (size_t i = 0; i < VALUES; i++) {
        memset(posted[rank][i], (int) ('a' + i), LONG);
    }
    posted[rank][1][300] = (char) rank;
    assert_true(snprintf(posted[rank][2], LONG, "pid %zu of node17", rank * rank * 7) > 0);
    for (size_t i = 0; i < VALUES; i++) {
        assert_int_equal(
            px_modex_list_add(&list, posted[rank][i], i < 2 ? LONG : strlen(posted[rank][i])), 0);
    }
    return list;
}

static int on_posted(void *arg, const struct px_modex_blob_head *head,
                     const struct px_modex_blob_part *part)
{
    size_t *n = arg;
    struct px_modex_list list;
    const unsigned char *at;

    (void) head;
    if (!part) {
        return 0;
    }
    assert_int_equal(part->rank, *n);
    assert_string_equal(part->nspace, *n < RANKS / 2 ? "A" : "B");
    list = posted_by(part->rank);
    at = part->kvals.at;
    assert_int_equal(px_in_left(&part->kvals), list.bytes);
    for (size_t i = 0; i < list.n; i++) {
        size_t len = px_in_left(&list.values[i]);

        assert_memory_equal(at, list.values[i].at, len);
        at += len;
    }
    px_modex_list_free(&list);
    (*n)++;
    return 0;
}

static void job(struct px_buf *buf, size_t ranks)
{
    struct px_modex_blob_head head = {.server_id = 1};
    struct px_modex_blob blob = {0};

    px_modex_blob_begin(&blob, &head);
    for (size_t i = 0; i < ranks; i++) {
        struct px_modex_blob_part part = {.nspace = i < RANKS / 2 ? "A" : "B",
                                          .rank = (pmix_rank_t) i,
                                          .from = 3 * i,
                                          .to = 3 * i + 3};
        struct px_modex_list values = posted_by(i);

        px_modex_blob_add_take(&blob, &part, &values);
    }
    end(&blob, buf, false);
}

/* A process that posts much the same as the one before takes some twenty bytes. */
static void alike_processes_take_few_bytes(void **state)
{
    struct px_buf one = {0};
    struct px_buf all = {0};
    size_t n = 0;

    (void) state;
    job(&one, 1);
    job(&all, RANKS);
    assert_true(all.len < one.len + (RANKS - 1) * 25);
    assert_int_equal(each(all.data, all.len, on_posted, &n), 0);
    assert_int_equal(n, RANKS);
    px_buf_fini(&one);
    px_buf_fini(&all);
}

/* Equal values of 30,000 bytes: what a blob stands for is bounded by its length, so that some of
 * them are written out. */
static int count_bytes(void *arg, const struct px_modex_blob_head *head,
                       const struct px_modex_blob_part *part)
{
    (void) head;
    *(size_t *) arg += part ? px_in_left(&part->kvals) : 0;
    return 0;
}

static void a_blob_stands_for_64_times_its_bytes(void **state)
{
    enum { BYTES = 30000, PROCS = 300 };

    static char bytes[BYTES];
    struct px_modex_blob_head head = {.server_id = 1};
    struct px_modex_blob blob = {0};
    struct px_buf buf = {0};
    size_t n = 0;

    (void) state;
    px_modex_blob_begin(&blob, &head);
    for (size_t i = 0; i < PROCS; i++) {
        struct px_modex_blob_part part = {
            .nspace = "A", .rank = (pmix_rank_t) i, .from = 0, .to = 1};
        struct px_modex_list values = list_of(bytes, BYTES);

        px_modex_blob_add_take(&blob, &part, &values);
    }
    end(&blob, &buf, false);
    assert_true(buf.len * 70 > (size_t) BYTES * PROCS && buf.len * 50 < (size_t) BYTES * PROCS);
    assert_int_equal(each(buf.data, buf.len, count_bytes, &n), 0);
    assert_int_equal(n, (size_t) BYTES * PROCS);
    px_buf_fini(&buf);
}

/* A small blob that says that it stands for more is refused. */
static void a_blob_that_stands_for_more_is_refused(void **state)
{
    enum { BASE = 4000, N = 200 };

    struct px_buf buf = {0};
    unsigned char head[24] = {'P', 'X', 'F', '3'};
    size_t n = 0;

    (void) state;
    px_buf_append(&buf, head, sizeof(head));
    px_buf_append(&buf,
                  "\x01\x04"
                  "A\0"
                  "\x00\x00\x01\xa0\x1f",
                  9);
    memset(px_buf_extend(&buf, BASE), 0, BASE);
    for (int i = 0; i < N; i++) {
        /* A delta of 4,000 bytes: copy them. */
        px_buf_append(&buf, "\x02\x01\x00\x01\xa0\x1f\x02\x80\x7d", 9);
    }
    buf.data[8] = (unsigned char) (buf.len - 24);
    buf.data[9] = (unsigned char) ((buf.len - 24) >> 8);
    assert_int_equal(each(buf.data, buf.len, count_bytes, &n), PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(n, BASE + 64 * (buf.len - 24) / BASE * BASE);
    px_buf_fini(&buf);
}

/* A first part has no values before it, so it is no delta, though one that inserts all would work.
 */
static void a_first_part_is_no_delta(void **state)
{
    struct px_buf buf = {0};
    unsigned char head[24] = {'P', 'X', 'F', '3'};

    (void) state;
    head[8] = 13;
    px_buf_append(&buf, head, sizeof(head));
    px_buf_append(&buf,
                  "\x03\x04"
                  "A\0"
                  "\x00\x00\x01\x03\x04\x0e"
                  "abc",
                  13);
    assert_int_equal(each(buf.data, buf.len, ignore, NULL), PMIX_ERR_UNPACK_FAILURE);
    px_buf_fini(&buf);
}

/* Cut anywhere, or with any byte changed: refused or read, never past the end. */
static void damage(void **state)
{
    struct px_buf a = {0};
    size_t first;

    (void) state;
    job(&a, 4);
    first = a.len;
    piece(&a, "A", 0, 4);
    for (size_t n = 1; n < a.len; n++) {
        unsigned char *exact = malloc(n);

        assert_non_null(exact);
        memcpy(exact, a.data, n);
        assert_int_equal(each(exact, n, ignore, NULL), n == first ? 0 : PMIX_ERR_UNPACK_FAILURE);
        free(exact);
    }
    for (size_t i = 0; i < a.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            a.data[i] ^= (unsigned char) (1 << bit);
            (void) each(a.data, a.len, ignore, NULL);
            a.data[i] ^= (unsigned char) (1 << bit);
        }
    }
    px_buf_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_any_order),
        cmocka_unit_test(nothing),
        cmocka_unit_test(stops),
        cmocka_unit_test(alike_processes_take_few_bytes),
        cmocka_unit_test(a_blob_stands_for_64_times_its_bytes),
        cmocka_unit_test(a_blob_that_stands_for_more_is_refused),
        cmocka_unit_test(a_first_part_is_no_delta),
        cmocka_unit_test(damage),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
