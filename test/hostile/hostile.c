/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A hostile program at the server's listeners, started by a host daemon in place of a client so
 * that it knows both contact strings. It speaks the protocol by hand, wrongly in every way that the
 * table below lists, and says for each attack whether the server did what it must: answer or close,
 * soon. Then it executes its arguments, the client that the host meant to start, which must find
 * the server in order. With HOSTILE_OUTSIDE set it makes only the attacks that never get through
 * the handshake. usage: hostile PROGRAM [ARG...] */

#include "commits.h"
#include "speak.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

enum { ROOM = 1 << 16, IDLERS = 1000 };

static int failures;
static const char *uris[2]; /* AF_UNIX, TCP; NULL when that listener is shut */

static void report(bool held, const char *door, const char *what)
{
    failures += !held;
    printf("%s - %s: %s\n", held ? "ok" : "not ok", door, what);
    fflush(stdout);
}

/* --- attacks before the handshake is over --- */

static bool sent_then_closed(const char *uri, const void *bytes, size_t len)
{
    int fd = dial(uri);
    bool held;

    send_all(fd, bytes, len);
    held = closes(fd);
    close(fd);
    return held;
}

static bool garbage(const char *uri)
{
    unsigned char bytes[4096];

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char) (i * 37 + 11);
    }
    return sent_then_closed(uri, bytes, sizeof(bytes));
}

static bool oversized_hello(const char *uri)
{
    unsigned char bytes[16];

    return sent_then_closed(uri, bytes, write_header(bytes, UINT32_MAX));
}

static bool empty_hello(const char *uri)
{
    unsigned char bytes[16];

    return sent_then_closed(uri, bytes, write_header(bytes, 0));
}

static bool unterminated_hello(const char *uri)
{
    unsigned char bytes[16 + 512];

    memset(bytes, 'x', sizeof(bytes));
    write_header(bytes, 512);
    return sent_then_closed(uri, bytes, sizeof(bytes));
}

static bool refused(const char *uri, const struct hello *h)
{
    unsigned char bytes[1024];

    return sent_then_closed(uri, bytes, write_hello(bytes, h));
}

static bool unknown_nspace(const char *uri)
{
    struct hello h = honest();

    h.nspace = "nobody-registered-this";
    return refused(uri, &h);
}

static bool unknown_rank(const char *uri)
{
    struct hello h = honest();

    h.rank = 4711;
    return refused(uri, &h);
}

static bool unknown_module(const char *uri)
{
    struct hello h = honest();

    h.module = "v99";
    return refused(uri, &h);
}

static bool unknown_security(const char *uri)
{
    struct hello h = honest();

    h.psec = "trust-me";
    return refused(uri, &h);
}

/* As another user with an honest claim, and with a lie about who it is. */
static bool other_user(const char *uri, bool lies)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        struct hello h = honest();
        uint32_t uid = lies ? geteuid() : 65534;

        if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) {
            _exit(2);
        }
        h.uid = uid;
        _exit(refused(uri, &h) ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    return status == 0;
}

static bool wrong_uid(const char *uri)
{
    return geteuid() != 0 || other_user(uri, false);
}

static bool lying_uid(const char *uri)
{
    return geteuid() != 0 || other_user(uri, true);
}

/* The client dies after each byte of its introduction. */
static bool dies_at_each_byte(const char *uri)
{
    unsigned char bytes[1024];
    struct hello h = honest();
    size_t len = write_hello(bytes, &h);

    for (size_t k = 0; k < len; k++) {
        int fd = dial(uri);

        if (fd < 0) {
            return false;
        }
        send_all(fd, bytes, k);
        close(fd);
    }
    return true;
}

static bool many_idlers(const char *uri)
{
    int fds[IDLERS];
    bool held = true;
    int fd;

    for (int i = 0; i < IDLERS; i++) {
        fds[i] = dial(uri);
        held = held && fds[i] >= 0;
    }
    fd = admitted(uri);
    held = held && fd >= 0;
    close(fd);
    for (int i = 0; i < IDLERS; i++) {
        close(fds[i]);
    }
    return held;
}

