/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a server publishes of what it waits for, read by its clients from its descriptors, and that
 * nothing of it is left at the end. A client looks until it finds what it looks for; a server that
 * never publishes it ends with the test's time. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "shmem/segment.h"
#include "src/waits/reader.h"
#include "src/waits/words.h"
#include "world.h"

static struct px_waits_copy copy;

/* Reads the area of a process. False: it has none, or one that cannot be read. */
static bool read_area(pid_t pid)
{
    char path[64];
    char target[64];
    struct dirent *entry;
    struct px_segment seg;
    int fd = -1;
    DIR *dir;
    bool good;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
    dir = opendir(path);
    while (dir && fd < 0 && (entry = readdir(dir))) {
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

        target[len > 0 ? len : 0] = '\0';
        if (strcmp(target, "/memfd:" PX_WAITS_LABEL " (deleted)") == 0) {
            fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (fd < 0 || px_segment_open(fd, &seg)) {
        return false;
    }
    good = px_waits_copy(seg.base, seg.size, &copy) == 0;
    px_segment_close(&seg);
    return good;
}

/* Looks at our server until it has such a wait, with so many come. */
static const struct px_waits_entry *await(enum px_waits_kind kind, enum px_waits_stage stage,
                                          uint32_t n_come)
{
    for (;;) {
        check(read_area(getppid()));
        for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
            const struct px_waits_entry *e = &copy.area.entries[i];

            if (e->kind == kind && e->stage == stage && e->n_come == n_come) {
                return e;
            }
        }
        sched_yield();
    }
}

/* The row of a rank of our job. */
static uint32_t row_of(pmix_rank_t rank)
{
    for (uint32_t row = 1; row <= PX_WAITS_PROCS; row++) {
        const struct px_waits_proc *proc = &copy.area.procs[row - 1];

        if (proc->rank == rank &&
            strcmp(px_waits_nspace_name(&copy.area, proc->nspace), me.nspace) == 0) {
            return row;
        }
    }
    check(!"the rank has a row");
    return 0;
}

/* --- acts --- */

/* The last of four sees the others wait for it. */
static int act_last(void)
{
    const struct px_waits_entry *e;
    char text[300];

    fence_all(false);
    if (me.rank == 3) {
        e = await(PX_WAITS_FENCE, PX_WAITS_GATHERS, 3);
        check(e->n_expected == 4);
        for (pmix_rank_t rank = 0; rank < 4; rank++) {
            check(px_waits_has(e->expected, row_of(rank)));
            check(px_waits_has(e->come, row_of(rank)) == (rank < 3));
            check(copy.area.procs[row_of(rank) - 1].flags == PX_WAITS_CONNECTED);
        }
        check(copy.area.procs[row_of(3) - 1].pid == (uint32_t) getpid());
        (void) px_waits_list(&copy.area, e, 1, text, sizeof(text));
        check(strcmp(text, WORLD_NSPACE ":3") == 0);
        (void) px_waits_who(&copy.area, e, text, sizeof(text));
        check(strcmp(text, WORLD_NSPACE ":*") == 0);
    }
    fence_all(false);
    return 0;
}

/* Who dies is not expected any more; who has called before it stays come. */
static int act_death(void)
{
    if (me.rank == 1) {
        (void) await(PX_WAITS_FENCE, PX_WAITS_GATHERS, 1);
        _exit(0);
    }
    if (me.rank == 2) {
        const struct px_waits_entry *e = await(PX_WAITS_FENCE, PX_WAITS_GATHERS, 1);

        while (px_waits_has(e->expected, row_of(1))) {
            e = await(PX_WAITS_FENCE, PX_WAITS_GATHERS, 1);
        }
        check(e->n_expected == 2);
        check(px_waits_has(e->expected, row_of(2)) && px_waits_has(e->come, row_of(0)));
        check(copy.area.procs[row_of(1) - 1].flags == PX_WAITS_ENDED);
    }
    check(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_ERR_LOST_CONNECTION);
    return 0;
}

static int act_finalized(void)
{
    fence_all(false);
    if (me.rank == 1) {
        check_status(PMIx_Finalize(NULL, 0), PMIX_SUCCESS);
        _exit(0);
    }
    do {
        check(read_area(getppid()));
    } while (copy.area.procs[row_of(1) - 1].flags != PX_WAITS_FINALIZED);
    return 0;
}

static void done(pmix_status_t status, void *cbdata)
{
    (void) status;
    *(_Atomic bool *) cbdata = true;
}

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    done(status, cbdata);
}

static void wait_until(const _Atomic bool *flag)
{
    while (!*flag) {
        sched_yield();
    }
}

/* On node 0 both have come: the host is asked. The rest comes when rank 0 has committed, for which
 * rank 2 waits, which rank 3 sees. */
