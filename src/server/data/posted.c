/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values for other nodes are in the modex log, which knows their sizes; so only for the others a
 * size is kept here. The count is never summed up by steps: it is what the two say. */

#include "posted.h"

#include "gds/kval_reader.h"
#include "nspace.h"
#include "src/server/state.h"

/* The bytes of a value that is kept here, or 0. */
static size_t here(const struct px_posted *posted, const void *name, size_t name_len)
{
    return (uintptr_t) px_map_find(&posted->here, name, name_len);
}

size_t px_posted_size(const struct px_local_proc *rank, const struct px_kval_name *name)
{
    return here(&rank->posted, name->bytes, name->len) +
           px_modex_log_size(&rank->modex_log, name->bytes, name->len);
}

/* The user of the process; what was counted with another one moves, since the host may register the
 * process anew. */
static struct px_user *user_of(struct px_server *s, struct px_local_proc *rank)
{
    struct px_posted *posted = &rank->posted;
    struct px_user *user =
        posted->user && posted->user->uid == rank->uid ? posted->user : px_user_of(s, rank->uid);

    if (user && posted->user && posted->user != user) {
        size_t held = posted->usage.held[PX_QUOTA_POSTED];

        px_quota_subtract(NULL, posted->user, PX_QUOTA_POSTED, held);
        px_quota_add(NULL, user, PX_QUOTA_POSTED, held);
    }
    posted->user = user ? user : posted->user;
    return posted->user;
}

size_t px_posted_room(struct px_server *s, struct px_local_proc *rank)
{
    const struct px_user *user = user_of(s, rank);

    return user ? px_quota_room(&rank->posted.usage, user, PX_QUOTA_POSTED) : 0;
}

bool px_posted_allows(struct px_server *s, struct px_local_proc *rank, size_t more)
{
    struct px_user *user = user_of(s, rank);
    pmix_proc_t who;

    PMIX_LOAD_PROCID(&who, rank->ns->name, rank->rank);
    return user && px_quota_allows(&rank->posted.usage, user, PX_QUOTA_POSTED, more, &who);
}

void px_posted_here(struct px_local_proc *rank, const void *name, size_t name_len, size_t len)
{
    struct px_posted *posted = &rank->posted;
    size_t bytes = px_modex_log_cost(name_len, len);
    size_t old = here(posted, name, name_len);

    if (old == bytes || px_map_set(&posted->here, name, name_len, (void *) (uintptr_t) bytes)) {
        return;
    }
    posted->here_bytes += bytes - old;
}

void px_posted_not_here(struct px_local_proc *rank, const void *name, size_t name_len)
{
    struct px_posted *posted = &rank->posted;

    if (posted->here.used) {
        posted->here_bytes -= (uintptr_t) px_map_remove(&posted->here, name, name_len);
    }
}

void px_posted_recount(struct px_server *s, struct px_local_proc *rank)
{
    struct px_posted *posted = &rank->posted;
    size_t held = posted->usage.held[PX_QUOTA_POSTED];
    size_t now = posted->here_bytes + rank->modex_log.bytes;
    struct px_user *user = now == held ? posted->user : user_of(s, rank);

    if (now > held && user) {
        px_quota_add(&posted->usage, user, PX_QUOTA_POSTED, now - held);
    } else if (now < held) {
        px_quota_subtract(&posted->usage, user, PX_QUOTA_POSTED, held - now);
    }
}

/* px_modex_log_each: a value of the log that is going to be here only. */
static int keep(void *arg, const void *name, size_t name_len, size_t bytes)
{
    px_posted_here(arg, name, name_len, bytes - px_modex_log_cost(name_len, 0));
    return 0;
}

void px_posted_keep_log(struct px_local_proc *rank)
{
    (void) px_modex_log_each(&rank->modex_log, keep, rank);
}

void px_posted_fini(struct px_local_proc *rank)
{
    struct px_posted *posted = &rank->posted;

    if (posted->user) {
        px_quota_subtract(&posted->usage, posted->user, PX_QUOTA_POSTED,
                          posted->usage.held[PX_QUOTA_POSTED]);
    }
    px_map_fini(&posted->here);
    *posted = (struct px_posted){0};
}
