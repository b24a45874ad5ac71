/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_BOOTSTRAP_H
#define PX_SERVER_GROUP_BOOTSTRAP_H

struct px_coll;

/* A part of a group has come (a solo member, or members that add others), and no host is needed:
 * finishes all parts if it was the last. Loop thread. */
void px_group_bootstrap(struct px_coll *part);

#endif
