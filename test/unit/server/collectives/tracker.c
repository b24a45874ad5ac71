/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/tracker.h"
#include "src/value/procs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

#include "test/unit/net/faults.h"

static pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

static uint32_t size_of(void *arg, const char *nspace)
{
    (void) arg;
    return strcmp(nspace, "A") == 0 ? 3 : 0;
}

static void complete(struct px_coll *coll, bool remote)
{
    (void) coll, (void) remote;
}

static const struct px_coll_ops fence = {.complete = complete};
static const struct px_coll_ops construct = {.complete = complete};
static const struct px_coll_ops destruct = {.complete = complete, .by_member = true};

static int enter(struct px_colls *colls, const struct px_coll_ops *ops, const char *name,
                 const pmix_proc_t *procs, size_t n, const struct px_coll_member *who,
                 struct px_coll **ret)
{
    struct px_coll_call call = {.ops = ops, .args = {.group = name ? strdup(name) : NULL}};
    int rc = px_coll_call_name(&call, px_shared_procs_copy(procs, n));

    rc = rc ? rc : px_coll_call_prepare(colls, &call);
    px_coll_call_identify(&call);
    rc = rc ? rc : px_coll_join(colls, &call, who, ret);
    px_coll_call_fini(&call);
    return rc;
}

static struct px_coll *join(struct px_colls *colls, uint64_t peer, pmix_rank_t rank,
                            const pmix_proc_t *procs, size_t n)
{
    struct px_coll_member who = {.peer = peer, .tag = 100, .proc = proc_of("A", rank)};
    struct px_coll *coll = NULL;

    assert_int_equal(enter(colls, &fence, NULL, procs, n, &who, &coll), 0);
    assert_true(px_coll_is_valid(coll));
    return coll;
}

/* [FEN-022] order, repetitions and notation do not matter. */
static void one_set(void **state)
{
    pmix_proc_t forms[4][4] = {
        {proc_of("A", PMIX_RANK_WILDCARD)},
        {proc_of("A", 2), proc_of("A", 0), proc_of("A", 1)},
        {proc_of("A", 0), proc_of("A", 1), proc_of("A", 2), proc_of("A", 1)},
        {proc_of("A", 1), proc_of("A", PMIX_RANK_WILDCARD)},
    };
    static const size_t sizes[] = {1, 3, 4, 2};
    struct px_colls colls;
    struct px_coll *first;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    first = join(&colls, 1, 0, forms[0], sizes[0]);
    for (size_t i = 1; i < 4; i++) {
        assert_ptr_equal(join(&colls, i + 1, (pmix_rank_t) i, forms[i], sizes[i]), first);
    }
    assert_int_equal(first->n_arrived, 4);
    px_coll_destroy(first);
    assert_true(px_list_empty(&colls.list));
}

/* [FEN-020], [FEN-021] */
static void apart(void **state)
{
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    pmix_proc_t two[2] = {proc_of("A", 0), proc_of("A", 2)};
    struct px_colls colls;
    struct px_coll *a;
    struct px_coll *b;
    struct px_coll *c;
    struct px_coll *d;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    a = join(&colls, 1, 0, &all, 1);
    b = join(&colls, 1, 0, two, 2);
    assert_ptr_not_equal(a, b);
    /* A caller that runs ahead starts the next one. */
    c = join(&colls, 1, 0, &all, 1);
    assert_ptr_not_equal(a, c);
    assert_ptr_equal(join(&colls, 2, 1, &all, 1), a);
    assert_ptr_equal(join(&colls, 2, 1, &all, 1), c);
    a->closed = c->closed = true; /* one that is at the host takes nobody */
    d = join(&colls, 3, 2, &all, 1);
    assert_ptr_not_equal(d, a);
    assert_ptr_not_equal(d, c);
    px_coll_destroy(a);
    px_coll_destroy(b);
    px_coll_destroy(c);
    px_coll_destroy(d);
}

/* A call finds its tracker again in a later turn, as long as that is open. */
static void found_again(void **state)
{
    struct px_coll_member who = {.peer = 2, .tag = 7, .proc = proc_of("A", 1)};
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    struct px_colls colls;
    struct px_coll *a;
    struct px_coll *b;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    a = join(&colls, 1, 0, &all, 1);
    assert_int_equal(enter(&colls, &fence, NULL, &all, 1, &who, &b), 0);
    assert_ptr_equal(b, a);
    assert_int_equal(enter(&colls, &fence, NULL, &all, 1, &who, &b), 0);
    assert_ptr_not_equal(b, a);
    assert_ptr_equal(px_coll_joined(&colls, a->key, &who), a);
    a->closed = true;
    assert_ptr_equal(px_coll_joined(&colls, a->key, &who), b);
    who.tag++;
    assert_null(px_coll_joined(&colls, a->key, &who));
    px_coll_destroy(a);
    px_coll_destroy(b);
}

