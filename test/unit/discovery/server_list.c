/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIX_QUERY_AVAIL_SERVERS from files that lie there. [TOOL-064] */

#include "src/discovery/server_list.h"

#include <string.h>

#include "room.h"

static const char *text_in(const pmix_data_array_t *server, const char *key)
{
    const pmix_info_t *info = server->array;

    for (size_t i = 0; i < server->size; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return info[i].value.data.string;
        }
    }
    return "";
}

/* The namespaces of the servers that are found, in their order; "-46" for a status. */
static const char *servers(pmix_info_t *quals, size_t n)
{
    static char text[256];
    pmix_query_t query = {.qualifiers = quals, .nqual = n};
    const pmix_data_array_t *list;
    pmix_info_t info;
    size_t len = 0;
    int rc = px_servers_answer(&query, "host", room, room, &info);

    if (rc != 0) {
        snprintf(text, sizeof(text), "%d", rc);
        return text;
    }
    assert_string_equal(info.key, PMIX_QUERY_AVAIL_SERVERS);
    assert_int_equal(info.value.type, PMIX_DATA_ARRAY);
    list = info.value.data.darray;
    assert_int_equal(list->type, PMIX_INFO);
    for (size_t i = 0; i < list->size; i++) {
        const pmix_info_t *one = (const pmix_info_t *) list->array + i;
        const pmix_info_t *first = one->value.data.darray->array;

        assert_string_equal(one->key, PMIX_SERVER_INFO_ARRAY);
        assert_string_equal(first->key, PMIX_NSPACE);
        assert_string_equal(text_in(one->value.data.darray, PMIX_HOSTNAME), "host");
        assert_non_null(strstr(text_in(one->value.data.darray, PMIX_SERVER_URI), ";tcp4://"));
        len += (size_t) snprintf(text + len, sizeof(text) - len, "%s ", first->value.data.string);
    }
    PMIx_Info_destruct(&info);
    return text;
}

static void by_files(void **state)
{
    char text[128];

    (void) state;
    assert_string_equal(servers(NULL, 0), "-46");
    snprintf(text, sizeof(text), "one.0;tcp4://127.0.0.1:7\n6.1.0\n%d\n", (int) getpid());
    write_file("pmix.host.tool", text);
    write_file("pmix.host.tool.a", text);
    write_file("pmix.host.tool.b", "rubbish\n");
    write_file("pmix.elsewhere.tool", "far.0;tcp4://127.0.0.1:8\n");
    assert_string_equal(servers(NULL, 0), "one ");
    write_file("pmix.sys.host", "sys.3;tcp4://127.0.0.1:9\n");
    assert_string_equal(servers(NULL, 0), "sys one ");
    setenv("PMIX_SERVER_URI41", "one.0;tcp4://127.0.0.1:7", 1);
    assert_string_equal(servers(NULL, 0), "sys one ");
    setenv("PMIX_SERVER_URI41", "env.0;tcp4://127.0.0.1:6", 1);
    assert_string_equal(servers(NULL, 0), "sys one env ");
    unsetenv("PMIX_SERVER_URI41");
    write_file("pmix.host.tool.b", "no.uri;tcp4://127.0.0.1:5\n"); /* whose rank is no number */
    assert_string_equal(servers(NULL, 0), "sys one ");
    write_file("pmix.sys.host", "sys.3;tcp4://127.0.0.1:9\n5.0\n2147483646\n"); /* nobody */
    assert_string_equal(servers(NULL, 0), "one ");
}

static void by_qualifiers(void **state)
{
    pmix_info_t qual;
    pmix_info_t dirs[2];
    pid_t pid = getpid();
    char text[128];
    bool yes = true;

    (void) state;
    snprintf(text, sizeof(text), "one.0;tcp4://127.0.0.1:7\n6.1.0\n%d\n", (int) pid);
    write_file("pmix.host.tool", text);
    snprintf(text, sizeof(text), "two.0;tcp4://127.0.0.1:8\n5.0.0\n%d\n", (int) getppid());
    write_file("pmix.host.tool.a", text);
    write_file("pmix.sys.host", "sys.3;tcp4://127.0.0.1:9\n");
    PMIX_INFO_LOAD(&qual, PMIX_SERVER_NSPACE, "two", PMIX_STRING);
    assert_string_equal(servers(&qual, 1), "two ");
    PMIX_INFO_DESTRUCT(&qual);
    PMIX_INFO_LOAD(&qual, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    assert_string_equal(servers(&qual, 1), "one ");
    PMIX_INFO_LOAD(&qual, PMIX_CONNECT_TO_SYSTEM, &yes, PMIX_BOOL);
    assert_string_equal(servers(&qual, 1), "sys ");
    PMIX_INFO_LOAD(&dirs[0], PMIX_SERVER_TMPDIR, "/nonexistent", PMIX_STRING);
    PMIX_INFO_LOAD(&dirs[1], PMIX_SYSTEM_TMPDIR, "/nonexistent", PMIX_STRING);
    assert_string_equal(servers(&dirs[0], 1), "sys one two "); /* in the system's directory */
    assert_string_equal(servers(&dirs[1], 1), "one two ");
    assert_string_equal(servers(dirs, 2), "-46");
    PMIX_INFO_DESTRUCT(&dirs[0]);
    PMIX_INFO_DESTRUCT(&dirs[1]);
    PMIX_INFO_LOAD(&qual, PMIX_SERVER_NSPACE, &pid, PMIX_PID);
    assert_string_equal(servers(&qual, 1), "-27");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_files, room_make, room_clear),
        cmocka_unit_test_setup_teardown(by_qualifiers, room_make, room_clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
