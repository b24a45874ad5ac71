/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The protocol by hand. */

#include "speak.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

enum { PATIENCE_MS = 20000 };

const char *nspace;
uint32_t rank;

/* --- reaching a listener --- */

static int dial_tcp(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const char *colon = strrchr(address, ':');
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t) atoi(colon + 1));
    if (connect(fd, (struct sockaddr *) &to, sizeof(to)) != 0) {
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

int dial(const char *uri)
{
    const char *address = strchr(uri, ';') + 1;

    if (!strncmp(address, "unix://", 7)) {
        return dial_unix(address + 7);
    }
    return dial_tcp(address);
}

/* --- saying hello by hand --- */
size_t put(unsigned char *at, const void *bytes, size_t len)
{
    memcpy(at, bytes, len);
    return len;
}

static size_t put_u32(unsigned char *at, uint32_t v)
{
    v = htonl(v);
    return put(at, &v, sizeof(v));
}

size_t put_string(unsigned char *at, const char *s)
{
    return put(at, s, strlen(s) + 1);
}

size_t put_number(unsigned char *at, uint64_t number)
{
    size_t n = 0;

    for (; number > 127; number >>= 7) {
        at[n++] = (unsigned char) (number | 128);
    }
    at[n++] = (unsigned char) number;
    return n;
}

size_t write_header(unsigned char *at, uint32_t len)
{
    uint32_t words[4] = {UINT32_MAX, UINT32_MAX, len, 0};

    return put(at, words, sizeof(words));
}

size_t write_hello(unsigned char *at, const struct hello *h)
{
    size_t n = 16;
    uint32_t ids[2] = {h->uid, h->gid};

    n += put_string(at + n, h->psec);
    n += put_u32(at + n, sizeof(ids));
    n += put(at + n, ids, sizeof(ids));
    at[n++] = h->role;
    if (h->role != 0) {
        n += put_u32(at + n, h->uid);
        n += put_u32(at + n, h->gid);
    }
    n += put_string(at + n, h->nspace);
    n += put_u32(at + n, h->rank);
    n += put_string(at + n, h->version);
    n += put_string(at + n, h->module);
    at[n++] = h->encoding;
    n += put_string(at + n, h->gds);
    if (h->infos) {
        n += put(at + n, h->infos, h->infos_len);
    }
    write_header(at, (uint32_t) (n - 16));
    return n;
}

struct hello honest(void)
{
    return (struct hello){.psec = "native",
                          .uid = geteuid(),
                          .gid = getegid(),
                          .nspace = nspace,
                          .rank = rank,
                          .version = "5.0.0",
                          .module = "v41",
                          .encoding = 1,
                          .gds = "hash"};
}

/* --- what comes back --- */

bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, PATIENCE_MS) == 1;
}

/* True when the server closes, whatever it says first. */
bool closes(int fd)
{
    char sink[4096];

    for (;;) {
        ssize_t n;

        if (!readable(fd)) {
            return false;
        }
        n = recv(fd, sink, sizeof(sink), 0);
        if (n <= 0) {
            return n == 0 || errno == ECONNRESET;
        }
    }
}

bool receive(int fd, void *to, size_t len)
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

void send_all(int fd, const void *bytes, size_t len)
{
    (void) !send(fd, bytes, len, MSG_NOSIGNAL);
}

/* Says hello; the connected descriptor, or -1. */
int admitted_as(const char *uri, const struct hello *h)
{
    unsigned char bytes[1024];
    uint32_t answer[2];
    int fd = dial(uri);

    send_all(fd, bytes, write_hello(bytes, h));
    if (!receive(fd, answer, sizeof(answer)) || answer[0] != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int32_t refusal(const char *uri, const struct hello *h)
{
    unsigned char bytes[1024];
    uint32_t answer = 0;
    int fd = dial(uri);

    send_all(fd, bytes, write_hello(bytes, h));
    (void) receive(fd, &answer, sizeof(answer));
    close(fd);
    return (int32_t) ntohl(answer);
}

int admitted(const char *uri)
{
    struct hello h = honest();

    return admitted_as(uri, &h);
}

size_t write_frame(unsigned char *at, uint32_t tag, const void *payload, uint32_t len)
{
    uint32_t words[4] = {0, htonl(tag), htonl(len), 0};

    memcpy(at, words, sizeof(words));
    memcpy(at + 16, payload, len);
    return 16 + len;
}

bool answered(const char *uri, const void *payload, uint32_t len)
{
    unsigned char bytes[1 << 16];
    char reply[16];
    int fd = admitted(uri);
    bool held;

    if (fd < 0) {
        return false;
    }
    send_all(fd, bytes, write_frame(bytes, 101, payload, len));
    held = readable(fd);
    if (held && recv(fd, reply, sizeof(reply), 0) < 0) {
        held = errno == ECONNRESET;
    }
    close(fd);
    return held;
}
