/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Mailboxes. The kernel does all the bookkeeping. A datagram is received whole and once, so of two
 * processes that have inherited the descriptor one gets it. A socket whose queue for sending is
 * made smaller than the message is writable again when the message has been received. And one whose
 * other end is closed with the message unread gets ECONNRESET, after it was read an ordinary end.
 *
 * The connection is a pair of its own, because the inherited descriptor has copies wherever the
 * process was copied to: a shell that has started the client would keep the connection open behind
 * it. Of the end in the message there is one copy, that of the process which took it. */

#include "mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmix.h>

#include "src/net/dial.h"

/* Number of descriptors in the message; which is which. */
enum { CONN_AT, SEGMENT_AT, N_FDS };

/* "shmixbox" */
#define MAGIC UINT64_C(0x786f6278696d6873)

/* The message, in the byte order of the machine. It is as long as it is so that the smallest queue
 * for sending has no room beside it. */
struct letter {
    uint64_t magic;
    uint32_t rank;
    char nspace[PMIX_MAX_NSLEN + 1];
    char unused[1764];
};

/* Room for the descriptors beside the message. */
union control {
    struct cmsghdr align;
    unsigned char bytes[CMSG_SPACE(N_FDS * sizeof(int))];
};

/* Posts the letter with both descriptors. False: the kernel does not take it. */
static bool post(int fd, const pmix_proc_t *proc, const int fds[N_FDS])
{
    struct letter letter = {.magic = MAGIC, .rank = proc->rank};
    union control control = {0};
    struct iovec iov = {&letter, sizeof(letter)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

    memcpy(letter.nspace, proc->nspace, strnlen(proc->nspace, PMIX_MAX_NSLEN));
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(N_FDS * sizeof(int));
    memcpy(CMSG_DATA(c), fds, N_FDS * sizeof(int));
    return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t) sizeof(letter);
}

/* True if the socket has room for sending. */
static bool is_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, 0) == 1;
}

/* Fills the mailbox, whose pair is open. The end that is passed on is closed here. */
static int fill(struct px_mailbox *box, const pmix_proc_t *proc, int segment)
{
    int pair[2];
    int one = 1;
    struct stat st;
    bool posted;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    box->conn = pair[0];
    posted = !setsockopt(box->conn, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) &&
             !setsockopt(box->fd, SOL_SOCKET, SO_SNDBUF, &one, sizeof(one)) &&
             !fstat(box->given, &st) && post(box->fd, proc, (int[N_FDS]){pair[1], segment});
    (void) close(pair[1]);
    if (!posted || is_writable(box->fd)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    box->inode = st.st_ino;
    return PMIX_SUCCESS;
}

int px_mailbox_make(const pmix_proc_t *proc, int segment, struct px_mailbox *ret)
{
    struct px_mailbox box = {.conn = -1};
    int pair[2];
    int rc;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    box.fd = pair[0];
    box.given = pair[1];
    rc = fill(&box, proc, segment);
    if (rc) {
        px_mailbox_close(&box);
        return rc;
    }
    *ret = box;
    return PMIX_SUCCESS;
}

void px_mailbox_close(const struct px_mailbox *mailbox)
{
    (void) close(mailbox->fd);
    (void) close(mailbox->given);
    if (mailbox->conn >= 0) {
        (void) close(mailbox->conn);
    }
}

/* A client writes nothing into its mailbox. If there is something to read, a program that is not a
 * client of this library has written it, and the message counts as lost. */
enum px_mailbox_state px_mailbox_look(int fd)
{
    unsigned char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return n == 0 || (n < 0 && errno == EAGAIN) ? PX_MAILBOX_TAKEN : PX_MAILBOX_LOST;
}

int px_mailbox_text(const struct px_mailbox *mailbox, const pmix_proc_t *proc, char *room,
                    size_t room_len)
{
    int n = snprintf(room, room_len, "%d:%llu:%u:%s", mailbox->given, mailbox->inode, proc->rank,
                     proc->nspace);

    return n > 0 && (size_t) n < room_len ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

/* Reads a number of at most `max` and the ":" behind it. */
static bool read_number(const char **at, unsigned long long max, unsigned long long *ret)
{
    char *end;

    if (**at < '0' || **at > '9') {
        return false;
    }
    errno = 0;
    *ret = strtoull(*at, &end, 10);
    if (errno || *ret > max || *end != ':') {
        return false;
    }
    *at = end + 1;
    return true;
}

/* The descriptor that the text names, if that is for this process and still the same socket. 0,
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_FOUND. */
static int find(const char *text, const pmix_proc_t *self, int *ret)
{
    unsigned long long fd, inode, rank;
    struct stat st;

    if (!read_number(&text, INT32_MAX, &fd) || !read_number(&text, UINT64_MAX, &inode) ||
        !read_number(&text, UINT32_MAX, &rank) || rank != self->rank ||
        strcmp(text, self->nspace) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (fstat((int) fd, &st) || !S_ISSOCK(st.st_mode) || st.st_ino != inode) {
        return PMIX_ERR_NOT_FOUND;
    }
    *ret = (int) fd;
    return PMIX_SUCCESS;
}

/* The descriptors that came with a message: N_FDS, or none. */
static bool take_fds(struct msghdr *msg, int fds[N_FDS])
{
    struct cmsghdr *c = CMSG_FIRSTHDR(msg);

    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
        return false;
    }
    if (c->cmsg_len != CMSG_LEN(N_FDS * sizeof(int))) {
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            (void) close(fd);
        }
        return false;
    }
    memcpy(fds, CMSG_DATA(c), N_FDS * sizeof(int));
    return true;
}

/* True if the other end of the connection is open. Nothing can have been sent yet. */
static bool is_open(int fd)
{
    unsigned char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Receives the letter. 0, PMIX_ERR_NOT_FOUND (there is none), PMIX_ERR_UNPACK_FAILURE,
 * PMIX_ERR_UNREACH. */
static int receive(int fd, const pmix_proc_t *self, int fds[N_FDS])
{
    struct letter letter;
    union control control;
    struct iovec iov = {&letter, sizeof(letter)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    int rc = PMIX_SUCCESS;

    if (n <= 0) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (!take_fds(&msg, fds)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (n != (ssize_t) sizeof(letter) || letter.magic != MAGIC || letter.rank != self->rank ||
        strncmp(letter.nspace, self->nspace, sizeof(letter.nspace)) != 0) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    } else if (!is_open(fds[CONN_AT])) {
        rc = PMIX_ERR_UNREACH;
    }
    for (int i = 0; rc && i < N_FDS; i++) {
        (void) close(fds[i]);
    }
    return rc;
}

int px_mailbox_take(const char *text, const pmix_proc_t *self, const struct px_trust *trust,
                    struct px_dialed *ret, int *ret_segment)
{
    int fds[N_FDS];
    int fd;
    int rc = find(text, self, &fd);

    rc = rc ? rc : px_dial_check(fd, trust);
    rc = rc ? rc : receive(fd, self, fds);
    if (rc) {
        return rc;
    }
    (void) close(fd);
    *ret = (struct px_dialed){.fd = fds[CONN_AT], .assigned = *self};
    *ret_segment = fds[SEGMENT_AT];
    return PMIX_SUCCESS;
}
