/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_WAITS_H
#define PX_TOOLS_SHM_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/waits/reader.h"

/* The parts of pmix-shm waits: what the servers have published (waits_find.c), and who is to blame
 * (waits.c). */

/* A server of this node. */
struct px_waits_server {
    struct px_waits_copy *copy; /* owned; NULL: unreadable */
    const char *unreadable;     /* why; NULL: readable */
    pid_t pid;
};

/* A process that maps segments whose server is gone, or has closed them. */
struct px_waits_orphan {
    pid_t pid;
};

struct px_waits_all {
    struct px_waits_server *servers;
    size_t n_servers;
    size_t servers_room;
    struct px_waits_orphan *orphans;
    size_t n_orphans;
    size_t orphans_room;
};

/* All servers that one may look into. The caller releases *ret. 0 or PX_ERR_NOMEM. */
int px_waits_find(struct px_waits_all *ret);
void px_waits_all_free(struct px_waits_all *all);

/* Why a collective that its servers' hosts have been asked for does not end. */
enum px_waits_far {
    PX_FAR_UNSEEN, /* no other server here has processes of it */
    PX_FAR_BEHIND, /* of some servers here processes are missing */
    PX_FAR_ASKED,  /* all servers here have asked their hosts */
};

/* One culprit: a process of a server. */
typedef void (*px_waits_culprit_fn)(const struct px_waits_all *all, size_t server, uint32_t row,
                                    void *arg);

/* Calls fn for each process that a wait of this server is for, as far as they are known: of this
 * node, and of other servers here. Returns what keeps a collective that has left this server. */
enum px_waits_far px_waits_culprits(const struct px_waits_all *all, size_t server,
                                    const struct px_waits_entry *entry, px_waits_culprit_fn fn,
                                    void *arg);

/* True if this server has processes that the wait of another names. */
bool px_waits_takes_part(const struct px_waits_all *all, size_t server,
                         const struct px_waits_entry *entry, size_t other);

/* What the process of a row is doing, as its server knows, in words; `but` is left out. */
void px_waits_doing(const struct px_waits_area *area, uint32_t row,
                    const struct px_waits_entry *but, char *ret, size_t room);

/* True if the wait concerns the namespace: names it, or has a process of it. */
bool px_waits_concerns(const struct px_waits_area *area, const struct px_waits_entry *entry,
                       const char *nspace);

#endif
