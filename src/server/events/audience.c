/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "audience.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* The range of an event. One of another type names no process. */
static struct px_procs range_of(const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_procs range = {NULL, 0};

    if (value && event->range == PMIX_RANGE_CUSTOM) {
        (void) px_value_procs(value, &range); /* a value of another type: none */
    }
    return range;
}

/* Enters the namespaces of peers that are no registered processes. 0 or PMIX_ERR_NOMEM. */
static int list_tools(const struct px_server *s, struct px_map *tools)
{
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        const char *name = peer->proc.nspace;

        if (!peer->rank && px_map_set(tools, name, strnlen(name, PMIX_MAX_NSLEN), peer)) {
            return PMIX_ERR_NOMEM;
        }
    }
    return PMIX_SUCCESS;
}

/* What a server has of a namespace. */
struct known {
    const struct px_nspace *ns; /* NULL: it does not have it */
    bool is_own;                /* the server's own */
    bool has_tools;
};

static struct known look_up(struct px_server *s, const struct px_map *tools, const char *nspace)
{
    return (struct known){
        .ns = px_nspace_find(s, nspace),
        .is_own = strncmp(nspace, s->self.nspace, PMIX_MAX_NSLEN) == 0,
        .has_tools = px_map_find(tools, nspace, strnlen(nspace, PMIX_MAX_NSLEN)) != NULL,
    };
}

/* True if somebody of this rank may be here. */
static bool may_be_here(const struct px_server *s, const struct known *known, pmix_rank_t rank)
{
    bool any = rank == PMIX_RANK_WILDCARD;

    return (known->ns && (any || px_local_proc_find(known->ns, rank))) ||
           (known->is_own && (any || rank == s->self.rank)) || known->has_tools;
}

/* Begins to look at the names of a range. 0 or PMIX_ERR_NOMEM. */
static int named_begin(const struct px_server *s, struct px_named *named, struct px_procs range)
{
    *named = (struct px_named){.range = range, .admitted = s->admitted};
    return list_tools(s, &named->tools);
}

static void named_fini(struct px_named *named)
{
    px_map_fini(&named->tools);
    px_proc_list_fini(&named->here);
}

/* Looks at the next names, no more than `most`. 0 or PMIX_ERR_NOMEM. */
static int named_look(struct px_server *s, struct px_named *named, size_t most)
{
    const pmix_proc_t *procs = named->range.at;
    size_t left = named->range.n - named->next;
    size_t first = named->next;
    size_t end = first + (left < most ? left : most);
    struct known known = {0};
    int rc = PMIX_SUCCESS;

    for (size_t i = first; !rc && i < end; i++) {
        if (i == first || strncmp(procs[i].nspace, procs[i - 1].nspace, PMIX_MAX_NSLEN) != 0) {
            known = look_up(s, &named->tools, procs[i].nspace);
        }
        if (may_be_here(s, &known, procs[i].rank)) {
            rc = px_proc_list_add(&named->here, &procs[i]);
        }
    }
    named->next = end;
    return rc;
}

void px_named_free(struct px_named *named)
{
    if (named) {
        named_fini(named);
        free(named);
    }
}

/* Longer ranges are not searched for each process; of the longest only so many names are looked at
 * in one turn of the loop. */
enum { SHORT_RANGE = 16, PIECE = 4096 };

bool px_named_ahead(struct px_server *s, const struct px_event *event, struct px_named **named)
{
    struct px_procs range = range_of(event);
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    if (range.n <= PIECE || (*named && (*named)->next == range.n)) {
        return false;
    }
    if (!*named) {
        *named = malloc(sizeof(**named));
        rc = *named ? named_begin(s, *named, range) : PMIX_ERR_NOMEM;
    }
    rc = rc ? rc : named_look(s, *named, PIECE);
    if (rc) {
        px_named_free(*named);
        *named = NULL;
    }
    return *named != NULL;
}

/* True if `ahead` has all names of this range, and no peer was admitted since it began. */
static bool is_found(const struct px_server *s, const struct px_named *ahead, struct px_procs range)
{
    return ahead && ahead->range.at == range.at && ahead->range.n == range.n &&
           ahead->next == range.n && ahead->admitted == s->admitted;
}