/* --- attacks from within --- */

static bool huge_message(const char *uri)
{
    uint32_t words[4] = {0, htonl(101), UINT32_MAX, 0};
    int fd = admitted(uri);
    bool held;

    if (fd < 0) {
        return false;
    }
    send_all(fd, words, sizeof(words));
    held = closes(fd);
    close(fd);
    return held;
}

/* A get of 2 MiB is refused when its beginning has come; the rest is taken, and more is answered.
 */
static bool long_get(const char *uri)
{
    static unsigned char rest[2 << 20];
    uint32_t words[4] = {0, htonl(101), htonl(8 + sizeof(rest)), 0};
    unsigned char bytes[64];
    int fd = admitted(uri);
    bool held;

    if (fd < 0) {
        return false;
    }
    send_all(fd, words, sizeof(words));
    send_all(fd, "\x02\x04\0\0\0\0\0\0", 8);
    held = readable(fd) && receive(fd, words, sizeof(words)) && ntohl(words[1]) == 101 &&
           receive(fd, bytes, ntohl(words[2]));
    send_all(fd, rest, sizeof(rest));
    send_all(fd, bytes, write_frame(bytes, 102, "\x02\xc8", 2));
    held = held && readable(fd) && receive(fd, words, sizeof(words)) && ntohl(words[1]) == 102;
    close(fd);
    return held;
}

static bool half_message(const char *uri)
{
    uint32_t words[4] = {0, htonl(101), htonl(1000), 0};
    int fd = admitted(uri);

    if (fd < 0) {
        return false;
    }
    send_all(fd, words, sizeof(words));
    close(fd);
    return true;
}

static bool unknown_command(const char *uri)
{
    return answered(uri, "\x02\xc8", 2);
}

static bool empty_message(const char *uri)
{
    return answered(uri, "", 0);
}

static bool every_command_truncated(const char *uri)
{
    for (unsigned command = 1; command < 40; command++) {
        unsigned char payload[2] = {0x02, (unsigned char) command};

        /* 5 ends the session; 14 has no reply; 0 and 2 are whole without fields */
        if (command == 2 || command == 5 || command == 14) {
            continue;
        }
        if (!answered(uri, payload, sizeof(payload))) {
            printf("# command %u was not answered\n", command);
            return false;
        }
    }
    return true;
}

static bool every_command_garbled(const char *uri)
{
    unsigned char payload[64];

    for (unsigned command = 1; command < 40; command++) {
        if (command == 5 || command == 14) {
            continue;
        }
        memset(payload, 0xff, sizeof(payload));
        payload[0] = 0x02;
        payload[1] = (unsigned char) command;
        if (!answered(uri, payload, sizeof(payload))) {
            printf("# command %u was not answered\n", command);
            return false;
        }
    }
    return true;
}

/* PUBLISH of one info whose value is an array of an array of ... */
static bool over_deep(const char *uri)
{
    unsigned char payload[ROOM / 2];
    size_t n = 0;

    n += put(payload + n, "\x02\x06", 2);        /* PUBLISH */
    n += put(payload + n, "\x02\x00", 2);        /* uid 0 */
    n += put(payload + n, "\x02\x01", 2);        /* one info */
    n += put(payload + n, "\x02\x04k\0\x00", 5); /* key "k", no flags */
    payload[n++] = 39;                           /* a data array */
    for (int level = 0; level < 2000; level++) {
        n += put(payload + n, "\x27\x01", 2); /* of one data array */
    }
    n += put(payload + n, "\x0c\x01\x07", 3); /* of one uint8 */
    return answered(uri, payload, (uint32_t) n);
}

static bool promised_elements(const char *uri)
{
    /* FENCE over 2^62 procs that are not there */
    return answered(uri, "\x02\x03\x02\xff\xff\xff\xff\xff\xff\xff\x3f", 11);
}

