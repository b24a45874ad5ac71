/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A stranger at the server's doors, started by a host daemon in place of a client so that it knows
 * both contact strings. It speaks the protocol by hand, wrongly in every way that the table below
 * lists, and says for each attack whether the server did what it must: answer or close, soon. Then
 * it executes its arguments, the client that the host meant to start, which must find the server in
 * order. With HOSTILE_OUTSIDE set it makes only the attacks that never get through the handshake.
 * usage: hostile PROGRAM [ARG...] */

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

enum { PATIENCE_MS = 20000, ROOM = 1 << 16, IDLERS = 1000 };

static int failures;
static const char *nspace;
static uint32_t rank;
static const char *uris[2]; /* AF_UNIX, TCP; NULL when that door is shut */

static void report(bool held, const char *door, const char *what)
{
    failures += !held;
    printf("%s - %s: %s\n", held ? "ok" : "not ok", door, what);
    fflush(stdout);
}

/* --- reaching a door --- */

static int dial_tcp(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const char *colon = strrchr(address, ':');
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t) atoi(colon + 1));
    if (connect(fd, (struct sockaddr *) &to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int dial_unix(const char *name)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(to.sun_path, name, len);
    if (name[0] == '@') {
        to.sun_path[0] = '\0';
    }
    if (connect(fd, (struct sockaddr *) &to,
                (socklen_t) (offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int dial(const char *uri)
{
    const char *address = strchr(uri, ';') + 1;

    if (!strncmp(address, "unix://", 7)) {
        return dial_unix(address + 7);
    }
    return dial_tcp(address);
}

/* --- saying hello by hand --- */

struct hello {
    const char *psec;
    uint32_t uid;
    const char *nspace;
    uint32_t rank;
    const char *module;
};

static size_t put(unsigned char *at, const void *bytes, size_t len)
{
    memcpy(at, bytes, len);
    return len;
}

static size_t put_u32(unsigned char *at, uint32_t v)
{
    v = htonl(v);
    return put(at, &v, sizeof v);
}

static size_t put_string(unsigned char *at, const char *s)
{
    return put(at, s, strlen(s) + 1);
}

static size_t write_header(unsigned char *at, uint32_t len)
{
    uint32_t words[4] = {UINT32_MAX, UINT32_MAX, len, 0};

    return put(at, words, sizeof words);
}

static size_t write_hello(unsigned char *at, const struct hello *h)
{
    size_t n = 16;
    uint32_t ids[2] = {h->uid, getegid()};

    n += put_string(at + n, h->psec);
    n += put_u32(at + n, sizeof ids);
    n += put(at + n, ids, sizeof ids);
    at[n++] = 0; /* a client */
    n += put_string(at + n, h->nspace);
    n += put_u32(at + n, h->rank);
    n += put_string(at + n, "5.0.0");
    n += put_string(at + n, h->module);
    at[n++] = 1;
    n += put_string(at + n, "hash");
    write_header(at, (uint32_t) (n - 16));
    return n;
}

static struct hello honest(void)
{
    return (struct hello){
        .psec = "native", .uid = geteuid(), .nspace = nspace, .rank = rank, .module = "v41"};
}

/* --- what comes back --- */

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, PATIENCE_MS) == 1;
}

/* True when the server closes, whatever it says first. */
static bool closes(int fd)
{
    char sink[4096];

    for (;;) {
        ssize_t n;

        if (!readable(fd)) {
            return false;
        }
        n = recv(fd, sink, sizeof sink, 0);
        if (n <= 0) {
            return n == 0 || errno == ECONNRESET;
        }
    }
}

static bool receive(int fd, void *to, size_t len)
{
    size_t got = 0;

    while (got < len && readable(fd)) {
        ssize_t n = recv(fd, (char *) to + got, len - got, 0);

        if (n <= 0) {
            return false;
        }
        got += (size_t) n;
    }
    return got == len;
}

static void send_all(int fd, const void *bytes, size_t len)
{
    (void) !send(fd, bytes, len, MSG_NOSIGNAL);
}

/* Says an honest hello; the connected descriptor, or -1. */
static int admitted(const char *uri)
{
    unsigned char bytes[1024];
    struct hello h = honest();
    uint32_t answer[2];
    int fd = dial(uri);

    send_all(fd, bytes, write_hello(bytes, &h));
    if (!receive(fd, answer, sizeof answer) || answer[0] != 0) {
        close(fd);
        return -1;
    }
    return fd;
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

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char) (i * 37 + 11);
    }
    return sent_then_closed(uri, bytes, sizeof bytes);
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

    memset(bytes, 'x', sizeof bytes);
    write_header(bytes, 512);
    return sent_then_closed(uri, bytes, sizeof bytes);
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

static bool claimed_uid(const char *uri)
{
    struct hello h = honest();

    h.uid = geteuid() + 1;
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
    }
    fd = admitted(uri);
    held = fd >= 0;
    close(fd);
    for (int i = 0; i < IDLERS; i++) {
        close(fds[i]);
    }
    return held;
}

/* --- attacks from within --- */

static size_t write_frame(unsigned char *at, uint32_t tag, const void *payload, uint32_t len)
{
    uint32_t words[4] = {0, htonl(tag), htonl(len), 0};

    memcpy(at, words, sizeof words);
    memcpy(at + 16, payload, len);
    return 16 + len;
}

/* Sends one request; true when a reply comes or the server closes. */
static bool answered(const char *uri, const void *payload, uint32_t len)
{
    unsigned char bytes[ROOM];
    char reply[16];
    int fd = admitted(uri);
    bool held;

    if (fd < 0) {
        return false;
    }
    send_all(fd, bytes, write_frame(bytes, 101, payload, len));
    held = readable(fd);
    if (held && recv(fd, reply, sizeof reply, 0) < 0) {
        held = errno == ECONNRESET;
    }
    close(fd);
    return held;
}

static bool huge_message(const char *uri)
{
    uint32_t words[4] = {0, htonl(101), UINT32_MAX, 0};
    int fd = admitted(uri);
    bool held;

    if (fd < 0) {
        return false;
    }
    send_all(fd, words, sizeof words);
    held = closes(fd);
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
    send_all(fd, words, sizeof words);
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
        if (!answered(uri, payload, sizeof payload)) {
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
        memset(payload, 0xff, sizeof payload);
        payload[0] = 0x02;
        payload[1] = (unsigned char) command;
        if (!answered(uri, payload, sizeof payload)) {
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

    n += put(payload + n, "\x02\x06", 2);         /* PUBLISH */
    n += put(payload + n, "\x02\x00", 2);         /* uid 0 */
    n += put(payload + n, "\x02\x01", 2);         /* one info */
    n += put(payload + n, "\x02\x04k\0\x00", 5);  /* key "k", no flags */
    payload[n++] = 39;                            /* a data array */
    for (int level = 0; level < 2000; level++) {
        n += put(payload + n, "\x27\x01", 2);     /* of one data array */
    }
    n += put(payload + n, "\x0c\x01\x07", 3);     /* of one uint8 */
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
    {"a claim to be another user", claimed_uid, false},
    {"another user", wrong_uid, false},
    {"another user who lies", lying_uid, false},
    {"a client that dies at each byte of its introduction", dies_at_each_byte, false},
    {"many that connect and say nothing", many_idlers, true},
    {"a message of 4 GiB", huge_message, true},
    {"half a message", half_message, true},
    {"an unknown command", unknown_command, true},
    {"an empty message", empty_message, true},
    {"every command without its fields", every_command_truncated, true},
    {"every command with garbage", every_command_garbled, true},
    {"arrays 2,000 deep", over_deep, true},
    {"elements that do not come", promised_elements, true},
    {"requesters that vanish", vanishing_requester, true},
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
        for (size_t a = 0; a < sizeof attacks / sizeof attacks[0]; a++) {
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