/* How many trackers a call with this key looks at, at most. */
static size_t n_alike(const struct px_colls *colls, uint64_t key)
{
    const struct px_coll *first = px_colls_first(colls, key);
    size_t count = first != NULL;

    for (const struct px_list *at = first ? first->alike.next : NULL; first && at != &first->alike;
         at = at->next) {
        count++;
    }
    return count;
}

/* What is under way of other processes is not looked at. */
static void many_sets(void **state)
{
    enum { SETS = 500 };
    struct px_coll *made[SETS];
    struct px_colls colls;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    for (pmix_rank_t i = 0; i < SETS; i++) {
        pmix_proc_t pair[2] = {proc_of("A", i), proc_of("A", i + 1)};

        made[i] = join(&colls, 1, i, pair, 2);
    }
    for (pmix_rank_t i = 0; i < SETS; i++) {
        pmix_proc_t pair[2] = {proc_of("A", i), proc_of("A", i + 1)};

        assert_int_equal(n_alike(&colls, made[i]->key), 1);
        assert_ptr_equal(join(&colls, 2, i + 1, pair, 2), made[i]);
    }
    for (int i = 0; i < SETS; i++) {
        px_coll_destroy(made[i]);
    }
    assert_int_equal(colls.firsts.cap, 0);
}

/* Nor is what this caller has joined before: the search ends at the newest of them. The oldest
 * would take the caller, since it has forgotten him. */
static void newest_first(void **state)
{
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    struct px_coll *made[4];
    struct px_colls colls;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    for (int i = 0; i < 3; i++) {
        made[i] = join(&colls, 1, 0, &all, 1);
    }
    assert_int_equal(n_alike(&colls, made[0]->key), 3);
    px_coll_forget_peer(made[0], 1);
    made[3] = join(&colls, 1, 0, &all, 1);
    for (int i = 0; i < 3; i++) {
        assert_ptr_not_equal(made[3], made[i]);
    }
    /* Another one joins them in their order, also when the oldest has gone. */
    px_coll_destroy(made[0]);
    for (int i = 1; i < 4; i++) {
        assert_ptr_equal(join(&colls, 2, 1, &all, 1), made[i]);
    }
    for (int i = 1; i < 4; i++) {
        px_coll_destroy(made[i]);
    }
}

static struct px_coll *join_group(struct px_colls *colls, pmix_rank_t rank,
                                  const pmix_proc_t *procs, size_t n)
{
    struct px_coll_member who = {.peer = rank + 1, .tag = 100, .proc = proc_of("A", rank)};
    struct px_coll *coll = NULL;

    assert_int_equal(enter(colls, &construct, "group", procs, n, &who, &coll), 0);
    assert_true(px_coll_is_valid(coll));
    return coll;
}

/* The processes of a tracker have become fewer: calls with those that are left join it. If the n-th
 * allocation fails, nothing has changed. */
static void fewer(void **state)
{
    pmix_proc_t left[2] = {proc_of("A", 0), proc_of("A", 1)};
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    pmix_proc_t gone = proc_of("A", 2);
    bool failed = true;
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    for (uint64_t n = 1; failed; n++) {
        int rc;

        coll = join_group(&colls, 0, &all, 1);
        scarce_from(n);
        rc = px_coll_excuse(&colls, coll, &gone);
        failed = scarce_reached();
        scarce_from(0);
        assert_true(failed || n > 2);
        assert_int_equal(rc, failed ? PMIX_ERR_NOMEM : 0);
        assert_true(px_coll_is_valid(coll));
        assert_int_equal(px_procs_cover(coll->set->at, coll->set->n, &gone), failed);
        assert_ptr_equal(failed ? join_group(&colls, 1, &all, 1) : join_group(&colls, 1, left, 2),
                         coll);
        px_coll_destroy(coll);
    }
}

static void clones(void **state)
{
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    coll = join(&colls, 1, 0, &all, 1);
    assert_ptr_equal(join(&colls, 2, 0, &all, 1), coll);
    assert_int_equal(coll->n_arrived, 1);
    coll->all_clones = true; /* however many connections have to come, it is one process */
    assert_ptr_equal(join(&colls, 3, 0, &all, 1), coll);
    assert_int_equal(coll->n_arrived, 1);
    assert_true(px_coll_has_peer(coll, 2));
    px_coll_forget_peer(coll, 2);
    assert_false(px_coll_has_peer(coll, 2));
    assert_int_equal(coll->n_arrived, 1);
    px_coll_destroy(coll);
}

