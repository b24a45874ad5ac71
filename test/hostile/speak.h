/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_HOSTILE_SPEAK_H
#define PX_TEST_HOSTILE_SPEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a hostile program speaks to a server; what comes back is waited for some time only. */

extern const char *nspace; /* who he says he is */
extern uint32_t rank;

struct hello {
    const char *psec;
    unsigned char role; /* 0: a client, 4: a tool with a name */
    uint32_t uid;
    uint32_t gid;
    const char *nspace;
    uint32_t rank;
    const char *version;
    const char *module;
    unsigned char encoding; /* of what comes after it: enum px_wire_kind */
    const char *gds;
    const void *infos; /* packed, or NULL */
    size_t infos_len;
};

/* A connection to that listener, or -1. */
int dial(const char *uri);
/* Each returns how many bytes it has written. */
size_t put(unsigned char *at, const void *bytes, size_t len);
size_t put_string(unsigned char *at, const char *s);
size_t put_number(unsigned char *at, uint64_t number); /* in groups of 7 bits, the lowest first */
size_t write_hello(unsigned char *at, const struct hello *h);
struct hello honest(void);
/* In time? */
bool readable(int fd);
/* True when the server closes, whatever it says first. */
bool closes(int fd);
bool receive(int fd, void *to, size_t len);
void send_all(int fd, const void *bytes, size_t len);
/* Sends one request; true when a reply comes or the server closes. */
bool answered(const char *uri, const void *payload, uint32_t len);
/* Says hello; the connected descriptor, or -1. admitted: honestly. */
int admitted_as(const char *uri, const struct hello *h);
int admitted(const char *uri);
/* Says hello; the status of the answer, 0 if there is none. */
int32_t refusal(const char *uri, const struct hello *h);
size_t write_frame(unsigned char *at, uint32_t tag, const void *payload, uint32_t len);
size_t write_header(unsigned char *at, uint32_t len);

#endif
