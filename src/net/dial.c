/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client's or tool's side of the handshake (dial.h). One deadline covers all of it. The answer is
 * read to its last byte and no further: what the server sends behind it is for the connection that
 * this becomes. */

#include "src/net/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/param.h"
#include "src/net/auth.h"
#include "src/net/uri.h"
#include "tcp_owner.h"

/* A process in the server's answer: a namespace of fixed length, and a rank. */
enum { ID_BYTES = PMIX_MAX_NSLEN + 1 + 4 };

/* One call of px_dial; on its stack. */
struct dial_call {
    int fd;
    uint64_t deadline_ns;
};

/* Milliseconds until the deadline, rounded up so that a poll does not return early; 0: it has
 * passed. */
static int left_ms(const struct dial_call *call)
{
    uint64_t now = px_clock_ns();
    uint64_t ms;

    if (now >= call->deadline_ns) {
        return 0;
    }
    ms = (call->deadline_ns - now + 999999) / 1000000;
    return ms < INT32_MAX ? (int) ms : INT32_MAX;
}

/* Waits until the socket is ready. 0, PMIX_ERR_TIMEOUT or PMIX_ERR_UNREACH. */
static int wait_for(const struct dial_call *call, short events)
{
    for (;;) {
        struct pollfd p = {.fd = call->fd, .events = events};
        int ms = left_ms(call);
        int n = poll(&p, 1, ms);

        if (n > 0) {
            return PMIX_SUCCESS;
        }
        if (n == 0 && ms == 0) {
            return PMIX_ERR_TIMEOUT;
        }
        if (n < 0 && errno != EINTR) {
            return PMIX_ERR_UNREACH;
        }
    }
}

/* 0 or PMIX_ERR_UNREACH. */
static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? PMIX_SUCCESS
                                                                     : PMIX_ERR_UNREACH;
}

/* Connects and makes the socket non-blocking. A non-blocking connect to a full AF_UNIX backlog
 * fails at once, and there is nothing to poll for; a blocking one waits, bounded by the send
 * timeout. 0, PMIX_ERR_TIMEOUT, PMIX_ERR_UNREACH. */