static bool vanishing_requester(const char *uri)
{
    for (int i = 0; i < 20; i++) {
        unsigned char bytes[64];
        int fd = admitted(uri);

        if (fd < 0) {
            return false;
        }
        send_all(fd, bytes,
                 write_frame(bytes, 101, "\x02\x00", 2)); /* asks for the job and is gone */
        close(fd);
    }
    return true;
}

/* GET of a namespace with the private directive "shmix.collected", whose value is given as its type
 * and its bytes, twice; without a key. */
static size_t write_collected(unsigned char *at, const char *name, const void *rank_bytes,
                              size_t rank_len, const void *value, size_t value_len)
{
    size_t len = strlen(name) + 1;
    size_t n = put(at, "\x02\x04\x02", 3);

    at[n++] = (unsigned char) (2 * len);
    n += put_string(at + n, name);
    at[n++] = 2;
    n += put(at + n, rank_bytes, rank_len);
    n += put(at + n, "\x02\x02\x04", 3); /* two infos */
    for (int i = 0; i < 2; i++) {
        at[n++] = 2 * sizeof("shmix.collected");
        n += put_string(at + n, "shmix.collected");
        at[n++] = 0;
        n += put(at + n, value, value_len);
    }
    return n;
}

/* What has changed of a namespace, asked for with numbers of every kind. */
static bool collects_oddly(const char *uri)
{
    static const struct {
        const char *bytes;
        size_t len;
    } ranks[] = {{"\x00", 1},
                 {"\x7f", 1},
                 {"\xff\xff\xff\xff\x0f", 5},
                 {"\xfa\xff\xff\xff\x0f", 5}},
      values[] = {{"\x0f\x00", 2},
                  {"\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10},
                  {"\x03\x04x", 4},
                  {"\x00", 1},
                  {"\x1b\x01x", 3}};
    const char *names[] = {nspace, "nobody", "other-job", ""};
    unsigned char payload[512];

    for (unsigned i = 0; i < 4 * 5 * 4; i++) {
        size_t r = i % 4;
        size_t v = i / 4 % 5;
        size_t n = write_collected(payload, names[i / 20], ranks[r].bytes, ranks[r].len,
                                   values[v].bytes, values[v].len);

        if (!answered(uri, payload, (uint32_t) n)) {
            printf("# number %u was not answered\n", i);
            return false;
        }
    }
    return true;
}

/* The descriptors that came with one reply; -1: there is no reply. */
static int descriptors_of_reply(int fd)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } control;
    char sink[ROOM];
    uint32_t words[4];
    struct iovec at = {.iov_base = words, .iov_len = sizeof(words)};
    struct msghdr msg = {.msg_iov = &at,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof(control)};
    int n = 0;

    if (!readable(fd) || recvmsg(fd, &msg, MSG_WAITALL) != sizeof(words)) {
        return -1;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
        int got[16];
        int k = (int) ((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));

        memcpy(got, CMSG_DATA(c), (size_t) k * sizeof(int));
        for (int i = 0; i < k; i++) {
            close(got[i]);
        }
        n += k;
    }
    return ntohl(words[2]) <= sizeof(sink) && receive(fd, sink, ntohl(words[2])) ? n : -1;
}

/* REQ; PROC_RANK generation; STRING namespace. */
static int asked_for(int fd, unsigned char generation, const char *name)
{
    unsigned char payload[1024];
    unsigned char bytes[ROOM];
    size_t len = strlen(name) + 1;
    size_t n = put(payload, "\x02\x00\x02", 3);

    payload[n++] = generation;
    payload[n++] = 2;
    payload[n++] = (unsigned char) (2 * len & 0x7f) | 0x80; /* twice the length, in seven bits */
    payload[n++] = (unsigned char) (2 * len >> 7);
    n += put_string(payload + n, name);
    send_all(fd, bytes, write_frame(bytes, 101, payload, (uint32_t) n));
    return descriptors_of_reply(fd);
}

