/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_HOSTILE_USERS_H
#define PX_TEST_HOSTILE_USERS_H

/* What the parts of the program `users` share. */

#include <stdbool.h>

enum { NO_GROUP = -1 };

/* What the host was told last, and how often. */
extern struct shared {
    char uris[2][512]; /* AF_UNIX, TCP */
    char directory[256];
    int flooded[2]; /* a pipe: all connections are there, or who listens does */
    char rogue[2][512];
    int clients; /* of the first user's job */
    int tools;
    int lies; /* tools of another than the second user, of whom all are */
    int queries;
    long uid;
    long gid;   /* NO_GROUP: none */
    bool twice; /* one of the two came more than once */
} * shared;

/* Attempts of the second user with a tool of the library. tool_asks sends queries and resolves;
 * tool_reads reads jobs of both users. */
void tool_asks(void);
void tool_reads(void);

#endif
