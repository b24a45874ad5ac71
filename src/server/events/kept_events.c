/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The events are in one list by age, for those who register, and in one for each process that has
 * raised some. The processes of a user are in his list; so that who has most, and his oldest event,
 * are found by looking at users and processes only. */

#include "kept_events.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/server/stages.h"
#include "src/waits/counts.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/event/shared_infos.h"

/* How much somebody has. */
struct share {
    size_t n;
    size_t bytes;
};

/* A user with kept events; freed with the last one. All that the host and this library raise is of
 * one more user. */
struct px_event_user {
    struct px_list link;
    struct px_raiser key;
    struct share share;
    struct px_list raisers; /* struct px_event_raiser */
    struct px_map by_proc;  /* the same ones, by source */
};

/* A process with kept events, as one user's: its events' source. Freed with the last one. */
struct px_event_raiser {
    struct px_list link;
    struct px_event_user *user;
    pmix_proc_t proc;
    struct share share;
    struct px_list events; /* struct px_kept_event, by of_raiser */
};

/* --- who has raised them --- */

/* The bytes that stand for a user in the map. */
struct user_key {
    uint64_t client;
    uint64_t user;
};

static struct user_key key_of(struct px_raiser by)
{
    return (struct user_key){by.client, by.client ? by.user : 0};
}

/* Finds or makes the user. NULL: memory is out. */
static struct px_event_user *user_of(struct px_server *s, struct px_raiser by)
{
    struct user_key key = key_of(by);
    struct px_event_user *user = px_map_find(&s->event_users_by_raiser, &key, sizeof(key));

    if (user) {
        return user;
    }
    user = calloc(1, sizeof(*user));
    if (user && px_map_set(&s->event_users_by_raiser, &key, sizeof(key), user)) {
        free(user);
        user = NULL;
    }
    if (user) {
        user->key = by;
        px_list_init(&user->raisers);
        px_list_append(&s->event_users, &user->link);
    }
    return user;
}

/* Finds or makes the raiser. The process has no bytes behind its name that differ. NULL: memory is
 * out. */
static struct px_event_raiser *raiser_of(struct px_event_user *user, const pmix_proc_t *source)
{
    struct px_event_raiser *raiser;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, source->nspace, source->rank);
    raiser = px_map_find(&user->by_proc, &proc, sizeof(proc));
    if (raiser) {
        return raiser;
    }
    raiser = calloc(1, sizeof(*raiser));
    if (raiser && px_map_set(&user->by_proc, &proc, sizeof(proc), raiser)) {
        free(raiser);
        raiser = NULL;
    }
    if (raiser) {
        raiser->user = user;
        raiser->proc = proc;
        px_list_init(&raiser->events);
        px_list_append(&user->raisers, &raiser->link);
    }
    return raiser;
}

/* Frees a user, and before him his process, that have no events. */
static void forget_idle(struct px_server *s, struct px_event_user *user,
                        struct px_event_raiser *raiser)
{
    struct user_key key = key_of(user->key);

    if (raiser && !raiser->share.n) {
        (void) px_map_remove(&user->by_proc, &raiser->proc, sizeof(raiser->proc));
        px_list_remove(&raiser->link);
        free(raiser);
    }
    if (px_list_empty(&user->raisers)) {
        (void) px_map_remove(&s->event_users_by_raiser, &key, sizeof(key));
        px_map_fini(&user->by_proc);
        px_list_remove(&user->link);
        free(user);
    }
}

/* --- one event --- */

/* Enters an event everywhere. 0 or PMIX_ERR_NOMEM. */
static int enter(struct px_server *s, struct px_kept_event *kept)
{
    struct px_event_user *user = user_of(s, kept->by);
    struct px_event_raiser *raiser = user ? raiser_of(user, &kept->event.source) : NULL;

    if (!raiser) {
        if (user) {
            forget_idle(s, user, NULL);
        }
        return PMIX_ERR_NOMEM;
    }
    kept->raiser = raiser;
    px_list_append(&s->kept_events, &kept->link);
    px_list_append(&raiser->events, &kept->of_raiser);
    s->n_kept_events++;
    px_stage_count(s, PX_WAITS_N_KEPT, 1);
    user->share.n++;
    raiser->share.n++;
    s->kept_event_bytes += kept->bytes;
    user->share.bytes += kept->bytes;
    raiser->share.bytes += kept->bytes;
    return PMIX_SUCCESS;
}

