/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group.h"

bool px_groups_event(struct px_session *session, const struct px_event *event)
{
    (void) session;
    (void) event;
    return false;
}

void px_groups_fini(struct px_session *session)
{
    (void) session;
}
