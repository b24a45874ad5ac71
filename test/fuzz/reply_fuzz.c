/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client, or a tool, against what its server may say. Byte 0: 0x01 a tool, 0x02 described
 * encoding, 0x04 the server is of another implementation, 0x08 the first step is the answer to the
 * introduction, in place of an honest one, 0x10 the client is process 1, 0x20 reads by messages
 * only, 0x40 the server has TCP only, 0x80 time goes fast. Byte 1 is a number of calls, which
 * follow, a byte each. Then the steps of the server, which is a thread: each request gets the next
 * one as its reply; before that go those with 0x80 in `who`, with `what` as their tag, and those
 * with 0x40, without a frame. With 0x20 a descriptor comes along, of a file with the same bytes,
 * with 0x10 that of a well-formed segment, of another job with 0x08. A step with 0x04 is not sent:
 * it changes that segment. When there is no step left the server hangs up; where time goes fast, it
 * is silent for a while first, so that limits of the client end. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pmix.h>

#include "fake_segment.h"
#include "fuzz.h"
#include "fuzz_clock.h"
#include "half_client.h"
#include "half_server.h"
#include "src/net/handshake.h"

enum {
    TOOL = 0x01,
    DESCRIBED = 0x02,
    STRANGE = 0x04,
    RUDE = 0x08,
    SECOND = 0x10,
    BY_MESSAGES = 0x20,
    BY_TCP = 0x40,
    FAST = 0x80
};
enum {
    UNASKED = 0x80,
    RAW = 0x40,
    WITH_FILE = 0x20,
    WITH_SEGMENT = 0x10,
    OTHER = 0x08,
    CHANGE = 0x04,
    MAX_CALLS = 8
};

/* So fast, and so long is the server silent, by the machine's clock: more than HALF_TIMEOUT_S. */
enum { SPEED = 100, SILENCE_US = 15000 };

static int listener = -1;
static char address[128];

/* --- the server --- */

static bool receive(int fd, void *to, size_t len)
{
    return recv(fd, to, len, MSG_WAITALL) == (ssize_t) len;
}

static bool discard(int fd, size_t len)
{
    char sink[4096];

    while (len > 0) {
        size_t n = len < sizeof(sink) ? len : sizeof(sink);

        if (!receive(fd, sink, n)) {
            return false;
        }
        len -= n;
    }
    return true;
}

static void send_bytes(int fd, const void *bytes, size_t len)
{
    (void) !send(fd, bytes, len, MSG_NOSIGNAL);
}

/* A header, with a file that has the step's bytes, if it says so; by TCP none comes. */
static void send_header(int fd, uint32_t tag, const struct fuzz_step *step)
{
    uint32_t header[4] = {0, htonl(tag), htonl((uint32_t) step->len), 0};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec piece = {header, sizeof(header)};
    struct msghdr msg = {.msg_iov = &piece, .msg_iovlen = 1};
    int file = -1;

    if (step->who & WITH_SEGMENT) {
        file = dup(fake_segment_fd(step->who & OTHER));
    } else if (step->who & WITH_FILE) {
        file = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        (void) !write(file, step->payload, step->len);
    }
    if (file >= 0) {
        memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
        msg.msg_control = &control;
        msg.msg_controllen = sizeof(control);
    }
    (void) !sendmsg(fd, &msg, MSG_NOSIGNAL);
    if (file >= 0) {
        close(file);
    }
}

/* Sends up to and with the reply to a request. False: there is none, or bytes without a frame have
 * been sent, behind which the client may wait for the rest of a message. */
static bool reply(int fd, struct fuzz_input *in, uint32_t tag)
{
    struct fuzz_step step;
    bool framed = true;

    while (fuzz_next(in, &step)) {
        if (step.who & CHANGE) {
            fake_segment_change(step.who & OTHER, step.what, step.payload, step.len);
            continue;
        }
        if (step.who & RAW) {
            framed = false;
            send_bytes(fd, step.payload, step.len);
            continue;
        }
        send_header(fd, step.who & UNASKED ? step.what : tag, &step);
        send_bytes(fd, step.payload, step.len);
        if (!(step.who & UNASKED)) {
            return framed;
        }
    }
    return false;
}

/* Reads the introduction of a client, or of a tool that has a name already or asks for one. */
static bool hear(int fd, size_t len, bool *ret_named)
{
    struct px_handshake hello;
    unsigned char body[4096];
    bool whole = len <= sizeof(body) && receive(fd, body, len);

    *ret_named = whole && px_handshake_parse(body, len, &hello) == 0 &&
                 hello.flag != PX_HANDSHAKE_TOOL_NEEDS_ID;
    return whole;
}

/* Answers the introduction: status, index; for a tool status, its name if it asks for one, its
 * server's name, status. */
