/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "owed.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/status.h"
#include "codec.h"
#include "unpack.h"

/* A copy of len bytes; or processes that take as many. */
struct px_owed_part {
    unsigned char *to;
    const unsigned char *from; /* NULL: processes, read from `in` */
    struct px_in in;
    size_t len;
};

static int add(struct px_owed *owed, struct px_owed_part part)
{
    if (px_array_room(&owed->parts, owed->n, &owed->room, sizeof(*owed->parts))) {
        return PX_ERR_NOMEM;
    }
    owed->parts[owed->n++] = part;
    return PX_OK;
}

int px_owed_add(struct px_owed *owed, void *to, const void *from, size_t len)
{
    px_assert(from);
    return add(owed, (struct px_owed_part){.to = to, .from = from, .len = len});
}

int px_owed_add_procs(struct px_owed *owed, pmix_proc_t *to, const struct px_in *from, size_t n)
{
    return add(owed, (struct px_owed_part){
                         .to = (unsigned char *) to, .in = *from, .len = n * sizeof(*to)});
}

/* Writes what is at `done` of a part. Returns how many bytes, at least one. */
static size_t pay_part(struct px_owed_part *part, size_t done, size_t most)
{
    pmix_proc_t *procs = (pmix_proc_t *) (void *) (part->to + done);
    size_t left = part->len - done;
    size_t n;

    if (part->from) {
        n = left < most ? left : most;
        memcpy(part->to + done, part->from + done, n);
        return n;
    }
    n = (left < most ? left : most) / sizeof(*procs);
    n = n ? n : 1;
    n = px_unpack_procs_now(&part->in, procs, n);
    px_assert(n && !part->in.status); /* they were read before */
    return n * sizeof(*procs);
}

bool px_owed_is_due(const struct px_owed *owed)
{
    return owed->at < owed->n;
}

bool px_owed_pay(struct px_owed *owed, size_t most)
{
    while (owed->at < owed->n && most) {
        size_t n = pay_part(&owed->parts[owed->at], owed->done, most);

        owed->done += n;
        most -= n < most ? n : most;
        if (owed->done == owed->parts[owed->at].len) {
            owed->at++;
            owed->done = 0;
        }
    }
    return px_owed_is_due(owed);
}

void px_owed_fini(struct px_owed *owed)
{
    free(owed->parts);
    *owed = (struct px_owed){0};
}
