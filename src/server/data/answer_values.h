/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_ANSWER_VALUES_H
#define PX_SERVER_ANSWER_VALUES_H

/* The answer to a get of a peer, while values are packed into it. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

struct px_get;
struct px_nspace;
struct px_slice;

/* The bytes of a large value, which belong behind the first `at` bytes of the answer's buffer. They
 * stay in the store, and are valid as long as its generation. */
struct px_answer_value {
    size_t at;
    const void *bytes;
    size_t len;
};

/* One answer while it is packed: a buffer, which is handed over when the answer is sent, and large
 * values, which are copied piece by piece before that (large_answer.h). Zeros: nothing. */
struct px_answer {
    struct px_buf buf;
    struct px_answer_value *large; /* owned, in the order of their places */
    size_t n_large, room;
    size_t large_bytes; /* of all of them */
    size_t most;        /* px_answer_add_committed stops when the buffer is so long; 0: never */
    size_t mark;        /* in buf: where the bytes begin that hold the values */
    enum px_wire_kind kind;
    size_t n;    /* values packed */
    bool scoped; /* each value's scope is packed too, and what the requester may not see as UNDEF */
    pmix_scope_t scope; /* packed last */
    bool offers;        /* the segment's descriptor is passed with the answer */
    bool shares;        /* offers, or the requester already maps the segment */
};

/* Adds a value under its key, and before it its scope, if that is another one than before. A value
 * that has qualifiers is packed together with them, as one PMIX_QUALIFIED_VALUE. 0 or the status of
 * packing, as of all that add. */
int px_answer_add(struct px_answer *p, const char *key, const struct px_slice *slice);

/* The same if a process committed the value: the host's values are left out, and marks of values
 * that this node may not read unless the answer is scoped. For px_store_each; arg: the answer.
 * PX_GET_LARGE: p->most is reached, with this value. */
int px_answer_add_committed(void *arg, const char *key, const struct px_slice *slice);

/* Adds, for a client of this library, the number of the process's newest change, 0 if it does not
 * count. It goes before all values that the process has committed: so the client knows that there
 * are no others. */
int px_answer_add_change(struct px_answer *p, const struct px_get *get, const struct px_nspace *ns,
                         uint32_t owner);

/* Drops the values that the answer has, but not the memory of its buffer; or frees all. */
void px_answer_clear(struct px_answer *p);
void px_answer_fini(struct px_answer *p);

#endif
