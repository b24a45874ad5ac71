/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a server does when a host has not brought it all that another server gave to a fence: it
 * misses a piece, cannot read one, the other server is another one than before, or what the host
 * has given is good for a while only. One rank on each of two nodes, and node 1 is the one that
 * gets less. FEN-006 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

/* --- hosts: each does something to one fence on one node --- */

static unsigned n_fences; /* of this node; on the server's loop */

/* Copies the upcall, whose reply is `reply` from now on. */
static pmix_status_t fence_with(struct upcall *upcall, pmix_modex_cbfunc_t reply)
{
    struct upcall *real = malloc(sizeof(*real));

    check(real != NULL);
    *real = *upcall;
    upcall->reply.modex = reply;
    upcall->cbdata = real;
    return world_fence(upcall);
}

/* The first fence brings nothing to node 1. */
static void keep_back(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                      pmix_release_cbfunc_t release, void *release_data)
{
    struct upcall *real = cbdata;

    (void) data;
    (void) ndata;
    px_host_reply_status(real, status);
    release(release_data);
    free(real);
}

static pmix_status_t without_first(struct upcall *upcall)
{
    return n_fences++ ? world_fence(upcall) : fence_with(upcall, keep_back);
}

static void host_keeps_back(unsigned node, struct answer *answers)
{
    if (node == 1) {
        answers[ON_FENCE].own = without_first;
    }
}

/* What the first fence brings to node 1 has values of a type that nobody knows. */
static void spoil(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                  pmix_release_cbfunc_t release, void *release_data)
{
    static const char key[] = "spoilt";
    struct upcall *real = cbdata;
    char *copy = malloc(ndata + 1);
    unsigned n = 0;

    check(copy != NULL && status == PMIX_SUCCESS);
    memcpy(copy, data, ndata);
    for (size_t i = 0; i + sizeof(key) + 2 <= ndata; i++) {
        if (memcmp(copy + i, key, sizeof(key)) == 0) {
            memset(copy + i + sizeof(key), 0xff, 2);
            n++;
        }
    }
    check(n == 2);
    px_host_reply_bytes(real, status, copy, ndata);
    release(release_data);
    free(copy);
    free(real);
}

static pmix_status_t first_spoilt(struct upcall *upcall)
{
    return n_fences++ ? world_fence(upcall) : fence_with(upcall, spoil);
}

static void host_spoils(unsigned node, struct answer *answers)
{
    if (node == 1) {
        answers[ON_FENCE].own = first_spoilt;
    }
}

/* In the second fence node 0 gives what it gave to the first, as another server would that has
 * posted 2 and not 1: its name is another, and its numbers begin anew. */
static pmix_status_t second_by_another(struct upcall *upcall)
{
    enum { SERVER_ID = 16 }; /* docs/wire-format.md */
    static char first[256];
    static size_t n;
    struct upcall other = *upcall;

    n_fences++;
    if (n_fences == 1) {
        check(upcall->n_data <= sizeof(first) && upcall->n_data > SERVER_ID);
        n = upcall->n_data;
        memcpy(first, upcall->data, n);
    }
    if (n_fences != 2) {
        return world_fence(upcall);
    }
    check(first[n - 1] == 1);
    first[n - 1] = 2;
    first[SERVER_ID]++;
    other.data = first;
    other.n_data = n;
    return world_fence(&other);
}

static void host_is_replaced(unsigned node, struct answer *answers)
{
    if (node == 0) {
        answers[ON_FENCE].own = second_by_another;
    }
}

/* What a host has given, and how it is freed. */
struct given {
    char *data;
    size_t n;
    pmix_release_cbfunc_t release;
    void *release_data;
};

static void take_back(void *cbdata)
{
    struct given *given = cbdata;

    memset(given->data, 0xee, given->n);
    given->release(given->release_data);
    free(given);
}

/* Data are good until they are released on node 0; on node 1, where nobody says so, for the call.
 */
static void lend(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                 pmix_release_cbfunc_t release, void *release_data)
{
    struct upcall *real = cbdata;
    struct given *given = malloc(sizeof(*given));

    check(given != NULL && ndata > 0);
    *given = (struct given){(char *) (uintptr_t) data, ndata, release, release_data};
    if (n_fences == 0) {
        real->reply.modex(status, data, ndata, real->cbdata, take_back, given);
    } else {
        real->reply.modex(status, data, ndata, real->cbdata, NULL, NULL);
        take_back(given);
    }
    free(real);
}

static pmix_status_t lending(struct upcall *upcall)
{
    return fence_with(upcall, lend);
}

static void host_lends(unsigned node, struct answer *answers)
{
    n_fences = node;
    answers[ON_FENCE].own = lending;
}

/* --- what processes do --- */

static void post_one(const char *key, uint32_t v)
{
    post(PMIX_GLOBAL, key, v);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

static void has(pmix_rank_t rank, const char *key, uint32_t want)
{
    uint32_t v = 0;

    check_status(get_with(rank, key, PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
    check(v == want);
}

/* The second fence shows that the first is missing, the third says so, the fourth brings it. */
static int act_missed(void)
{
    post_one("first", 1);
    fence_all(true);
    post_one("second", 2);
    for (int i = 0; i < 3; i++) {
        fence_all(true);
    }
    for (pmix_rank_t r = 0; r < 2; r++) {
        has(r, "first", 1);
        has(r, "second", 2);
    }
    fence_all(false);
    return 0;
}

/* The first fence fails on node 1; the second says so, the third brings it. */
static int act_spoilt(void)
{
    pmix_info_t info;

    post_one("spoilt", 1);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, NULL, PMIX_BOOL);
    check((PMIx_Fence(NULL, 0, &info, 1) == PMIX_SUCCESS) == (me.rank == 0));
    fence_all(true);
    fence_all(true);
    has(0, "spoilt", 1);
    has(1, "spoilt", 1);
    fence_all(false);
    return 0;
}

static int act_replaced(void)
{
    post_one("k", 1);
    fence_all(true);
    has(0, "k", 1);
    fence_all(true);
    if (me.rank == 1) {
        has(0, "k", 2);
    }
    fence_all(false);
    return 0;
}

static int act_lent(void)
{
    for (uint32_t i = 1; i < 4; i++) {
        post_one("k", i);
        fence_all(true);
        has(0, "k", i);
        has(1, "k", i);
        fence_all(true);
    }
    return 0;
}

static const struct act acts[] = {{"lent", act_lent},
                                  {"missed", act_missed},
                                  {"spoilt", act_spoilt},
                                  {"replaced", act_replaced},
                                  {NULL, NULL}};

static void run(struct world world)
{
    world.n_nodes = 2;
    world.per_node = 1;
    assert_int_equal(world_run(&world), 0);
    world.private_store = true;
    assert_int_equal(world_run(&world), 0);
}

static void missed(void **state)
{
    (void) state;
    run((struct world){.act = "missed", .host = host_keeps_back});
}

static void spoilt(void **state)
{
    (void) state;
    run((struct world){.act = "spoilt", .host = host_spoils});
}

static void replaced(void **state)
{
    (void) state;
    run((struct world){.act = "replaced", .host = host_is_replaced});
}

static void lent(void **state)
{
    (void) state;
    run((struct world){.act = "lent", .host = host_lends});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missed),
        cmocka_unit_test(spoilt),
        cmocka_unit_test(replaced),
        cmocka_unit_test(lent),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
