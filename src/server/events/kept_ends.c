/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "kept_ends.h"

#include "kept_events.h"
#include "src/base/assert.h"
#include "src/event/process_end.h"
#include "src/request/reply.h"
#include "src/request/schema.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

/* The processes of one event that reports ends. */
struct ends {
    struct px_server *s;
    const pmix_proc_t *again;   /* who has been started again */
    bool undone;                /* one of them is, or belongs to, that process */
    struct px_proc_list others; /* those that have still ended */
    int rc;                     /* of making `others` */
};

/* True if the end of the process is over. */
static bool is_undone(const struct ends *ends, const pmix_proc_t *proc)
{
    const struct px_local_proc *local;

    if (ends->again->rank != PMIX_RANK_WILDCARD) {
        return px_proc_covers(proc, ends->again);
    }
    local = px_local_proc_of(ends->s, proc);
    return px_proc_covers(ends->again, proc) && !(local && local->terminated);
}

/* For px_event_each_ended. */
static void sort_out(void *arg, const pmix_proc_t *proc)
{
    struct ends *ends = arg;

    if (is_undone(ends, proc)) {
        ends->undone = true;
    } else if (!ends->rc) {
        ends->rc = px_proc_list_add(&ends->others, proc);
    }
}

/* True if the info names processes that have ended. */
static bool names_ended(const pmix_info_t *info)
{
    return px_infos_next(info, 1, NULL, PMIX_EVENT_AFFECTED_PROC) ||
           px_infos_next(info, 1, NULL, PMIX_EVENT_AFFECTED_PROCS);
}

/* Makes the infos of an event for the other processes alone. 0 or PMIX_ERR_NOMEM; then some. */
static int infos_for_others(const struct px_event *event, const struct px_proc_list *others,
                            struct px_infos *ret)
{
    pmix_data_array_t procs = {.type = PMIX_PROC, .size = others->n, .array = others->at};
    int rc =
        px_infos_append(&ret->info, &ret->n, PMIX_EVENT_AFFECTED_PROCS, &procs, PMIX_DATA_ARRAY);

    for (size_t i = 0; i < event->ninfo && !rc; i++) {
        if (!names_ended(&event->info[i])) {
            rc = px_infos_append_copy(&ret->info, &ret->n, &event->info[i]);
        }
    }
    return rc;
}

/* Takes an event out, and keeps it anew for those that have still ended. */
static void keep_for_others(struct px_kept_event *kept, struct ends *ends)
{
    struct px_event event = kept->event;
    struct px_raiser by = kept->by;
    struct px_infos infos = {0};
    int rc = ends->rc ? ends->rc : infos_for_others(&event, &ends->others, &infos);

    px_event_unkeep(ends->s, kept);
    event.info = infos.info;
    event.ninfo = infos.n;
    event.shared = NULL;
    if (!rc) {
        px_event_keep(ends->s, &event, by);
    }
    px_infos_fini(&infos);
}

/* Undoes the ends of one event. True if it has been replaced by another one, which may have pushed
 * out any event. */
static bool undo(struct px_server *s, struct px_kept_event *kept, const pmix_proc_t *proc)
{
    struct ends ends = {.s = s, .again = proc};
    bool replaced = false;

    px_event_each_ended(&kept->event, sort_out, &ends);
    if (ends.undone && !ends.others.n) {
        px_event_unkeep(s, kept);
    } else if (ends.undone) {
        keep_for_others(kept, &ends);
        replaced = true;
    }
    px_proc_list_fini(&ends.others);
    return replaced;
}

void px_ends_undone(struct px_server *s, const pmix_proc_t *proc)
{
    bool replaced;

    px_assert(px_loop_inside(s->loop));
    do {
        replaced = false;
        px_list_for(struct px_kept_event, kept, &s->kept_events, link) {
            if (!kept->by.client && px_event_is_end(kept->event.code) && undo(s, kept, proc)) {
                replaced = true;
                break;
            }
        }
    } while (replaced);
}
