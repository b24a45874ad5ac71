/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_SERVER_H
#define PX_TEST_FUZZ_HALF_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The server half of the library, driven in this thread and without listeners: the target makes the
 * connections. It serves the job FUZZ_JOB; processes 0 and 1 are of this node, 2 of another. There
 * is one server at a time. Each input starts a new one, so that inputs do not depend on each other.
 * The program aborts if it cannot start, stop or connect. */

struct px_buf;

#define FUZZ_JOB "job"

enum half_server_host {
    HOST_ANSWERS, /* each upcall succeeds at once and returns the infos of the request */
    HOST_REFUSES, /* each upcall fails */
    HOST_WAITS,   /* no upcall is answered before half_server_stop */
    HOST_LACKS,   /* the module has no entry but that for connected clients */
    N_HOSTS
};

/* doors: with the AF_UNIX listener, for clients in other processes. */
void half_server_start(enum half_server_host host, bool doors);
void half_server_stop(void);

/* Sets what the host answers to fences and direct modexes. bytes: borrowed until the server stops.
 */
void half_server_modex(const void *bytes, size_t len);

/* Opens a connection to the server and returns the peer's end; the caller closes it. */
int half_server_dial(void);

/* Properties of a peer in its introduction. */
enum {
    HELLO_DESCRIBED = 0x01, /* fully described encoding */
    HELLO_OURS = 0x02,      /* this library, else OpenPMIx */
    HELLO_RELEASE = 0x0c,   /* two bits: which release */
    HELLO_TOOL = 0x10,      /* a tool, else a client */
    HELLO_NAMELESS = 0x20   /* a tool that asks for a name */
};

/* Appends a well-formed introduction of the client with that rank, or of a tool. */
void half_server_hello(uint8_t bits, uint32_t rank, struct px_buf *buf);

/* Connects and sends that introduction, which the server may refuse. Returns as half_server_dial.
 */
int half_server_introduce(uint8_t bits, uint32_t rank);

/* Sends as many of the bytes as the socket takes, runs the server, and discards its replies. */
void half_server_send(int fd, const void *bytes, size_t len);

/* The same for one message: a header with that tag, and the payload. */
void half_server_message(int fd, uint32_t tag, const void *payload, size_t len);

/* Runs some rounds of the server's loop: enough for a message, a task that it posts, and the
 * answer. */
void half_server_run(void);

#endif
