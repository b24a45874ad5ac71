/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_RESOLVE_H
#define PX_SERVER_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix.h>

struct px_in;
struct px_peer;
struct px_resolve;
struct px_server;
struct px_store;

struct px_nspace_stores {
    const struct px_store **at;
    size_t n;
};

int px_handle_resolve_peers(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);
int px_handle_resolve_nodes(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);

/* The stores that a name means: one or none; NULL and "": all. at is the caller's to free. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret);

/* The answer by the library's rules alone. Results are the caller's. */
int px_resolve_known(struct px_server *s, bool peers, const char *node, const char *nspace,
                     pmix_proc_t **procs, size_t *nprocs, char **nodes);

/* Takes over r and what it points at (malloc'd). */
void px_resolve_start(struct px_resolve *r, uid_t uid, gid_t gid);

int px_handle_resolve_peers(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);
int px_handle_resolve_nodes(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in);

/* The stores that a name means: one or none; NULL and "": all. at is the caller's to free. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret);

#endif
