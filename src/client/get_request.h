/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_REQUEST_H
#define PX_CLIENT_GET_REQUEST_H

#include "session.h"

/* One PMIx_Get, read: what is wanted, of whom, and how it is to be handed out. Lives on the
 * caller's stack and borrows the caller's arguments. */

enum px_get_request_flag {
    PX_GET_OPTIONAL = 1,  /* look here only */
    PX_GET_IMMEDIATE = 2, /* the server may not wait either */
    PX_GET_REFRESH = 4,   /* ask the server first */
    PX_GET_POINTER = 8,   /* hand out library memory */
    PX_GET_STATIC = 16,   /* fill the caller's structure */
    PX_GET_OWN = 32,      /* our own namespace */
    PX_GET_MORE = 64,     /* something that px_store_get_simple does not know */
};

struct px_get_request {
    struct px_lookup_key spec;
    unsigned flags;
    const char *nspace;
    size_t nspace_len;
    uint64_t timeout_ms;         /* 0: none */
    pmix_proc_t member;          /* of a group that was named: `nspace` is in it */
    const struct px_store *from; /* set when something was found: where */
    bool absent;                 /* set when no store of ours knows the key */
    pmix_info_t *quals; /* ours when the qualifiers had to be gathered; see px_get_request_fini */
};

/* A rank of a group that we are in is the process that has it. 0, PMIX_ERR_BAD_PARAM,
 * PMIX_ERR_NOT_SUPPORTED (a required directive that is unknown), PMIX_ERR_NOMEM, PMIX_ERR_NOT_FOUND
 * (the group has no such rank). *ret stays where it is. */
int px_get_request_read(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, struct px_get_request *ret);

/* Stands for no key where a good one is wanted. */
#define PX_NO_KEY PMIX_GET_REFRESH_CACHE

static inline void px_get_request_fini(struct px_get_request *request)
{
    if (__builtin_expect(request->quals != NULL, 0)) {
        free(request->quals);
        request->quals = NULL;
    }
}

/* The key is of the host: not one of those "pmix" keys that processes post. */
bool px_key_is_of_host(const char *key);

/* The seconds of PMIX_TIMEOUT, as int or uint32, in milliseconds; 0: none. */
uint64_t px_timeout_ms(const pmix_info_t *info, size_t ninfo);

#endif
