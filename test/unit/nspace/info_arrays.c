/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Arrays in arrays: how deep they may be, and which numbers they may have. What they say is in
 * jobinfo.c. */

#include "build.h"

#include <sys/resource.h>
#include <sys/wait.h>

enum { DEEPEST = 64, ENDLESS = 50000, STACK = 1 << 20 };

/* Registers arrays in each other, `depth` of them, each with what its kind wants; the innermost has
 * a key of the site. */
static int store_nested(const char *array, const char *name, unsigned depth)
{
    struct px_store *store = make_store();
    struct list list = {0};
    int rc;

    put_text(&list, "site.key", "v");
    for (unsigned i = 0; i < depth; i++) {
        struct list outer = {0};

        if (strcmp(name, PMIX_HOSTNAME) == 0) {
            put_text(&list, name, "here");
        } else if (*name) {
            put_u32(&list, name, 0);
        }
        put_array(&outer, array, &list);
        list = outer;
    }
    rc = store_list(store, &list, "here");
    px_store_destroy(store);
    return rc;
}

static void not_too_deep(void **state)
{
    static const char *const arrays[][2] = {{PMIX_JOB_INFO_ARRAY, ""},
                                            {PMIX_SESSION_INFO_ARRAY, PMIX_SESSION_ID},
                                            {PMIX_APP_INFO_ARRAY, PMIX_APPNUM},
                                            {PMIX_NODE_INFO_ARRAY, PMIX_HOSTNAME},
                                            {PMIX_PROC_INFO_ARRAY, PMIX_RANK}};

    (void) state;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        assert_int_equal(store_nested(arrays[i][0], arrays[i][1], DEEPEST), 0);
        assert_int_equal(store_nested(arrays[i][0], arrays[i][1], DEEPEST + 1), PMIX_ERR_BAD_PARAM);
        assert_int_equal(store_nested(arrays[i][0], arrays[i][1], 3 * DEEPEST), PMIX_ERR_BAD_PARAM);
    }
}

/* What no stack holds is refused before it is followed. The arrays are left to the end of the
 * process, since nobody could free them one in the other. */
static int store_endless(void)
{
    static const struct rlimit small = {STACK, STACK};
    struct px_store *store = make_store();
    struct list list = {0};

    put_u32(&list, PMIX_JOB_SIZE, 1);
    for (unsigned i = 0; i < ENDLESS; i++) {
        struct list outer = {0};

        put_array(&outer, PMIX_JOB_INFO_ARRAY, &list);
        list = outer;
    }
    return setrlimit(RLIMIT_STACK, &small) ? 0 : px_jobinfo_store(store, list.at, list.n, "here");
}

static void endless(void **state)
{
    int status;
    pid_t pid = fork();

    (void) state;
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(50);
        _exit(store_endless() == PMIX_ERR_BAD_PARAM ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Registers a process in an application; returns the status. */
static int store_app(struct px_store *store, uint32_t app)
{
    struct list list = {0};
    struct list proc = {0};

    put_rank(&proc, PMIX_RANK, 0);
    put_u32(&proc, PMIX_APPNUM, app);
    put_array(&list, PMIX_PROC_INFO_ARRAY, &proc);
    return store_list(store, &list, "here");
}

/* The number of an application is below UINT16_MAX, in a process array as in an array of its own:
 * there are as many applications as the highest one says. */
static void application_numbers(void **state)
{
    static const uint32_t refused[] = {UINT16_MAX, UINT16_MAX + 1, UINT32_MAX - 1, UINT32_MAX};
    struct px_store *store = make_store();
    struct px_store_info info;

    (void) state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_equal(store_app(store, refused[i]), PMIX_ERR_BAD_PARAM);
    }
    px_store_info(store, &info);
    assert_int_equal(info.n_apps, 0);
    assert_int_equal(store_app(store, UINT16_MAX - 1), 0);
    px_store_info(store, &info);
    assert_int_equal(info.n_apps, UINT16_MAX);
    expect_u32(store, 0, PMIX_APPNUM, UINT16_MAX - 1);
    px_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_too_deep),
        cmocka_unit_test(endless),
        cmocka_unit_test(application_numbers),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
