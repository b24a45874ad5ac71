/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The kernel's word about a peer (tcp_owner.h).
 *
 * A peer that has closed its end leaves a connection without an owner, for which the kernel reports
 * uid 0. It is recognised by its inode number, which is 0, too, and belongs to nobody: otherwise a
 * process could send a message, leave, and pass for root.
 *
 * The kernel's table has the user of a socket, not the group or the process. These are proved by
 * the process that the peer claims to be: it must hold the socket among its descriptors
 * (/proc/PID/fd). */

#include "src/net/tcp_owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/net/auth.h"

/* States of a TCP socket as the kernel numbers them, and the bounds of the searches. */
enum {
    STATE_ESTABLISHED = 1,
    STATE_FIN_WAIT1 = 4,
    STATE_FIN_WAIT2 = 5,
    STATE_CLOSE_WAIT = 8,
    STATE_LAST_ACK = 9,
    STATE_LISTEN = 10,
    STATE_CLOSING = 11,
    REPLY_MS = 200,
    ROWS_MAX = 200000,
    FDS_MAX = 4096,
    PROCESSES_MAX = 256,
};

/* True for the states in which a connection has two ends that can still be named. */
static bool is_connected(unsigned state)
{
    return state == STATE_ESTABLISHED || state == STATE_FIN_WAIT1 || state == STATE_FIN_WAIT2 ||
           state == STATE_CLOSE_WAIT || state == STATE_LAST_ACK || state == STATE_CLOSING;
}

/* What a row of the table means for the search: PX_OWNER_FOUND, then *ret is set, if the socket is
 * in a state that fits (listening or connected) and has an inode; else PX_OWNER_NOBODY. */
static enum px_owner owner_of(unsigned state, unsigned long inode, uid_t uid, bool listener,
                              struct px_socket_owner *ret)
{
    if (listener ? state != STATE_LISTEN : !is_connected(state)) {
        return PX_OWNER_NOBODY;
    }
    if (inode == 0) {
        return PX_OWNER_NOBODY;
    }
    *ret = (struct px_socket_owner){.uid = uid, .inode = inode};
    return PX_OWNER_FOUND;
}

/* Sends the request for one socket to the kernel: its two addresses, any state, any cookie. False:
 * it was not sent. */
static bool send_question(int fd, const struct sockaddr_in *end, const struct sockaddr_in *other)
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

    msg.request.id.idiag_sport = end->sin_port;
    msg.request.id.idiag_src[0] = end->sin_addr.s_addr;
    if (other) {
        msg.request.id.idiag_dport = other->sin_port;
        msg.request.id.idiag_dst[0] = other->sin_addr.s_addr;
    }
    msg.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    msg.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return sendto(fd, &msg, sizeof(msg), MSG_NOSIGNAL, (const struct sockaddr *) &kernel,
                  sizeof(kernel)) == (ssize_t) sizeof(msg);
}

/* True if address and port are those of `end`. A listener may be bound to every address. */
static bool is_end(const struct sockaddr_in *end, bool listener, uint32_t address, uint16_t port)
{
    return port == end->sin_port &&
           (address == end->sin_addr.s_addr || (listener && address == htonl(INADDR_ANY)));
}

/* True if address and port are those of `other`, or none is asked for. */
static bool is_other(const struct sockaddr_in *other, uint32_t address, uint16_t port)
{
    return !other || (address == other->sin_addr.s_addr && port == other->sin_port);
}

enum px_owner px_owner_answer(const void *bytes, size_t len, const struct sockaddr_in *end,
                              const struct sockaddr_in *other, struct px_socket_owner *ret)
{
    struct nlmsghdr header;
    struct inet_diag_msg found;

    if (len < NLMSG_LENGTH(sizeof(found))) {
        return PX_OWNER_UNKNOWN;
    }
    memcpy(&header, bytes, sizeof(header));
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len > len ||
        header.nlmsg_len < NLMSG_LENGTH(sizeof(found))) {
        return PX_OWNER_UNKNOWN;
    }
    memcpy(&found, (const unsigned char *) bytes + NLMSG_HDRLEN, sizeof(found));
    if (!is_end(end, !other, found.id.idiag_src[0], found.id.idiag_sport) ||
        !is_other(other, found.id.idiag_dst[0], found.id.idiag_dport)) {
        return PX_OWNER_UNKNOWN;
    }
    return owner_of(found.idiag_state, found.idiag_inode, found.idiag_uid, !other, ret);
}

