/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_POSTED_VALUES_H
#define PX_SERVER_POSTED_VALUES_H

/* Values that processes have posted, on their way into the store of their namespace: those of local
 * processes one by one, those of processes of other nodes as they arrive. Loop thread. */

#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_kval;
struct px_kval_reader;
struct px_nspace;
struct px_server;
struct px_store_entry;

/* The entry of a posted value. It borrows from the value. */
struct px_store_entry px_posted_entry(uint32_t rank, pmix_scope_t scope,
                                      const struct px_kval *kval);

/* Adds a value of a process to the reader's batch, unless the host has given it. Statuses of
 * px_kval_reader_add. */
int px_posted_values_add(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                         pmix_scope_t scope, struct px_kval kval);

/* Publishes what was added, all of it or nothing. Nothing is success and no publication. Statuses
 * of px_store_publish. */
int px_posted_values_publish(const struct px_kval_reader *reader, struct px_nspace *ns);

/* Reads the committed values of one process that another server sent, a KVAL stream to its end,
 * into the reader's batch, and notes that the process's data has changed; not if nothing came of a
 * rank that the job does not have, as far as is known here. The batch borrows from `in`. 0, or the
 * status of unpacking. Loop thread. */
int px_modex_values_read(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                         uint32_t rank, struct px_in *in);

/* Publishes the values that were read if rc is 0, tells the clients of those that are gone, and
 * frees the reader. The reader may be NULL if rc is an error. Returns rc, or the status of
 * px_store_publish. Loop thread. */
int px_modex_values_publish(struct px_server *s, struct px_kval_reader *reader,
                            struct px_nspace *ns, int rc);

#endif
