/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_H
#define PX_CLIENT_GROUP_H

/* Groups made by a collective (PMIx_Group_construct) or by bootstrap, and their end. Groups made by
 * invitation are in invite.h. */

#include "session.h"
#include "src/event/registry.h"

struct px_coll_args;
struct px_completion;
struct px_request;

/* px_client_request for a construct: commits what this process has put, sends the request, and
 * enters the members in the group map when the reply comes. Statuses as px_request_send, and those
 * of the commit. */
pmix_status_t px_client_group_construct(struct px_link_server *server,
                                        const struct px_coll_args *args,
                                        const struct px_completion *to);
/* px_client_request for a destruct, a collective of all members, and for leaving a group. This
 * process forgets the group when the server replies PMIX_SUCCESS, or that a member was lost; after
 * another status the group is as before. Statuses as px_request_send, PMIX_ERR_NOMEM. */
pmix_status_t px_client_group_end(struct px_link_server *server, const struct px_request *request,
                                  const struct px_coll_args *args, const struct px_completion *to);

#endif
