/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_FACTS_H
#define PX_CLIENT_FACTS_H

/* Two kinds of values that are in no store: what the library knows about its own process and server
 * (facts), and values made for a get with PMIX_GET_POINTER_VALUES, which have to stay valid until
 * the end (kept values). Both belong to the session. */

#include <pmix.h>

struct px_get_request;
struct px_link_server;
struct px_server_facts;
struct px_session;

/* Sets the facts that follow from our own name. They point into ctx->self. Called by
 * px_session_name. */
void px_facts_name(struct px_session *session);

/* The facts about servers that others reach by that URI, which is copied; the session's. If it does
 * not parse, there are none: NULL. Any thread. 0 or PMIX_ERR_NOMEM. */
int px_facts_server(struct px_session *session, const char *uri,
                    const struct px_server_facts **ret);
/* Frees all of a list. */
void px_server_facts_free(struct px_server_facts *list);

/* Keeps a value that a get handed out by pointer until the end of the session. Takes the value
 * over. Returns it, or an equal one kept earlier for the same process and key (the new one is freed
 * then). NULL: no memory; the value is freed. Any thread. */
pmix_value_t *px_session_keep(struct px_session *session, const pmix_proc_t *proc, const char *key,
                              pmix_value_t *value);
/* Frees all kept values, at the end of the session. */
void px_session_drop_kept(struct px_session *session);

/* The fact that a get asks for, by its key and process, or NULL: about this process, or about its
 * primary server. Constant until the end of the session. Any thread. */
const pmix_value_t *px_fact_find(const struct px_session *session,
                                 const struct px_get_request *request);

#endif
