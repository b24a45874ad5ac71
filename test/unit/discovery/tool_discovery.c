/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* TOOL-004, TOOL-005, TOOL-017..026: where a tool looks for servers, and in which order. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "room.h"
#include "src/base/process.h"
#include "src/discovery/tool_discovery.h"

static struct px_server_candidate found[8];
static size_t n_found;
static bool named;
static char path_of_pid[64];

static int find_with(const pmix_info_t *info, size_t n)
{
    struct px_tool_directives directives;
    int rc = px_tool_directives_read(info, n, &directives);

    return rc == 0 ? px_tool_find(&directives, "host", found, 8, &n_found, &named) : rc;
}

static pmix_info_t text(const char *key, const char *value)
{
    pmix_info_t info;

    PMIx_Info_construct(&info);
    assert_int_equal(PMIx_Info_load(&info, key, value, PMIX_STRING), PMIX_SUCCESS);
    return info;
}

static void nothing_there(void **state)
{
    (void) state;
    assert_int_equal(find_with(NULL, 0), PMIX_ERR_UNREACH);
}

static void by_search(void **state)
{
    char content[128];
    pid_t gone = fork();

    (void) state;
    if (gone == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    snprintf(content, sizeof(content), "left.0;tcp4://127.0.0.1:78\n5.0.0\n%d\n", (int) gone);
    write_file("pmix.host.tool.77", content); /* its writer has ended */
    assert_int_equal(find_with(NULL, 0), PMIX_ERR_UNREACH);
    snprintf(content, sizeof(content), "srv.0;tcp4://127.0.0.1:77\n5.0.0\n%d\n", (int) getpid());
    write_file("pmix.host.tool.77", content);
    write_file("pmix.host.tool.srv", content);
    write_file("pmix.host.tool", "rubbish\n");
    assert_int_equal(find_with(NULL, 0), 0);
    assert_int_equal(n_found, 1); /* two names of one server, and a file that says nothing */
    assert_string_equal(found[0].uri, "srv.0;tcp4://127.0.0.1:77");
    assert_string_equal(found[0].version, "5.0.0");
    assert_false(named);
    assert_true(found[0].searched);
    write_file("pmix.sys.host", "sys.0;tcp4://127.0.0.1:1\n4.2.2rc2\n");
    assert_int_equal(find_with(NULL, 0), 0);
    assert_int_equal(n_found, 2);
    assert_string_equal(found[0].uri, "sys.0;tcp4://127.0.0.1:1");
    assert_false(found[0].searched);
    setenv("PMIX_SERVER_URI41", "env.0;tcp4://127.0.0.1:3", 1);
    assert_int_equal(find_with(NULL, 0), 0);
    assert_string_equal(found[0].uri, "env.0;tcp4://127.0.0.1:3");
    unsetenv("PMIX_SERVER_URI41");
}

/* The environment names a file that is not there: what it says besides is of no other server. */
static void lost_environment(void **state)
{
    struct px_server_candidate list[4];
    struct px_tool_directives directives;

    (void) state;
    write_file("pmix.sys.host", "sys.0;tcp4://127.0.0.1:1\n4.2.2rc2\n");
    setenv("PMIX_SERVER_URI41", "file:/nowhere/at/all", 1);
    setenv("PMIX_VERSION", "9.9.9", 1);
    assert_int_equal(px_tool_directives_read(NULL, 0, &directives), 0);
    assert_int_equal(px_tool_list(&directives, "host", list, 4), 1);
    assert_string_equal(list[0].uri, "sys.0;tcp4://127.0.0.1:1");
    assert_string_equal(list[0].version, "4.2.2rc2");
    unsetenv("PMIX_SERVER_URI41");
    unsetenv("PMIX_VERSION");
}

/* Files that say too little, or whose process is another one by now. */
static void left_files(void **state)
{
    char content[160];
    struct px_process self;

    (void) state;
    assert_int_equal(px_process_look(getpid(), &self), 0);
    write_file("pmix.host.tool.1", "cut.0;tcp4://127.0.0.1:70\n5.0.0\n"); /* before its pid */
    write_file("pmix.host.tool.2", "");
    assert_int_equal(symlink("nothing", room_path("pmix.host.tool.3")), 0);
    snprintf(content, sizeof(content),
             "old.0;tcp4://127.0.0.1:71\n5.0.0\n%d\n0:0\nonce\n%llu\n%llu\n", (int) getpid(),
             (unsigned long long) self.started + 1, (unsigned long long) px_process_space());
    write_file("pmix.host.tool.4", content);
    snprintf(content, sizeof(content), "older.0;tcp4://127.0.0.1:72\n5.0.0\n%d\n0:0\nonce\n\n",
             (int) getpid());
    write_file("pmix.host.tool.5", content); /* another library's, from before we started */
    assert_int_equal(utimensat(AT_FDCWD, room_path("pmix.host.tool.5"),
                               (struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}}, 0),
                     0);
    assert_int_equal(find_with(NULL, 0), PMIX_ERR_UNREACH);
    snprintf(content, sizeof(content),
             "new.0;tcp4://127.0.0.1:73\n5.0.0\n%d\n0:0\nonce\n%llu\n%llu\n", (int) getpid(),
             (unsigned long long) self.started, (unsigned long long) px_process_space());
    write_file("pmix.host.tool.6", content);
    assert_int_equal(find_with(NULL, 0), 0);
    assert_int_equal(n_found, 1);
    assert_string_equal(found[0].uri, "new.0;tcp4://127.0.0.1:73");
}

