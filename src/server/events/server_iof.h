/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_IOF_H
#define PX_SERVER_IOF_H

/* Subscriptions to the output of processes, and its delivery. Loop thread. */

#include "src/base/list.h"
#include "src/context/output_sink.h"
#include "src/server/peers/quota.h"
#include "src/server/requests/requests.h"
#include "src/value/proc_list.h"

struct px_peer;
struct px_server;
struct px_upcall;

/* The wish of a peer, or of this process, to get the output of some processes (PMIx_IOF_pull). In
 * s->pulls, which owns it. */
struct px_iof_subscription {
    struct px_list link;
    size_t id;       /* never reused; given to the peer in the reply */
    size_t local_id; /* the peer's own number for it, sent back with the output */
    uint64_t peer;   /* 0: this process */
    pmix_iof_channel_t channel;
    struct px_proc_list procs; /* an empty namespace, and PMIX_RANK_WILDCARD, match any */
    struct px_sink *sink;      /* of this process; else NULL; owned */
    struct px_holding holding; /* of the peer */
    /* The peer's request, until the host has answered it; borrowed; else NULL. */
    const struct px_args *asked;
    bool of_launch;   /* of px_iof_launched, to one job */
    size_t wanted_by; /* it has ended: one that covers some of its output; 0: not looked for yet */
};

/* Adds a subscription with a copy of procs. Owned by the server. NULL when memory is out. */
struct px_iof_subscription *px_iof_subscription_add(struct px_server *s, uint64_t peer,
                                                    const pmix_proc_t *procs, size_t nprocs,
                                                    pmix_iof_channel_t channel);

/* Ends a subscription of this peer; 0: this process, whose sink gives out first what it holds back.
 * 0 or PMIX_ERR_NOT_FOUND. */
int px_iof_subscription_drop(struct px_server *s, uint64_t peer, size_t id);

/* A subscription of this peer by its id, or NULL. Borrowed. */
struct px_iof_subscription *px_iof_subscription_find(struct px_server *s, uint64_t peer, size_t id);

/* True if the output is of a process and a channel that the subscription names. One that the host
 * has not answered yet covers only what its peer may have anyway (px_access_output): it neither
 * gets other output, nor takes it from the subscriptions to come. */
bool px_iof_subscription_covers(struct px_server *s, struct px_iof_subscription *pull,
                                const struct px_output *out);

/* Sends the output to the subscription's peer, or calls the callback of this process. The output is
 * borrowed for the call. */
void px_iof_subscription_deliver(struct px_server *s, const struct px_iof_subscription *pull,
                                 const struct px_output *out);

/* Service of PMIx_IOF_pull (struct px_service), its `prepare`: checks the directives. 0 or
 * PMIX_ERR_BAD_PARAM. */
int px_iof_pull_prepare(struct px_upcall *up, struct px_peer *peer);

/* Its `call`: adds the subscription and asks the host to forward the output. */
pmix_status_t px_iof_pull_call(struct px_upcall *up);

/* Its `done`: answers with the subscription's number, then delivers kept output. */
void px_iof_pull_answered(struct px_upcall *up);

/* A job that this peer has asked for has started. If the peer is a launcher, it is subscribed to
 * the job's output and errors, unless the request says PMIX_FWD_STDOUT or PMIX_FWD_STDERR false.
 * This lasts as long as the job is registered here, or the peer is connected.
 * The output comes as number 0, which tools write to their own streams: launchers that were written
 * for OpenPMIx neither ask for it nor call PMIx_IOF_pull. Lost if memory is out. */
void px_iof_launched(struct px_server *s, struct px_peer *peer, const struct px_args *args,
                     const char *nspace);

/* A namespace is dropped: ends the subscriptions of px_iof_launched to its job. */
void px_iof_subscriptions_nspace_removed(struct px_server *s, const char *name);

/* Service of PMIx_IOF_deregister, its `call`. PMIX_OPERATION_SUCCEEDED or PMIX_ERR_NOT_FOUND. */
pmix_status_t px_iof_deregister_call(struct px_upcall *up);

/* Ends the subscriptions of a peer. px_iof_tell_unwanted has to follow. */
void px_iof_subscriptions_peer_disconnected(struct px_server *s, const struct px_peer *peer);

/* Tells the host by iof_pull with PMIX_IOF_STOP that the output of an ended subscription of a peer
 * is not needed, as soon as no other subscription overlaps with it. */
void px_iof_tell_unwanted(struct px_server *s);

/* Frees all subscriptions when the server stops. */
void px_iof_subscriptions_drop_all(struct px_server *s);

/* Makes the sink for output that this process itself shows, by the directives of PMIx_server_init,
 * if there is such output: all with PMIX_IOF_LOCAL_OUTPUT; of a launcher, unless that is false,
 * what nobody has subscribed to. 0 or a status of px_sink_create. When the server starts. */
int px_output_local(struct px_server *s, const pmix_info_t *info, size_t ninfo);

/* Makes a sink for output that this process itself gets. As px_sink_create. Any thread. */
int px_output_sink(struct px_server *s, const pmix_info_t *info, size_t ninfo,
                   pmix_iof_cbfunc_t cbfunc, struct px_sink **ret);

/* Delivers output to all subscriptions that cover it, and shows it as px_output_local says; keeps
 * it if nobody gets it. args: struct
 * px_output_args. 0 or PMIX_ERR_NOMEM (it could not be kept). */
int px_output_deliver(struct px_server *s, void *args);

#endif
