/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "waiting_gets.h"

#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/base/assert.h"
#include "src/base/seed.h"

/* The gets about one namespace are in so many lists in a row. The first one has those of any rank,
 * which data of every process may answer. */
enum { COLUMNS = 16, ROWS = PX_GET_LISTS / COLUMNS };

/* Gets that a walk meets in one turn; those that are decided anew, for each of which the host may
 * be asked. */
enum { PART = 128, DECIDED = 32 };

/* Why there is a walk. */
enum reason { DATA_CAME, PROCESS_GONE, JOB_CHANGED, JOB_GONE };

/* A walk over some lists of a row, one after the other, which others change meanwhile: its place
 * and its end are marks in the list, which are about no process. It does not meet gets that are
 * added behind its end. An end of a process or job concerns only gets that waited before it: those
 * that came later are about another process or job of this name. */
struct get_walk {
    struct px_list link; /* s->get_walks, the one that is next first, if it takes several turns */
    enum reason reason;
    char nspace[PMIX_MAX_NSLEN + 1];
    pmix_rank_t rank; /* PMIX_RANK_WILDCARD: the job */
    bool of_rank;     /* of DATA_CAME: it also goes over the list of the rank's own gets, first */
    bool again;       /* there is a reason again meanwhile: it begins anew at its end */
    unsigned column;  /* of the list that it is in */
    uint64_t newest;  /* number of the newest get that waited when there was a reason last */
    struct px_get *place;
    struct px_get *end;
};

void px_waiting_gets_init(struct px_server *s)
{
    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        px_list_init(&s->gets[i]);
    }
    px_list_init(&s->get_walks);
}

/* The first list of the row of a namespace; other namespaces may share it. */
static struct px_list *row_of(struct px_server *s, const char *nspace)
{
    uint64_t hash = px_seeded_hash(nspace, strnlen(nspace, PMIX_MAX_NSLEN));

    return &s->gets[hash % ROWS * COLUMNS];
}

/* Which list of the row has the gets about this rank, beside those about few others. */
static unsigned column_of(pmix_rank_t rank)
{
    return rank > PMIX_RANK_VALID ? 0 : 1 + rank % (COLUMNS - 1);
}

static struct px_list *list_of(struct px_server *s, const char *nspace, pmix_rank_t rank)
{
    return &row_of(s, nspace)[column_of(rank)];
}

void px_waiting_gets_add(struct px_get *get)
{
    if (!get->number) {
        get->number = ++get->server->n_waited_gets;
    }
    px_list_append(list_of(get->server, get->target.nspace, get->target.rank), &get->link);
}

/* True if data of (nspace, rank), or its end, may end the wait of this get. PMIX_RANK_WILDCARD
 * stands for all processes of the namespace; a get for any rank waits for each of them. Renewals
 * wait for their own upcall only. */
static bool is_about(const struct px_get *get, const char *nspace, pmix_rank_t rank)
{
    return !get->renews && strncmp(get->target.nspace, nspace, PMIX_MAX_NSLEN) == 0 &&
           (rank == PMIX_RANK_WILDCARD || get->target.rank == rank ||
            get->target.rank == PMIX_RANK_UNDEF);
}

/* Goes to a list: puts the marks around it. */
static void enter(struct px_server *s, struct get_walk *walk, unsigned column)
{
    struct px_list *list = &row_of(s, walk->nspace)[column];

    walk->column = column;
    px_list_prepend(list, &walk->place->link);
    px_list_append(list, &walk->end->link);
}

/* Takes the marks out of their list. */
static void leave(struct get_walk *walk)
{
    px_list_remove(&walk->place->link);
    px_list_remove(&walk->end->link);
}

static unsigned first_column(const struct get_walk *walk)
{
    return walk->of_rank || walk->reason == PROCESS_GONE ? column_of(walk->rank) : 0;
}

/* The list after the one that it is in; COLUMNS: that was the last one. Data are for those of any
 * rank, too. */
