/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/net/auth.h"
#include "src/net/tcp_owner.h"

struct ends {
    int ours;
    int theirs;
    struct sockaddr_in near;
    struct sockaddr_in far;
};

static int listen_here(struct sockaddr_in *at)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof(*at);

    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (struct sockaddr *) at, len), 0);
    assert_int_equal(listen(fd, 5), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *) at, &len), 0);
    return fd;
}

static void tcp_ends(struct ends *ends)
{
    int listener = listen_here(&ends->near);
    socklen_t len = sizeof(ends->far);

    ends->theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends->theirs, (struct sockaddr *) &ends->near, sizeof(ends->near)), 0);
    ends->ours = accept4(listener, (struct sockaddr *) &ends->far, &len, SOCK_CLOEXEC);
    assert_true(ends->ours >= 0);
    (void) close(listener);
}

static void a_living_peer(void **state)
{
    struct ends ends;
    struct px_peer_cred who;
    struct px_socket_owner owner = {.uid = 77777};

    (void) state;
    tcp_ends(&ends);
    who = px_auth_peer(ends.ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, geteuid());
    assert_int_equal(who.gid, (gid_t) -1);
    assert_int_equal(who.pid, 0);
    assert_int_equal(px_owner_read("/proc/net/tcp", &ends.far, &ends.near, &owner), PX_OWNER_FOUND);
    assert_int_equal(owner.uid, geteuid());
    (void) shutdown(ends.theirs, SHUT_WR); /* still somebody's */
    who = px_auth_peer(ends.ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, geteuid());
    (void) close(ends.theirs);
    (void) close(ends.ours);
}

/* The kernel would say root. */
static void a_peer_that_left_is_nobody(void **state)
{
    struct ends ends;
    struct px_peer_cred who;
    struct px_socket_owner owner = {.uid = 77777};

    (void) state;
    tcp_ends(&ends);
    assert_int_equal(send(ends.theirs, "claim", 5, 0), 5);
    (void) close(ends.theirs);
    who = px_auth_peer(ends.ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, (uid_t) -1);
    assert_int_equal(px_owner_read("/proc/net/tcp", &ends.far, &ends.near, &owner),
                     PX_OWNER_NOBODY);
    assert_int_not_equal(px_owner_ask(&ends.far, &ends.near, &owner), PX_OWNER_FOUND);
    assert_int_equal(owner.uid, 77777);
    (void) close(ends.ours);
}

static void a_connection_that_is_not(void **state)
{
    struct sockaddr_in at;
    struct sockaddr_in far;
    struct px_socket_owner owner = {.uid = 77777};
    int listener = listen_here(&at);

    (void) state;
    far = at;
    far.sin_port = htons(1);
    assert_int_equal(px_owner_ask(&far, &at, &owner), PX_OWNER_UNKNOWN);
    assert_int_equal(px_owner_ask(&at, &far, &owner),
                     PX_OWNER_UNKNOWN); /* the listener does not count */
    assert_int_not_equal(px_owner_ask(&far, NULL, &owner), PX_OWNER_FOUND);
    assert_int_equal(px_owner_read("/proc/net/tcp", &far, NULL, &owner), PX_OWNER_NOBODY);
    assert_int_equal(px_owner_read("/proc/net/tcp", &far, &at, &owner), PX_OWNER_NOBODY);
    assert_int_equal(px_owner_read("/nowhere/at/all", &far, &at, &owner), PX_OWNER_UNKNOWN);
    assert_int_equal(owner.uid, 77777);
    (void) close(listener);
}