static void make_dir(const char *name)
{
    assert_int_equal(mkdir(room_path(name), 0700), 0);
}

/* Servers of sessions are in directories of their own. */
static void in_the_tree(void **state)
{
    static const char *const dirs[] = {"s",         "s/t",         "s/t/3",        "s/t/3/4",
                                       "s/t/3/4/5", "s/t/3/4/5/6", "s/t/3/4/5/6/7"};
    char content[96];
    pmix_info_t info;
    uint32_t pid = (uint32_t) getpid();

    (void) state;
    for (size_t i = 0; i < 7; i++) {
        make_dir(dirs[i]);
    }
    snprintf(content, sizeof(content), "deep.0;tcp4://127.0.0.1:74\n5.0.0\n%d\n", (int) getpid());
    write_file("s/t/3/4/5/6/7/pmix.host.tool", content); /* too far down */
    assert_int_equal(symlink("s/t/3/4/5/6/7", room_path("link")), 0);
    assert_int_equal(find_with(NULL, 0), PMIX_ERR_UNREACH);
    snprintf(content, sizeof(content), "tree.0;tcp4://127.0.0.1:75\n5.0.0\n%d\n", (int) getpid());
    write_file("s/t/pmix.host.tool.tree", content);
    snprintf(path_of_pid, sizeof(path_of_pid), "s/t/pmix.host.tool.%d", (int) getpid());
    write_file(path_of_pid, content);
    assert_int_equal(find_with(NULL, 0), 0);
    assert_true(n_found == 1 && found[0].searched);
    assert_string_equal(found[0].uri, "tree.0;tcp4://127.0.0.1:75");
    info = text(PMIX_SERVER_NSPACE, "tree");
    assert_int_equal(find_with(&info, 1), 0);
    assert_true(n_found == 1 && named);
    PMIx_Info_destruct(&info);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_SERVER_PIDINFO, &pid, PMIX_UINT32);
    assert_int_equal(find_with(&info, 1), 0);
    snprintf(content, sizeof(content), "top.0;tcp4://127.0.0.1:76\n5.0.0\n%d\n", (int) getpid());
    write_file("pmix.host.tool", content); /* the directory's own come before those below it */
    assert_int_equal(find_with(NULL, 0), 0);
    assert_true(n_found == 1);
    assert_string_equal(found[0].uri, "top.0;tcp4://127.0.0.1:76");
    remove_file("s/t/3/4/5/6/7/pmix.host.tool");
    remove_file("s/t/pmix.host.tool.tree");
    remove_file(path_of_pid);
    for (size_t i = 7; i-- > 0;) {
        assert_int_equal(rmdir(room_path(dirs[i])), 0);
    }
}

/* A file of a server that lives; the name is in the room. */
static void write_server(const char *name, const char *nspace, int port)
{
    char content[96];

    snprintf(content, sizeof(content), "%s.0;tcp4://127.0.0.1:%d\n5.0.0\n%d\n", nspace, port,
             (int) getpid());
    write_file(name, content);
}

