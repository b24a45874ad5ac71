/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_FACTS_H
#define PX_CLIENT_FACTS_H

#include <pmix.h>

struct px_get_request;
struct px_session;

/* The process has got its name. */
void px_facts_name(struct px_session *session);

/* The server that a client has found, by the URI that others can reach it by. No memory, or not a
 * URI: nothing is said of it. */
void px_facts_server(struct px_session *session, const char *uri);
void px_facts_fini(struct px_session *session);

/* Takes over a value that was made for a get by pointer; the same one for an equal value of the
 * same process and key. It stays until the end. NULL: no memory, and the value is gone. Any
 * thread. */
pmix_value_t *px_session_keep(struct px_session *session, const pmix_proc_t *proc, const char *key,
                              pmix_value_t *value);
void px_session_drop_kept(struct px_session *session);

/* What the library itself says of its process, or NULL. It stays as it is until the end. */
const pmix_value_t *px_fact_find(const struct px_session *session,
                                 const struct px_get_request *request);

#endif