static bool welcome(int fd, struct fuzz_input *in, uint8_t bits)
{
    unsigned char answer[4 + PMIX_MAX_NSLEN + 1 + 4 + 4] = {0};
    uint32_t header[4];
    struct fuzz_step step;
    bool named;

    if (!receive(fd, header, sizeof(header)) || !hear(fd, header[2], &named)) {
        return false;
    }
    if (bits & RUDE) {
        if (fuzz_next(in, &step)) {
            send_bytes(fd, step.payload, step.len);
        }
        (void) shutdown(fd, SHUT_WR); /* the client shall not wait for the rest */
        return true;
    }
    if (!(bits & TOOL)) {
        send_bytes(fd, answer, 8);
        return true;
    }
    if (named) {
        send_bytes(fd, answer, 4);
    } else {
        memcpy(answer + 4, "tool", 4);
        send_bytes(fd, answer, sizeof(answer) - 4);
    }
    memcpy(answer + 4, "server", 6); /* as in the address */
    send_bytes(fd, answer + 4, sizeof(answer) - 4);
    return true;
}

struct fake {
    struct fuzz_input in;
    uint8_t bits;
};

/* Until the client goes, or has nothing to say. */
static void be_silent(int fd)
{
    struct timeval patience = {.tv_usec = SILENCE_US};
    char byte;

    (void) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    while (receive(fd, &byte, 1)) {
    }
}

static void serve_one(int fd, struct fake *fake)
{
    uint32_t header[4];
    int one = 1;
    bool going;

    (void) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* if it is TCP */
    going = welcome(fd, &fake->in, fake->bits);

    while (going && receive(fd, header, sizeof(header)) && discard(fd, ntohl(header[2]))) {
        uint32_t tag = ntohl(header[1]);

        going = tag < 100 || reply(fd, &fake->in, tag);
    }
    if (fake->bits & FAST) {
        be_silent(fd);
    }
}

/* The client may try again in another way. */
static void *serve(void *arg)
{
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        serve_one(fd, arg);
        (void) close(fd);
    }
    return NULL;
}

/* A new one each time, so that no connection waits for the next input's server. */
static void listen_here(bool tcp)
{
    union {
        struct sockaddr any;
        struct sockaddr_un un;
        struct sockaddr_in in;
    } at = {.un = {.sun_family = AF_UNIX}};
    socklen_t len = sizeof(sa_family_t);

    if (tcp) {
        at.in =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        len = sizeof(at.in);
    }
    listener = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, &at.any, len) != 0 || listen(listener, 8) != 0) {
        abort();
    }
    len = sizeof(at);
    if (getsockname(listener, &at.any, &len) != 0) {
        abort();
    }
    if (tcp) {
        snprintf(address, sizeof(address), "server.0;tcp4://127.0.0.1:%u", ntohs(at.in.sin_port));
    } else {
        snprintf(address, sizeof(address), "server.0;unix://@%.*s",
                 (int) (len - offsetof(struct sockaddr_un, sun_path) - 1), at.un.sun_path + 1);
    }
}

/* --- the client --- */

static void set(const char *name, const char *value)
{
    (void) (value ? setenv(name, value, 1) : unsetenv(name));
}

static void set_environment(uint8_t bits)
{
    bool strange = bits & (STRANGE | BY_TCP);

    fuzz_environment();
    set("PMIX_NAMESPACE", bits & TOOL ? NULL : FUZZ_JOB);
    set("PMIX_RANK", bits & TOOL ? NULL : bits & SECOND ? "1" : "0");
    set("PMIX_MCA_gds", bits & BY_MESSAGES ? "hash" : NULL);
    set("PMIX_SHMIX_URI", strange ? NULL : address);
    set("PMIX_SHMIX_GDS", strange ? NULL : "shmix,hash");
    set("PMIX_SERVER_URI61", strange ? address : NULL);
    set("PMIX_BFROP_BUFFER_TYPE", bits & DESCRIBED ? "PMIX_BFROP_BUFFER_FULLY_DESC" : NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake fake = {.in = {data, data + size}};
    uint8_t calls[MAX_CALLS];
    uint8_t n_calls;
    pthread_t thread;

    fake.bits = fuzz_byte(&fake.in);
    n_calls = fuzz_byte(&fake.in) % (MAX_CALLS + 1);
    for (unsigned i = 0; i < n_calls; i++) {
        calls[i] = fuzz_byte(&fake.in);
    }
    listen_here(fake.bits & BY_TCP);
    set_environment(fake.bits);
    fake_segments_start();
    fuzz_clock_reset();
    fuzz_clock_speed(fake.bits & FAST ? SPEED : 1);
    if (pthread_create(&thread, NULL, serve, &fake) != 0) {
        abort();
    }
    if (half_client_start(fake.bits & TOOL ? address : NULL)) {
        for (unsigned i = 0; i < n_calls; i++) {
            half_client_call(calls[i]);
        }
        half_client_stop(fake.bits & TOOL);
    }
    (void) shutdown(listener, SHUT_RDWR);
    (void) pthread_join(thread, NULL);
    (void) close(listener);
    fake_segments_stop();
    return 0;
}
