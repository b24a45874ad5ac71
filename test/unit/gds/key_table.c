/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Keys: found by their whole name, once each, and never beyond the segment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gds/key_table.h"
#include "shmem/header.h"

static const struct px_key *look(struct px_segment *seg, uint64_t table, const char *name)
{
    struct px_view view;
    const struct px_key *key;

    px_view_init(&view, seg->base, seg->size);
    key = px_key_find(&view, table, name, strlen(name), px_hash_bytes(name, strlen(name)));
    assert_false(view.damaged);
    return key;
}

static void names(void **state)
{
    enum { N = 500 };
    struct px_header_init init = {.name = "job", .fingerprint = PX_FORMAT_FINGERPRINT};
    struct px_segment seg;
    struct px_table_edit edit;
    struct px_bump bump;
    struct px_view view;
    char name[64];
    uint64_t locs[N];
    uint32_t i;

    (void) state;
    assert_int_equal(px_segment_create(false, 1 << 20, NULL, &seg), 0);
    assert_int_equal(px_header_init(&seg, &init), 0);
    px_bump_init(&bump, &seg, PX_SHM_HEADER_LEN);
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, N, px_key_hash_of, seg.base), 0);
    for (i = 0; i < N; i++) {
        size_t len = (size_t) snprintf(name, sizeof(name), "%*s%u", (int) (i % 40), "", i);

        assert_int_equal(px_key_add(&edit, name, len, px_hash_bytes(name, len), i % 6, 0, &locs[i]),
                         0);
    }
    px_bump_publish(&bump);
    px_table_edit_publish(&edit);
    for (i = 0; i < N; i++) {
        const struct px_key *key;

        (void) snprintf(name, sizeof(name), "%*s%u", (int) (i % 40), "", i);
        key = look(&seg, edit.loc, name);
        assert_non_null(key);
        assert_string_equal(key->name, name);
        assert_int_equal(key->realm, i % 6);
        (void) snprintf(name, sizeof(name), "%*s%u ", (int) (i % 40), "", i);
        assert_null(look(&seg, edit.loc, name));
    }
    assert_null(look(&seg, 0, "1"));
    px_view_init(&view, seg.base, seg.size);
    assert_non_null(px_key_at(&view, locs[3]));
    assert_null(px_key_at(&view, view.limit / 8 - 1));
    assert_true(view.damaged);
    px_table_edit_fini(&edit);
    px_segment_close(&seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
