/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who gets in [INI-010], [INI-011], [INI-015]. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

static int reinit(void)
{
#if defined(__SANITIZE_THREAD__)
    /* The sanitizer cannot start threads in a forked child: the child becomes this program anew. */
    (void) execl("/proc/self/exe", "client", "client", "clone", (char *) NULL);
    return 127;
#endif
    pmix_proc_t proc;
    pmix_status_t rc = PMIx_Init(&proc, NULL, 0);

    if (rc != PMIX_SUCCESS) {
        return 1;
    }
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 2;
}

static int act_clone(void)
{
    return 0;
}

static int in_child(int (*fn)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(fn());
    }
    check(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int claim_rank_99(void)
{
    (void) setenv("PMIX_RANK", "99", 1);
    return reinit();
}

static int act_doors(void)
{
    check(in_child(reinit) == 0);        /* a clone */
    check(in_child(claim_rank_99) == 1); /* nobody */
    fence_all(false);
    return 0;
}

static int after_doors(unsigned node)
{
    (void) node;
    /* Two ranks and their clones; the impostors were never mentioned. */
    return calls[ON_CONNECTED] == 4 ? 0 : 1;
}

static const struct act acts[] = {
    {"doors", act_doors},
    {"clone", act_clone},
    {NULL, NULL},
};

static void doors(void **state)
{
    (void) state;
    struct world world = {.act = "doors", .n_nodes = 1, .per_node = 2, .after = after_doors};

    assert_int_equal(world_run(&world), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doors),
    };

    world_maybe_client(argc, argv, acts);
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
