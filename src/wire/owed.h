/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_OWED_H
#define PX_WIRE_OWED_H

/* What unpacking a message leaves to its caller (px_in.owed): large copies, and long lists of
 * processes that were checked but not stored. He does it a piece at a time: memory that is new
 * takes a page fault for each page that is written, which is most of the time that a large value
 * takes. One thread at a time. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

enum {
    PX_OWED_FROM = 1 << 18, /* smaller values are copied at once */
    PX_OWED_PIECE = 1 << 19 /* what a turn of a server copies */
};

struct px_in;
struct px_owed_part;

/* What is owed. Zeros: nothing. Message and memory of each part are borrowed: they have to outlive
 * it. */
struct px_owed {
    struct px_owed_part *parts; /* owned */
    size_t n, room;
    size_t at;   /* of the first that is not done */
    size_t done; /* bytes of that one that were written */
};

/* Owes a copy of len bytes. 0 or PX_ERR_NOMEM. */
int px_owed_add(struct px_owed *owed, void *to, const void *from, size_t len);

/* Owes n processes, which begin where `from` is, and can all be read. 0 or PX_ERR_NOMEM. */
int px_owed_add_procs(struct px_owed *owed, pmix_proc_t *to, const struct px_in *from, size_t n);

/* True if something is still owed. */
bool px_owed_is_due(const struct px_owed *owed);

/* Writes about so many bytes, or all that is left. True: something is still owed. */
bool px_owed_pay(struct px_owed *owed, size_t most);

/* Forgets what is owed. */
void px_owed_fini(struct px_owed *owed);

#endif
