/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* GET-001, GET-010, GET-017, GET-022, GET-023, GET-032..034, PUT-002: what the arguments of a get
 * mean. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/client/data/get_request.h"
#include "gds/slice.h"
#include "src/request/schema.h"

static struct px_ctx ctx;
static struct px_session session;

static int set_up(void **state)
{
    (void) state;
    memset(&ctx, 0, sizeof(ctx));
    memset(&session, 0, sizeof(session));
    session.ctx = &ctx;
    px_session_name(&session, "job", 3);
    return 0;
}

static int read_with(const pmix_info_t *info, size_t n, struct px_get_request *want)
{
    return px_get_request_read(&session, NULL, "key", info, n, want);
}

static pmix_info_t directive(const char *key, const void *value, pmix_data_type_t type)
{
    pmix_info_t info;

    PMIx_Info_construct(&info);
    if (value != NULL) {
        assert_int_equal(PMIx_Info_load(&info, key, value, type), PMIX_SUCCESS);
    } else {
        PMIx_Load_key(info.key, key);
    }
    return info;
}

static void whose(void **state)
{
    struct px_get_request want;
    pmix_proc_t proc;

    (void) state;
    assert_int_equal(px_get_request_read(&session, NULL, "key", NULL, 0, &want), 0);
    assert_int_equal(want.spec.rank, 3);
    assert_int_equal(want.spec.self, 3);
    assert_ptr_equal(want.space, &session.own);
    assert_string_equal(want.nspace, "job");
    PMIx_Load_procid(&proc, "", PMIX_RANK_WILDCARD);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &want), 0);
    assert_ptr_equal(want.space, &session.own);
    assert_int_equal(want.spec.rank, PMIX_RANK_WILDCARD);
    PMIx_Load_procid(&proc, "job", 1);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &want), 0);
    assert_ptr_equal(want.space, &session.own);
    PMIx_Load_procid(&proc, "job2", 1);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &want), 0);
    assert_ptr_not_equal(want.space, &session.own);
    assert_int_equal(want.spec.self, PMIX_RANK_UNDEF);
    assert_null(want.space);
    PMIx_Load_procid(&proc, "jo", 1);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &want), 0);
    assert_ptr_not_equal(want.space, &session.own);
}

/* Names of every length, against such that differ in one place, and with rubbish behind the end. */
static void names(void **state)
{
    pmix_nspace_t name = {0};
    pmix_proc_t proc;

    (void) state;
    for (size_t len = 1; len <= PMIX_MAX_NSLEN; len++) {
        memset(name, 'n', len);
        px_session_name(&session, name, 0);
        memset(&proc, 'x', sizeof(proc));
        memcpy(proc.nspace, name, len + 1);
        assert_true(px_session_is_own(&session, &proc));
        for (size_t i = 0; i < len; i++) {
            proc.nspace[i] = 'm';
            assert_false(px_session_is_own(&session, &proc));
            proc.nspace[i] = 'n';
        }
        proc.nspace[len] = 'n';
        assert_false(px_session_is_own(&session, &proc));
        proc.nspace[len - 1] = '\0';
        assert_int_equal(px_session_is_own(&session, &proc),
                         len == 1); /* no name at all: ourselves */
    }
    px_session_name(&session, "job", 3);
}

static void keys(void **state)
{
    char longest[PMIX_MAX_KEYLEN + 2];
    struct px_get_request want;

    (void) state;
    memset(longest, 'k', sizeof(longest));
    longest[PMIX_MAX_KEYLEN + 1] = '\0';
    assert_int_equal(px_get_request_read(&session, NULL, longest, NULL, 0, &want),
                     PMIX_ERR_BAD_PARAM);
    longest[PMIX_MAX_KEYLEN] = '\0';
    assert_int_equal(px_get_request_read(&session, NULL, longest, NULL, 0, &want), 0);
    assert_int_equal(want.spec.key_len, PMIX_MAX_KEYLEN);
    assert_int_equal(px_get_request_read(&session, NULL, "", NULL, 0, &want), PMIX_ERR_BAD_PARAM);
}

