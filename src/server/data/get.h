/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_DATA_GET_H
#define PX_SERVER_DATA_GET_H

/* A request for data, as the server keeps it (server_get.h). Loop thread. */

#include "gds/get_directives.h"
#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

/* A search among all ranks of a namespace, in parts. Zeros: it has not begun. */
struct px_search {
    uint32_t next;     /* ranks below have been looked at */
    unsigned n_begun;  /* how often it has begun with the first rank */
    uint64_t sequence; /* of the store then */
};

/* One get. Created by px_get_create (get_request.h); px_get_begin frees it once it is answered. In
 * s->gets while it waits. */
struct px_get {
    struct px_list link;     /* a list of s->gets while it waits, or s->large_gets */
    struct px_list of_peer;  /* px_peer.gets of the requester, or when it has gone s->ended_gets */
    struct px_list of_modex; /* the list of the direct modex that it waits for, if it does (modex.c)
                              */
    struct px_server *server;
    struct px_reply_to reply_to;
    pmix_proc_t asker;
    unsigned how; /* bits of enum px_get_how */
    pmix_proc_t target;
    char *key;         /* NULL: all values; owned */
    pmix_info_t *info; /* directives and qualifiers; owned */
    size_t ninfo;
    struct px_lookup_key spec;           /* what to look up in a store; borrows key and quals */
    struct px_get_directives directives; /* read from info */
    bool renews;                         /* the data is renewed, by a direct modex of its own */
    bool counts;      /* the requester wants the number of the newest change with the values */
    uint64_t change;  /* number of the change that the requester has; 0: none */
    pmix_rank_t news; /* of a get of any rank: whose data are new since it was tried; before, or if
                         that is not known, PMIX_RANK_WILDCARD */
    uint64_t number;  /* in the order in which gets have begun to wait, from 1; 0: it has not */
    bool implicit;    /* the timer runs the limit for missing keys, not PMIX_TIMEOUT */
    uint32_t wait;    /* in the area of open waits (open_waits.h) */
    struct px_timer timer;
    uint64_t reached; /* of PX_GET_COLLECTED: px_server.changes when it was begun; 0: it was not */
    bool had_turn;    /* of large_answer.h: the next turn is its own, too */
    struct px_gathering *gathering; /* of an answer with many values; owned, or NULL */
    struct px_large_answer *large;  /* being copied; owned, or NULL */
    struct px_search search;        /* of a get of any rank */
    /* The rest is for a call of this process. */
    struct px_task task;
    pmix_value_t **value; /* where the waiting caller gets the value; NULL: by callback */
    pmix_status_t status; /* of a failure, until its callback has run */
    pmix_info_t quals[];  /* those of info that qualify the value */
};

/* How a get is answered. */
enum px_get_how {
    PX_GET_KVALS = 1, /* REFRESH_CACHE: the reply has plain values, not one object per process */
    PX_GET_COLLECTED = 2, /* all that has changed of a namespace (PX_KEY_COLLECTED) */
};

#endif
