/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PARTIAL_H
#define PX_GDS_PARTIAL_H

/* Partial values: a large value is compared with the value that readers find, and copied to where
 * its record will be, in parts, before it is published. The publication then writes the head of the
 * record and takes no longer than that of a small value. A store has one partial value at a time,
 * and does not move meanwhile. Writer's thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

struct px_datum;
struct px_payload;
struct px_slice;
struct px_store;
struct px_store_entry;

/* Handles another part of the value that the entry, which has no qualifiers, is going to publish:
 * prepares memory for at most `most` bytes, or copies or compares some times as many. The value is
 * recognised by the address of its bytes, which stay as they are until px_partial_drop. True: to be
 * called again, in another turn; also if another value is partial here, or the store is moving.
 * False: all parts are done, memory is out, or the value is neither a string, bytes nor an array.
 * The publication copies the rest. */
bool px_partial_go_on(struct px_store *store, const struct px_store_entry *entry, size_t most);

/* Forgets the value if it is the partial one, or (NULL) whichever is: after its publication, or
 * instead of that. Bytes that no record has count as garbage. */
void px_partial_drop(struct px_store *store, const pmix_value_t *value);

/* --- for the publication --- */

/* Makes the payload of a datum, as px_payload_encode, by which it is borrowed from the partial
 * value if it is that one's. Statuses of px_payload_encode. */
int px_partial_payload(const struct px_store *store, const struct px_datum *datum,
                       struct px_payload *ret);

/* True if the payload is that of the partial value and has been compared with the value in this
 * slice, scope included. *ret_same: whether they are equal. */
bool px_partial_compared(const struct px_store *store, const struct px_payload *payload,
                         const struct px_slice *slice, bool *ret_same);

/* The place of a record, above the locator `above`, in whose cell the bytes of this payload's body
 * are already; NULL: there is none. */
void *px_partial_place(const struct px_store *store, const struct px_payload *payload,
                       uint64_t above);

/* The record at the place is published: it does not count as garbage. */
void px_partial_published(struct px_store *store);

/* Frees what the store has for a partial value, when the store is destroyed. */
void px_partial_fini(struct px_store *store);

#endif
