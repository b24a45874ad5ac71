/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_RUN_TIMELINE_H
#define PX_TOOLS_RUN_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

/* Makes a timeline of records (src/waits/trace.h), in the JSON form of the Chrome trace event
 * format: a process for each node, in it a row for its server and one for each process of its jobs.
 * name_of names a node. 0; -1: a record is damaged, and what is behind it is left out; errno of
 * what else failed (an error of `to` is found when it is closed). */
int px_run_timeline(FILE *records, uint32_t n_nodes, const char *(*name_of)(uint32_t node),
                    FILE *to);

#endif