/* Takes a kept event out of everything and frees it. */
void px_event_unkeep(struct px_server *s, struct px_kept_event *kept)
{
    struct px_event_raiser *raiser = kept->raiser;
    struct px_event_user *user = raiser->user;

    px_list_remove(&kept->link);
    px_list_remove(&kept->of_raiser);
    s->n_kept_events--;
    px_stage_count(s, PX_WAITS_N_KEPT, -1);
    user->share.n--;
    raiser->share.n--;
    s->kept_event_bytes -= kept->bytes;
    user->share.bytes -= kept->bytes;
    raiser->share.bytes -= kept->bytes;
    forget_idle(s, user, raiser);
    px_shared_infos_drop(kept->event.shared);
    free(kept);
}

/* The size of an event that counts against the limit of bytes: the record, its infos, and the
 * values that these point at. */
static size_t size_of(const struct px_event *event)
{
    size_t bytes = sizeof(struct px_kept_event) + event->ninfo * sizeof(pmix_info_t);

    for (size_t i = 0; i < event->ninfo; i++) {
        size_t more = 0;

        if (PMIx_Value_get_size(&event->info[i].value, &more) == PMIX_SUCCESS) {
            bytes += more;
        }
    }
    return bytes;
}

/* --- keeping --- */

/* True if one share is larger: in bytes, or in number. */
static bool is_larger(const struct share *a, const struct share *b, bool in_bytes)
{
    return in_bytes ? a->bytes > b->bytes : a->n > b->n;
}

/* The oldest event of the process that has most, of the user who has most; of equals the one that
 * is here longest. There is one. */
static struct px_kept_event *find_least_missed(const struct px_server *s, bool in_bytes)
{
    struct px_event_user *user = px_container_of(s->event_users.next, struct px_event_user, link);
    struct px_event_raiser *raiser;

    px_list_for(struct px_event_user, other, &s->event_users, link) {
        user = is_larger(&other->share, &user->share, in_bytes) ? other : user;
    }
    raiser = px_container_of(user->raisers.next, struct px_event_raiser, link);
    px_list_for(struct px_event_raiser, other, &user->raisers, link) {
        raiser = is_larger(&other->share, &raiser->share, in_bytes) ? other : raiser;
    }
    return px_container_of(raiser->events.next, struct px_kept_event, of_raiser);
}

void px_event_keep(struct px_server *s, const struct px_event *event, struct px_raiser by)
{
    size_t most = (size_t) px_param_int(PX_P_MAX_EVENTS);
    size_t most_bytes = (size_t) px_param_int(PX_P_EVENT_BYTES);
    size_t bytes = size_of(event);
    struct px_kept_event *kept;

    px_assert(px_loop_inside(s->loop));
    if (!most || bytes > most_bytes ||
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_DO_NOT_CACHE)) {
        return;
    }
    kept = calloc(1, sizeof(*kept));
    if (!kept || px_event_share(event, &kept->event)) {
        free(kept);
        return;
    }
    kept->by = by;
    kept->bytes = bytes;
    if (enter(s, kept)) {
        px_shared_infos_drop(kept->event.shared);
        free(kept);
        return;
    }
    while (s->n_kept_events > most || s->kept_event_bytes > most_bytes) {
        px_event_unkeep(s, find_least_missed(s, s->n_kept_events <= most));
    }
}

void px_events_drop_all(struct px_server *s)
{

    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->kept_events)) {
        px_event_unkeep(s, px_container_of(s->kept_events.next, struct px_kept_event, link));
    }
    px_assert(!s->n_kept_events && !s->kept_event_bytes && px_list_empty(&s->event_users));
    px_map_fini(&s->event_users_by_raiser);
}
