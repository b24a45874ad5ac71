/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_IOF_H
#define PX_SERVER_IOF_H

#include "src/base/list.h"
#include "src/server/requests/requests.h"

struct px_in;
struct px_peer;
struct px_server;
struct px_upcall;

struct px_output_args {
    pmix_proc_t source;
    pmix_iof_channel_t channel;
    const pmix_byte_object_t *bytes;
    const pmix_info_t *info;
    size_t ninfo;
};

/* Subscriptions to output. peer 0 is this process. Loop thread. */

struct px_iof_subscription {
    struct px_list link;
    size_t id;
    size_t local_id; /* the peer's own number for it */
    uint64_t peer;   /* 0: this process */
    pmix_iof_channel_t channel;
    pmix_proc_t *procs;
    size_t n_procs;
    pmix_iof_cbfunc_t cbfunc;
};

/* NULL when memory is out. */
struct px_iof_subscription *px_iof_subscription_add(struct px_server *s, uint64_t peer,
                                                    const pmix_proc_t *procs, size_t nprocs,
                                                    pmix_iof_channel_t channel);
/* 0 or PMIX_ERR_NOT_FOUND. */
int px_iof_subscription_drop(struct px_server *s, uint64_t peer, size_t id);
struct px_iof_subscription *px_iof_subscription_find(struct px_server *s, uint64_t peer,
                                                     size_t id); /* or NULL */
bool px_iof_subscription_covers(const struct px_iof_subscription *pull,
                                const struct px_output_args *out);
void px_iof_subscription_deliver(struct px_server *s, const struct px_iof_subscription *pull,
                                 const struct px_output_args *out);

/* The services (struct px_service). */
int px_iof_pull_prepare(struct px_upcall *up, struct px_peer *peer);
pmix_status_t px_iof_pull_call(struct px_upcall *up);
void px_iof_pull_answered(struct px_upcall *up);
pmix_status_t px_iof_deregister_call(struct px_upcall *up);

/* output_cache.c: what came before somebody asked. */

void px_iof_subscriptions_peer_disconnected(struct px_server *s, const struct px_peer *peer);
void px_iof_subscriptions_drop_all(struct px_server *s);

int px_output_deliver(struct px_server *s, void *args);

#endif