/* True if a custom range names the process or its namespace. */
static bool is_named(struct px_audience *to, const pmix_proc_t *proc)
{
    pmix_proc_t job;

    if (!to->listed) {
        return px_procs_cover(to->range.at, to->range.n, proc);
    }
    PMIX_LOAD_PROCID(&job, proc->nspace, PMIX_RANK_WILDCARD);
    return px_proc_list_has(&to->named, proc) || px_proc_list_has(&to->named, &job);
}

/* For assertions: the names that were found say of each peer what the range says. */
static bool is_right(const struct px_server *s, struct px_audience *to)
{
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer->conn &&
            is_named(to, &peer->proc) != px_procs_cover(to->range.at, to->range.n, &peer->proc)) {
            return false;
        }
    }
    return true;
}

void px_audience_init(struct px_server *s, struct px_audience *to, const struct px_event *event,
                      struct px_raiser by, struct px_named *ahead)
{
    struct px_named now = {0};
    struct px_named *from = &now;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    *to = px_audience_for_one(event, by);
    to->many = true;
    to->listed = to->range.n > SHORT_RANGE;
    if (to->listed && is_found(s, ahead, to->range)) {
        from = ahead;
    } else if (to->listed) {
        rc = named_begin(s, &now, to->range);
        rc = rc ? rc : named_look(s, &now, to->range.n);
    }
    if (!rc) {
        to->named = from->here;
        from->here = (struct px_proc_list){0};
    }
    named_fini(&now);
    px_check(rc || is_right(s, to));
}

struct px_audience px_audience_for_one(const struct px_event *event, struct px_raiser by)
{
    return (struct px_audience){.event = event, .by = by, .range = range_of(event)};
}

void px_audience_fini(struct px_audience *to)
{
    px_proc_list_fini(&to->named);
    px_map_fini(&to->verdicts);
}

/* True if a custom range names one of a namespace that this server does not have. */
static bool reaches_beyond(struct px_server *s, struct px_audience *to)
{
    for (size_t i = 0; !to->looked && !to->beyond && i < to->range.n; i++) {
        to->beyond = !px_nspace_find(s, to->range.at[i].nspace);
    }
    to->looked = true;
    return to->beyond;
}

bool px_audience_has(struct px_audience *to, const pmix_proc_t *proc)
{
    switch (to->event->range) {
    case PMIX_RANGE_RM:
    case PMIX_RANGE_PROC_LOCAL:
        return false;
    case PMIX_RANGE_NAMESPACE:
        return strncmp(to->event->source.nspace, proc->nspace, PMIX_MAX_NSLEN) == 0;
    case PMIX_RANGE_CUSTOM:
        return is_named(to, proc);
    default:
        return true;
    }
}

/* What px_access_event looks at in a peer, beside its being the server's own. */
struct peer_kind {
    uid_t uid;
    bool tool;
    pmix_nspace_t nspace;
};

/* The verdict on a kind of peers: one of two addresses. To find it may take a walk over all groups,
 * so it is kept; without memory it is found again. */
static const bool *verdict(struct px_server *s, struct px_audience *to, const struct px_peer *peer)
{
    static const bool verdicts[] = {false, true};
    struct peer_kind kind = {.uid = peer->uid, .tool = peer->tool};
    size_t len = offsetof(struct peer_kind, nspace) + strnlen(peer->proc.nspace, PMIX_MAX_NSLEN);
    const bool *known;

    memcpy(kind.nspace, peer->proc.nspace, len - offsetof(struct peer_kind, nspace));
    known = px_map_find(&to->verdicts, &kind, len);
    if (!known) {
        known = &verdicts[px_access_event(s, peer, to->by.user, to->event->source.nspace)];
        if (to->many) {
            (void) px_map_set(&to->verdicts, &kind, len, (void *) (uintptr_t) known);
        }
    }
    return known;
}

/* True if the peer may have what the user has raised. */
static bool may_have(struct px_server *s, struct px_audience *to, const struct px_peer *peer)
{
    const struct px_peer *last = to->judged;

    if (!last || last->uid != peer->uid || last->tool != peer->tool ||
        strncmp(last->proc.nspace, peer->proc.nspace, PMIX_MAX_NSLEN) != 0) {
        to->may = *verdict(s, to, peer);
        to->judged = peer;
    }
    return to->may;
}

/* What names processes of others is for launchers, too: they may be theirs. */
bool px_audience_has_peer(struct px_server *s, struct px_audience *to, const struct px_peer *peer)
{
    return (px_audience_has(to, &peer->proc) || (peer->launcher && reaches_beyond(s, to))) &&
           (!to->by.client || may_have(s, to, peer));
}
