/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/modex_blob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

static void piece(struct px_buf *buf, const char *nspace, pmix_rank_t first, size_t n)
{
    struct px_modex_blob_head head = {.server_id = UINT64_C(0x123456789abcdef0) + first,
                                      .flags = first ? PX_MODEX_BLOB_RESEND : 0};
    size_t mark;

    px_modex_blob_begin(buf, &head, &mark);
    for (size_t i = 0; i < n; i++) {
        struct px_modex_blob_part part = {
            .nspace = nspace, .rank = first + (pmix_rank_t) i, .from = i, .to = UINT64_MAX - i};
        char bytes[8];

        memset(bytes, (int) part.rank, sizeof(bytes));
        assert_int_equal(px_modex_blob_add(buf, &part, i), 0);
        px_buf_append(buf, bytes, i);
    }
    px_modex_blob_end(buf, mark);
    assert_true(px_buf_ok(buf));
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
    assert_int_equal(px_modex_blob_each(both.data, both.len, on_proc, &seen), 0);
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
    assert_int_equal(px_modex_blob_each(NULL, 0, on_proc, &seen), 0);
    piece(&a, "A", 0, 0);
    assert_int_equal(px_modex_blob_each(a.data, a.len, on_proc, &seen), 0);
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
    assert_int_equal(px_modex_blob_each(a.data, a.len, on_proc, &seen), PMIX_ERR_NOMEM);
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

/* Cut anywhere, or with any byte changed: refused or read, never past the end. */
static void damage(void **state)
{
    struct px_buf a = {0};

    (void) state;
    piece(&a, "A", 0, 4);
    for (size_t n = 1; n < a.len; n++) {
        unsigned char *exact = malloc(n);

        assert_non_null(exact);
        memcpy(exact, a.data, n);
        assert_int_equal(px_modex_blob_each(exact, n, ignore, NULL), PMIX_ERR_UNPACK_FAILURE);
        free(exact);
    }
    for (size_t i = 0; i < a.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            a.data[i] ^= (unsigned char) (1 << bit);
            (void) px_modex_blob_each(a.data, a.len, ignore, NULL);
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
        cmocka_unit_test(damage),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
