/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_REQUEST_H
#define PX_CLIENT_GET_REQUEST_H

/* One PMIx_Get, its arguments read once. The lookup, the request to the server and the reply all
 * work from this. As px_get_request_read fills it, it borrows the caller's arguments, which is
 * enough for a call that waits; px_get_request_copy makes one that owns them. */

#include "src/client/session.h"
#include "gds/slice.h"

/* Bits of px_get_request.flags. */
enum px_get_request_flag {
    PX_GET_OPTIONAL = 1,  /* look here only */
    PX_GET_IMMEDIATE = 2, /* the server may not wait either */
    PX_GET_REFRESH = 4,   /* ask the server first */
    PX_GET_POINTER = 8,   /* hand out library memory */
    PX_GET_STATIC = 16,   /* fill the caller's structure */
    PX_GET_MORE = 32,     /* the lookup key has more than a key, a process, a node or a realm */
    PX_GET_ALL = 64,      /* no key: everything of the process; with REFRESH: only the refresh */
};

/* A get with its directives. On the stack of the call, or in an owned waiter (get_fetch.c). */
struct px_get_request {
    struct px_lookup_key spec; /* what a store is asked for */
    unsigned flags;            /* enum px_get_request_flag */
    /* Of the namespace when the request was read, NULL: nothing was known of it; afterwards
     * px_get_request_space. */
    struct px_space *space;
    const char *nspace;
    uint64_t timeout_ms; /* 0: none */
    /* Storage for `nspace`, if it is neither the caller's nor the session's: of a copy, or of a
     * process that was named as a rank of a group. */
    pmix_proc_t member;
    /* The directives, for the request to the server; the caller's, or kept_info. */
    const pmix_info_t *info;
    size_t ninfo;

    /* What the request owns; each is NULL if it is borrowed or absent. */
    pmix_info_t *quals; /* the qualifiers among the infos, as shallow copies */
    pmix_info_t *kept_info;
    char *kept_key;
    bool owns; /* any of them */
};

/* Reads the arguments of a get. proc: NULL for ourselves; a rank of a group that we are in stands
 * for the process that has it. key: NULL for everything. 0; PMIX_ERR_BAD_PARAM (key, namespace or a
 * directive), PMIX_ERR_NOT_SUPPORTED (a required directive that is unknown), PMIX_ERR_NOMEM,
 * PMIX_ERR_NOT_FOUND (the group has no such rank); with an error there is nothing to release. *ret
 * may point into itself, so copy it only by px_get_request_copy; px_get_request_fini ends it. */
int px_get_request_read(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, struct px_get_request *ret);

/* Makes the same request with arguments of its own. 0, PMIX_ERR_NOMEM, or the error of copying a
 * directive's value; with an error there is nothing to release. */
int px_get_request_copy(const struct px_get_request *request, struct px_get_request *ret);

/* Frees what a request owns; it must own something. Use px_get_request_fini. */
void px_get_request_free(struct px_get_request *request);
/* Ends a request that px_get_request_read or px_get_request_copy has made. */
static inline void px_get_request_fini(struct px_get_request *request)
{
    if (__builtin_expect(request->owns, 0)) {
        px_get_request_free(request);
    }
}

/* The directives that are for the server: without those about the return mode, which concerns this
 * process only. As px_infos_without. */
pmix_info_t *px_get_directives_to_send(const struct px_get_request *request, size_t room,
                                       size_t *ret_n);

/* The mode in which the caller wants the value: a copy, a pointer to library memory, or a structure
 * of the caller filled. */
static inline enum px_return_mode px_get_request_mode(const struct px_get_request *request)
{
    return (request->flags & PX_GET_STATIC) != 0    ? PX_RETURN_FILL
           : (request->flags & PX_GET_POINTER) != 0 ? PX_RETURN_POINTER
                                                    : PX_RETURN_COPY;
}

/* px_get_request_space of another namespace than our own. */
struct px_space *px_get_request_other_space(struct px_session *session,
                                            const struct px_get_request *request);
/* The space of the request's namespace. A request that has waited may have been read before
 * anything of the namespace was known; and what a tool has been told moves with its primary server
 * (src/client/tool/primary.h). Then it is looked up again. NULL: nothing is known of it. */
static inline struct px_space *px_get_request_space(struct px_session *session,
                                                    const struct px_get_request *request)
{
    return request->space == &session->own ? request->space
                                           : px_get_request_other_space(session, request);
}

/* True if the key is one that the host registers: reserved, and none of the reserved keys that
 * processes put. */
bool px_key_is_of_host(const char *key);

#endif
