/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a datum would change: a value that is there already need not be written again, and a mark
 * that a key exists is no reason to take a value away. */

#include "compare.h"

#include "gds/payload.h"
#include "gds/writer.h"
#include "partial.h"

void px_datum_follow(struct px_datum *to, const struct px_datum *later)
{
    if (later->kind != PX_DATUM_HIDDEN || to->kind == PX_DATUM_HIDDEN) {
        *to = *later;
    } else if (to->kind == PX_DATUM_GONE) {
        to->scope = PMIX_REMOTE;
    }
}

/* Sets *ret_same: true if the datum would change nothing for readers who now see the value `now`.
 * Values are compared in encoded form: equal means the same type, scope, form and bytes. A value of
 * the same number in another type is a new value. Statuses of px_payload_encode. */
static int compare_value(const struct px_store *store, const struct px_slice *now,
                         const struct px_datum *datum, bool *ret_same)
{
    struct px_payload payload;
    int rc;

    if (datum->kind == PX_DATUM_HIDDEN || datum->kind == PX_DATUM_GONE) {
        /* a hidden one leaves the value that there is, a deletion only a mark */
        *ret_same = datum->kind == PX_DATUM_HIDDEN || (now->hidden && !px_datum_is_gone(datum));
        return 0;
    }
    rc = px_partial_payload(store, datum, &payload);
    if (rc == 0) {
        if (!px_partial_compared(store, &payload, now, ret_same)) {
            *ret_same = px_payload_is(&payload, datum->scope, now);
        }
        px_payload_fini(&payload);
    }
    return rc;
}

int px_writer_compare(struct px_writer *writer, enum px_level level, const struct px_key *key,
                      const struct px_qual_digest *quals, uint32_t index,
                      const struct px_datum *datum, struct px_present *ret)
{
    struct px_present present = {.same = false};
    struct px_slice now = {.store = NULL};
    int rc = px_read_level(&writer->read, level, index, key, quals, &now);

    if (rc == 0) {
        rc = compare_value(writer->store, &now, datum, &present.same);
        present.now = now;
    } else {
        present.deleted = rc == PMIX_ERR_NOT_FOUND && now.store;
        present.same = present.deleted && px_datum_is_gone(datum) && now.scope == datum->scope;
        rc = 0;
    }
    if (rc == 0) {
        *ret = present;
    }
    return rc;
}
