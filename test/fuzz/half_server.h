/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_SERVER_H
#define PX_TEST_FUZZ_HALF_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* The server half of the library, driven in this thread and without listeners: the target makes the
 * connections. It serves the job FUZZ_JOB, whose processes 0 and 1 are of this node, 2 of another,
 * and FUZZ_OTHER, whose processes 0 and 1 are of this node. There is one server at a time. Each
 * input starts a new one, so that inputs do not depend on each other. The program aborts if it
 * cannot start, stop or connect. */

struct px_buf;

#define FUZZ_JOB   "job"
#define FUZZ_OTHER "other"

enum half_server_host {
    HOST_ANSWERS, /* each upcall succeeds at once and returns the infos of the request */
    HOST_REFUSES, /* each upcall fails */
    HOST_WAITS,   /* no upcall is answered before half_server_stop */
    HOST_LACKS,   /* the module has no entry but that for connected clients */
    N_HOSTS
};

/* Listeners: for clients in other processes, and for half_server_dial_tcp; and rendezvous files, in
 * half_server_folder. */
enum { DOOR_UNIX = 0x01, DOOR_TCP = 0x02, WITH_FILES = 0x04, ROOMY = 0x08, LAUNCHER = 0x10 };

/* Limits of the server are small (half_server.c), so that inputs reach them, but with ROOMY. With
 * LAUNCHER it is that of a launcher without a server above it, which is its host. doors: a set of
 * the above. False: the server does not start because of files that it has found. */
bool half_server_start(enum half_server_host host, unsigned doors);
/* A folder of this process, removed at its end if it is empty. */
const char *half_server_folder(void);
void half_server_stop(void);
/* From now on the host does not answer those who connect, before half_server_stop. */
void half_server_shut(void);
/* The host answers what waits for it. */
void half_server_settle(void);

/* What the host registers of a job of two processes on this node and, if size is 3, one on another:
 * HALF_JOB_INFOS infos, which the caller destructs. */
enum { HALF_JOB_INFOS = 5 };
void half_server_job_infos(uint32_t size, pmix_info_t *info);

/* Sets what the host answers to fences and direct modexes. bytes: borrowed until the server stops.
 */
void half_server_modex(const void *bytes, size_t len);

/* Opens a connection to the server and returns the peer's end; the caller closes it. */
int half_server_dial(void);
/* The same by loopback TCP, through the server's listener (DOOR_TCP). */
int half_server_dial_tcp(void);
/* In two steps: the socket, and its connection. */
int half_server_socket_tcp(void);
void half_server_connect_tcp(int fd);

/* Properties of a peer in its introduction. */
enum {
    HELLO_DESCRIBED = 0x01, /* fully described encoding */
    HELLO_OURS = 0x02,      /* this library, else OpenPMIx */
    HELLO_RELEASE = 0x0c,   /* two bits: which release */
    HELLO_TOOL = 0x10,      /* a tool, else a client */
    HELLO_NAMELESS = 0x20,  /* a tool that asks for a name */
    HELLO_SPEAKS = 0x40,    /* this library, reading by messages; without HELLO_OURS */
    HELLO_OTHER = 0x80      /* of FUZZ_OTHER */
};

/* Appends a well-formed introduction of the client with that rank, or of a tool. */
void half_server_hello(uint8_t bits, uint32_t rank, struct px_buf *buf);
/* The same with that module for credentials. */
void half_server_hello_as(uint8_t bits, uint32_t rank, const char *psec, struct px_buf *buf);

/* Connects and sends that introduction, which the server may refuse. Returns as half_server_dial.
 */
int half_server_introduce(uint8_t bits, uint32_t rank);

/* A message that is longer than the input that says it. */
struct half_long {
    const uint8_t *bytes;
    size_t len;
    size_t times;    /* so often */
    size_t n_again;  /* so many bytes come once more */
    size_t n_behind; /* before the last ones, which are so many */
};

/* Sends as many of the bytes as the socket takes, runs the server, and discards its replies. */
void half_server_send(int fd, const void *bytes, size_t len);
/* Sends as half_server_send, as a message with that tag, or, if it is negative, without a frame;
 * and leaves the replies unread. */
void half_server_write(int fd, int tag, const void *bytes, size_t len);
/* Sends a message with that tag as half_server_write, also one that the socket does not take at
 * once. n_again and n_behind are at most len. */
void half_server_write_long(int fd, int tag, const struct half_long *message);
/* Discards what the server has sent to a peer that did not read, and runs the server. */
void half_server_read(int fd);

/* Runs some rounds of the server's loop: enough for a message, a task that it posts, and the
 * answer. */
void half_server_run(void);

#endif