static unsigned next_column(const struct get_walk *walk)
{
    if (walk->reason == JOB_CHANGED || walk->reason == JOB_GONE) {
        return walk->column + 1;
    }
    return walk->reason == DATA_CAME && walk->column ? 0 : COLUMNS;
}

/* Begins with the first list. */
static void begin(struct px_server *s, struct get_walk *walk)
{
    walk->again = false;
    enter(s, walk, first_column(walk));
}

/* True if the get is for the walk. Who waits for any rank does so when one process has ended. */
static bool is_for(const struct get_walk *walk, const struct px_get *get)
{
    bool ends = walk->reason == PROCESS_GONE || walk->reason == JOB_GONE;

    return is_about(get, walk->nspace, walk->rank) && (!ends || get->number <= walk->newest) &&
           (walk->reason != PROCESS_GONE || get->target.rank == walk->rank);
}

/* Tries a get, or ends it, if the walk is for it. */
static void visit(const struct get_walk *walk, struct px_get *get)
{
    if (!is_for(walk, get)) {
        return;
    }
    px_list_remove(&get->link);
    switch (walk->reason) {
    case DATA_CAME:
        px_get_data_came(get, walk->rank);
        break;
    case PROCESS_GONE:
        px_get_process_gone(get);
        break;
    case JOB_CHANGED:
        px_get_job_changed(get);
        break;
    case JOB_GONE:
        px_get_job_gone(get);
        break;
    }
}

/* Visits the next gets of the list, of *most at most, which it lowers by their number. True: its
 * end is reached. */
static bool go_on(struct get_walk *walk, unsigned *most)
{
    for (; *most > 0; --*most) {
        struct px_list *next = walk->place->link.next;
        struct px_get *get = px_container_of(next, struct px_get, link);

        if (get == walk->end) {
            return true;
        }
        px_list_remove(&walk->place->link);
        px_list_prepend(next, &walk->place->link); /* behind it */
        visit(walk, get);
    }
    return walk->place->link.next == &walk->end->link;
}

/* Visits a part of the gets. True: the walk is over, and its marks are in no list. */
static bool step(struct px_server *s, struct get_walk *walk)
{
    unsigned most = walk->reason == JOB_CHANGED ? DECIDED : PART;

    while (go_on(walk, &most)) {
        unsigned next = next_column(walk);

        leave(walk);
        if (next < COLUMNS) {
            enter(s, walk, next);
        } else if (walk->again) {
            begin(s, walk);
            return false;
        } else {
            return true;
        }
    }
    return false;
}

static void walk_destroy(struct get_walk *walk)
{
    leave(walk);
    px_list_remove(&walk->link);
    free(walk->place);
    free(walk->end);
    free(walk);
}

/* The walk of several turns for this reason and process, or NULL. */
static struct get_walk *find_walk(struct px_server *s, enum reason reason, const char *nspace,
                                  pmix_rank_t rank)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        if (walk->reason == reason && walk->rank == rank &&
            strncmp(walk->nspace, nspace, PMIX_MAX_NSLEN) == 0) {
            return walk;
        }
    }
    return NULL;
}

/* True if the walk has to wait for others. The gets about processes that ended with their job end
 * first, since their status is another one than that of the rest. */
static bool is_behind(struct px_server *s, const struct get_walk *last)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        if (last->reason == JOB_GONE && walk->reason == PROCESS_GONE &&
            strncmp(walk->nspace, last->nspace, PMIX_MAX_NSLEN) == 0) {
            return true;
        }
    }
    return false;
}

/* A turn: a part of the first walk. */
static void on_turn(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, get_walk_timer);
    struct px_list *first = px_list_shift(&s->get_walks);
    struct get_walk *walk = first ? px_container_of(first, struct get_walk, link) : NULL;

    if (walk && !is_behind(s, walk) && step(s, walk)) {
        walk_destroy(walk);
    } else if (walk) {
        px_list_append(&s->get_walks, &walk->link);
    }
    if (!px_list_empty(&s->get_walks)) {
        px_timer_start_loop(s->loop, &s->get_walk_timer, 0, on_turn);
    }
}

/* Goes on in other turns with a walk that has begun, whose record and marks are the caller's;
 * without memory at once. */