/* A connection that was reset has no peer any more, but what it sent before can be read. */
static void a_peer_that_was_reset_is_nobody(void **state)
{
    struct linger now = {.l_onoff = 1};
    struct ends ends;
    struct px_peer_cred who;
    char sink[8];

    (void) state;
    tcp_ends(&ends);
    assert_int_equal(send(ends.theirs, "claim", 5, 0), 5);
    assert_int_equal(setsockopt(ends.theirs, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    (void) close(ends.theirs);
    (void) !recv(ends.ours, sink, sizeof(sink), 0);
    who = px_auth_peer(ends.ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, (uid_t) -1);
    who = px_auth_peer(ends.ours, getpid());
    assert_int_equal(who.uid, (uid_t) -1);
    assert_int_equal(who.gid, (gid_t) -1);
    (void) close(ends.ours);
}

static void who_listens(void **state)
{
    struct px_socket_owner owner = {.uid = 77777};
    struct px_socket_owner again = {.uid = 77777};
    struct sockaddr_in at;
    int listener = listen_here(&at);

    (void) state;
    assert_int_equal(px_owner_find(&at, NULL, &owner), PX_OWNER_FOUND);
    assert_int_equal(owner.uid, geteuid());
    assert_int_equal(px_owner_read("/proc/net/tcp", &at, NULL, &again), PX_OWNER_FOUND);
    assert_int_equal(again.uid, geteuid());
    assert_int_equal(again.inode, owner.inode);
    (void) close(listener);
    assert_int_not_equal(px_owner_find(&at, NULL, &owner), PX_OWNER_FOUND);
}

/* Whose connection it is, before it has said anything. */
static void a_user_at_once(void **state)
{
    struct sockaddr_in at;
    struct ends ends;
    int listener = listen_here(&at);
    int pair[2];

    (void) state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(px_auth_user(pair[0]), geteuid());
    assert_false(px_auth_names_tcp(pair[0]));
    if (!px_auth_names_tcp(listener)) {
        skip();
    }
    tcp_ends(&ends);
    assert_int_equal(px_auth_user(ends.ours), geteuid());
    (void) shutdown(ends.theirs, SHUT_WR); /* still somebody's */
    assert_int_equal(px_auth_user(ends.ours), geteuid());
    (void) close(ends.theirs); /* the kernel would say root */
    assert_int_equal(px_auth_user(ends.ours), (uid_t) -1);
    assert_false(px_auth_names_tcp(ends.ours));
    (void) close(ends.ours);
    (void) close(listener);
    (void) close(pair[0]);
    (void) close(pair[1]);
}

/* The process that a peer names is believed when it holds the connection. */
static void the_process_that_holds_it(void **state)
{
    struct ends ends;
    struct px_peer_cred who;
    pid_t stranger;
    int told[2];
    char byte;

    (void) state;
    tcp_ends(&ends);
    assert_int_equal(pipe(told), 0);
    who = px_auth_peer(ends.ours, getpid());
    assert_true(who.known);
    assert_int_equal(who.uid, geteuid());
    assert_int_equal(who.gid, getegid());
    assert_int_equal(who.pid, getpid());
    stranger = fork();
    assert_true(stranger >= 0);
    if (stranger == 0) {
        (void) close(ends.ours);
        (void) close(ends.theirs);
        (void) !write(told[1], "", 1);
        (void) pause();
        _exit(0);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    who = px_auth_peer(ends.ours, stranger);
    (void) kill(stranger, SIGKILL);
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
    assert_int_equal(who.uid, geteuid());
    assert_int_equal(who.gid, (gid_t) -1);
    assert_int_equal(who.pid, 0);
    (void) close(told[0]);
    (void) close(told[1]);
    (void) close(ends.theirs);
    (void) close(ends.ours);
}

/* Ids that are not all one, as a program has that was started with the group of its file, prove
 * nothing; nor does a process of another user than the socket's. */
static void ids_that_prove_nothing(void **state)
{
    /* real, effective, saved, that for files */
    static const gid_t groups[][4] = {
        {0, 4, 4, 4}, {0, 0, 4, 0}, {4, 0, 0, 0}, {4, 0, 4, 4}, {4, 4, 4, 0}, {4, 4, 4, 4},
    };
    enum { ALL_ONE = 5 };

    (void) state;
    if (geteuid() != 0) {
        skip();
    }
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        struct ends ends;
        int told[2];
        char byte;
        struct px_peer_cred who;
        pid_t pid;

        tcp_ends(&ends);
        assert_int_equal(pipe(told), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            (void) close(told[0]);
            (void) !(setresgid(groups[i][0], groups[i][1], groups[i][2]) == 0 &&
                     setfsgid(groups[i][3]) >= 0 && write(told[1], "", 1) == 1);
            (void) pause();
            _exit(0);
        }
        assert_int_equal(read(told[0], &byte, 1), 1);
        who = px_auth_peer(ends.ours, pid);
        assert_int_equal(who.gid, i == ALL_ONE ? 4 : (gid_t) -1);
        assert_int_equal(who.uid, 0);
        (void) kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        (void) close(told[0]);
        (void) close(told[1]);
        (void) close(ends.theirs);
        (void) close(ends.ours);
    }
}

/* An address of this machine that is none of the loopback's. */
static bool outer_address(struct sockaddr_in *ret)
{
    struct ifaddrs *all;
    bool found = false;

    if (getifaddrs(&all) != 0) {
        return false;
    }
    for (const struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET) {
            memcpy(ret, one->ifa_addr, sizeof(*ret));
            found = ntohl(ret->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
        }
    }
    freeifaddrs(all);
    return found;
}

/* A process may call a loopback address from any address of its machine: it is known all the
 * same. */
static void a_peer_from_an_outer_address(void **state)
{
    struct sockaddr_in from;
    struct sockaddr_in at;
    struct px_peer_cred who;
    int listener;
    int theirs;
    int ours;

    (void) state;
    if (!outer_address(&from)) {
        skip();
    }
    from.sin_port = 0;
    listener = listen_here(&at);
    theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(theirs, (struct sockaddr *) &from, sizeof(from)) != 0 ||
        connect(theirs, (struct sockaddr *) &at, sizeof(at)) != 0) {
        (void) close(theirs);
        (void) close(listener);
        skip();
    }
    ours = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(ours >= 0);
    who = px_auth_peer(ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, geteuid());
    (void) close(theirs);
    who = px_auth_peer(ours, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, (uid_t) -1);
    (void) close(ours);
    (void) close(listener);
}

/* A claim is not believed because we are too busy to look. */
static void no_descriptor_to_look_with(void **state)
{
    struct rlimit before;
    struct rlimit none;
    struct ends ends;
    struct px_peer_cred who;

    (void) state;
    tcp_ends(&ends);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    who = px_auth_peer(ends.ours, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(who.known);
    assert_int_equal(who.uid, (uid_t) -1);
    (void) close(ends.theirs);
    (void) close(ends.ours);
}

/* What the kernel would say of a connected socket of user 501. */
struct answer {
    struct nlmsghdr header;
    struct inet_diag_msg found;
};

static struct answer answer_about(const struct sockaddr_in *end, const struct sockaddr_in *other)
{
    struct answer answer = {
        .header = {.nlmsg_len = sizeof(answer), .nlmsg_type = SOCK_DIAG_BY_FAMILY},
        .found = {.idiag_family = AF_INET, .idiag_state = 1, .idiag_uid = 501, .idiag_inode = 12},
    };

    answer.found.id.idiag_src[0] = end->sin_addr.s_addr;
    answer.found.id.idiag_sport = end->sin_port;
    answer.found.id.idiag_dst[0] = other->sin_addr.s_addr;
    answer.found.id.idiag_dport = other->sin_port;
    return answer;
}

/* Only what the kernel says about just this socket counts. */
static void answers_about_others(void **state)
{
    struct sockaddr_in near = {.sin_port = htons(2000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in far = {.sin_port = htons(1000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in ports[2] = {near, far};
    struct sockaddr_in hosts[2] = {near, far};
    struct answer answer = answer_about(&far, &near);
    struct px_socket_owner owner = {.uid = 77777};

    (void) state;
    for (int i = 0; i < 2; i++) {
        ports[i].sin_port = htons(3000);
        hosts[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
        answer = answer_about(&far, i ? &ports[0] : &hosts[0]);
        assert_int_equal(px_owner_answer(&answer, sizeof(answer), &far, &near, &owner),
                         PX_OWNER_UNKNOWN);
    }
    for (int i = 0; i < 2; i++) {
        answer = answer_about(i ? &ports[1] : &hosts[1], &near);
        assert_int_equal(px_owner_answer(&answer, sizeof(answer), &far, &near, &owner),
                         PX_OWNER_UNKNOWN);
    }
    answer = answer_about(&far, &near);
    for (size_t len = 0; len < sizeof(answer); len++) {
        assert_int_equal(px_owner_answer(&answer, len, &far, &near, &owner), PX_OWNER_UNKNOWN);
    }
    answer.header.nlmsg_len--;
    assert_int_equal(px_owner_answer(&answer, sizeof(answer), &far, &near, &owner),
                     PX_OWNER_UNKNOWN);
    answer.header.nlmsg_len++;
    answer.header.nlmsg_type = NLMSG_ERROR;
    assert_int_equal(px_owner_answer(&answer, sizeof(answer), &far, &near, &owner),
                     PX_OWNER_UNKNOWN);
    assert_int_equal(owner.uid, 77777);
    answer.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    assert_int_equal(px_owner_answer(&answer, sizeof(answer), &far, &near, &owner), PX_OWNER_FOUND);
    assert_int_equal(owner.uid, 501);
}

static void rows_of_a_table(void **state)
{
    static const char table[] = "  sl  local_address rem_address   st tx_queue rx_queue tr "
                                "tm->when retrnsmt   uid  timeout inode\n"
                                "nonsense\n"
                                "   9: 0100007F:03E9 0100007F:07D1 01 00000000:00000000 "
                                "00:00000000 00000000   509        0 19 1\n"
                                "   9: 0100007F:03E9 0200007F:07D0 01 00000000:00000000 "
                                "00:00000000 00000000   509        0 19 1\n"
                                "   0: 0100007F:03E8 0100007F:07D0 0A 00000000:00000000 "
                                "00:00000000 00000000   500        0 11 1\n"
                                "   1: 0100007F:03E9 0100007F:07D0 01 00000000:00000000 "
                                "00:00000000 00000000   501        0 12 1\n"
                                "   2: 0100007F:03EA 0100007F:07D0 06 00000000:00000000 "
                                "03:00000000 00000000     0        0 0 3\n"
                                "   3: 0100007F:03EB 0100007F:07D0 04 00000000:00000000 "
                                "03:00000000 00000000     0        0 0 3\n";
    char path[] = "/tmp/px-table-XXXXXX";
    struct sockaddr_in near = {.sin_port = htons(2000), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in far = {.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    static const enum px_owner expected[] = {PX_OWNER_NOBODY, PX_OWNER_FOUND, PX_OWNER_NOBODY,
                                             PX_OWNER_NOBODY, PX_OWNER_NOBODY};
    int fd = mkstemp(path);
    struct px_socket_owner owner = {0};

    (void) state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, table, sizeof(table) - 1), (ssize_t) sizeof(table) - 1);
    (void) close(fd);
    for (int i = 0; i < 5; i++) {
        far.sin_port = htons((uint16_t) (1000 + i));
        assert_int_equal(px_owner_read(path, &far, &near, &owner), expected[i]);
    }
    assert_int_equal(owner.uid, 501);
    assert_int_equal(unlink(path), 0);
}

static void unix_peers(void **state)
{
    int ends[2];
    struct px_peer_cred who;

    (void) state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    who = px_auth_peer(ends[0], 0);
    assert_true(who.known);
    assert_int_equal(who.uid, geteuid());
    assert_int_equal(who.gid, getegid());
    assert_int_equal(who.pid, getpid());
    (void) close(ends[0]);
    (void) close(ends[1]);
    who = px_auth_peer(STDIN_FILENO, 0); /* no socket of ours at all, or none that tells */
    assert_true(!who.known || who.uid == geteuid() || who.uid == (uid_t) -1);
    who = px_auth_peer(-1, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, (uid_t) -1);
}

/* A process that became somebody else is told apart at both kinds of socket. */
static void another_user(void **state)
{
    struct sockaddr_in at;
    int told[2];
    int listener;
    int fd;
    struct px_peer_cred who;
    pid_t pid;

    (void) state;
    if (geteuid() != 0) {
        skip();
    }
    listener = listen_here(&at);
    assert_int_equal(pipe(told), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char byte;

        fd = setgid(54321) || setuid(54321) ? -1 : socket(AF_INET, SOCK_STREAM, 0);
        (void) close(told[1]);
        (void) !connect(fd, (struct sockaddr *) &at, sizeof(at));
        (void) !read(told[0], &byte, 1);
        _exit(0);
    }
    fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    who = px_auth_peer(fd, 0);
    assert_true(who.known);
    assert_int_equal(who.uid, 54321);
    (void) close(told[0]);
    (void) close(told[1]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void) close(fd);
    (void) close(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_living_peer),
        cmocka_unit_test(a_peer_that_left_is_nobody),
        cmocka_unit_test(a_peer_that_was_reset_is_nobody),
        cmocka_unit_test(who_listens),
        cmocka_unit_test(a_user_at_once),
        cmocka_unit_test(the_process_that_holds_it),
        cmocka_unit_test(ids_that_prove_nothing),
        cmocka_unit_test(a_connection_that_is_not),
        cmocka_unit_test(a_peer_from_an_outer_address),
        cmocka_unit_test(no_descriptor_to_look_with),
        cmocka_unit_test(answers_about_others),
        cmocka_unit_test(rows_of_a_table),
        cmocka_unit_test(unix_peers),
        cmocka_unit_test(another_user),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
