/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMMIT_H
#define PX_SERVER_COMMIT_H

#include <stdint.h>

#include <pmix.h>

struct px_commit_reader;
struct px_in;
struct px_nspace;
struct px_peer;
struct px_server;

/* Reads a KVAL stream of one process that another server sent, and publishes it. Loop thread. */

int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

struct px_commit_reader *px_commit_reader_create(const struct px_nspace *ns); /* ns outlives it */

/* From now on, nothing but this key is taken (NULL: all are); it stays borrowed. */
void px_commit_reader_only(struct px_commit_reader *posted, const char *key);
int px_commit_reader_read(struct px_commit_reader *posted, uint32_t rank, struct px_in *in,
                          pmix_scope_t scope);
int px_commit_reader_publish(struct px_commit_reader *posted, struct px_nspace *ns);
void px_commit_reader_destroy(struct px_commit_reader *posted);

#endif
