/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONNECT_H
#define PX_SERVER_CONNECT_H

/* Connect and disconnect of processes (PMIx_Connect, PMIx_Disconnect; the Standard, chapter on
 * process management): the tables of the two operations. */

#include <stdint.h>

struct px_coll_ops;

/* Connects the processes: the host decides; members of other namespaces then learn each other's
 * job information. */
extern const struct px_coll_ops px_connect_ops;
/* Ends a connection. Members get PMIX_ERR_INVALID_OPERATION if these processes are not
 * connected. */
extern const struct px_coll_ops px_disconnect_ops;

#endif
