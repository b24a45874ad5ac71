/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_RESOLVE_H
#define PX_SERVER_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix.h>

struct px_reply;
struct px_server;
struct px_store;
struct px_upcall;

struct px_nspace_stores {
    const struct px_store **at;
    size_t n;
};

/* The service of the two resolve calls (struct px_service), host first. Loop thread. */
pmix_status_t px_resolve_call(struct px_upcall *up);
void px_resolve_answered(struct px_upcall *up);

/* The stores that a name means: one or none; NULL and "": all. at is the caller's to free. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret);

/* The answer by the library's rules alone, in the reply. */
int px_resolve_known(struct px_server *s, bool peers, const char *node, const char *nspace,
                     struct px_reply *reply);

#endif