/* What may lie in a directory that everybody may write to, and is no server. */
static void make_traps(const char *dir)
{
    char name[128];

    snprintf(name, sizeof(name), "%s/loop", dir);
    assert_int_equal(symlink(".", room_path(name)), 0);
    snprintf(name, sizeof(name), "%s/pmix.host.tool.fifo", dir);
    assert_int_equal(mkfifo(room_path(name), 0600), 0);
    snprintf(name, sizeof(name), "%s/pmix.host.tool.zero", dir);
    assert_int_equal(symlink("/dev/zero", room_path(name)), 0);
    snprintf(name, sizeof(name), "%s/pmix.host.tool.dir", dir);
    make_dir(name);
}

static void remove_traps(const char *dir)
{
    static const char *const names[] = {"loop", "pmix.host.tool.fifo", "pmix.host.tool.zero"};
    char name[128];

    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s/%s", dir, names[i]);
        remove_file(name);
    }
    snprintf(name, sizeof(name), "%s/pmix.host.tool.dir", dir);
    assert_int_equal(rmdir(room_path(name)), 0);
}

static void check_found(const pmix_info_t *info, size_t n, const char *uri)
{
    assert_int_equal(find_with(info, n), 0);
    assert_int_equal(n_found, 1);
    assert_string_equal(found[0].uri, uri);
}

/* A tool whose session has a directory of its own, empty, and servers of the system's directory, in
 * directories of their own sessions. */
static void in_the_system_tree(void **state)
{
    static const char *const dirs[] = {"own", "sys", "sys/a", "sys/a/b"};
    pmix_info_t info;
    bool yes = true;

    (void) state;
    for (size_t i = 0; i < 4; i++) {
        make_dir(dirs[i]);
    }
    setenv("PMIX_SERVER_TMPDIR", room_path("own"), 1);
    setenv("PMIX_SYSTEM_TMPDIR", room_path("sys"), 1);
    make_traps("sys/a");
    assert_int_equal(find_with(NULL, 0), PMIX_ERR_UNREACH);
    write_server("sys/a/b/pmix.host.tool.dvm", "dvm", 81);
    check_found(NULL, 0, "dvm.0;tcp4://127.0.0.1:81");
    assert_true(found[0].searched);
    info = text(PMIX_SERVER_NSPACE, "dvm");
    check_found(&info, 1, "dvm.0;tcp4://127.0.0.1:81");
    PMIx_Info_destruct(&info);
    write_server("sys/a/b/pmix.sys.host", "top", 82);
    PMIx_Info_load(&info, PMIX_CONNECT_TO_SYSTEM, &yes, PMIX_BOOL);
    check_found(&info, 1, "top.0;tcp4://127.0.0.1:82");
    PMIx_Info_destruct(&info);
    setenv("PMIX_SERVER_URI41", "env.0;tcp4://127.0.0.1:83", 1);
    PMIx_Info_load(&info, PMIX_CONNECT_SYSTEM_FIRST, &yes, PMIX_BOOL);
    assert_int_equal(find_with(&info, 1), 0);
    assert_int_equal(n_found, 3); /* of the environment, the system's, and the search */
    assert_true(!found[1].searched && found[2].searched);
    assert_string_equal(found[1].uri, "top.0;tcp4://127.0.0.1:82");
    PMIx_Info_destruct(&info);
    unsetenv("PMIX_SERVER_URI41");
    write_server("own/pmix.host.tool.own", "own", 84);
    check_found(NULL, 0, "own.0;tcp4://127.0.0.1:84"); /* the session's own come first */
    remove_traps("sys/a");
    remove_file("own/pmix.host.tool.own");
    remove_file("sys/a/b/pmix.host.tool.dvm");
    remove_file("sys/a/b/pmix.sys.host");
    for (size_t i = 4; i-- > 0;) {
        assert_int_equal(rmdir(room_path(dirs[i])), 0);
    }
    unsetenv("PMIX_SERVER_TMPDIR");
    unsetenv("PMIX_SYSTEM_TMPDIR");
}

