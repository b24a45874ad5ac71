/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

#include "collective.h"

struct px_coll;
struct px_in;
struct px_peer;
struct px_reply_to;
struct px_server;

/* Groups that exist. Loop thread. */

struct px_group {
    struct px_list link;
    char *name;
    pmix_proc_t *members;
    size_t n;
    bool hosted; /* the host took part in making it */
};

/* group_data.c: what members contribute, towards the host and back. */

int px_handle_group_construct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in);
int px_handle_group_destruct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in);
int px_handle_group_leave(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

void px_group_complete(struct px_server *s, struct px_coll *coll, bool remote);

void px_group_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                    int status);
void px_group_finished(struct px_server *s, struct px_coll *coll, int status);

#endif