static int connect_unix(const struct dial_call *call, const struct px_address *to)
{
    for (;;) {
        int ms = left_ms(call);
        struct timeval patience = {ms / 1000, ms % 1000 * 1000};

        if (ms == 0) {
            return PMIX_ERR_TIMEOUT;
        }
        (void) setsockopt(call->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        if (connect(call->fd, &to->addr.any, to->len) == 0) {
            return set_nonblocking(call->fd);
        }
        if (errno == EAGAIN) {
            return PMIX_ERR_TIMEOUT;
        }
        if (errno != EINTR) {
            return PMIX_ERR_UNREACH;
        }
    }
}

/* Connects without blocking. TCP_NODELAY is a matter of speed only. 0, PMIX_ERR_TIMEOUT,
 * PMIX_ERR_UNREACH. */
static int connect_tcp(const struct dial_call *call, const struct px_address *to)
{
    int one = 1;
    int why = 0;
    socklen_t len = sizeof(why);
    int rc = set_nonblocking(call->fd);

    if (rc) {
        return rc;
    }
    (void) setsockopt(call->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (connect(call->fd, &to->addr.any, to->len) == 0) {
        return PMIX_SUCCESS;
    }
    if (errno != EINPROGRESS && errno != EINTR) {
        return PMIX_ERR_UNREACH;
    }
    rc = wait_for(call, POLLOUT);
    if (rc) {
        return rc;
    }
    return getsockopt(call->fd, SOL_SOCKET, SO_ERROR, &why, &len) == 0 && why == 0
               ? PMIX_SUCCESS
               : PMIX_ERR_UNREACH;
}

/* Sends (way POLLOUT) or receives (POLLIN) all `len` bytes. 0, PMIX_ERR_TIMEOUT, PMIX_ERR_UNREACH.
 * A server that does not accept us may just close: that is PMIX_ERR_UNREACH. */
static int transfer(const struct dial_call *call, void *bytes, size_t len, short way)
{
    unsigned char *at = bytes;

    while (len > 0) {
        ssize_t n = way == POLLOUT ? send(call->fd, at, len, MSG_NOSIGNAL | MSG_DONTWAIT)
                                   : recv(call->fd, at, len, MSG_DONTWAIT);
        int rc = PMIX_SUCCESS;

        if (n > 0) {
            at += n;
            len -= (size_t) n;
        } else if (n < 0 && errno == EAGAIN) {
            rc = wait_for(call, way);
        } else if (n == 0 || errno != EINTR) {
            rc = PMIX_ERR_UNREACH;
        }
        if (rc) {
            return rc;
        }
    }
    return PMIX_SUCCESS;
}

/* Receives a number. Statuses as transfer. */
static int get_u32(const struct dial_call *call, uint32_t *ret)
{
    uint32_t net;
    int rc = transfer(call, &net, sizeof(net), POLLIN);

    if (rc == PMIX_SUCCESS) {
        *ret = ntohl(net);
    }
    return rc;
}

/* Receives a status of the server and returns it; PMIX_ERR_UNPACK_FAILURE for a positive one. A
 * server that answers PMIX_ERR_READY_FOR_HANDSHAKE wants a further handshake, which only tests of
 * other implementations use. */
static int get_status(const struct dial_call *call)
{
    uint32_t word;
    int32_t status;
    int rc = get_u32(call, &word);

    if (rc) {
        return rc;
    }
    status = (int32_t) word;
    if (status == PMIX_ERR_READY_FOR_HANDSHAKE) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return status > 0 ? PMIX_ERR_UNPACK_FAILURE : status;
}

/* Receives a process. PMIX_ERR_UNPACK_FAILURE: its namespace is not terminated; else as
 * transfer. */
static int get_id(const struct dial_call *call, pmix_proc_t *ret)
{
    unsigned char bytes[ID_BYTES];
    uint32_t rank;
    int rc = transfer(call, bytes, sizeof(bytes), POLLIN);

    if (rc) {
        return rc;
    }
    if (!memchr(bytes, 0, PMIX_MAX_NSLEN + 1)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    memset(ret, 0, sizeof(*ret));
    strcpy(ret->nspace, (const char *) bytes);
    memcpy(&rank, bytes + PMIX_MAX_NSLEN + 1, sizeof(rank));
    ret->rank = ntohl(rank);
    return PMIX_SUCCESS;
}

/* Receives the server's answer, whose form depends on the flag of our handshake
 * (docs/wire-format.md, section 2.4): a status; then for a client its index, for a tool its new
 * name if it asked for one, the server's name, and a second status. A refusal is returned as it
 * is. */
static int read_answer(const struct dial_call *call, enum px_handshake_flag flag,
                       struct px_dialed *dialed)
{
    int rc = get_status(call);

    if (rc) {
        return rc;
    }
    if (flag == PX_HANDSHAKE_CLIENT || flag == PX_HANDSHAKE_SINGLETON) {
        return get_u32(call, &dialed->index);
    }
    if (flag == PX_HANDSHAKE_TOOL_NEEDS_ID || flag == PX_HANDSHAKE_LAUNCHER_NEEDS_ID) {
        rc = get_id(call, &dialed->assigned);
    }
    rc = rc ? rc : get_id(call, &dialed->server);
    return rc ? rc : get_status(call);
}

/* root can read this process anyway. Another user counts only if the parameter names it. */
bool px_trusts(uid_t uid)
{
    long long other = px_param_int(PX_P_SERVER_UID);

    return uid == 0 || uid == geteuid() || (other >= 0 && uid == (uid_t) other);
}

/* True for a user that this user namespace does not know: all such users look like one, root and
 * the server's among them. False in the first namespace, which knows every user. */
static bool is_outside(uid_t uid)
{
    unsigned long overflow = 65534;
    unsigned long first[3] = {0, 0, 0};
    FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");

    if (file) {
        (void) !fscanf(file, "%lu", &overflow);
        (void) fclose(file);
    }
    file = fopen("/proc/self/uid_map", "re");
    if (file) {
        (void) !fscanf(file, "%lu %lu %lu", &first[0], &first[1], &first[2]);
        (void) fclose(file);
    }
    return uid == overflow && first[2] != UINT32_MAX;
}

/* Before anything is sent; on TCP again behind the answer, because by then the server itself has
 * accepted the connection, and not a process that listened in its place for a moment. */
int px_dial_check(int fd, const struct px_trust *trust)
{
    struct px_peer_cred who = px_auth_server(fd);
    bool named = trust && trust->named;

    if (!who.known) {
        return named || px_param_bool(PX_P_TRUST_CLAIMS) ? PMIX_SUCCESS : PMIX_ERR_NO_PERMISSIONS;
    }
    if (who.uid == (uid_t) -1) {
        return PMIX_ERR_UNREACH;
    }
    return px_trusts(who.uid) || (trust && who.uid == trust->uid) || (named && is_outside(who.uid))
               ? PMIX_SUCCESS
               : PMIX_ERR_NO_PERMISSIONS;
}

/* Connects and performs the handshake on a new socket, which stays the caller's. The server is
 * checked before the handshake is sent, since that holds our credential. Statuses as px_dial. */
static int converse(const struct dial_call *call, const struct px_address *to,
                    const struct px_handshake *handshake, const struct px_trust *trust,
                    struct px_dialed *dialed)
{
    struct px_buf message = {0};
    int rc = to->addr.any.sa_family == AF_UNIX ? connect_unix(call, to) : connect_tcp(call, to);

    rc = rc ? rc : px_dial_check(call->fd, trust);
    if (rc) {
        return rc;
    }
    rc = px_handshake_pack(handshake, &message);
    rc = rc ? rc : transfer(call, message.data, message.len, POLLOUT);
    px_buf_fini(&message);
    rc = rc ? rc : read_answer(call, handshake->flag, dialed);
    return rc || to->addr.any.sa_family == AF_UNIX ? rc : px_dial_check(call->fd, trust);
}

/* The socket is closed on every failure; the status is that of the first step that failed. */
int px_dial(const char *uri, const struct px_handshake *handshake, unsigned timeout_ms,
            const struct px_trust *trust, struct px_dialed *ret)
{
    struct px_dialed dialed = {.assigned = handshake->proc};
    struct px_address to;
    struct dial_call call = {.deadline_ns = px_clock_ns() + (uint64_t) timeout_ms * 1000000u};
    int rc = px_uri_parse(uri, &dialed.server, &to);

    if (rc) {
        return rc;
    }
    call.fd = socket(to.addr.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (call.fd < 0) {
        return errno == ENOMEM || errno == ENOBUFS ? PMIX_ERR_NOMEM : PMIX_ERR_UNREACH;
    }
    rc = converse(&call, &to, handshake, trust, &dialed);
    if (rc) {
        (void) close(call.fd);
        return rc;
    }
    dialed.fd = call.fd;
    *ret = dialed;
    return PMIX_SUCCESS;
}
