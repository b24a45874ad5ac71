/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_HOST_HOST_H
#define PX_HOST_HOST_H

#include "upcall.h"

/* The server module of a host that can be told, upcall by upcall, how to answer, and that keeps
 * what it was asked. pmixrun and the conformance tests are such hosts: what they do by themselves
 * is `sound`, what they are told is `script`. A host that always answers an entry in the same way
 * needs `answers` only. Functions are called in the library's threads, and sound also in a thread
 * of its own (DELAYED). */
struct px_host {
    /* One for each entry, in place of `has` and `script` where those are NULL: the module has no
     * entry whose answer is BY_DEFAULT. */
    const struct answer *answers;
    bool (*has)(enum entry entry); /* whether the module has it */
    /* Sees the upcall (and may set its record); says how it is answered. */
    const struct answer *(*script)(struct upcall *upcall);
    /* What the host answers by itself, as the entry of the module would. */
    pmix_status_t (*sound)(struct upcall *upcall);
    /* Waits in a thread of its own for what an answer's `when` says (when NULL: for nothing); false
     * when there is nobody left to be answered. NULL: no answer has a `when`. */
    bool (*wait)(const char *when);
    bool frees_data; /* what fence_nb gives is the host's, as our library has it */
};

/* ---- scripted_module.c */

/* The module; `host` must stay. */
pmix_server_module_t *px_host_module(const struct px_host *host);
const char *px_host_entry_name(enum entry entry);

/* ---- infos.c */

/* The value of the first info with that key; NULL: there is none. */
const pmix_value_t *px_host_find(const struct upcall *upcall, const char *key);
/* True if the first info with that key is a flag that is on. */
bool px_host_flag(const struct upcall *upcall, const char *key);

/* ---- reply.c. Each calls back once, from this thread; what is given stays the caller's. When
 * memory is out, the status is PMIX_ERR_NOMEM. */

void px_host_reply_status(const struct upcall *upcall, pmix_status_t status);
void px_host_reply_infos(const struct upcall *upcall, pmix_status_t status,
                         const pmix_info_t *infos, size_t n);
void px_host_reply_bytes(const struct upcall *upcall, pmix_status_t status, const char *data,
                         size_t n);
/* Runs fn in another thread, after `when`; it gets a copy without the borrowed arguments.
 * PMIX_SUCCESS, or what the entry is to return instead. */
pmix_status_t px_host_later(const struct upcall *upcall, const char *when,
                            void (*fn)(struct upcall *copy));
/* At the end of the host: waits until no late answer is under way (the host sees to it that its
 * `wait` returns), and calls back with PMIX_ERR_LOST_CONNECTION for what was never answered. */
void px_host_settle(void);
/* Does what the script says. */
pmix_status_t px_host_answer(struct upcall *upcall);

/* ---- fetch.c */

/* What another node's host wants of a process of this node: everything that it has posted, as soon
 * as the key is there (NULL: at once; 0 seconds: however long that takes). `done` is called once,
 * in this thread or one of the library's. */
void px_host_fetch(const pmix_proc_t *proc, const char *key, int timeout_s,
                   pmix_dmodex_response_fn_t done, void *cbdata);

/* ---- one_node.c: answers of a host of one node */

pmix_status_t px_host_fence_alone(struct upcall *upcall); /* what came is all there is */
/* Of a connect or disconnect: what the server says of its own processes, if one has not come. */
pmix_status_t px_host_connect_alone(struct upcall *upcall);
pmix_status_t px_host_publish(struct upcall *upcall);
pmix_status_t px_host_lookup(struct upcall *upcall);
pmix_status_t px_host_unpublish(struct upcall *upcall);
void px_host_forget_names(const char *nspace); /* when the job is over */

/* ---- record.c */

/* Copies what was asked; the node is the caller's to set. `room` gives zeroed memory that stays as
 * long as the record is used; where it gives NULL something is left out. */
void px_host_record(const struct upcall *upcall, void *(*room)(size_t n),
                    struct record *ret_record);

#endif