static void membership(void **state)
{
    pmix_proc_t procs[2] = {proc_of("A", 1), proc_of("B", PMIX_RANK_WILDCARD)};
    pmix_proc_t who;
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    coll = join(&colls, 1, 1, procs, 2);
    who = proc_of("A", 1);
    assert_true(px_procs_cover(coll->set->at, coll->set->n, &who));
    assert_true(px_coll_has_proc(coll, &who));
    who = proc_of("A", 0);
    assert_false(px_procs_cover(coll->set->at, coll->set->n, &who));
    who = proc_of("B", 77);
    assert_true(px_procs_cover(coll->set->at, coll->set->n, &who));
    assert_false(px_coll_has_proc(coll, &who));
    px_coll_destroy(coll);
}

static void directives(void **state)
{
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    pmix_info_t info[2];
    bool yes = true;
    bool no = false;
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    coll = join(&colls, 1, 0, &all, 1);
    PMIX_INFO_LOAD(&info[0], "a", &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], "b", "text", PMIX_STRING);
    assert_int_equal(px_coll_merge(coll, info, 2), 0);
    PMIx_Value_destruct(&info[0].value);
    PMIX_INFO_LOAD(&info[0], "a", &no, PMIX_BOOL);
    assert_int_equal(px_coll_merge(coll, info, 2), 0);
    assert_int_equal(coll->ninfo, 2);
    assert_true(coll->info[0].value.data.flag);
    /* A flag that one sets is set, whoever came first. */
    coll->info[0].value.data.flag = false;
    assert_int_equal(px_coll_merge(coll, info, 1), 0);
    assert_false(coll->info[0].value.data.flag);
    info[0].value.data.flag = true;
    assert_int_equal(px_coll_merge(coll, info, 1), 0);
    assert_int_equal(coll->ninfo, 2);
    assert_true(coll->info[0].value.data.flag);
    PMIx_Value_destruct(&info[1].value);
    px_coll_destroy(coll);
}

static void named(void **state)
{
    struct px_coll_member who = {.peer = 1, .proc = proc_of("A", 0)};
    struct px_colls colls;
    struct px_coll *a, *b, *c;
    pmix_proc_t other = proc_of("A", 1);

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    assert_int_equal(enter(&colls, &construct, "g", &who.proc, 1, &who, &a), 0);
    who.peer = 2;
    assert_int_equal(enter(&colls, &construct, "h", &who.proc, 1, &who, &b), 0);
    assert_ptr_not_equal(a, b);
    assert_int_equal(enter(&colls, &construct, "g", &who.proc, 1, &who, &c), 0);
    assert_ptr_equal(a, c);
    /* The same name with other processes is another group. */
    assert_int_equal(enter(&colls, &construct, "g", &other, 1, &who, &c), 0);
    assert_ptr_not_equal(a, c);
    px_coll_destroy(a);
    px_coll_destroy(b);
    px_coll_destroy(c);
}

/* Trackers of one name are beside each other, whatever comes in between. */
static void beside(void **state)
{
    static const char *const names[] = {"g", "h", "g", "h", "g"};
    struct px_coll *made[5];
    struct px_colls colls;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        struct px_coll_member who = {.peer = 1, .proc = proc_of("A", i)};

        assert_int_equal(enter(&colls, &construct, names[i], &who.proc, 1, &who, &made[i]), 0);
    }
    assert_ptr_equal(px_coll_first_like(made[4]), made[0]);
    assert_ptr_equal(px_coll_next_like(made[0]), made[2]);
    assert_ptr_equal(px_coll_next_like(made[2]), made[4]);
    assert_null(px_coll_next_like(made[4]));
    assert_ptr_equal(px_coll_next_like(made[1]), made[3]);
    assert_null(px_coll_next_like(made[3]));
    px_coll_unlist(made[0]);
    assert_ptr_equal(px_coll_first_like(made[0]), made[2]);
    for (size_t i = 0; i < 5; i++) {
        px_coll_destroy(made[i]);
    }
}

