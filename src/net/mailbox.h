/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_MAILBOX_H
#define PX_NET_MAILBOX_H

/* A mailbox: a pair of sockets, one end of which a process inherits from the server that starts it.
 * In it lies one message with two descriptors: the process's end of a connection to the server, and
 * the segment of its namespace. The kernel gives the message to the first process that asks for it,
 * and tells the server whether anybody did. No state; any thread (docs/decisions/0044). */

#include <stddef.h>

#include <pmix_common.h>

struct px_dialed;
struct px_trust;

/* The longest text of px_mailbox_text, with its NUL. */
enum { PX_MAILBOX_TEXT = PMIX_MAX_NSLEN + 64 };

/* A new mailbox: descriptors, all closed by exec, which the caller owns. */
struct px_mailbox {
    int fd;                   /* the server's end */
    int conn;                 /* the server's end of the connection; non-blocking */
    int given;                /* the end that the process is to inherit */
    unsigned long long inode; /* of `given`: no other socket of this system has it */
};

/* The state of the message once the server's end is ready. */
enum px_mailbox_state {
    PX_MAILBOX_TAKEN, /* a process has it */
    PX_MAILBOX_LOST   /* no process can take it: all copies of `given` are closed */
};

/* Makes a mailbox for the process, with a copy of the descriptor `segment` in its message. The
 * server's end becomes writable when the message is taken, and not before. 0,
 * PMIX_ERR_NOT_SUPPORTED (this system cannot tell whether it is taken), PMIX_ERR_OUT_OF_RESOURCE
 * (no descriptors). */
int px_mailbox_make(const pmix_proc_t *proc, int segment, struct px_mailbox *ret);

/* Closes all of its descriptors. */
void px_mailbox_close(const struct px_mailbox *mailbox);

/* Which, of a server's end that has become ready. To be asked once. */
enum px_mailbox_state px_mailbox_look(int fd);

/* Writes what the process has to know: "DESCRIPTOR:INODE:RANK:NAMESPACE". 0 or PMIX_ERR_BAD_PARAM
 * (no room). */
int px_mailbox_text(const struct px_mailbox *mailbox, const pmix_proc_t *proc, char *room,
                    size_t room_len);

/* Takes the message of the mailbox that the text is about, if it is for this process, if the
 * descriptor is still that socket, and if its maker is trusted as px_dial trusts a server (NULL:
 * the usual users). *ret, with its descriptor, and *ret_segment are the caller's; the mailbox is
 * closed. Never blocks. 0, PMIX_ERR_BAD_PARAM (malformed, or of another process),
 * PMIX_ERR_NOT_FOUND (closed, another file, or taken before), PMIX_ERR_NO_PERMISSIONS,
 * PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_UNREACH (the server has given it up). */
int px_mailbox_take(const char *text, const pmix_proc_t *self, const struct px_trust *trust,
                    struct px_dialed *ret, int *ret_segment);

#endif
