/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "gathering.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "answer_values.h"
#include "get.h"
#include "get_answer.h"
#include "nspace.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "gds/store.h"
#include "src/base/assert.h"
#include "src/base/lent.h"

/* Values that are looked at in one turn, and bytes that are packed; beginnings until a process
 * posts too fast. */
enum { PART = 2048, PART_BYTES = 1 << 20, BEGINNINGS = 64 };

/* The bytes of a value besides itself, for types and lengths; and of an answer. */
enum { BESIDE = 64, BESIDE_ALL = 4096 };

/* Of which moment the values of a process are. */
struct moment {
    uint32_t owner;
    uint64_t nspace; /* px_nspace.id */
    uint64_t epoch;
    uint32_t generation;
    uint64_t change; /* of the process; 0: it does not count, or is not known */
    uint64_t parts;  /* of its commits that were published, if it is of this node */
};

/* Gathering under way. Owned by its get. */
struct px_gathering {
    struct moment of;
    unsigned n_beginnings;
    struct px_each_at at;
    size_t bytes; /* of the values that are packed, as far as they have been counted */
    bool counted;
    bool begun; /* the answer */
    struct px_answer answer;
};

static struct moment now_of(const struct px_nspace *ns, uint32_t owner)
{
    const struct px_local_proc *local = px_local_proc_find(ns, owner);
    struct px_store_info info;

    px_store_info(ns->store, &info);
    return (struct moment){
        .owner = owner,
        .nspace = ns->id,
        .epoch = info.epoch,
        .generation = info.generation,
        .change = local                   ? local->change
                  : owner < ns->n_changes ? ns->changes[owner]
                                          : 0,
        .parts = local ? local->n_parts : 0,
    };
}

static bool is_same(const struct moment *a, const struct moment *b)
{
    return a->owner == b->owner && a->nspace == b->nspace && a->epoch == b->epoch &&
           a->generation == b->generation && a->change == b->change && a->parts == b->parts;
}

/* For px_store_each: adds the bytes of a value and of its key; large values are not packed. */
static int add_size(void *arg, const char *key, const struct px_slice *slice)
{
    *(size_t *) arg += (slice->len < PX_LENT_FROM ? slice->len : 0) + strlen(key) + BESIDE;
    return PMIX_SUCCESS;
}

/* Counts the bytes of the next values. */
static int count_part(const struct px_nspace *ns, uint32_t owner, struct px_gathering *g)
{
    bool more = false;
    int rc = px_store_each_part(ns->store, PX_LEVEL_PROC, owner, &g->at, PART, add_size, &g->bytes,
                                &more);

    if (rc || more) {
        return rc ? rc : PX_GET_LARGE;
    }
    g->counted = true;
    g->at = (struct px_each_at){0};
    return PMIX_SUCCESS;
}

/* Packs the next values. The first time memory for all of them is allocated, so that none is moved.
 */
static int pack_part(struct px_get *get, struct px_nspace *ns, uint32_t owner,
                     px_gather_begin begin, struct px_gathering *g)
{
    bool more = false;
    int rc = PMIX_SUCCESS;

    if (!g->begun) {
        g->begun = true;
        px_buf_reserve(&g->answer.buf, g->bytes + BESIDE_ALL);
        rc = begin(&g->answer, get, ns, owner);
        rc = rc ? rc : px_answer_add_change(&g->answer, get, ns, owner);
    }
    g->answer.most = g->answer.buf.len + PART_BYTES;
    rc = rc ? rc
            : px_store_each_part(ns->store, PX_LEVEL_PROC, owner, &g->at, PART,
                                 px_answer_add_committed, &g->answer, &more);
    return rc ? rc : more ? PX_GET_LARGE : PMIX_SUCCESS;
}

/* Goes back to the first value, and keeps the memory. PMIX_ERR_OUT_OF_RESOURCE: it has been there
 * too often. */
static int begin_anew(struct px_gathering *g, const struct moment *now)
{
    struct px_gathering anew = {.of = *now, .n_beginnings = g->n_beginnings + 1};

    px_answer_clear(&g->answer);
    anew.answer = g->answer;
    *g = anew;
    return g->n_beginnings > BEGINNINGS ? PMIX_ERR_OUT_OF_RESOURCE : PMIX_SUCCESS;
}

/* One part, or two where little is to be done. */
static int go_on(struct px_get *get, struct px_nspace *ns, uint32_t owner, px_gather_begin begin,
                 struct px_gathering *g)
{
    struct moment now = now_of(ns, owner);
    int rc = is_same(&now, &g->of) && g->n_beginnings ? PMIX_SUCCESS : begin_anew(g, &now);

    px_assert(get->reply_to.peer);
    if (!rc && !g->counted) {
        rc = count_part(ns, owner, g);
    }
    return rc ? rc : pack_part(get, ns, owner, begin, g);
}

/* What most gets need is done in the first call, without memory for another one. */
int px_gather(struct px_get *get, struct px_nspace *ns, uint32_t owner, px_gather_begin begin,
              struct px_answer *ret)
{
    struct px_gathering first = {.n_beginnings = 0};
    struct px_gathering *g = get->gathering ? get->gathering : &first;
    int rc = go_on(get, ns, owner, begin, g);

    if (rc == PMIX_SUCCESS) {
        *ret = g->answer;
        g->answer = (struct px_answer){.n = 0};
        g->begun = false;
    } else if (rc == PX_GET_LARGE && !get->gathering) {
        get->gathering = malloc(sizeof(*g));
        rc = get->gathering ? rc : PMIX_ERR_NOMEM;
    }
    if (get->gathering && g == &first) {
        *get->gathering = first;
    } else if (g == &first) {
        px_answer_fini(&first.answer);
    }
    return rc;
}

void px_gathering_free(struct px_gathering *gathering)
{
    if (gathering) {
        px_answer_fini(&gathering->answer);
        free(gathering);
    }
}
