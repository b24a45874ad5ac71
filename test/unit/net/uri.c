/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/net/dial.h"
#include "src/net/uri.h"

static void tcp4(void **state)
{
    pmix_proc_t server;
    struct px_address to;

    (void) state;
    assert_int_equal(px_uri_parse("slurm.pmix.14.0.3;tcp4://127.0.0.1:41907", &server, &to), 0);
    assert_string_equal(server.nspace, "slurm.pmix.14.0");
    assert_int_equal(server.rank, 3);
    assert_int_equal(to.addr.any.sa_family, AF_INET);
    assert_int_equal(ntohs(to.addr.in4.sin_port), 41907);
    assert_int_equal(ntohl(to.addr.in4.sin_addr.s_addr), INADDR_LOOPBACK);
}

static void tcp6(void **state)
{
    static const char *const texts[] = {"a.0;tcp6://::1:99", "a.0;tcp6://[::1]:99"};
    pmix_proc_t server;
    struct px_address to;

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(px_uri_parse(texts[i], &server, &to), 0);
        assert_int_equal(to.addr.any.sa_family, AF_INET6);
        assert_int_equal(ntohs(to.addr.in6.sin6_port), 99);
        assert_true(IN6_IS_ADDR_LOOPBACK(&to.addr.in6.sin6_addr));
    }
}

static void unix_names(void **state)
{
    pmix_proc_t server;
    struct px_address to;
    char longest[160];

    (void) state;
    assert_int_equal(px_uri_parse("a.b.4294967295;unix://@name", &server, &to), 0);
    assert_int_equal(server.rank, UINT32_MAX);
    assert_memory_equal(to.addr.un.sun_path, "\0name", 5);
    assert_int_equal(to.len, offsetof(struct sockaddr_un, sun_path) + 5);
    assert_int_equal(px_uri_parse("a.0;unix:///run/x", &server, &to), 0);
    assert_string_equal(to.addr.un.sun_path, "/run/x");
    assert_int_equal(to.len, offsetof(struct sockaddr_un, sun_path) + 7);
    (void) snprintf(longest, sizeof(longest), "a.0;unix:///%0106d", 0);
    assert_int_equal(px_uri_parse(longest, &server, &to), 0);
    (void) snprintf(longest, sizeof(longest), "a.0;unix:///%0107d", 0);
    assert_int_equal(px_uri_parse(longest, &server, &to), PMIX_ERR_BAD_PARAM);
}

static void malformed(void **state)
{
    static const char *const bad[] = {
        "",
        ";",
        "a.0",
        "a.0;",
        "a;tcp4://127.0.0.1:1",
        ".0;tcp4://127.0.0.1:1",
        "a.;tcp4://127.0.0.1:1",
        "a.x;tcp4://127.0.0.1:1",
        "a.-1;tcp4://127.0.0.1:1",
        "a.4294967296;tcp4://127.0.0.1:1",
        "a.99999999999999999999;tcp4://127.0.0.1:1",
        "a.0;tcp4://127.0.0.1",
        "a.0;tcp4://127.0.0.1:",
        "a.0;tcp4://127.0.0.1:0",
        "a.0;tcp4://127.0.0.1:65536",
        "a.0;tcp4://127.0.0.1:1x",
        "a.0;tcp4://localhost:1",
        "a.0;tcp4://::1:1",
        "a.0;tcp6://127.0.0.1:1",
        "a.0;tcp6://[::1:1",
        "a.0;tcp4:/127.0.0.1:1",
        "a.0;http://127.0.0.1:1",
        "a.0;unix://",
        "a.0;unix://@",
        "a.0;unix:///",
        "a.0;unix://relative",
        "a.0;tcp4://127.0.0.1127.0.0.1127.0.0.1127.0.0.1127.0.0.1127.0.0.1:1",
    };
    pmix_proc_t server = {.rank = 77};
    struct px_address to;
    char big[400];

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (px_uri_parse(bad[i], &server, &to) != PMIX_ERR_BAD_PARAM) {
            fail_msg("taken: %s", bad[i]);
        }
        assert_int_equal(server.rank, 77);
    }
    memset(big, 'n', sizeof(big));
    strcpy(big + 256, ".0;tcp4://127.0.0.1:1");
    assert_int_equal(px_uri_parse(big, &server, &to), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_uri_parse(big + 1, &server, &to), 0);
    assert_int_equal(strlen(server.nspace), PMIX_MAX_NSLEN);
}

static void server_only(void **state)
{
    pmix_proc_t server;

    (void) state;
    assert_int_equal(px_uri_server("x.y.5;whatever", &server), 0);
    assert_string_equal(server.nspace, "x.y");
    assert_int_equal(server.rank, 5);
    assert_int_equal(px_uri_server("x.y.5", &server), PMIX_ERR_BAD_PARAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp4),      cmocka_unit_test(tcp6),        cmocka_unit_test(unix_names),
        cmocka_unit_test(malformed), cmocka_unit_test(server_only),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