/* A client that asks for segments again and again gets its own and the other job's, each once; by
 * TCP, or where there are none, none. */
static bool greedy(const char *uri)
{
    const char *form = getenv("PMIX_MCA_gds");
    int want = strstr(uri, "unix://") && !(form && !strcmp(form, "hash")) ? 2 : 0;
    static const unsigned char generations[] = {1, 1, 127, 0, 1, 127};
    struct hello h = honest();
    char longest[400];
    unsigned char bytes[64];
    int fd;
    int n;
    int total;

    h.gds = "shmix,hash";
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    fd = admitted_as(uri, &h);
    if (fd < 0) {
        return false;
    }
    send_all(fd, bytes, write_frame(bytes, 101, "\x02\x00", 2));
    n = total = descriptors_of_reply(fd);
    for (unsigned i = 0; n >= 0 && i < 20 * sizeof(generations); i++) {
        const char *names[] = {"other-job", nspace, "nobody", longest};

        n = asked_for(fd, generations[i / 4 % sizeof(generations)], names[i % 4]);
        total += n;
    }
    close(fd);
    if (n < 0 || total != want) {
        printf("# the last reply had %d descriptors, all %d\n", n, total);
        return false;
    }
    return true;
}

static const struct {
    const char *name;
    bool (*attack)(const char *uri);
    bool inside; /* gets through the handshake: to the server, a client that comes and dies */
} attacks[] = {
    {"garbage", garbage, false},
    {"an introduction of 4 GiB", oversized_hello, false},
    {"an empty introduction", empty_hello, false},
    {"an introduction without an end", unterminated_hello, false},
    {"an unknown namespace", unknown_nspace, false},
    {"an unknown rank", unknown_rank, false},
    {"an unknown encoding", unknown_module, false},
    {"an unknown security module", unknown_security, false},
    {"another user", wrong_uid, false},
    {"another user who lies", lying_uid, false},
    {"a client that dies at each byte of its introduction", dies_at_each_byte, false},
    {"many that connect and say nothing", many_idlers, true},
    {"a message of 4 GiB", huge_message, true},
    {"a get of 2 MiB", long_get, true},
    {"half a message", half_message, true},
    {"an unknown command", unknown_command, true},
    {"an empty message", empty_message, true},
    {"every command without its fields", every_command_truncated, true},
    {"every command with garbage", every_command_garbled, true},
    {"arrays 2,000 deep", over_deep, true},
    {"a commit of a scope that is not known", unknown_scope, true},
    {"odd deletions", odd_deletions, true},
    {"a commit for everybody beside one for some", blocks_that_overlap, true},
    {"a commit that repeats its values for other nodes", block_that_repeats, true},
    {"elements that do not come", promised_elements, true},
    {"what was collected, by odd numbers", collects_oddly, true},
    {"requesters that vanish", vanishing_requester, true},
    {"one that cannot get enough segments", greedy, true},
};

int main(int argc, char **argv)
{
    static const char *const doors[] = {"unix", "tcp"};
    const char *rank_text = getenv("PMIX_RANK");
    bool outside = getenv("HOSTILE_OUTSIDE") != NULL;

    alarm(120);
    nspace = getenv("PMIX_NAMESPACE");
    uris[0] = getenv("PMIX_SHMIX_URI");
    uris[1] = getenv("PMIX_SERVER_URI41");
    if (argc < 2 || !nspace || !rank_text || !uris[0] || !uris[1]) {
        fprintf(stderr, "hostile: not started by our server\n");
        return 1;
    }
    rank = (uint32_t) strtoul(rank_text, NULL, 10);
    for (int d = 0; d < 2; d++) {
        for (size_t a = 0; a < sizeof(attacks) / sizeof(attacks[0]); a++) {
            if (!outside || !attacks[a].inside) {
                report(attacks[a].attack(uris[d]), doors[d], attacks[a].name);
            }
        }
    }
    if (failures) {
        return 1;
    }
    execv(argv[1], argv + 1);
    return 127;
}
