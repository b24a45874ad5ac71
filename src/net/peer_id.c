/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/net/peer_id.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/net/auth.h"

/* A peer that has closed its end leaves a connection without an owner, for which the kernel reports
 * uid 0. Such a one is told by its inode number, which is 0 too, and it is nobody's: otherwise a
 * process could send a message, leave, and pass for root. */

enum {
    STATE_ESTABLISHED = 1,
    STATE_FIN_WAIT1 = 4,
    STATE_FIN_WAIT2 = 5,
    STATE_CLOSE_WAIT = 8,
    STATE_LAST_ACK = 9,
    STATE_CLOSING = 11,
    REPLY_MS = 200,
    ROWS_MAX = 200000,
};

static enum px_owner judge(unsigned state, unsigned long inode, uid_t uid, uid_t *ret_uid)
{
    switch (state) {
    case STATE_ESTABLISHED:
    case STATE_FIN_WAIT1:
    case STATE_FIN_WAIT2:
    case STATE_CLOSE_WAIT:
    case STATE_LAST_ACK:
    case STATE_CLOSING:
        break;
    default:
        return PX_OWNER_NOBODY;
    }
    if (inode == 0) {
        return PX_OWNER_NOBODY;
    }
    *ret_uid = uid;
    return PX_OWNER_FOUND;
}

static bool send_question(int fd, const struct sockaddr_in *far, const struct sockaddr_in *near)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } msg = {
        .header = {.nlmsg_len = sizeof(msg),
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST},
        .request = {.sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0u},
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

    msg.request.id.idiag_sport = far->sin_port;
    msg.request.id.idiag_dport = near->sin_port;
    msg.request.id.idiag_src[0] = far->sin_addr.s_addr;
    msg.request.id.idiag_dst[0] = near->sin_addr.s_addr;
    msg.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    msg.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return sendto(fd, &msg, sizeof(msg), MSG_NOSIGNAL, (const struct sockaddr *) &kernel,
                  sizeof(kernel)) == (ssize_t) sizeof(msg);
}

static enum px_owner read_answer(const struct nlmsghdr *header, size_t len,
                                 const struct sockaddr_in *far, const struct sockaddr_in *near,
                                 uid_t *ret_uid)
{
    struct inet_diag_msg found;

    if (!NLMSG_OK(header, len) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        header->nlmsg_len < NLMSG_LENGTH(sizeof(found))) {
        return PX_OWNER_UNKNOWN;
    }
    memcpy(&found, NLMSG_DATA(header), sizeof(found));
    if (found.id.idiag_sport != far->sin_port || found.id.idiag_dport != near->sin_port ||
        found.id.idiag_src[0] != far->sin_addr.s_addr ||
        found.id.idiag_dst[0] != near->sin_addr.s_addr) {
        return PX_OWNER_UNKNOWN; /* the nearest thing, a listener */
    }
    return judge(found.idiag_state, found.idiag_inode, found.idiag_uid, ret_uid);
}

enum px_owner px_owner_ask(const struct sockaddr_in *far, const struct sockaddr_in *near,
                           uid_t *ret_uid)
{
    union {
        struct nlmsghdr header;
        unsigned char bytes[4096];
    } reply;
    struct timeval patience = {.tv_usec = REPLY_MS * 1000};
    enum px_owner owner = PX_OWNER_UNKNOWN;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    ssize_t n = -1;

    if (fd < 0) {
        return owner;
    }
    (void) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (send_question(fd, far, near)) {
        n = recv(fd, &reply, sizeof(reply), 0);
    }
    if (n > 0) {
        owner = read_answer(&reply.header, (size_t) n, far, near, ret_uid);
    }
    (void) close(fd);
    return owner;
}

enum px_owner px_owner_read(const char *path, const struct sockaddr_in *far,
                            const struct sockaddr_in *near, uid_t *ret_uid)
{
    FILE *file = fopen(path, "re");
    enum px_owner owner = PX_OWNER_NOBODY;
    char line[512];

    if (!file) {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? PX_OWNER_NOBODY
                                                                     : PX_OWNER_UNKNOWN;
    }
    for (long i = 0; i < ROWS_MAX && fgets(line, sizeof(line), file); i++) {
        unsigned local;
        unsigned local_port;
        unsigned remote;
        unsigned remote_port;
        unsigned state;
        unsigned uid;
        unsigned long inode;

        if (sscanf(line, " %*u: %8X:%4X %8X:%4X %2X %*X:%*X %*X:%*X %*X %u %*u %lu", &local,
                   &local_port, &remote, &remote_port, &state, &uid, &inode) != 7) {
            continue;
        }
        if (local == far->sin_addr.s_addr && local_port == ntohs(far->sin_port) &&
            remote == near->sin_addr.s_addr && remote_port == ntohs(near->sin_port)) {
            owner = judge(state, inode, uid, ret_uid);
            break;
        }
    }
    (void) fclose(file);
    return owner;
}

static struct px_who unix_peer(int fd)
{
    struct px_who who = {.gid = (gid_t) -1};
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && len == sizeof(cred)) {
        who = (struct px_who){.known = true, .uid = cred.uid, .gid = cred.gid, .pid = cred.pid};
    }
    return who;
}

static bool is_loopback(const struct sockaddr_in *at)
{
    return ntohl(at->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Who is at one loopback end sits on this machine, whatever address it calls from. There the kernel
 * knows every owner: a connection that it does not find has none, and the uid that stands for
 * nobody fits no client. */
static struct px_who tcp_peer(const struct sockaddr_in *far, const struct sockaddr_in *near)
{
    struct px_who who = {.gid = (gid_t) -1};
    enum px_owner owner;

    if (!is_loopback(near) && !is_loopback(far)) {
        return who;
    }
    owner = px_owner_ask(far, near, &who.uid);
    if (owner == PX_OWNER_UNKNOWN) {
        owner = px_owner_read("/proc/net/tcp", far, near, &who.uid);
    }
    who.known = owner != PX_OWNER_UNKNOWN;
    if (owner == PX_OWNER_NOBODY) {
        who.uid = (uid_t) -1;
    }
    return who;
}

struct px_who px_auth_peer(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_storage room;
    } far = {0}, near = {0};
    socklen_t far_len = sizeof(far);
    socklen_t near_len = sizeof(near);

    if (getsockname(fd, &near.any, &near_len) == 0 && near.any.sa_family == AF_UNIX) {
        return unix_peer(fd);
    }
    if (getpeername(fd, &far.any, &far_len) == 0 && far.any.sa_family == AF_INET &&
        near.any.sa_family == AF_INET) {
        return tcp_peer(&far.in, &near.in);
    }
    return (struct px_who){.gid = (gid_t) -1};
}
