/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The number that guards the layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gds/format.h"
#include "src/base/hash.h"

static uint64_t fingerprint(void)
{
    static const uint32_t facts[] = {
        sizeof(struct px_store_header),
        offsetof(struct px_segment_id, name),
        offsetof(struct px_store_header, sequence),
        offsetof(struct px_store_header, used),
        offsetof(struct px_store_header, keys),
        offsetof(struct px_store_header, table),
        offsetof(struct px_store_header, place),
        offsetof(struct px_store_header, columns),
        offsetof(struct px_store_header, flags),
        offsetof(struct px_store_header, state),
        offsetof(struct px_store_header, session),
        offsetof(struct px_store_header, extent),
        offsetof(struct px_table, slots),
        PX_SHM_TAG_SHIFT,
        PX_SHM_TABLE_PROBES,
        sizeof(struct px_key),
        offsetof(struct px_key, column),
        offsetof(struct px_key, job),
        offsetof(struct px_key, holder),
        offsetof(struct px_key, derived),
        sizeof(struct px_cell),
        offsetof(struct px_cell, form),
        sizeof(struct px_array),
        sizeof(struct px_record),
        offsetof(struct px_record, link),
        offsetof(struct px_record, key),
        offsetof(struct px_record, quals),
        offsetof(struct px_record, index),
        sizeof(struct px_quals),
        sizeof(struct px_column),
        offsetof(struct px_column, overlay),
        offsetof(struct px_column, base),
        offsetof(struct px_column, data),
        offsetof(struct px_column, n),
        offsetof(struct px_column, kind),
        sizeof(struct px_rank_map),
        sizeof(struct px_node),
        sizeof(struct px_placement),
        offsetof(struct px_placement, node_of),
        offsetof(struct px_placement, names),
    };
    uint64_t sum = PX_SHM_MAJOR;
    size_t i;

    for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        sum = px_hash_mix(sum, facts[i]);
    }
    return sum;
}

/* A change here is a change of the format: it needs a new major version and a page in
 * docs/segment-format.md. */
static void fingerprint_is_that_of_version_1(void **state)
{
    (void) state;
    assert_int_equal(PX_SHM_MAJOR, 1);
    assert_int_equal(PX_FORMAT_FINGERPRINT, fingerprint());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprint_is_that_of_version_1),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
