/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_TRACE_H
#define PX_WAITS_TRACE_H

/* The records of a trace: what a server (shmix_trace_fd) and pmixrun --trace append to one file,
 * and what pmixrun makes a timeline of. A record is a head, the namespace and a text, neither with
 * a NUL at its end. Times are of the monotonic clock, in nanoseconds. */

#include <stdint.h>
#include <stdio.h>

enum px_trace_kind {
    PX_TRACE_NONE,
    PX_TRACE_STEP,     /* of the node itself: `text` says what */
    PX_TRACE_FORK,     /* a process is started: `number` is its id, `text` the program */
    PX_TRACE_END,      /* it has ended; `number` is what waitpid(2) gave */
    PX_TRACE_CONNECT,  /* from its connection to its admission; `number` is its id, if known */
    PX_TRACE_INFORM,   /* it has been sent its job's information */
    PX_TRACE_COMMIT,   /* its values have been taken; `number` is the status */
    PX_TRACE_JOIN,     /* it calls a collective: `id`, `key`, `op`; `text` is the group, if any */
    PX_TRACE_CLOSED,   /* all processes of this node have called the collective `id` */
    PX_TRACE_ASK,      /* the host is asked for it */
    PX_TRACE_OVER,     /* it has ended; `number` is the status */
    PX_TRACE_FINALIZE, /* the process has finalized */
    PX_TRACE_GONE,     /* it has closed its connection */
    PX_TRACE_KINDS,
};

enum { PX_TRACE_NAME = 255, PX_TRACE_TEXT = 255 };
#define PX_TRACE_MAGIC UINT32_C(0x65636172)

struct px_trace_record {
    uint32_t magic; /* this and the two lengths are filled in when it is written */
    uint16_t kind;  /* enum px_trace_kind */
    uint16_t op;    /* of a collective: enum px_waits_kind */
    uint64_t ns;
    uint64_t until_ns; /* 0: it is a moment */
    uint64_t id;       /* of a collective, at this server, until it has ended */
    uint64_t key;      /* the same for a collective at each server that takes part */
    uint32_t node;     /* the server's rank */
    uint32_t rank;
    int32_t number;
    uint16_t nspace_len;
    uint16_t text_len;
};
_Static_assert(sizeof(struct px_trace_record) == 56, "no padding");

/* Appends a record. nspace and text may be NULL, and are cut where they are too long. Any thread:
 * it is one writev(2) to a file that is opened with O_APPEND. What cannot be written is lost. */
void px_trace_write(int fd, const struct px_trace_record *record, const char *nspace,
                    const char *text);

/* A record that was read; its texts end with a NUL. */
struct px_trace_item {
    struct px_trace_record head;
    char nspace[PX_TRACE_NAME + 1];
    char text[PX_TRACE_TEXT + 1];
};

/* Reads the next record. 1; 0: there is none; PX_ERR_UNPACK_FAILURE: no record is there, or half of
 * one. */
int px_trace_read(FILE *from, struct px_trace_item *ret);

#endif
