/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/status.h"
#include "src/net/listen.h"
#include "src/net/uri.h"

static char dir[] = "/tmp/px-listen-XXXXXX";
static char path[64];

static int setup(void **state)
{
    (void) state;
    alarm(60);
    if (!mkdtemp(dir)) {
        return -1;
    }
    (void) snprintf(path, sizeof(path), "%s/s", dir);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    return rmdir(dir); /* fails when anything was left */
}

static int reach(const char *uri)
{
    char whole[PX_URI_BYTES + 8];
    pmix_proc_t server;
    struct px_address to;
    int fd;
    int rc;

    (void) snprintf(whole, sizeof(whole), "s.0;%s", uri);
    assert_int_equal(px_uri_parse(whole, &server, &to), 0);
    fd = socket(to.addr.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rc = connect(fd, &to.addr.any, to.len);
    (void) close(fd);
    return rc;
}

static void tcp_is_loopback(void **state)
{
    char uri[PX_URI_BYTES];
    int fd = px_listen_tcp(uri);

    (void) state;
    assert_true(fd >= 0);
    assert_memory_equal(uri, "tcp4://127.0.0.1:", 17);
    assert_int_equal(reach(uri), 0);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    (void) close(fd);
}

static void abstract_names_differ(void **state)
{
    struct px_socket_file mark = {.path = ""};
    char one[PX_URI_BYTES];
    char two[PX_URI_BYTES];
    int fd1 = px_listen_unix(NULL, 0, one, &mark);
    int fd2 = px_listen_unix("", 0, two, &mark);

    (void) state;
    assert_true(fd1 >= 0 && fd2 >= 0);
    assert_memory_equal(one, "unix://@pmix-", 13);
    assert_int_equal(strlen(one), 13 + 32);
    assert_string_not_equal(one, two);
    assert_int_equal(reach(one), 0);
    assert_int_equal(mark.path[0], 0);
    px_listen_unlink(&mark);
    (void) close(fd1);
    (void) close(fd2);
}

static void a_path_is_made_and_removed(void **state)
{
    struct px_socket_file mark = {.path = ""};
    char uri[PX_URI_BYTES];
    struct stat st;
    mode_t before = umask(077);
    int fd = px_listen_unix(path, 0666, uri, &mark);

    (void) state;
    (void) umask(before);
    assert_true(fd >= 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666);
    assert_int_equal(reach(uri), 0);
    (void) close(fd);
    px_listen_unlink(&mark);
    assert_int_equal(lstat(path, &st), -1);
    mark.path[0] = '\0';
    fd = px_listen_unix(path, 0, uri, &mark);
    assert_true(fd >= 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    (void) close(fd);
    px_listen_unlink(&mark);
}

static void a_living_server_is_left_alone(void **state)
{
    struct px_socket_file first = {.path = ""};
    struct px_socket_file second = {.path = ""};
    char uri[PX_URI_BYTES];
    int fd = px_listen_unix(path, 0600, uri, &first);

    (void) state;
    assert_true(fd >= 0);
    assert_int_equal(px_listen_unix(path, 0600, uri, &second), PX_ERR_RESOURCE_BUSY);
    assert_int_equal(reach(uri), 0);
    (void) close(fd);
    /* now it is dead: its place is taken over, and its mark removes nothing any more */
    fd = px_listen_unix(path, 0600, uri, &second);
    assert_true(fd >= 0);
    px_listen_unlink(&first);
    assert_int_equal(access(path, F_OK), first.ino == second.ino ? -1 : 0);
    (void) close(fd);
    px_listen_unlink(&second);
}

static void other_files_are_left_alone(void **state)
{
    struct px_socket_file mark = {.path = ""};
    char uri[PX_URI_BYTES];
    char target[80];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat st;

    (void) state;
    assert_true(fd >= 0);
    (void) close(fd);
    assert_int_equal(px_listen_unix(path, 0600, uri, &mark), PX_ERR_RESOURCE_BUSY);
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(unlink(path), 0);
    (void) snprintf(target, sizeof(target), "%s/target", dir);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(px_listen_unix(path, 0600, uri, &mark), PX_ERR_RESOURCE_BUSY);
    assert_int_equal(lstat(target, &st), -1); /* nothing was made behind the link */
    assert_int_equal(unlink(path), 0);
}

/* The socket gets the last descriptor. The file that it makes is marked, and removed like others.
 */
static void a_path_without_descriptors(void **state)
{
    struct px_socket_file mark = {.path = ""};
    struct rlimit before;
    struct rlimit few;
    char uri[PX_URI_BYTES];
    int next = dup(0);
    int fd;

    (void) state;
    assert_true(next >= 0);
    (void) close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t) next + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    fd = px_listen_unix(path, 0666, uri, &mark);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(fd >= 0);
    assert_int_equal(reach(uri), 0);
    (void) close(fd);
    px_listen_unlink(&mark);
    assert_int_equal(access(path, F_OK), -1);
}

static void paths_that_cannot_be(void **state)
{
    struct px_socket_file mark = {.path = ""};
    char uri[PX_URI_BYTES];
    char big[300];

    (void) state;
    memset(big, 'x', sizeof(big));
    big[0] = '/';
    big[108] = '\0';
    assert_int_equal(px_listen_unix(big, 0600, uri, &mark), PX_ERR_BAD_PARAM);
    assert_int_equal(px_listen_unix("relative", 0600, uri, &mark), PX_ERR_BAD_PARAM);
    assert_int_equal(px_listen_unix("/nowhere/at/all", 0600, uri, &mark), PX_ERR_NO_PERMISSIONS);
    assert_int_equal(mark.path[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_is_loopback),
        cmocka_unit_test(abstract_names_differ),
        cmocka_unit_test(a_path_is_made_and_removed),
        cmocka_unit_test(a_living_server_is_left_alone),
        cmocka_unit_test(other_files_are_left_alone),
        cmocka_unit_test(a_path_without_descriptors),
        cmocka_unit_test(paths_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
