/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What this process's own server waits for, and who came last to its collectives: out of the area
 * that the library publishes, like pmix-shm waits. */

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "run.h"
#include "shmem/segment.h"
#include "src/base/clock.h"
#include "src/tools/shm/find.h"
#include "src/waits/reader.h"
#include "src/waits/words.h"

/* A copy of our own area, malloc'd; NULL: there is none. */
static struct px_waits_copy *read_own(void)
{
    struct px_waits_copy *copy = NULL;
    struct px_shm_list list;
    struct px_segment seg;

    if (px_shm_find_named(PX_WAITS_LABEL, getpid(), &list) != 0) {
        return NULL;
    }
    int fd = list.n > 0 ? px_shm_fd(&list.items[0]) : -1;
    px_shm_list_free(&list);
    if (fd >= 0 && px_segment_open(fd, &seg) == 0) {
        copy = malloc(sizeof(*copy));
        if (copy != NULL && px_waits_copy(seg.base, seg.size, copy) != 0) {
            free(copy);
            copy = NULL;
        }
        px_segment_close(&seg);
    }
    return copy;
}

/* What the lines say is known to be of one line: names are those of the job and of its groups. */
void px_run_waits_say(void)
{
    struct px_waits_copy *copy = read_own();
    unsigned n = 0;
    char text[900];

    for (int i = 0; copy != NULL && i < PX_WAITS_ENTRIES; i++) {
        const struct px_waits_entry *e = &copy->area.entries[i];

        if (e->kind != PX_WAITS_NONE) {
            (void) px_waits_tell(&copy->area, e, px_clock_ns(), text, sizeof(text));
            px_run_say("%s: %s", px_run.hostname, text);
            n++;
        }
    }
    if (copy != NULL && copy->area.hidden > 0) {
        px_run_say("%s: and %" PRIu64 " more", px_run.hostname, copy->area.hidden);
    } else if (n == 0) {
        px_run_say("%s: nothing waits", px_run.hostname);
    }
    free(copy);
}

static double ms(uint64_t ns)
{
    return (double) ns / 1e6;
}

static void print_past(const struct px_waits_past *p)
{
    const char *kind = px_waits_kind_text(p->kind);

    if (p->n_come > 1) {
        px_run_say("%s: %s%s%s %" PRIu64 ": %s:%" PRIu32 " came last of %" PRIu32 ", %.3f ms after "
                   "the one before, %.3f ms after the first; it ended %.3f ms later",
                   px_run.hostname, kind, p->text[0] != '\0' ? " " : "", p->text, p->number,
                   p->last_nspace, p->last_rank, p->n_come, ms(p->late_ns), ms(p->spread_ns),
                   ms(p->total_ns - p->spread_ns));
    } else {
        px_run_say("%s: %s%s%s %" PRIu64 ": %s:%" PRIu32 " came alone; it ended %.3f ms later",
                   px_run.hostname, kind, p->text[0] != '\0' ? " " : "", p->text, p->number,
                   p->last_nspace, p->last_rank, ms(p->total_ns));
    }
}

static int by_number(const void *a, const void *b)
{
    const struct px_waits_past *x = a;
    const struct px_waits_past *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void px_run_waits_report(void)
{
    struct px_waits_copy *copy = read_own();
    uint64_t before = 0;

    if (copy == NULL) {
        return;
    }
    qsort(copy->area.past, PX_WAITS_PAST, sizeof(copy->area.past[0]), by_number);
    for (int i = 0; i < PX_WAITS_PAST; i++) {
        const struct px_waits_past *p = &copy->area.past[i];

        if (p->number == 0) {
            continue;
        }
        if (before == 0 && p->number > 1) {
            px_run_say("%s: %" PRIu64 " collectives before these", px_run.hostname, p->number - 1);
        }
        before = p->number;
        print_past(p);
    }
    free(copy);
}