static int act_host(void)
{
    _Atomic bool fenced = false;
    uint32_t v;

    if (me.rank == 0) {
        check_status(PMIx_Fence_nb(NULL, 0, NULL, 0, done, (void *) &fenced), PMIX_SUCCESS);
        (void) await(PX_WAITS_FENCE, PX_WAITS_FOR_HOST, 2);
        (void) await(PX_WAITS_TRANSFER, PX_WAITS_FOR_COMMIT, 0);
        check_status(get_with(3, "seen", NULL, &v), PMIX_SUCCESS);
        post(PMIX_GLOBAL, "go", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
        wait_until(&fenced);
        return 0;
    }
    if (me.rank == 2) {
        check_status(get_with(0, "go", NULL, &v), PMIX_SUCCESS);
    } else if (me.rank == 3) {
        const struct px_waits_entry *e = await(PX_WAITS_GET, PX_WAITS_FOR_HOST, 0);

        check(e->asker == row_of(2) && strcmp(e->text, "go") == 0);
        post(PMIX_GLOBAL, "seen", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    fence_all(false);
    return 0;
}

/* Until no get waits: a reply is sent before its get is over. */
static void await_no_get(void)
{
    int n;

    do {
        check(read_area(getppid()));
        n = 0;
        for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
            n += copy.area.entries[i].kind == PX_WAITS_GET;
        }
    } while (n > 0);
}

/* A get of a key that is not there yet. */
static int act_get(void)
{
    _Atomic bool answered = false;
    pmix_proc_t other = proc_of(me.nspace, 1);
    char text[300];

    if (me.rank == 0) {
        check_status(PMIx_Get_nb(&other, "late", NULL, 0, got, (void *) &answered), PMIX_SUCCESS);
        wait_until(&answered);
        await_no_get();
    } else {
        const struct px_waits_entry *e = await(PX_WAITS_GET, PX_WAITS_FOR_COMMIT, 0);

        check(e->asker == row_of(0) && strcmp(e->text, "late") == 0);
        (void) px_waits_who(&copy.area, e, text, sizeof(text));
        check(strcmp(text, WORLD_NSPACE ":1") == 0);
        post(PMIX_LOCAL, "late", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    fence_all(false);
    return 0;
}

/* A lookup of what nobody has published, which the host answers when the other one comes. */
static int act_request(void)
{
    pmix_pdata_t data;

    if (me.rank == 0) {
        PMIX_PDATA_CONSTRUCT(&data);
        PMIX_LOAD_KEY(data.key, "nothing");
        check_status(PMIx_Lookup(&data, 1, NULL, 0), PMIX_ERR_NOT_FOUND);
    } else {
        const struct px_waits_entry *e = await(PX_WAITS_REQUEST, PX_WAITS_FOR_HOST, 0);

        check(e->asker == row_of(0) && strcmp(e->text, "PMIx_Lookup") == 0);
        check_status(PMIx_Unpublish(NULL, NULL, 0), PMIX_SUCCESS);
    }
    return 0;
}

static const struct act acts[] = {
    {"last", act_last}, {"death", act_death}, {"finalized", act_finalized},
    {"host", act_host}, {"get", act_get},     {"request", act_request},
    {NULL, NULL},
};

/* --- servers --- */

/* In the server, when its clients have ended: no wait is left, and the fences are noted. */
static int after_all(unsigned node)
{
    (void) node;
    if (!read_area(getpid()) || copy.area.hidden || copy.torn || copy.damaged || copy.names_torn) {
        return 1;
    }
    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        if (copy.area.entries[i].kind != PX_WAITS_NONE) {
            return 1;
        }
    }
    return 0;
}

/* The second fence of act_last: rank 3 was the last. */
static int after_last(unsigned node)
{
    const struct px_waits_past *past = &copy.area.past[1];

    return after_all(node) || past->number != 2 || past->kind != PX_WAITS_FENCE ||
           past->last_rank != 3 || past->n_come != 4 || past->spread_ns < past->late_ns ||
           past->total_ns < past->spread_ns || strcmp(past->last_nspace, WORLD_NSPACE) != 0;
}

/* The host answers a lookup when it is asked to unpublish. */
static struct upcall kept;

static pmix_status_t keep(struct upcall *upcall)
{
    kept = *upcall;
    return PMIX_SUCCESS;
}

static pmix_status_t answer_kept(struct upcall *upcall)
{
    (void) upcall;
    px_host_reply_status(&kept, PMIX_ERR_NOT_FOUND);
    return PMIX_OPERATION_SUCCEEDED;
}

static void host_waits(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_LOOKUP] = (struct answer){OWN, .own = keep};
    answers[ON_UNPUBLISH] = (struct answer){OWN, .own = answer_kept};
}

#define RUN(...) assert_int_equal(world_run(&(struct world){__VA_ARGS__}), 0)

static void collectives(void **state)
{
    (void) state;
    for (int form = 0; form < 2; form++) {
        RUN(.act = "last", .n_nodes = 1, .per_node = 4, .after = after_last,
            .private_store = form == 1);
        RUN(.act = "host", .n_nodes = 2, .per_node = 2, .after = after_all,
            .private_store = form == 1);
    }
}

static void ends(void **state)
{
    (void) state;
    RUN(.act = "death", .n_nodes = 1, .per_node = 3, .after = after_all);
    RUN(.act = "finalized", .n_nodes = 1, .per_node = 2, .after = after_all);
}

static void gets(void **state)
{
    (void) state;
    RUN(.act = "get", .n_nodes = 1, .per_node = 2, .after = after_all);
    RUN(.act = "get", .n_nodes = 1, .per_node = 2, .after = after_all, .private_store = true);
}

static void requests(void **state)
{
    (void) state;
    RUN(.act = "request", .n_nodes = 1, .per_node = 2, .after = after_all, .host = host_waits);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives),
        cmocka_unit_test(ends),
        cmocka_unit_test(gets),
        cmocka_unit_test(requests),
    };

    world_maybe_client(argc, argv, acts);
    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
