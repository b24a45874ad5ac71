/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Numbers and names of the protocol between client and server: commands, tags, versions, and the
 * keys that only this library sends. Values are those of peers' releases, so that either side may
 * be another implementation (docs/wire-format.md). Constants only. */
#ifndef PX_WIRE_MESSAGE_H
#define PX_WIRE_MESSAGE_H

/* Commands of the v41 protocol, first byte of every request. Nothing private below 128. */
enum px_command {
    /* Job data: asks for the information of a namespace, or for the next generation of its segment.
     */
    PX_CMD_REQ = 0,
    /* Life of a client: asks the host to abort processes; hands committed values to the server;
     * joins a fence; asks for values; leaves. */
    PX_CMD_ABORT = 1,
    PX_CMD_COMMIT = 2,
    PX_CMD_FENCE = 3,
    PX_CMD_GET = 4,
    PX_CMD_FINALIZE = 5,
    /* Published data. The requests begin with the number of the user. */
    PX_CMD_PUBLISH = 6,
    PX_CMD_LOOKUP = 7,
    PX_CMD_UNPUBLISH = 8,
    /* Spawning and connecting of jobs. The replies to the first two bring the job information of
     * other namespaces. */
    PX_CMD_SPAWN = 9,
    PX_CMD_CONNECT = 10,
    PX_CMD_DISCONNECT = 11,
    /* Events. NOTIFY is also the command of a message from the server; DEREGEVENTS has no reply. */
    PX_CMD_NOTIFY = 12,
    PX_CMD_REGEVENTS = 13,
    PX_CMD_DEREGEVENTS = 14,
    /* Requests that the server passes to its host unless it can answer them; most replies are
       infos. */
    PX_CMD_QUERY = 15,
    PX_CMD_LOG = 16,
    PX_CMD_ALLOC = 17,
    PX_CMD_JOB_CONTROL = 18,
    PX_CMD_MONITOR = 19,
    PX_CMD_GET_CREDENTIAL = 20,
    PX_CMD_VALIDATE_CREDENTIAL = 21,
    /* Output and input of processes; the data themselves travel with PX_TAG_IOF. */
    PX_CMD_IOF_PULL = 22,
    PX_CMD_IOF_PUSH = 23,
    /* Groups. JOIN and INVITE are reserved: invitations run over events. The form of the reply to
     * CONSTRUCT depends on the version that the client has declared. */
    PX_CMD_GROUP_CONSTRUCT = 24,
    PX_CMD_GROUP_JOIN = 25,
    PX_CMD_GROUP_INVITE = 26,
    PX_CMD_GROUP_LEAVE = 27,
    PX_CMD_GROUP_DESTRUCT = 28,
    /* The end of a subscription to output, fabrics, distances of devices, fresh data, resource
     * blocks, sessions, and the names of processes and nodes. */
    PX_CMD_IOF_DEREG = 29,
    PX_CMD_FABRIC_REGISTER = 30,
    PX_CMD_FABRIC_UPDATE = 31,
    PX_CMD_DEVICE_DISTANCES = 32,
    PX_CMD_REFRESH_CACHE = 33,
    PX_CMD_RESBLOCK = 34,
    PX_CMD_SESSION_CTRL = 35,
    PX_CMD_RESOLVE_PEERS = 37,
    PX_CMD_RESOLVE_NODES = 38,
};

/* Message tags. The first three are for messages without a reply. A request has a tag of
 * PX_TAG_FIRST or more, and its reply carries the same one. */
enum {
    PX_TAG_NOTIFY = 0,
    PX_TAG_HEARTBEAT = 1,
    PX_TAG_IOF = 2,
    PX_TAG_DELETED = 4, /* since 7: a key of a process is gone */
    PX_TAG_FIRST = 100
};

/* Version of the protocol family that this library declares as client and as server, and the name
 * of the encoding that goes with it. */
#define PX_WIRE_VERSION "5.0.0"
#define PX_WIRE_MODULE  "v41"

/* Names of encodings that are the same as ours; a peer that declares any other is refused. */
#define PX_WIRE_MODULES "v4,v41,v51,v61"

/* How a client gets job data, agreed in the handshake: by our shared segment, or by messages,
 * which every peer can. */
#define PX_GDS_SHARED   "shmix"
#define PX_GDS_MESSAGES "hash"

/* Named beside the stores by a client of this library that knows that its server is one, too, and
 * may read by messages. Such a client is told what only this library sends: the maps in job
 * information, and at the end of a collective the namespaces that it should collect
 * (PX_KEY_COLLECTED). */
#define PX_GDS_OURS "shmix.ours"

/* Announces a segment in the reply to REQ, if the client reads a shared store: one KVAL with this
 * key (BYTE_OBJECT of length 0) after the namespace. The descriptor of the segment is passed with
 * the same message by SCM_RIGHTS. */
#define PX_KEY_SEGMENT "shmix.segment"

/* Version of a process's committed data, a UINT64 that grows. In the directives of a GET: the
 * version that the client has, 0 for none. In the reply: the first value of an object with all
 * data of a process, the version of these data. A reply without objects means that the version is
 * unchanged. */
#define PX_KEY_CHANGE "shmix.change"

/* In the reply to a GET that carries PX_KEY_CHANGE, and to one that carries PX_KEY_COLLECTED: the
 * scope (PMIX_SCOPE) of the values that follow in the same object. A value of the type PMIX_UNDEF
 * then is a key that the requester may not see. */
#define PX_KEY_SCOPE "shmix.scope"

/* In the directives of a GET without a key: asks for the committed data of all processes of the
 * namespace, from the given rank on, that have changed since the change of this number (UINT64). In
 * the reply: the number up to which the requester then has all. */
#define PX_KEY_COLLECTED "shmix.collected"

/* In the directives of a collective: the processes (DATA_ARRAY of PROC) as the caller named them,
 * with names of groups, if the request has the members in their place. Our server reads them by its
 * own registry, which may know of a change that the caller has not heard of yet. */
#define PX_KEY_NAMED "shmix.named"

/* Members decide about one that has ended while their group is constructed. In the event by which
 * our server asks a client, and in its answer: the number of the question (UINT64). The code of the
 * answer: PMIX_GROUP_CONSTRUCT_ABORT, PMIX_GROUP_MEMBERSHIP_UPDATE (a handler goes on with fewer
 * members), PMIX_GROUP_LEADER_SELECTED (the client wants to lead, and goes on), PMIX_ERR_NOT_FOUND
 * (there is no handler). In PMIX_GROUP_INFO of an upcall, behind a process: that this server's
 * members decide, or go on (BOOL). */
#define PX_KEY_DECIDE "shmix.decide"

/* In the directives of REGEVENTS: codes (DATA_ARRAY of STATUS, ascending) that the client has
 * registered before for itself, and now has a handler for: kept events are sent as for new ones. */
#define PX_KEY_REPLAY "shmix.replay"

/* A PMIX_BOOL, true, that is added to the infos of every event sent to a peer. */
#define PX_KEY_FROM_SERVER "pmix.srvr.internal.notify"
/* In an event that a launcher passes on: a PMIX_PROC that has had it, for each of them; and who has
 * raised it (docs/decisions/0039). */
#define PX_KEY_EVENT_HAD    "shmix.event.had"
#define PX_KEY_EVENT_SOURCE "shmix.event.source"
/* In the event that says how many others were not sent: uint64 (docs/decisions/0030). */
#define PX_KEY_LOST_EVENTS "shmix.lost.events"
/* In the same event: how many pieces of output were not sent (uint64). */
#define PX_KEY_LOST_OUTPUT "shmix.lost.output"

#endif
