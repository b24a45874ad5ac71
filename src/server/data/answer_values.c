/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Packing the values of an answer. Large ones are left out, and noted. */

#include "answer_values.h"

#include <stdlib.h>

#include "get.h"
#include "get_answer.h"
#include "nspace.h"
#include "gds/kval_reader.h"
#include "gds/slice.h"
#include "src/base/array.h"
#include "src/base/lent.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"

/* Notes a large value that px_pack_kval has left out of the buffer. */
static int add_large(struct px_answer *p, const struct px_lent *lent)
{
    if (!lent->len) {
        return PMIX_SUCCESS;
    }
    if (px_array_room(&p->large, p->n_large, &p->room, sizeof(*p->large))) {
        return PMIX_ERR_NOMEM;
    }
    p->large[p->n_large++] = (struct px_answer_value){lent->at, lent->bytes, lent->len};
    p->large_bytes += lent->len;
    return PMIX_SUCCESS;
}

/* Packs one value under its key. A value that has qualifiers is packed together with them, as one
 * PMIX_QUALIFIED_VALUE. */
static int pack_slice(struct px_answer *p, const char *key, const struct px_slice *slice)
{
    struct px_lent lent = {.len = 0};
    pmix_data_array_t array;
    pmix_value_t value;
    bool owns = true;
    int rc = PMIX_SUCCESS;

    if (slice->quals) {
        rc = px_kval_fold(key, slice, &value);
    } else if (px_slice_lend(slice, false, &array, &value)) {
        owns = false;
    } else {
        rc = px_slice_borrow(slice, &value, &owns);
    }
    if (rc) {
        return rc;
    }
    p->buf.lent = owns ? NULL : &lent;
    rc = px_pack_kval(&p->buf, p->kind, slice->quals ? PMIX_QUALIFIED_VALUE : key, &value);
    p->buf.lent = NULL;
    rc = rc ? rc : add_large(p, &lent);
    if (owns) {
        PMIx_Value_destruct(&value);
    }
    p->n += !rc;
    return rc;
}

/* Packs the scope of the values that follow, if it is another one than before. */
static int pack_scope(struct px_answer *p, pmix_scope_t scope)
{
    pmix_value_t value = {.type = PMIX_SCOPE, .data.scope = scope};

    if (!p->scoped || p->scope == scope) {
        return PMIX_SUCCESS;
    }
    p->scope = scope;
    return px_pack_kval(&p->buf, p->kind, PX_KEY_SCOPE, &value);
}

int px_answer_add_change(struct px_answer *p, const struct px_get *get, const struct px_nspace *ns,
                         uint32_t owner)
{
    const struct px_local_proc *rank = get->counts ? px_local_proc_find(ns, owner) : NULL;
    pmix_value_t change = {.type = PMIX_UINT64, .data.uint64 = rank ? rank->change : 0};

    return p->scoped ? px_pack_kval(&p->buf, p->kind, PX_KEY_CHANGE, &change) : PMIX_SUCCESS;
}

int px_answer_add_committed(void *arg, const char *key, const struct px_slice *slice)
{
    struct px_answer *p = arg;
    bool committed = slice->scope != PMIX_SCOPE_UNDEF &&
                     (slice->type != PMIX_UNDEF || (slice->hidden && p->scoped));
    int rc = committed ? px_answer_add(p, key, slice) : PMIX_SUCCESS;

    return !rc && p->most && p->buf.len >= p->most ? PX_GET_LARGE : rc;
}

int px_answer_add(struct px_answer *p, const char *key, const struct px_slice *slice)
{
    int rc = slice->scope != PMIX_SCOPE_UNDEF ? pack_scope(p, slice->scope) : PMIX_SUCCESS;

    return rc ? rc : pack_slice(p, key, slice);
}

void px_answer_clear(struct px_answer *p)
{
    struct px_buf room = p->buf;

    room.len = 0;
    p->buf = (struct px_buf){0};
    px_answer_fini(p);
    p->buf = room;
}

void px_answer_fini(struct px_answer *p)
{
    px_buf_fini(&p->buf);
    free(p->large);
    *p = (struct px_answer){.n = 0};
}