/* One netlink socket per question: questions are rare, two per connection, and so no state is kept.
 * The kernel's answer is waited for, but not for ever. */
enum px_owner px_owner_ask(const struct sockaddr_in *end, const struct sockaddr_in *other,
                           struct px_socket_owner *ret)
{
    unsigned char reply[4096];
    struct timeval patience = {.tv_usec = REPLY_MS * 1000};
    enum px_owner owner = PX_OWNER_UNKNOWN;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    ssize_t n = -1;

    if (fd < 0) {
        return owner;
    }
    (void) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (send_question(fd, end, other)) {
        n = recv(fd, reply, sizeof(reply), 0);
    }
    if (n > 0) {
        owner = px_owner_answer(reply, (size_t) n, end, other, ret);
    }
    (void) close(fd);
    return owner;
}

/* True if this row of the text table is the socket's; *ret_owner and *ret are then set. */
static bool read_row(const char *line, const struct sockaddr_in *end,
                     const struct sockaddr_in *other, enum px_owner *ret_owner,
                     struct px_socket_owner *ret)
{
    unsigned local;
    unsigned local_port;
    unsigned remote;
    unsigned remote_port;
    unsigned state;
    unsigned uid;
    unsigned long inode;

    if (sscanf(line, " %*u: %8X:%4X %8X:%4X %2X %*X:%*X %*X:%*X %*X %u %*u %lu", &local,
               &local_port, &remote, &remote_port, &state, &uid, &inode) != 7 ||
        (!other && state != STATE_LISTEN) ||
        !is_end(end, !other, local, htons((uint16_t) local_port)) ||
        !is_other(other, remote, htons((uint16_t) remote_port))) {
        return false;
    }
    *ret_owner = owner_of(state, inode, uid, !other, ret);
    return true;
}

/* Reads row by row, at most ROWS_MAX of them; a table without the socket means that nobody holds
 * it. */
enum px_owner px_owner_read(const char *path, const struct sockaddr_in *end,
                            const struct sockaddr_in *other, struct px_socket_owner *ret)
{
    FILE *file = fopen(path, "re");
    enum px_owner owner = PX_OWNER_NOBODY;
    char line[512];

    if (!file) {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? PX_OWNER_NOBODY
                                                                     : PX_OWNER_UNKNOWN;
    }
    for (long i = 0; i < ROWS_MAX && fgets(line, sizeof(line), file); i++) {
        if (read_row(line, end, other, &owner, ret)) {
            break;
        }
    }
    (void) fclose(file);
    return owner;
}

enum px_owner px_owner_find(const struct sockaddr_in *end, const struct sockaddr_in *other,
                            struct px_socket_owner *ret)
{
    enum px_owner owner = px_owner_ask(end, other, ret);

    return owner == PX_OWNER_UNKNOWN ? px_owner_read("/proc/net/tcp", end, other, ret) : owner;
}

/* --- the process that holds it --- */

/* Looks for the socket with this inode among the descriptors of a process, an open directory of
 * /proc: *left of them at most, which becomes the number of those that are left. PX_OWNER_UNKNOWN:
 * it cannot be looked into. */
static enum px_owner look_into(int process, unsigned long inode, int *left)
{
    int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    char wanted[64];
    char link[64];
    bool found = false;

    if (!dir) {
        if (fd >= 0) {
            (void) close(fd);
        }
        return PX_OWNER_UNKNOWN;
    }
    (void) snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
    for (; *left > 0 && !found && (entry = readdir(dir)) != NULL; --*left) {
        ssize_t n = readlinkat(fd, entry->d_name, link, sizeof(link) - 1);

        link[n > 0 ? n : 0] = 0;
        found = strcmp(link, wanted) == 0;
    }
    (void) closedir(dir);
    return found ? PX_OWNER_FOUND : PX_OWNER_NOBODY;
}

/* Reads the line "Uid:\treal\teffective\tsaved\tfilesystem" (or Gid:) of a status file. True if all
 * four are one id. */
