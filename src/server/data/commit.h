/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMMIT_H
#define PX_SERVER_COMMIT_H

#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_kval_reader;
struct px_nspace;
struct px_peer;
struct px_server;

int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

/* Reads committed values of one process that another server sent: a KVAL stream to its end. 0 or
 * what is wrong with the bytes. Loop thread. */
int px_modex_values_read(struct px_kval_reader *reader, const struct px_nspace *ns, uint32_t rank,
                         struct px_in *in);

/* Publishes what was read if rc is 0, and frees the reader (or NULL). rc, or the status of
 * px_store_publish. Loop thread. */
int px_modex_values_publish(struct px_kval_reader *reader, struct px_nspace *ns, int rc);

#endif
