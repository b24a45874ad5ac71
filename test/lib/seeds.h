/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_LIB_SEEDS_H
#define PX_TEST_LIB_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "test/fuzz/half_server.h"

/* What conversation_seeds writes, and from what: the messages of two processes, or of a tool. After
 * an error the program ends. */

enum {
    SEEDS_CLIENTS = 2,
    SEEDS_MOST_FRAMES = 160,
    SEEDS_MOST_BYTES = 1 << 23 /* of one direction of a connection */
};

/* One direction of a process's connection. */
struct stream {
    size_t len;
    unsigned char bytes[SEEDS_MOST_BYTES];
};

/* What a process has sent and received; in memory that all processes share. */
struct record {
    struct stream sent;
    struct stream received;
    bool finalized; /* has ended with a goodbye */
};

extern struct record *records; /* SEEDS_CLIENTS of them */

/* A message, in the stream of a record. */
struct frame {
    uint32_t tag;
    size_t len;
    const unsigned char *payload;
};

/* A form of conversation, by which its seeds are called. */
struct form {
    const char *name;
    const char *setting; /* of the clients, a line of their environment */
    enum half_server_host host;
    uint8_t hello; /* of dispatch: HELLO_* */
    uint8_t reply; /* byte 0 of reply */
    bool tool;
    bool stock;    /* the clients take it that their server is of another implementation */
    bool launcher; /* the server is a launcher's */
};

struct px_notify_args;

extern const char *seeds_corpus; /* the folder */

/* Ends the program if that does not hold. */
void seeds_need(bool holds, const char *what);

/* --- seeds.c --- */

/* The file of a seed, which the caller closes. form: the end of its name, or empty. */
FILE *seeds_open(const char *target, const char *name, const char *form);

/* The messages of a stream, at most SEEDS_MOST_FRAMES; returns how many. */
size_t seeds_split(const struct stream *stream, struct frame *frames);

/* Writes a step (fuzz.h). */
void seeds_put_bytes(FILE *file, int who, int what, const unsigned char *bytes, size_t len);
/* Writes a step that is a message. A message that is too long for a step is cut. */
void seeds_put(FILE *file, int who, const struct frame *frame);
/* Writes a step of dispatch_fuzz that is a message. A part of it that repeats is written once. */
void seeds_put_long(FILE *file, int who, const struct frame *frame);

/* --- seeds_dispatch.c --- */

/* The host of the server tells of an event of that process, as the hosts of other nodes do; kept
 * for the seeds until seeds_forget_said. */
void seeds_host_says(const pmix_proc_t *source, const struct px_notify_args *args);
void seeds_forget_said(void);

/* Seeds of the call, from what the processes have sent: as it was, and in other courses. */
void seeds_write_dispatch(unsigned call, const struct form *form);

/* --- seeds_reply.c --- */

/* A seed of the call, from what that process has received. */
void seeds_write_reply(unsigned call, const struct form *form, int process);
/* The same of process 0, where its segment moves before each reply. */
void seeds_write_moves(unsigned call);

#endif