static void by_name(void **state)
{
    pmix_info_t info[2];
    uint32_t pid = 77;
    bool yes = true;

    (void) state;
    write_file("pmix.host.tool.77", "srv.0;tcp4://127.0.0.1:77\n");
    write_file("pmix.sys.host", "sys.0;tcp4://127.0.0.1:1\n");
    PMIx_Info_construct(&info[0]);
    PMIx_Info_load(&info[0], PMIX_SERVER_PIDINFO, &pid, PMIX_UINT32);
    assert_int_equal(find_with(info, 1), 0);
    assert_int_equal(n_found, 1);
    assert_true(named);
    info[0].value.data.uint32 = 78;
    assert_int_equal(find_with(info, 1), PMIX_ERR_UNREACH);
    write_file("pmix.host.tool.78", "srv.0;tcp4://127.0.0.1:77\n5.0.0\n77\n");
    assert_int_equal(find_with(info, 1), PMIX_ERR_UNREACH); /* it says that it is another's */
    info[0] = text(PMIX_SERVER_NSPACE, "srv");
    assert_int_equal(find_with(info, 1), PMIX_ERR_UNREACH);
    write_file("pmix.host.tool.srv", "other.0;tcp4://127.0.0.1:77\n");
    assert_int_equal(find_with(info, 1), PMIX_ERR_UNREACH);
    write_file("pmix.host.tool.srv", "srv.0;tcp4://127.0.0.1:77\n");
    assert_int_equal(find_with(info, 1), 0);
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_load(&info[0], PMIX_CONNECT_TO_SYSTEM, &yes, PMIX_BOOL);
    assert_int_equal(find_with(info, 1), 0);
    assert_string_equal(found[0].uri, "sys.0;tcp4://127.0.0.1:1");
    remove_file("pmix.sys.host");
    assert_int_equal(find_with(info, 1), PMIX_ERR_UNREACH); /* no other will do */
}

static void by_contact(void **state)
{
    pmix_info_t info[2];
    char path[256];

    (void) state;
    info[0] = text(PMIX_SERVER_URI, "a.0;tcp4://127.0.0.1:9");
    assert_int_equal(find_with(info, 1), 0);
    assert_string_equal(found[0].uri, "a.0;tcp4://127.0.0.1:9");
    info[1] = text(PMIX_TCP_URI, "b.0;tcp4://127.0.0.1:9");
    assert_int_equal(find_with(info, 2), PMIX_ERR_BAD_PARAM); /* both */
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
    info[0] = text(PMIX_SERVER_URI, "PMIX_SERVER_URI41:PMIX_SERVER_URI4;c.0;tcp4://127.0.0.1:9");
    assert_int_equal(find_with(info, 1), 0);
    assert_string_equal(found[0].uri, "c.0;tcp4://127.0.0.1:9");
    PMIx_Info_destruct(&info[0]);
    write_file("attach", "d.0;tcp4://127.0.0.1:9\n");
    snprintf(path, sizeof(path), "file:%s/attach", room);
    info[0] = text(PMIX_TCP_URI, path);
    assert_int_equal(find_with(info, 1), 0);
    assert_string_equal(found[0].uri, "d.0;tcp4://127.0.0.1:9");
    info[1] = text(PMIX_TOOL_ATTACHMENT_FILE, "/nonexistent");
    assert_int_equal(find_with(info, 2), PMIX_ERR_UNREACH); /* the file comes first and is final */
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
}

static void wrong_types(void **state)
{
    pmix_info_t info;
    int number = 3;

    (void) state;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_SERVER_URI, &number, PMIX_INT);
    assert_int_equal(find_with(&info, 1), PMIX_ERR_BAD_PARAM);
    PMIx_Info_load(&info, PMIX_TOOL_NSPACE, &number, PMIX_INT);
    assert_int_equal(find_with(&info, 1), PMIX_ERR_BAD_PARAM);
    info = text(PMIX_SERVER_PIDINFO, "many");
    assert_int_equal(find_with(&info, 1), PMIX_ERR_BAD_PARAM);
    PMIx_Info_destruct(&info);
}

#define in_room(test) cmocka_unit_test_setup_teardown(test, room_make, room_clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_room(nothing_there), in_room(by_search),          in_room(left_files),
        in_room(in_the_tree),   in_room(in_the_system_tree), in_room(by_name),
        in_room(by_contact),    in_room(wrong_types),        in_room(lost_environment),
    };

    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
