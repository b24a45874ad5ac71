/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Registrations in which each allocation fails in turn: the host is told that memory is out, and
 * not that its arguments are wrong. */
#include "build.h"
#include "test/unit/net/faults.h"

enum { MOST = 4000 };

/* Two nodes by maps, and processes beyond them by arrays of their own. */
static void fill(struct list *list)
{
    put_text(list, PMIX_NODE_MAP, "n0,n1");
    put_text(list, PMIX_PROC_MAP, "0-99;100-399");
    for (uint32_t r = 400; r < 420; r++) {
        struct list proc = {0};

        put_rank(&proc, PMIX_RANK, r);
        put_text(&proc, PMIX_HOSTNAME, "n2");
        put_array(list, PMIX_PROC_INFO_ARRAY, &proc);
    }
}

static void memory_is_what_is_out(void **state)
{
    struct list list = {0};
    bool reached = true;
    uint64_t n;

    (void) state;
    fill(&list);
    for (n = 1; reached && n < MOST; n++) {
        struct px_store *store = make_store();
        int rc;

        scarce_from(n);
        rc = px_jobinfo_store(store, list.at, list.n, "n0");
        reached = scarce_reached();
        scarce_from(0);
        if (rc != PMIX_SUCCESS) {
            assert_int_equal(rc, PMIX_ERR_NOMEM);
        }
        px_store_destroy(store);
    }
    assert_true(n > 10 && n < MOST);
    drop(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_what_is_out)};

    return cmocka_run_group_tests_name("scarce", tests, NULL, NULL);
}