/* Walks go on when what comes next is freed, also by somebody who walks meanwhile. */
static void walks(void **state)
{
    struct px_coll_walk outer;
    struct px_coll_walk inner;
    struct px_coll *made[5];
    struct px_colls colls;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        pmix_proc_t self = proc_of("A", i);

        made[i] = join(&colls, 1, i, &self, 1);
    }
    px_coll_walk_begin(&outer, &colls);
    assert_ptr_equal(px_coll_walk_next(&outer), made[0]);
    px_coll_destroy(made[0]);
    px_coll_destroy(made[1]);
    px_coll_walk_begin(&inner, &colls);
    assert_ptr_equal(px_coll_walk_next(&inner), made[2]);
    px_coll_destroy(made[2]);
    px_coll_destroy(made[3]);
    assert_ptr_equal(px_coll_walk_next(&inner), made[4]);
    assert_null(px_coll_walk_next(&inner));
    px_coll_walk_end(&inner);
    assert_ptr_equal(px_coll_walk_next(&outer), made[4]);
    px_coll_destroy(made[4]);
    assert_null(px_coll_walk_next(&outer));
    px_coll_walk_end(&outer);
}

/* A caller that names fewer, because some have left, takes the same group apart. */
static void taken_apart(void **state)
{
    struct px_coll_member who = {.peer = 1, .proc = proc_of("A", 0)};
    pmix_proc_t all[2] = {proc_of("A", 0), proc_of("A", 1)};
    struct px_colls colls;
    struct px_coll *a;
    struct px_coll *b;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    assert_int_equal(enter(&colls, &destruct, "g", all, 2, &who, &a), 0);
    who = (struct px_coll_member){.peer = 2, .proc = all[1]};
    assert_int_equal(enter(&colls, &destruct, "g", &all[1], 1, &who, &b), 0);
    assert_ptr_equal(a, b);
    who = (struct px_coll_member){.peer = 3, .proc = proc_of("A", 2)};
    assert_int_equal(enter(&colls, &destruct, "g", &who.proc, 1, &who, &b), 0);
    assert_ptr_not_equal(a, b);
    px_coll_destroy(a);
    px_coll_destroy(b);
}

static uint32_t grown_size;

static uint32_t size_by_now(void *arg, const char *nspace)
{
    (void) arg;
    (void) nspace;
    return grown_size;
}

/* The first caller wrote out a namespace that nobody here knew yet. */
static void known_later(void **state)
{
    pmix_proc_t ranks[2] = {proc_of("B", 0), proc_of("B", 1)};
    pmix_proc_t every = proc_of("B", PMIX_RANK_WILDCARD);
    struct px_coll_member who = {.peer = 1, .proc = ranks[0]};
    struct px_colls colls;
    struct px_coll *a;
    struct px_coll *b;

    (void) state;
    grown_size = 0;
    px_colls_init(&colls, size_by_now, NULL);
    assert_int_equal(enter(&colls, &construct, "g", ranks, 2, &who, &a), 0);
    grown_size = 2;
    colls.sizes++;
    who = (struct px_coll_member){.peer = 2, .proc = ranks[1]};
    assert_int_equal(enter(&colls, &construct, "g", &every, 1, &who, &b), 0);
    assert_ptr_equal(a, b);
    px_coll_destroy(a);
}

static void refused(void **state)
{
    struct px_coll_member who = {.peer = 1, .proc = proc_of("A", 0)};
    pmix_proc_t nameless = proc_of("", 0);
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, NULL, NULL);
    assert_int_equal(enter(&colls, &fence, NULL, NULL, 0, &who, &coll), PMIX_ERR_BAD_PARAM);
    assert_int_equal(enter(&colls, &fence, NULL, &nameless, 1, &who, &coll), PMIX_ERR_BAD_PARAM);
    assert_true(px_list_empty(&colls.list));
    /* With a name, others may name the processes. */
    assert_int_equal(enter(&colls, &construct, "g", NULL, 0, &who, &coll), 0);
    px_coll_destroy(coll);
    px_coll_destroy(NULL);
}

/* A call with more directives than the bound is refused; those of all callers are bounded, too. */
/* A set that is in normal form as it comes is not copied: of 100,000 processes that would be 26 MB.
 */
