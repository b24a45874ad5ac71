/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_SYSLOG_H
#define PX_NET_SYSLOG_H

/* Messages for this node's log daemon, without waiting for it. Any thread. */

/* Sends one message to the datagram socket of the daemon (parameter shmix_syslog_socket).
 * priority: as in syslog.h; a bare level is of the facility "user". tag: who says it. 0,
 * PMIX_ERR_BAD_PARAM (no such priority), PMIX_ERR_UNREACH (there is no daemon),
 * PMIX_ERR_RESOURCE_BUSY (it does not take the message now) or PMIX_ERR_NOMEM. */
int px_syslog(int priority, const char *tag, const char *text);

#endif
