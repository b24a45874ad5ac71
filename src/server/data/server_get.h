/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_H
#define PX_SERVER_GET_H

/* Requests for data of a process or of a job (PMIx_Get), of clients, tools and this process. Loop
 * thread. */

#include <stdbool.h>

#include <pmix_common.h>

struct px_get;
struct px_list;
struct px_local_proc;
struct px_nspace;
struct px_peer;
struct px_server;

/* Makes the lists of a server that begins. */
void px_gets_init(struct px_server *s);

/* Serves the get and frees it, now or later. The answer goes to get->reply_to. A get with
 * px_get.value is always answered before this function returns, and a process without a loop may
 * then call it in any thread. */
void px_get_begin(struct px_get *get);

/* Tries to answer a get again that waits, or answers it with an error. Frees it, now or later. */
void px_get_again(struct px_get *get, int status);

/* Data of a process have come, and the get, which is in no list, is about it or about any rank:
 * tries to answer it, else it waits on, with the limit for missing keys if it is about the process.
 * For waiting_gets.c. */
void px_get_data_came(struct px_get *get, pmix_rank_t rank);

/* The process that the get, which is in no list, is about will not commit any more: ends it with
 * PMIX_ERR_NOT_FOUND. For waiting_gets.c. */
void px_get_process_gone(struct px_get *get);

/* The get, which is in no list, is about a job of which the server knows more or less than before:
 * answers the get, or decides anew whether it waits for the host or for data. For waiting_gets.c.
 */
void px_get_job_changed(struct px_get *get);

/* The get, which is in no list, is about a job that has been deregistered: ends the get with
 * PMIX_ERR_INVALID_NAMESPACE. For waiting_gets.c. */
void px_get_job_gone(struct px_get *get);

/* Frees the get without an answer. */
void px_get_destroy(struct px_get *get);

/* A direct modex for the process (PMIX_RANK_WILDCARD: for the job's information) has ended, for
 * which the gets of the list waited (px_get.of_modex); its data is in the store if status is
 * PMIX_SUCCESS. key: the key that the host was asked for. Tries some of them. True: the list is
 * empty now; else it is to be called again in another turn. */
bool px_gets_modex_done(struct px_server *s, const pmix_proc_t *proc, struct px_list *waiting,
                        const char *key, int status);

/* The same for the direct modex of a get that renews; the list has at most this get. */
void px_gets_renewed(struct px_list *waiting, int status);

/* A local process has committed: answers the gets that the commit satisfies. */
void px_gets_committed(struct px_server *s, struct px_local_proc *rank);

/* A process will not commit any more: its gets end with PMIX_ERR_NOT_FOUND. */
void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank);

/* A namespace was registered, or is about to be freed: its gets are decided again, or end with
 * PMIX_ERR_INVALID_NAMESPACE. */
void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns);

/* Frees the gets of a peer, which has disconnected. */
void px_gets_peer_disconnected(struct px_server *s, struct px_peer *peer);

/* The server stops: all gets end with PMIX_ERR_LOST_CONNECTION. */
void px_gets_drop_all(struct px_server *s);

/* The namespace with the data that the get asks for, or NULL: px_tool_data_or_job. Loop thread. */
struct px_nspace *px_get_nspace(const struct px_get *get);

#endif
