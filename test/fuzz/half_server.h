/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_SERVER_H
#define PX_TEST_FUZZ_HALF_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The server half of the library in this process and this thread, without listeners: the target
 * makes its connections. It has the job FUZZ_JOB, whose processes 0 and 1 are of this node and 2 of
 * another. One at a time; started anew for each input, so that none depends on one before. A step
 * that fails aborts. */

struct px_buf;

#define FUZZ_JOB "job"

enum half_server_host {
    HOST_ANSWERS, /* each upcall succeeds at once, with the infos of the request where it has any */
    HOST_REFUSES,
    HOST_WAITS, /* answers nothing before half_server_stop */
    HOST_LACKS, /* all entries but that for clients */
    N_HOSTS
};

/* doors: with the AF_UNIX listener, for clients in other processes. */
void half_server_start(enum half_server_host host, bool doors);
void half_server_stop(void);

/* What the host answers to fences and direct modexes from now on; borrowed. */
void half_server_modex(const void *bytes, size_t len);

/* Our end of a new connection, on which nothing was said. */
int half_server_dial(void);

/* Who somebody says he is: the encoding, this library, which release (two bits), a tool. */
enum {
    HELLO_DESCRIBED = 0x01,
    HELLO_OURS = 0x02,
    HELLO_RELEASE = 0x0c,
    HELLO_TOOL = 0x10,
    HELLO_NAMELESS = 0x20
};

/* Appends an honest introduction. */
void half_server_hello(uint8_t bits, uint32_t rank, struct px_buf *buf);

/* A connection on which that was sent; it may have been refused. */
int half_server_introduce(uint8_t bits, uint32_t rank);

/* Sends what the peer's connection takes, runs the server, and reads what it has sent. */
void half_server_send(int fd, const void *bytes, size_t len);

/* One framed message in the same way. */
void half_server_message(int fd, uint32_t tag, const void *payload, size_t len);

/* Runs the server until it has nothing more to do at once. */
void half_server_run(void);

#endif
