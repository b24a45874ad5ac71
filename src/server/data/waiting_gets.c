/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "waiting_gets.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "get.h"
#include "server_get.h"
#include "src/base/assert.h"
#include "src/base/seed.h"

/* Rows of lists; gets that a walk meets in one turn. */
enum { ROWS = PX_GET_LISTS / PX_GET_COLUMNS, PART = 128 };

/* A walk over one or two lists, which others change meanwhile: its place and its end are marks in
 * the list, which are about no process. What is added behind the end came later than the data. */
struct get_walk {
    struct px_list link; /* s->get_walks, the one that is next first, if it takes several turns */
    char nspace[PMIX_MAX_NSLEN + 1];
    pmix_rank_t rank;
    bool of_rank; /* it also goes over the list of the rank's own gets, first */
    bool in_any;  /* it is in the list of the gets of any rank */
    bool again;   /* other data of the process have come, or it has ended again, meanwhile */
    bool gone;    /* the process has ended, and with it the gets about it */
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

struct px_list *px_waiting_gets_row(struct px_server *s, const char *nspace)
{
    uint64_t hash = px_seeded_hash(nspace, strnlen(nspace, PMIX_MAX_NSLEN));

    return &s->gets[hash % ROWS * PX_GET_COLUMNS];
}

/* The list of the gets about this process, beside those about few others. */
static struct px_list *list_of(struct px_server *s, const char *nspace, pmix_rank_t rank)
{
    unsigned column = rank > PMIX_RANK_VALID ? 0 : 1 + rank % (PX_GET_COLUMNS - 1);

    return &px_waiting_gets_row(s, nspace)[column];
}

void px_waiting_gets_add(struct px_get *get)
{
    px_list_append(list_of(get->server, get->target.nspace, get->target.rank), &get->link);
}

bool px_waiting_get_is_about(const struct px_get *get, const char *nspace, pmix_rank_t rank)
{
    return !get->renews && strncmp(get->target.nspace, nspace, PMIX_MAX_NSLEN) == 0 &&
           (rank == PMIX_RANK_WILDCARD || get->target.rank == rank ||
            get->target.rank == PMIX_RANK_UNDEF);
}

/* Puts the marks around a list. */
static void enter(struct get_walk *walk, struct px_list *list)
{
    px_list_prepend(list, &walk->place->link);
    px_list_append(list, &walk->end->link);
}

/* Takes the marks out of their list. */
static void leave(struct get_walk *walk)
{
    px_list_remove(&walk->place->link);
    px_list_remove(&walk->end->link);
}

/* Begins with the first list. */
static void begin(struct px_server *s, struct get_walk *walk)
{
    walk->again = false;
    walk->in_any = !walk->of_rank || walk->gone;
    enter(walk, walk->of_rank ? list_of(s, walk->nspace, walk->rank)
                              : px_waiting_gets_row(s, walk->nspace));
}

/* Tries a get, or ends it, if the walk is about it. */
static void visit(const struct get_walk *walk, struct px_get *get)
{
    if (!px_waiting_get_is_about(get, walk->nspace, walk->rank)) {
        return;
    }
    if (!walk->gone) {
        px_list_remove(&get->link);
        px_get_data_came(get, walk->rank);
    } else if (get->target.rank == walk->rank) {
        px_list_remove(&get->link);
        px_get_process_gone(get);
    }
}

/* Visits the next `most` gets of the list. True: its end is reached. */
static bool go_on(struct get_walk *walk, unsigned most)
{
    for (unsigned i = 0; i < most; i++) {
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

/* Does a part. True: the walk is over, and its marks are in no list. */
static bool step(struct px_server *s, struct get_walk *walk, unsigned most)
{
    if (!go_on(walk, most)) {
        return false;
    }
    leave(walk);
    if (!walk->in_any) {
        walk->in_any = true;
        enter(walk, px_waiting_gets_row(s, walk->nspace));
        return false;
    }
    if (walk->again) {
        begin(s, walk);
        return false;
    }
    return true;
}

static void walk_destroy(struct get_walk *walk)
{
    leave(walk);
    px_list_remove(&walk->link);
    free(walk->place);
    free(walk->end);
    free(walk);
}

/* A turn: a part of the first walk. */
static void on_turn(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, get_walk_timer);
    struct px_list *first = px_list_shift(&s->get_walks);
    struct get_walk *walk = first ? px_container_of(first, struct get_walk, link) : NULL;

    if (walk && step(s, walk, PART)) {
        walk_destroy(walk);
    } else if (walk) {
        px_list_append(&s->get_walks, &walk->link);
    }
    if (!px_list_empty(&s->get_walks)) {
        px_timer_start_loop(s->loop, &s->get_walk_timer, 0, on_turn);
    }
}

/* The walk for the data or the end of this process that takes several turns, or NULL. */
static struct get_walk *find_walk(struct px_server *s, const char *nspace, pmix_rank_t rank,
                                  bool gone)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        if (walk->rank == rank && walk->gone == gone &&
            strncmp(walk->nspace, nspace, PMIX_MAX_NSLEN) == 0) {
            return walk;
        }
    }
    return NULL;
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
        while (!step(s, begun, UINT_MAX)) {
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

/* Begins a walk, with so many gets at once in each list; one that is over soon takes no memory. */
static void walk_now(struct px_server *s, const struct get_walk *what, unsigned most)
{
    struct px_get place = {.renews = false};
    struct px_get end = {.renews = false};
    struct get_walk walk = *what;

    walk.place = &place;
    walk.end = &end;
    px_list_init(&place.link);
    px_list_init(&end.link);
    begin(s, &walk);
    if (!step(s, &walk, most) && !step(s, &walk, most)) {
        defer(s, &walk);
    }
}

/* What a walk is about. */
static struct get_walk walk_of(const char *nspace, pmix_rank_t rank)
{
    struct get_walk walk = {.rank = rank};

    memcpy(walk.nspace, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
    return walk;
}

void px_waiting_gets_try(struct px_server *s, const char *nspace, pmix_rank_t rank, bool any_only)
{
    bool of_rank = !any_only && !px_list_empty(list_of(s, nspace, rank));
    struct get_walk *walk = find_walk(s, nspace, rank, false);
    struct get_walk what;

    px_assert(px_loop_inside(s->loop));
    if (walk) {
        walk->again = true;
        walk->of_rank = walk->of_rank || of_rank;
    } else if (of_rank || !px_list_empty(px_waiting_gets_row(s, nspace))) {
        what = walk_of(nspace, rank);
        what.of_rank = of_rank;
        walk_now(s, &what, PART);
    }
}

/* Those that are tried wait for a process of the same name again, if there is one by then. */
void px_waiting_gets_end(struct px_server *s, const char *nspace, pmix_rank_t rank, bool at_once)
{
    struct get_walk *trying = find_walk(s, nspace, rank, false);
    struct get_walk *ending = find_walk(s, nspace, rank, true);
    struct get_walk what = walk_of(nspace, rank);

    px_assert(px_loop_inside(s->loop));
    if (trying) {
        walk_destroy(trying);
    }
    if (ending && !at_once) {
        ending->again = true;
        return;
    }
    what.of_rank = true;
    what.gone = true;
    walk_now(s, &what, at_once ? UINT_MAX : PART);
}

void px_waiting_gets_stop(struct px_server *s)
{
    px_list_for(struct get_walk, walk, &s->get_walks, link) {
        walk_destroy(walk);
    }
    px_timer_stop_loop(&s->get_walk_timer);
}
