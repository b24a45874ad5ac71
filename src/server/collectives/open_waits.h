/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_OPEN_WAITS_H
#define PX_SERVER_OPEN_WAITS_H

/* What this server waits for, in an area that others read (src/waits): collectives, gets, and
 * requests at the host. Nothing depends on it: without memory, or where it is switched off
 * (shmix_waits), the functions do nothing. A wait is a number in the record of what waits, 0 before
 * it is opened; whoever frees the record closes it. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix_common.h>

struct px_coll;
struct px_expected;
struct px_get;
struct px_local_proc;
struct px_nspace;
struct px_server;
struct px_upcall;

/* Makes the area, when the server's name and node are known, and frees it. The thread of
 * PMIx_server_init and PMIx_server_finalize. */
void px_open_waits_start(struct px_server *s);
void px_open_waits_stop(struct px_server *s);

/* What is known of a local process has changed. */
void px_open_waits_proc(struct px_server *s, struct px_local_proc *rank);
/* The processes of a namespace are about to be freed. */
void px_open_waits_nspace_gone(struct px_server *s, struct px_nspace *ns);

/* A member has called just now, the process of the row. Also notes when, for the tracker. */
void px_open_waits_arrived(struct px_coll *coll, uint32_t row);
/* The collective waits for these processes of this node. */
void px_open_waits_gathers(struct px_coll *coll, const struct px_expected *expected);
/* All local members are there: the host is asked, or others are waited for. */
void px_open_waits_closed(struct px_coll *coll, bool asks_host);
/* The collective ends: its wait is closed, and who came last is noted. */
void px_open_waits_ended(struct px_coll *coll, pmix_status_t status);
/* The collective's time is over: says at verbosity 1 for whom it has waited. */
void px_open_waits_say(const struct px_coll *coll);

/* What the collective is (enum px_waits_kind); and a number that is the same at every server that
 * takes part: of the kind, the name and the set in normal form, of a long set some of its
 * processes. */
uint32_t px_open_waits_kind(const struct px_coll *coll);
uint64_t px_open_waits_key(const struct px_coll *coll);

/* The get waits: for the host, or for what happens here, a commit or a registration. */
void px_open_waits_get(struct px_get *get, bool for_host);
/* Of another kind: the host has been asked. */
void px_open_waits_upcall(struct px_upcall *up);
/* The host wants the data of a process that has not committed. Returns the wait. */
uint32_t px_open_waits_transfer(struct px_server *s, const pmix_proc_t *proc);

/* Closes a wait, and sets it to 0. */
void px_open_waits_close(struct px_server *s, uint32_t *wait);

#endif
