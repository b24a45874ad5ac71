/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_MESSAGE_H
#define PX_WIRE_MESSAGE_H

#include <stdint.h>

/* Commands of the v41 protocol, first byte of every request. Nothing private below 128. */
enum px_command {
    PX_CMD_REQ = 0,
    PX_CMD_ABORT = 1,
    PX_CMD_COMMIT = 2,
    PX_CMD_FENCE = 3,
    PX_CMD_GET = 4,
    PX_CMD_FINALIZE = 5,
    PX_CMD_PUBLISH = 6,
    PX_CMD_LOOKUP = 7,
    PX_CMD_UNPUBLISH = 8,
    PX_CMD_SPAWN = 9,
    PX_CMD_CONNECT = 10,
    PX_CMD_DISCONNECT = 11,
    PX_CMD_NOTIFY = 12,
    PX_CMD_REGEVENTS = 13,
    PX_CMD_DEREGEVENTS = 14,
    PX_CMD_QUERY = 15,
    PX_CMD_LOG = 16,
    PX_CMD_ALLOC = 17,
    PX_CMD_JOB_CONTROL = 18,
    PX_CMD_MONITOR = 19,
    PX_CMD_GET_CREDENTIAL = 20,
    PX_CMD_VALIDATE_CREDENTIAL = 21,
    PX_CMD_IOF_PULL = 22,
    PX_CMD_IOF_PUSH = 23,
    PX_CMD_GROUP_CONSTRUCT = 24,
    PX_CMD_GROUP_JOIN = 25,
    PX_CMD_GROUP_INVITE = 26,
    PX_CMD_GROUP_LEAVE = 27,
    PX_CMD_GROUP_DESTRUCT = 28,
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

/* Message tags. Requests take PX_TAG_FIRST and up; their replies carry the same tag. */
enum { PX_TAG_NOTIFY = 0, PX_TAG_HEARTBEAT = 1, PX_TAG_IOF = 2, PX_TAG_FIRST = 100 };

/* Version of the protocol family that we declare in both roles. */
#define PX_WIRE_VERSION "5.0.0"
#define PX_WIRE_MODULE  "v41"

/* Names of the encodings that are this one; a peer that declares another is refused. */
#define PX_WIRE_MODULES "v4,v41,v51,v61"

/* Store negotiation: our shared form, and the message-fed one that every peer knows. */
#define PX_GDS_SHARED   "shmix"
#define PX_GDS_MESSAGES "hash"

/* In the reply to REQ on a shared store: one KVAL with this key (BYTE_OBJECT of length 0) after the
 * namespace; the segment's descriptor rides on the same message by SCM_RIGHTS. */
#define PX_KEY_SEGMENT "shmix.segment"

/* What a process has posted has a number, which grows (UINT64). In the directives of a GET: the one
 * that the asker has, 0 for none. In the answer, first in an object that has all of a process: the
 * one that it is of; an answer without objects says that it is the same. */
#define PX_KEY_CHANGE "shmix.change"

#endif