static void whose_keys(void **state)
{
    (void) state;
    assert_true(px_key_is_of_host(PMIX_JOB_SIZE));
    assert_true(px_key_is_of_host("pmix.foo"));
    assert_true(px_key_is_of_host("pmix"));
    assert_true(px_key_is_of_host("pmixer"));
    assert_false(px_key_is_of_host("pmi"));
    assert_false(px_key_is_of_host("my.key"));
    assert_false(px_key_is_of_host(PMIX_GROUP_LOCAL_CID));
    assert_false(px_key_is_of_host(PMIX_QUALIFIED_VALUE));
    /* docs/decisions/0011-reserved-keys.md */
    assert_false(px_key_is_of_host(PMIX_LOCALITY_STRING));
    assert_false(px_key_is_of_host(PMIX_HOSTNAME));
    assert_false(px_key_is_of_host(PMIX_CPUSET));
    assert_false(px_key_is_of_host(PMIX_ARCH));
}

static void switches(void **state)
{
    static const struct {
        const char *key;
        unsigned flag;
    } table[] = {
        {PMIX_OPTIONAL, PX_GET_OPTIONAL},         {PMIX_IMMEDIATE, PX_GET_IMMEDIATE},
        {PMIX_GET_REFRESH_CACHE, PX_GET_REFRESH}, {PMIX_GET_POINTER_VALUES, PX_GET_POINTER},
        {PMIX_GET_STATIC_VALUES, PX_GET_STATIC},
    };
    struct px_get_request want;
    pmix_info_t info;
    bool yes = true;
    bool no = false;

    (void) state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        info = directive(table[i].key, &yes, PMIX_BOOL);
        assert_int_equal(read_with(&info, 1, &want), 0);
        assert_int_equal(want.flags & table[i].flag, table[i].flag);
        info = directive(table[i].key, &no, PMIX_BOOL);
        assert_int_equal(read_with(&info, 1, &want), 0);
        assert_int_equal(want.flags & table[i].flag, 0);
        info = directive(table[i].key, NULL, PMIX_UNDEF);
        assert_int_equal(read_with(&info, 1, &want), 0);
        assert_int_equal(want.flags & table[i].flag, table[i].flag);
    }
}

