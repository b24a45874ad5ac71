/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_SETS_H
#define PX_SERVER_QUERY_SETS_H

/* The process sets and groups that a query is about. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

#include "src/base/buf.h"
#include "src/nspace/proc_sets.h"

struct px_server;

/* Which sets are asked for. All is borrowed. */
struct px_sets_asked {
    struct px_server *s;
    enum px_proc_set_kind kind;
    const pmix_proc_t *member; /* that they have; NULL: any */
    const pmix_proc_t *asker;  /* the range is seen from there */
    /* A set is in a range if a member of it is: the asker (PMIX_RANGE_PROC_LOCAL), a process of its
     * namespace, a client of this server (PMIX_RANGE_LOCAL), any process (SESSION, GLOBAL and
     * UNDEF). No set is in PMIX_RANGE_RM or in PMIX_RANGE_CUSTOM, for which a query has no list of
     * processes. */
    pmix_data_range_t range;
};

/* The range of a query's qualifiers (PMIX_RANGE): PMIX_RANGE_SESSION without one, and
 * PMIX_RANGE_INVALID, in which there is no set, if it is of another type. */
pmix_data_range_t px_sets_range(const pmix_query_t *query);

/* The form of an answer: the number of sets, their names as an array of strings, or their names as
 * one string, separated by commas. */
enum px_sets_form { PX_SETS_NUMBER, PX_SETS_NAMES, PX_SETS_LIST };

/* There is more, for a later turn of the loop. */
enum { PX_QUERY_MORE = 1 };

/* An answer that is collected in parts: sets may be added and removed between them. Zeros: none;
 * must not be moved otherwise. */
struct px_sets_walk {
    bool open;
    enum px_sets_form form;
    struct px_sets_asked asked;
    pmix_proc_t member;       /* asked.member, unless that is NULL */
    struct px_proc_set place; /* behind the last set that was looked at */
    size_t n;                 /* sets that were found */
    size_t room;
    char **names;       /* of PX_SETS_NAMES; owned */
    struct px_buf list; /* of PX_SETS_LIST */
};

/* Begins a walk; `asked` and its member are copied. */
void px_sets_walk_begin(struct px_sets_walk *walk, const struct px_sets_asked *asked,
                        enum px_sets_form form);
/* Looks at the next sets, as many as *left is good for, which is reduced: by 1 for a set, and more
 * for its name and members. 0: all were looked at. PX_QUERY_MORE or PMIX_ERR_NOMEM. */
int px_sets_walk_go_on(struct px_sets_walk *walk, size_t *left);
/* Appends the answer to the infos. 0, PMIX_ERR_NOT_FOUND (an array without names), or
 * PMIX_ERR_NOMEM. */
int px_sets_walk_put(struct px_sets_walk *walk, const char *key, pmix_info_t **info, size_t *ninfo);
/* Ends a walk, or does nothing. */
void px_sets_walk_fini(struct px_sets_walk *walk);

#endif
