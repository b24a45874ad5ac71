/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_ANSWER_H
#define PX_SERVER_ANSWER_H

/* The answer to a get of a peer, while it is packed. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

struct px_get;
struct px_nspace;
struct px_peer;
struct px_slice;

/* One answer while it is packed. The buffer is handed over when the answer is sent. Values may be
 * large: each is copied once, from the store to its place in the answer. */
struct px_answer {
    struct px_buf buf;
    size_t mark; /* in buf: where the bytes begin that hold the values */
    enum px_wire_kind kind;
    size_t n;    /* values packed */
    bool scoped; /* each value's scope is packed too, and what the requester may not see as UNDEF */
    pmix_scope_t scope; /* packed last */
    bool offers;        /* the segment's descriptor is passed with the answer */
    bool shares;        /* offers, or the requester already maps the segment */
};

/* The peer that asked, or NULL: this process asked, or the peer has disconnected. */
struct px_peer *px_get_peer(const struct px_get *get);

/* Starts an answer about one process or the job: finds the encoding, and whether the requester
 * reads the segment. The reply of GET is STATUS BYTES, the job's information; only if the namespace
 * is not the requester's own, and the requester does not get its segment: else it could not tell
 * which values are missing BYTES, the process, then its values. The reply of REFRESH_CACHE is
 * STATUS and the values; no segment is passed with it. 0 or the status of packing, as of all that
 * add. */
int px_answer_begin(struct px_answer *p, const struct px_get *get, struct px_nspace *ns,
                    uint32_t rank);

/* Begins the BYTES of one process, or of the job, with its name. px_answer_begin does so. */
int px_answer_begin_process(struct px_answer *p, const struct px_nspace *ns, uint32_t rank);

/* Adds a value under its key, and before it its scope, if that is another one than before. A value
 * that has qualifiers is packed together with them, as one PMIX_QUALIFIED_VALUE. */
int px_answer_add(struct px_answer *p, const char *key, const struct px_slice *slice);

/* The same if a process committed the value: the host's values are left out, and marks of values
 * that this node may not read unless the answer is scoped. For px_store_each; arg: the answer. */
int px_answer_add_committed(void *arg, const char *key, const struct px_slice *slice);

/* Adds, for a client of this library, the number of the process's newest change, 0 if it does not
 * count. It goes before all values that the process has committed: so the client knows that there
 * are no others. */
int px_answer_add_change(struct px_answer *p, const struct px_get *get, const struct px_nspace *ns,
                         uint32_t owner);

/* Adds {PROC, KVAL...} of the job to a reply, or the one value that stands for all of them when the
 * segment is passed with the answer. If packing fails, so does the reply. */
void px_answer_add_job(struct px_buf *reply, const struct px_get *get, const struct px_answer *p,
                       struct px_nspace *ns);

/* Sends the answer, with the descriptor of the segment if px_answer_begin decided so. The reply of
 * REFRESH_CACHE is without values for requesters that read them in the segment. Empties `p`. */
void px_answer_send(const struct px_get *get, struct px_nspace *ns, struct px_answer *p);

#endif