static bool one_id(const char *text, const char *name, uint32_t *ret)
{
    const char *line = strstr(text, name);
    unsigned ids[4];

    if (!line ||
        sscanf(line + strlen(name), "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4 ||
        ids[1] != ids[0] || ids[2] != ids[0] || ids[3] != ids[0]) {
        return false;
    }
    *ret = ids[0];
    return true;
}

/* Reads user and group of the process. False if it has several in its roles. The program's name,
 * which it chooses itself, is in the first line of the file, with its newlines escaped, so it
 * cannot imitate the lines looked for. */
static bool read_ids(int process, uint32_t *ret_uid, uint32_t *ret_gid)
{
    int fd = openat(process, "status", O_RDONLY | O_CLOEXEC);
    char text[4096];
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0) {
        (void) close(fd);
    }
    text[n > 0 ? n : 0] = 0;
    return one_id(text, "\nUid:", ret_uid) && one_id(text, "\nGid:", ret_gid);
}

/* True if the process holds the socket and runs as the socket's user with one group id in all roles
 * (real, effective, saved, filesystem); *ret is that group. A program that changes its ids when it
 * is executed proves nothing: its starter chooses what it inherits. The directory stays that of the
 * process: if the pid is used again, nothing can be read there. */
static bool owner_proves(pid_t pid, const struct px_socket_owner *owner, gid_t *ret)
{
    char path[32];
    uint32_t uid;
    uint32_t gid;
    bool proves;
    int left = FDS_MAX;
    int process;

    (void) snprintf(path, sizeof(path), "/proc/%d", (int) pid);
    process = pid > 0 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (process < 0) {
        return false;
    }
    proves = look_into(process, owner->inode, &left) == PX_OWNER_FOUND &&
             read_ids(process, &uid, &gid) && uid == owner->uid;
    (void) close(process);
    if (proves) {
        *ret = gid;
    }
    return proves;
}

/* --- the peer of a connection --- */

/* A peer that cannot be named; fits no user. */
#define NOBODY ((struct px_peer_cred){.known = true, .uid = (uid_t) -1, .gid = (gid_t) -1})

/* The peer of an AF_UNIX stream, as the kernel noted it at connect. */
static struct px_peer_cred unix_peer(int fd)
{
    struct ucred cred;
    socklen_t len = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0 || len != sizeof(cred)) {
        return NOBODY;
    }
    return (struct px_peer_cred){.known = true, .uid = cred.uid, .gid = cred.gid, .pid = cred.pid};
}

/* True for 127.0.0.0/8. */
static bool is_loopback(const struct sockaddr_in *at)
{
    return ntohl(at->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Appends the children of the threads of a process, up to `room`, and returns how many. Looks at
 * *left threads at most, which becomes the number of those that are left. */
static size_t list_children(pid_t pid, pid_t *ret, size_t room, int *left)
{
    char path[300];
    const struct dirent *entry;
    size_t n = 0;
    DIR *threads;

    (void) snprintf(path, sizeof(path), "/proc/%d/task", (int) pid);
    threads = opendir(path);
    while (threads && *left > 0 && n < room && (entry = readdir(threads)) != NULL) {
        FILE *file;

        --*left;
        (void) snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int) pid, entry->d_name);
        file = fopen(path, "re");
        while (file && n < room && fscanf(file, "%d", &ret[n]) == 1) {
            n++;
        }
        if (file) {
            (void) fclose(file);
        }
    }
    if (threads) {
        (void) closedir(threads);
    }
    return n;
}

/* look_into by the number of a process; one that has ended has nothing. */
static enum px_owner look_into_pid(pid_t pid, unsigned long inode, int *left)
{
    char path[32];
    enum px_owner found;
    int process;

    (void) snprintf(path, sizeof(path), "/proc/%d", (int) pid);
    process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (process < 0) {
        return errno == ENOENT ? PX_OWNER_NOBODY : PX_OWNER_UNKNOWN;
    }
    found = look_into(process, inode, left);
    (void) close(process);
    return found;
}

enum px_owner px_owner_below(pid_t pid, unsigned long inode)
{
    pid_t processes[PROCESSES_MAX] = {pid};
    int left = FDS_MAX;
    bool all = true; /* could be looked into */
    size_t n = 1;

