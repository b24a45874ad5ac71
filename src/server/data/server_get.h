/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_H
#define PX_SERVER_GET_H

#include "gds/get_directives.h"
#include "src/server/priv.h"

/* One request for data of a process, or of a job, from a client or from this process. Loop
 * thread. */
struct px_get {
    struct px_list link; /* s->gets while it waits */
    struct px_server *server;
    struct px_reply_to reply_to;
    pmix_proc_t asker;
    unsigned how; /* enum px_get_how */
    pmix_proc_t target;
    char *key; /* NULL: everything */
    pmix_info_t *info;
    size_t ninfo;
    struct px_lookup_key spec;
    struct px_get_directives directives;
    uint64_t renewal; /* not 0: the direct modex that it waits for */
    bool counts;      /* the asker wants to know of which change the answer is */
    uint64_t change;  /* counts: the one that it has, 0: none */
    bool implicit;    /* the timer is ours, not the asker's */
    struct px_timer timer;
    /* of a call of this process */
    struct px_task task;
    pmix_value_t **value; /* of one that waits: where the value goes; else NULL */
    bool here_only;       /* it cannot wait: PMIX_ERR_WOULD_BLOCK instead */
    pmix_info_t quals[];  /* those of info that qualify the value */
};

enum px_get_how {
    PX_GET_KVALS = 1, /* REFRESH_CACHE: the reply has no objects */
};

/* Makes a request of its arguments, whose directives are read here and nowhere else. Takes over key
 * and info, whatever it returns. Any thread. 0, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
int px_get_create(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                  unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                  size_t ninfo, struct px_get **ret);

/* Serves it and frees it, now or later. The answer goes to get->reply_to; with here_only always
 * now, and then any thread of a process without a loop may call. */
void px_get_begin(struct px_get *get);

/* Frees it without an answer. */
void px_get_destroy(struct px_get *get);

/* Fills an ask, and *ret, from directives. quals is room for n infos, filled with those that are
 * qualifiers. 0, PMIX_ERR_BAD_PARAM. */
int px_lookup_key_read(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals,
                       struct px_lookup_key *spec, struct px_get_directives *ret);

/* Answers from what is here. PMIX_SUCCESS (answered), PMIX_ERR_NOT_FOUND (not here, not answered),
 * or a final status that was not sent. */
int px_get_attempt(struct px_get *get);

/* modex.c: asks the host for the target's data (rank WILDCARD: the job's). One that renews is the
 * get's own, others are shared. PMIX_ERR_NOT_FOUND when it cannot. */
int px_modex_start(struct px_server *s, const struct px_get *get, uint32_t rank);

/* server_get.c: a direct modex for (nspace, rank) has ended; key: what it was asked for; renewal:
 * as in px_get. */
void px_gets_modex_done(struct px_server *s, const char *nspace, uint32_t rank, const char *key,
                        int status);
void px_gets_renewed(struct px_server *s, uint64_t renewal, int status);

#endif
