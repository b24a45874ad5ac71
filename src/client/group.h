/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_H
#define PX_CLIENT_GROUP_H

#include "session.h"
#include "src/event/registry.h"

/* Groups by invitation live in events (invitation.c). Loop thread. True: the event was ours alone.
 */
bool px_invitations_event(struct px_session *session, const struct px_event *event);
/* Do invitations need this code, whatever the application's handlers do? */
bool px_invitations_watch(const struct px_session *session, pmix_status_t code);
/* Another server is primary: what invitations wait for is asked of it as well. Loop thread. */
void px_groups_watch_again(struct px_session *session);
/* Not on the loop thread. */
void px_invitations_fini(struct px_session *session);

#endif