static void without_copy(void **state)
{
    const pmix_proc_t some[3] = {proc_of("B", 1), proc_of("A", 1), proc_of("A", 0)};
    const pmix_proc_t sorted[3] = {proc_of("A", 0), proc_of("A", 1), proc_of("B", 1)};
    struct px_coll_member who = {.peer = 1, .tag = 100, .proc = proc_of("A", 0)};
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    coll = join(&colls, 1, 0, sorted, 3);
    assert_ptr_equal(coll->set, coll->procs);
    assert_ptr_equal(join(&colls, 2, 1, some, 3), coll); /* the same set in another order */
    assert_ptr_equal(join(&colls, 3, 1, sorted, 3), coll);
    px_coll_destroy(coll);
    coll = join(&colls, 1, 0, some, 3);
    assert_ptr_not_equal(coll->set, coll->procs);
    px_coll_destroy(coll);
    assert_int_equal(enter(&colls, &construct, "name", sorted, 3, &who, &coll), 0);
    assert_ptr_equal(coll->set, coll->procs);
    assert_int_equal(px_coll_excuse(&colls, coll, &sorted[2]), 0);
    assert_true(coll->set->n == 2 && coll->procs->n == 2);
    px_coll_destroy(coll);
}

static void few_directives(void **state)
{
    enum { MOST = 1024 }; /* shmix_max_directives */
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    pmix_info_t *info = PMIx_Info_create(MOST + 1);
    struct px_coll_call call = {.ops = &fence};
    struct px_colls colls;
    struct px_coll *coll;
    bool yes = true;

    (void) state;
    assert_int_equal(px_coll_call_name(&call, px_shared_procs_copy(&all, 1)), 0);
    px_colls_init(&colls, size_of, NULL);
    for (int i = 0; i <= MOST; i++) {
        char key[32];

        snprintf(key, sizeof(key), "key-%d", i);
        PMIx_Info_load(&info[i], key, &yes, PMIX_BOOL);
    }
    call.args.head.info = info;
    call.args.head.ninfo = MOST + 1;
    assert_int_equal(px_coll_call_prepare(&colls, &call), PMIX_ERR_OUT_OF_RESOURCE);
    assert_null(call.set.at);
    call.args.head.ninfo = MOST;
    assert_int_equal(px_coll_call_prepare(&colls, &call), 0);
    assert_ptr_equal(call.set.shared, call.procs);
    call.args.head = (struct px_args){NULL, 0};
    px_coll_call_fini(&call);
    coll = join(&colls, 1, 0, &all, 1);
    assert_int_equal(px_coll_merge(coll, info, MOST), 0);
    assert_int_equal(px_coll_merge(coll, info, MOST), 0); /* the same again */
    assert_int_equal(coll->ninfo, MOST);
    assert_int_equal(px_coll_merge(coll, &info[MOST], 1), PMIX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(coll->ninfo, MOST);
    px_coll_destroy(coll);
    PMIx_Info_free(info, MOST + 1);
}

/* A caller that gives a long list with every key twice, the second time required: each key is there
 * once, is required, and has the first value; and again when another caller gives one of them. */
static void directives_twice(void **state)
{
    enum { N = 40 };
    pmix_proc_t all = proc_of("A", PMIX_RANK_WILDCARD);
    pmix_info_t *info = PMIx_Info_create(2 * N);
    struct px_colls colls;
    struct px_coll *coll;

    (void) state;
    px_colls_init(&colls, size_of, NULL);
    for (int i = 0; i < 2 * N; i++) {
        char key[32];

        snprintf(key, sizeof(key), "key-%d", i % N);
        PMIx_Info_load(&info[i], key, &i, PMIX_INT);
        info[i].flags = i < N ? 0 : PMIX_INFO_REQD;
    }
    coll = join(&colls, 1, 0, &all, 1);
    assert_int_equal(px_coll_merge(coll, info, 2 * N), 0);
    assert_int_equal(px_coll_merge(coll, &info[N + 7], 1), 0);
    assert_int_equal(coll->ninfo, N);
    for (int i = 0; i < N; i++) {
        assert_string_equal(coll->info[i].key, info[i].key);
        assert_int_equal(coll->info[i].value.data.integer, i);
        assert_true(coll->info[i].flags & PMIX_INFO_REQD);
    }
    px_coll_destroy(coll);
    PMIx_Info_free(info, 2 * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set),          cmocka_unit_test(apart),
        cmocka_unit_test(found_again),      cmocka_unit_test(many_sets),
        cmocka_unit_test(newest_first),     cmocka_unit_test(fewer),
        cmocka_unit_test(clones),           cmocka_unit_test(membership),
        cmocka_unit_test(directives),       cmocka_unit_test(named),
        cmocka_unit_test(beside),           cmocka_unit_test(walks),
        cmocka_unit_test(refused),          cmocka_unit_test(taken_apart),
        cmocka_unit_test(known_later),      cmocka_unit_test(few_directives),
        cmocka_unit_test(directives_twice), cmocka_unit_test(without_copy),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