    for (size_t i = 0; i < n && left > 0; i++) {
        enum px_owner found = look_into_pid(processes[i], inode, &left);

        if (found == PX_OWNER_FOUND) {
            return found;
        }
        all = all && found == PX_OWNER_NOBODY;
        n += list_children(processes[i], processes + n, PROCESSES_MAX - n, &left);
    }
    return all && left > 0 && n < PROCESSES_MAX ? PX_OWNER_NOBODY : PX_OWNER_UNKNOWN;
}

/* The peer of a TCP connection. If one end is a loopback address, both are on this machine, and the
 * kernel knows every owner: a connection that it does not find has none. Between other addresses
 * nothing is known. may_listen: the listener at `far` counts as its owner while nobody has accepted
 * the connection. */
static struct px_peer_cred tcp_peer(const struct sockaddr_in *far, const struct sockaddr_in *near,
                                    pid_t claimed, bool may_listen)
{
    struct px_peer_cred peer_cred = {.uid = (uid_t) -1, .gid = (gid_t) -1};
    struct px_socket_owner owner;
    enum px_owner found;

    if (!is_loopback(near) && !is_loopback(far)) {
        return peer_cred;
    }
    found = px_owner_find(far, near, &owner);
    if (found == PX_OWNER_NOBODY && may_listen) {
        found = px_owner_find(far, NULL, &owner);
    }
    peer_cred.known = found != PX_OWNER_UNKNOWN;
    if (found == PX_OWNER_FOUND) {
        peer_cred.uid = owner.uid;
        peer_cred.socket = owner.inode;
        peer_cred.pid = owner_proves(claimed, &owner, &peer_cred.gid) ? claimed : 0;
    }
    return peer_cred;
}

/* Room for any socket address, as getsockname(2) and getpeername(2) fill it. */
union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_storage room;
};

/* True if it is connected by IPv4; both addresses are then set. *near also if it is not. */
static bool is_tcp(int fd, union address *near, union address *far)
{
    socklen_t near_len = sizeof(*near);
    socklen_t far_len = sizeof(*far);

    return getsockname(fd, &near->any, &near_len) == 0 && near->any.sa_family == AF_INET &&
           getpeername(fd, &far->any, &far_len) == 0 && far->any.sa_family == AF_INET;
}

/* The peer of a connected descriptor. A connection that was reset has no other end to be named,
 * although bytes that came before can still be read: nobody. IPv6 sockets are in another table,
 * which is not read: not known. */
static struct px_peer_cred peer_of(int fd, pid_t claimed, bool may_listen)
{
    union address far = {0};
    union address near = {0};

    if (is_tcp(fd, &near, &far)) {
        return tcp_peer(&far.in, &near.in, claimed, may_listen);
    }
    if (near.any.sa_family == AF_UNIX) {
        return unix_peer(fd);
    }
    return near.any.sa_family == AF_INET6
               ? (struct px_peer_cred){.uid = (uid_t) -1, .gid = (gid_t) -1}
               : NOBODY;
}

struct px_peer_cred px_auth_peer(int fd, pid_t claimed)
{
    return peer_of(fd, claimed, false);
}

uid_t px_auth_user(int fd)
{
    union address far = {0};
    union address near = {0};
    struct px_socket_owner owner;

    if (is_tcp(fd, &near, &far)) {
        bool here = is_loopback(&near.in) || is_loopback(&far.in);

        return here && px_owner_ask(&far.in, &near.in, &owner) == PX_OWNER_FOUND ? owner.uid
                                                                                 : (uid_t) -1;
    }
    return near.any.sa_family == AF_UNIX ? unix_peer(fd).uid : (uid_t) -1;
}

bool px_auth_names_tcp(int listener)
{
    union address at = {0};
    socklen_t len = sizeof(at);
    struct px_socket_owner owner;

    return getsockname(listener, &at.any, &len) == 0 && at.any.sa_family == AF_INET &&
           px_owner_ask(&at.in, NULL, &owner) == PX_OWNER_FOUND;
}

/* A server's process is not asked for, so its group is not proved on TCP. */
struct px_peer_cred px_auth_server(int fd)
{
    return peer_of(fd, 0, true);
}