static void defer(struct px_server *s, struct get_walk *begun)
{
    struct get_walk *walk = malloc(sizeof(*walk));
    struct px_get *place = calloc(1, sizeof(*place));
    struct px_get *end = calloc(1, sizeof(*end));

    if (!walk || !place || !end) {
        free(walk);
        free(place);
        free(end);
        while (!step(s, begun)) {
        }
        return;
    }
    *walk = *begun;
    walk->place = place;
    walk->end = end;
    px_list_append(&begun->place->link, &place->link); /* before it */
    px_list_append(&begun->end->link, &end->link);
    leave(begun);
    px_list_append(&s->get_walks, &walk->link);
    px_timer_start_loop(s->loop, &s->get_walk_timer, 0, on_turn);
}

/* Begins a walk, with a part at once; one that is over soon takes no memory. */
static void walk_now(struct px_server *s, const struct get_walk *what)
{
    struct px_get place = {.renews = false};
    struct px_get end = {.renews = false};
    struct get_walk walk = *what;

    walk.place = &place;
    walk.end = &end;
    px_list_init(&place.link);
    px_list_init(&end.link);
    begin(s, &walk);
    if (is_behind(s, &walk) || !step(s, &walk)) {
        defer(s, &walk);
    }
}

/* What a walk is about. */
static struct get_walk walk_of(const struct px_server *s, enum reason reason, const char *nspace,
                               pmix_rank_t rank)
{
    struct get_walk walk = {.reason = reason, .rank = rank, .newest = s->n_waited_gets};

    memcpy(walk.nspace, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
    return walk;
}

void px_waiting_gets_try(struct px_server *s, const char *nspace, pmix_rank_t rank, bool any_only)
{
    bool of_rank = !any_only && !px_list_empty(list_of(s, nspace, rank));
    struct get_walk *walk = find_walk(s, DATA_CAME, nspace, rank);
    struct get_walk what;

    px_assert(px_loop_inside(s->loop));
    if (walk) {
        walk->again = true;
        walk->of_rank = walk->of_rank || of_rank;
    } else if (of_rank || !px_list_empty(row_of(s, nspace))) {
        what = walk_of(s, DATA_CAME, nspace, rank);
        what.of_rank = of_rank;
        walk_now(s, &what);
    }
}

/* Begins a walk, or lets the one that there is for the same reason begin anew at its end. */
static void walk_again(struct px_server *s, enum reason reason, const char *nspace,
                       pmix_rank_t rank)
{
    struct get_walk *walk = find_walk(s, reason, nspace, rank);
    struct get_walk what = walk_of(s, reason, nspace, rank);

    px_assert(px_loop_inside(s->loop));
    if (walk) {
        walk->again = true;
        walk->newest = what.newest;
    } else {
        walk_now(s, &what);
    }
}

/* Those that are tried wait for a process of the same name again, if there is one by then. */
void px_waiting_gets_end(struct px_server *s, const char *nspace, pmix_rank_t rank)
{
    struct get_walk *trying = find_walk(s, DATA_CAME, nspace, rank);

    if (trying) {
        walk_destroy(trying);
    }
    walk_again(s, PROCESS_GONE, nspace, rank);
}

void px_waiting_gets_decide(struct px_server *s, const char *nspace)
{
    walk_again(s, JOB_CHANGED, nspace, PMIX_RANK_WILDCARD);
}

/* A get that is tried meanwhile would wait behind the end of the walk, and not end. */
void px_waiting_gets_end_job(struct px_server *s, const char *nspace)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        if ((walk->reason == DATA_CAME || walk->reason == JOB_CHANGED) &&
            strncmp(walk->nspace, nspace, PMIX_MAX_NSLEN) == 0) {
            walk_destroy(walk);
        }
    }
    walk_again(s, JOB_GONE, nspace, PMIX_RANK_WILDCARD);
}

void px_waiting_gets_stop(struct px_server *s)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        walk_destroy(walk);
    }
    px_timer_stop_loop(&s->get_walk_timer);
}
