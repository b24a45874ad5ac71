/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The header: what it says when new, and who is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shmem/header.h"
#include "src/base/status.h"

static void starts_empty(void **state)
{
    struct px_header_init init = {
        .name = "job", .uid = 1, .gid = 2, .generation = 3, .fingerprint = 77};
    const struct px_header *h;
    struct px_segment seg;
    char longest[300];

    (void) state;
    assert_int_equal(px_segment_create(false, 1 << 20, NULL, &seg), 0);
    assert_int_equal(px_header_check(&seg, 77), PX_ERR_UNPACK_FAILURE);
    memset(longest, 'x', sizeof(longest));
    longest[256] = '\0';
    init.name = longest;
    assert_int_equal(px_header_init(&seg, &init), PX_ERR_BAD_PARAM);
    longest[255] = '\0';
    assert_int_equal(px_header_init(&seg, &init), 0);
    assert_int_equal(px_header_check(&seg, 77), 0);
    assert_int_equal(px_header_check(&seg, 78), PX_ERR_NOT_SUPPORTED);
    h = px_segment_header(&seg);
    assert_memory_equal(h->id.magic, "PXSH0001", 8);
    assert_string_equal(h->id.name, longest);
    assert_int_equal(h->id.uid, 1);
    assert_int_equal(h->id.gid, 2);
    assert_int_equal(h->id.generation, 3);
    assert_int_equal(h->id.virtual_size, 1 << 20);
    assert_int_equal(h->used, PX_SHM_HEADER_LEN);
    assert_int_equal(h->state, PX_SHM_LIVE);
    px_segment_close(&seg);
}

/* Each damage by itself, and the status that it gives. SHM-010, SHM-011. */
static void damaged(void **state)
{
    struct px_header_init init = {.name = "job", .fingerprint = 77};
    struct px_header bad[8];
    struct px_header *h;
    struct px_header good;
    struct px_segment seg;

    (void) state;
    assert_int_equal(px_segment_create(false, 1 << 20, NULL, &seg), 0);
    assert_int_equal(px_header_init(&seg, &init), 0);
    h = (struct px_header *) (void *) seg.base;
    memcpy(&good, h, sizeof(good));
    for (size_t i = 0; i < 8; i++) {
        memcpy(&bad[i], &good, sizeof(good));
    }
    bad[0].id.major++;
    bad[1].id.probe++;
    bad[2].id.virtual_size++;
    bad[3].used = (1 << 20) + 8;
    memset(bad[4].id.name, 'x', sizeof(bad[4].id.name));
    bad[5].state = PX_SHM_DEAD + 1;
    bad[6].id.header_len++;
    bad[7].used = 0;
    for (size_t i = 0; i < 8; i++) {
        memcpy(h, &bad[i], sizeof(*h));
        assert_int_equal(px_header_check(&seg, 77),
                         i < 2 ? PX_ERR_NOT_SUPPORTED : PX_ERR_UNPACK_FAILURE);
    }
    memcpy(h, &good, sizeof(*h));
    assert_int_equal(px_header_check(&seg, 77), 0);
    px_segment_close(&seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(damaged),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