static void contradiction(void **state)
{
    pmix_info_t info[2];
    struct px_get_request want;
    bool yes = true;

    (void) state;
    info[0] = directive(PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    info[1] = directive(PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    assert_int_equal(read_with(info, 2, &want), PMIX_ERR_BAD_PARAM);
}

static void timeouts(void **state)
{
    struct px_get_request want;
    pmix_info_t info;
    uint64_t ms = 0;
    uint32_t u = 5;
    int i = 7;

    (void) state;
    info = directive(PMIX_TIMEOUT, &u, PMIX_UINT32);
    assert_int_equal(read_with(&info, 1, &want), 0);
    assert_int_equal(want.timeout_ms, 5000);
    info = directive(PMIX_TIMEOUT, &i, PMIX_INT);
    assert_int_equal(read_with(&info, 1, &want), 0);
    assert_int_equal(want.timeout_ms, 7000);
    assert_int_equal(px_timeout_read(&info, 1, &ms), 0);
    assert_int_equal(ms, 7000);
    i = 0;
    info = directive(PMIX_TIMEOUT, &i, PMIX_INT);
    assert_int_equal(read_with(&info, 1, &want), 0);
    assert_int_equal(want.timeout_ms, 0);
    i = -1;
    info = directive(PMIX_TIMEOUT, &i, PMIX_INT);
    assert_int_equal(read_with(&info, 1, &want), PMIX_ERR_BAD_PARAM);
    info = directive(PMIX_TIMEOUT, "soon", PMIX_STRING);
    assert_int_equal(read_with(&info, 1, &want), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_timeout_read(&info, 1, &ms), PMIX_ERR_BAD_PARAM);
    assert_int_equal(ms, 7000);
    PMIx_Info_destruct(&info);
}

static void realms_and_places(void **state)
{
    pmix_scope_t scope = PMIX_REMOTE;
    struct px_get_request want;
    pmix_info_t info[4];
    uint32_t number = 12;
    bool yes = true;

    (void) state;
    info[0] = directive(PMIX_NODE_INFO, &yes, PMIX_BOOL);
    info[1] = directive(PMIX_HOSTNAME, "n7", PMIX_STRING);
    info[2] = directive(PMIX_APPNUM, &number, PMIX_UINT32);
    info[3] = directive(PMIX_DATA_SCOPE, &scope, PMIX_SCOPE);
    assert_int_equal(read_with(info, 4, &want), 0);
    assert_int_equal(want.spec.realm, PX_REALM_NODE);
    assert_string_equal(want.spec.hostname, "n7");
    assert_int_equal(want.spec.appnum, 12);
    assert_int_equal(want.spec.scope, PMIX_REMOTE);
    assert_int_equal(want.spec.nodeid, PX_NO_NODEID);
    PMIx_Info_destruct(&info[1]);
    info[0] = directive(PMIX_NODEID, &number, PMIX_UINT32);
    assert_int_equal(read_with(info, 1, &want), 0);
    assert_int_equal(want.spec.nodeid, 12);
    info[0] = directive(PMIX_SESSION_ID, &number, PMIX_UINT32);
    assert_int_equal(read_with(info, 1, &want), 0);
    assert_int_equal(want.spec.session, 12);
    info[0] = directive(PMIX_SESSION_ID, &yes, PMIX_SCOPE);
    assert_int_equal(read_with(info, 1, &want), PMIX_ERR_BAD_PARAM);
}

static void unknown_directives(void **state)
{
    struct px_get_request want;
    pmix_info_t info;
    int number = 1;

    (void) state;
    info = directive("some.site.key", &number, PMIX_INT);
    assert_int_equal(read_with(&info, 1, &want), 0);
    PMIx_Info_required(&info);
    assert_int_equal(read_with(&info, 1, &want), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(read_with(NULL, 1, &want), PMIX_ERR_BAD_PARAM);
}

static void qualifiers(void **state)
{
    struct px_get_request want;
    pmix_info_t info[3];
    uint32_t number = 4;
    bool yes = true;

    (void) state;
    info[0] = directive("q.one", &number, PMIX_UINT32);
    PMIx_Info_qualifier(&info[0]);
    assert_int_equal(read_with(info, 1, &want), 0);
    assert_ptr_equal(want.spec.quals, info);
    assert_int_equal(want.spec.n_quals, 1);
    px_get_request_fini(&want);
    info[1] = directive(PMIX_OPTIONAL, &yes, PMIX_BOOL);
    info[2] = directive("q.two", &number, PMIX_UINT32);
    PMIx_Info_qualifier(&info[2]);
    assert_int_equal(read_with(info, 3, &want), 0);
    assert_int_equal(want.spec.n_quals, 2);
    assert_string_equal(want.spec.quals[1].key, "q.two");
    assert_true(want.flags & PX_GET_OPTIONAL);
    px_get_request_fini(&want);
}

/* A copy is good when the arguments are gone. */
static void copies(void **state)
{
    struct px_get_request want;
    struct px_get_request copy;
    char key[] = "my.key";
    pmix_proc_t proc;
    pmix_info_t info[3];
    uint32_t number = 4;
    bool yes = true;

    (void) state;
    PMIx_Load_procid(&proc, "job2", 7);
    info[0] = directive("q.one", &number, PMIX_UINT32);
    PMIx_Info_qualifier(&info[0]);
    info[1] = directive(PMIX_HOSTNAME, "n7", PMIX_STRING);
    info[2] = directive(PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    assert_int_equal(px_get_request_read(&session, &proc, key, info, 3, &want), 0);
    assert_int_equal(px_get_request_copy(&want, &copy), 0);
    px_get_request_fini(&want);
    memset(info[1].value.data.string, 'x', 2);
    for (int i = 0; i < 3; i++) {
        PMIx_Info_destruct(&info[i]);
    }
    memset(info, 'x', sizeof(info));
    memset(key, 'x', sizeof(key));
    memset(&proc, 'x', sizeof(proc));
    memset(&want, 'x', sizeof(want));
    assert_string_equal(copy.spec.key, "my.key");
    assert_int_equal(copy.spec.key_len, 6);
    assert_string_equal(copy.nspace, "job2");
    assert_int_equal(copy.spec.rank, 7);
    assert_string_equal(copy.spec.hostname, "n7");
    assert_int_equal(copy.spec.n_quals, 1);
    assert_string_equal(copy.spec.quals[0].key, "q.one");
    assert_int_equal(copy.spec.quals[0].value.data.uint32, 4);
    assert_int_equal(copy.ninfo, 3);
    assert_string_equal(copy.info[2].key, PMIX_GET_POINTER_VALUES);
    assert_int_equal(px_get_request_mode(&copy), PX_RETURN_POINTER);
    px_get_request_fini(&copy);
}

static void everything(void **state)
{
    struct px_get_request want;
    struct px_get_request copy;

    (void) state;
    assert_int_equal(px_get_request_read(&session, NULL, NULL, NULL, 0, &want), 0);
    assert_int_equal(want.flags, PX_GET_ALL);
    assert_int_equal(px_get_request_copy(&want, &copy), 0);
    assert_int_equal(copy.flags, PX_GET_ALL);
    assert_string_equal(copy.nspace, "job");
    px_get_request_fini(&copy);
}

/* Where the value is looked for when the request has waited. What a tool was told moves away with
 * its server. */
static void space_later(void **state)
{
    struct px_get_request want;
    struct px_get_request early;
    struct px_space *space;
    pmix_proc_t proc;

    (void) state;
    PMIx_Load_procid(&proc, "job3", 1);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &early), 0);
    assert_null(px_get_request_space(&session, &early));
    px_lock_take(&session.lock);
    space = px_space_meet_locked(&session, "job3");
    px_lock_give(&session.lock);
    assert_ptr_equal(px_get_request_space(&session, &early), space);
    assert_int_equal(px_get_request_read(&session, &proc, "key", NULL, 0, &want), 0);
    session.is_tool = true;
    assert_ptr_equal(px_get_request_space(&session, &want), space);
    session.own.next = NULL;
    assert_null(px_get_request_space(&session, &want));
    session.own.next = space;
    session.is_tool = false;
    px_spaces_fini(&session);
}

/* How the caller wants the value is nothing to the server. */
static void directives_for_the_server(void **state)
{
    pmix_info_t info[4] = {directive(PMIX_GET_POINTER_VALUES, NULL, PMIX_BOOL),
                           directive(PMIX_IMMEDIATE, NULL, PMIX_BOOL),
                           directive(PMIX_GET_STATIC_VALUES, NULL, PMIX_BOOL),
                           directive(PMIX_GET_POINTER_VALUES, NULL, PMIX_BOOL)};
    struct px_get_request want = {.info = info, .ninfo = 4};
    pmix_info_t *sent;
    size_t n = 0;

    (void) state;
    sent = px_get_directives_to_send(&want, 1, &n);
    assert_non_null(sent);
    assert_int_equal(n, 1);
    assert_string_equal(sent[0].key, PMIX_IMMEDIATE);
    free(sent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whose),
        cmocka_unit_test(keys),
        cmocka_unit_test(names),
        cmocka_unit_test(whose_keys),
        cmocka_unit_test(switches),
        cmocka_unit_test(contradiction),
        cmocka_unit_test(timeouts),
        cmocka_unit_test(realms_and_places),
        cmocka_unit_test(unknown_directives),
        cmocka_unit_test(qualifiers),
        cmocka_unit_test(copies),
        cmocka_unit_test(everything),
        cmocka_unit_test(space_later),
        cmocka_unit_test(directives_for_the_server),
    };

    return cmocka_run_group_tests_name("want", tests, set_up, NULL);
}
