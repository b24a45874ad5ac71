/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_DECIDE_H
#define PX_CLIENT_GROUP_DECIDE_H

/* A member has ended while this process constructs a group with it: our server asks, by an event
 * with PX_KEY_DECIDE, and the application's handlers of PMIX_GROUP_MEMBER_FAILED or
 * PMIX_GROUP_LEADER_FAILED decide. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_event;
struct px_session;

/* True if the event is such a question: it has been given to the handlers, and the server will get
 * their answer. */
bool px_group_decide_event(struct px_session *session, const struct px_event *event);

/* True if a handler of a chain has aborted: `status` and results as for px_verdict_fn. */
bool px_group_says_abort(pmix_status_t status, const pmix_info_t *results, size_t nresults);

#endif
