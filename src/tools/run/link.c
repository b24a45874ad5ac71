/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Links between the relay and the nodes: frames over a stream socket that is never waited for. What
 * cannot be written is kept, up to a limit: a node that does not read for so long is taken for
 * lost. A link that has ended stays in the list, without its descriptor, until all are closed. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes.h"

#define MAX_WAITING ((size_t) 2 << 30)
#define READ_BYTES  262144

const size_t px_run_max_frame = (size_t) 1 << 30;

struct px_run_link {
    struct px_run_link *next;
    int fd; /* -1: ended */
    uint32_t node;
    bool broken; /* to be ended when the loop comes by */
    px_run_frame_fn fn;
    void (*end)(struct px_run_link *link);
    struct px_run_bytes in;
    struct px_run_bytes out;
    size_t sent; /* of out */
};

static struct px_run_link *links;

struct px_run_link *px_run_link_open(int fd, uint32_t node, px_run_frame_fn fn,
                                     void (*end)(struct px_run_link *link))
{
    struct px_run_link *link = calloc(1, sizeof(*link));
    if (link == NULL) {
        return NULL;
    }
    (void) fcntl(fd, F_SETFL, O_NONBLOCK);
    link->fd = fd;
    link->node = node;
    link->fn = fn;
    link->end = end;
    link->next = links;
    links = link;
    return link;
}

uint32_t px_run_link_node(const struct px_run_link *link)
{
    return link->node;
}

/* ---- writing */

static void write_some(struct px_run_link *link)
{
    while (link->fd >= 0 && link->sent < link->out.len) {
        ssize_t n = send(link->fd, link->out.at + link->sent, link->out.len - link->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EINTR) {
            link->broken = errno != EAGAIN;
            return;
        }
        link->sent += n > 0 ? (size_t) n : 0;
    }
    link->out.len = 0;
    link->sent = 0;
}

pmix_status_t px_run_link_copy(struct px_run_link *link, struct px_run_frame head,
                               const void *bytes, size_t n)
{
    if (link->fd < 0 || link->broken) {
        return PMIX_ERR_LOST_CONNECTION;
    }
    if (n > px_run_max_frame || link->out.len - link->sent + n > MAX_WAITING) {
        link->broken = true;
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (link->sent > 0) {
        memmove(link->out.at, link->out.at + link->sent, link->out.len - link->sent);
        link->out.len -= link->sent;
        link->sent = 0;
    }
    head.len = (uint32_t) n;
    px_run_put_raw(&link->out, &head, sizeof(head));
    px_run_put_raw(&link->out, bytes, n);
    if (link->out.failed) {
        link->broken = true; /* half a frame may be there */
        return PMIX_ERR_NOMEM;
    }
    write_some(link);
    return PMIX_SUCCESS;
}

pmix_status_t px_run_link_send(struct px_run_link *link, struct px_run_frame head,
                               struct px_run_bytes *payload)
{
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (payload == NULL) {
        return px_run_link_copy(link, head, NULL, 0);
    }
    if (!payload->failed) {
        rc = px_run_link_copy(link, head, payload->at, payload->len);
    }
    free(payload->at);
    *payload = (struct px_run_bytes){0};
    return rc;
}

/* ---- reading */

/* Hands out the whole frames that are there. */
static void hand_out(struct px_run_link *link)
{
    struct px_run_frame head;
    size_t at = 0;

    while (link->in.len - at >= sizeof(head)) {
        memcpy(&head, link->in.at + at, sizeof(head));
        if (head.len > px_run_max_frame) {
            link->broken = true;
            break;
        }
        if (link->in.len - at - sizeof(head) < head.len) {
            break;
        }
        struct px_run_reader payload = {link->in.at + at + sizeof(head), head.len, false};
        link->fn(link, &head, &payload);
        at += sizeof(head) + head.len;
    }
    memmove(link->in.at, link->in.at + at, link->in.len - at);
    link->in.len -= at;
}

static void read_some(struct px_run_link *link)
{
    static char piece[READ_BYTES];

    ssize_t n = recv(link->fd, piece, sizeof(piece), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        link->broken = true;
    }
    if (n <= 0) {
        return;
    }
    px_run_put_raw(&link->in, piece, (size_t) n);
    link->broken = link->broken || link->in.failed;
    if (!link->in.failed) {
        hand_out(link);
    }
}

/* ---- for the loop */

size_t px_run_links_n(void)
{
    size_t n = 0;

    for (const struct px_run_link *link = links; link != NULL; link = link->next) {
        n++;
    }
    return n;
}

void px_run_links_poll(struct pollfd *p)
{
    for (const struct px_run_link *link = links; link != NULL; link = link->next, p++) {
        p->fd = link->fd;
        p->events = link->out.len > 0 ? POLLIN | POLLOUT : POLLIN;
    }
}

void px_run_links_move(const struct pollfd *p)
{
    for (struct px_run_link *link = links; link != NULL; link = link->next, p++) {
        if (link->fd >= 0 && (p->revents & POLLOUT) != 0) {
            write_some(link);
        }
        if (link->fd >= 0 && (p->revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            read_some(link);
        }
        if (link->fd >= 0 && link->broken) {
            close(link->fd);
            link->fd = -1;
            link->end(link);
        }
    }
}

void px_run_links_close(void)
{
    while (links != NULL) {
        struct px_run_link *link = links;
        links = link->next;
        if (link->fd >= 0) {
            close(link->fd);
        }
        free(link->in.at);
        free(link->out.at);
        free(link);
    }
}
