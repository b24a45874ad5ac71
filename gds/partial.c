/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Partial values. The place of the record lies below the header's `used` from the start, so other
 * publications go on behind it; nothing leads there until the record is published. A record must
 * lie above all that it leads to: if one of the same process was published meanwhile, the place is
 * of no use, and the value is copied anew. */

#include "partial.h"

#include <stdlib.h>
#include <string.h>

#include "gds/batch.h"
#include "gds/payload.h"
#include "gds/read.h"
#include "shmem/put.h"
#include "src/base/assert.h"
#include "src/wire/codec.h"
#include "slice.h"

/* Comparing bytes, or copying them into memory that is prepared, takes so many times less than
 * preparing it. */
enum { READY_SHARE = 4 };

/* The partial value of a store. Owned by the store. */
struct px_partial {
    const void *source;           /* by which the value is recognised */
    struct px_payload payload;    /* of the value; owns its bytes if they had to be encoded */
    const unsigned char *present; /* payload in the segment that it is compared with, or NULL */
    bool differs;                 /* from that; then it is copied */
    unsigned char *place;         /* of the record, in the segment; NULL: none yet */
    size_t done;                  /* bytes of the body that are compared; with a place: copied */
};

/* The address by which a value is recognised; NULL: not a value that can be copied in parts. */
static const void *source_of(const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_STRING:
        return value->data.string;
    case PMIX_BYTE_OBJECT:
    case PMIX_COMPRESSED_STRING:
    case PMIX_COMPRESSED_BYTE_OBJECT:
    case PMIX_REGEX:
    case PX_TYPE_ENCODED:
        return value->data.bo.bytes;
    case PMIX_DATA_ARRAY:
        return value->data.darray ? value->data.darray->array : NULL;
    default:
        return NULL;
    }
}

/* The bytes of its record before those of the payload's body, and all of them. */
static size_t size_of_head(const struct px_payload *payload)
{
    return sizeof(struct px_record) + sizeof(struct px_cell) + payload->head_len;
}

static size_t size_of(const struct px_payload *payload)
{
    return size_of_head(payload) + payload->body_len;
}

/* Begins with a value. NULL: nothing can be done in parts. */
static struct px_partial *begin(const pmix_value_t *value)
{
    struct px_partial *partial = source_of(value) ? calloc(1, sizeof(*partial)) : NULL;

    if (partial && px_payload_encode(value, &partial->payload)) {
        free(partial);
        return NULL;
    }
    if (partial) {
        partial->source = source_of(value);
    }
    return partial;
}

/* The value that readers find in the place of an entry, if the payload could be equal to it. */
static bool find_present(const struct px_store *store, const struct px_store_entry *entry,
                         const struct px_payload *payload, struct px_slice *ret)
{
    const struct px_key *key;
    struct px_read read;

    px_read_begin(store, &read);
    key = px_read_find_key(&read, entry->key, strlen(entry->key));
    return key && px_read_level(&read, entry->level, entry->index, key, NULL, ret) == 0 &&
           !ret->hidden && ret->type == payload->type && ret->scope == entry->scope &&
           ret->form == payload->form && ret->len == px_payload_len(payload) &&
           memcmp(ret->payload, payload->head, payload->head_len) == 0;
}

/* Compares up to n bytes with the value that readers find; that may be another one than before. */
static void compare(struct px_partial *partial, const struct px_store *store,
                    const struct px_store_entry *entry, size_t n)
{
    const struct px_payload *p = &partial->payload;
    struct px_slice now;
    size_t left;

    if (!find_present(store, entry, p, &now)) {
        partial->present = NULL;
        partial->differs = true;
        return;
    }
    if (partial->present != now.payload) {
        partial->present = now.payload;
        partial->done = 0;
    }
    left = p->body_len - partial->done;
    n = n < left ? n : left;
    partial->differs = memcmp(partial->present + p->head_len + partial->done,
                              (const unsigned char *) p->body + partial->done, n) != 0;
    partial->done += n;
}

/* Takes the place of the record, if all of its memory is ready. True: there is more to prepare. */
static bool take_place(struct px_partial *partial, struct px_store *store, size_t most)
{
    size_t size = size_of(&partial->payload);
    uint64_t more;
    void *at;
    int rc = px_bump_prepare(&store->bump, size, most, &more);

    if (rc || more == most) {
        return rc == 0;
    }
    if (px_bump_take(&store->bump, size, &at) == 0) {
        px_bump_publish(&store->bump);
        partial->place = at;
        partial->done = 0;
    }
    return false;
}

/* Copies up to n bytes of the body to their place. */
static void copy(struct px_partial *partial, size_t n)
{
    const struct px_payload *p = &partial->payload;
    size_t left = p->body_len - partial->done;

    n = n < left ? n : left;
    px_put(partial->place + size_of_head(p) + partial->done,
           (const unsigned char *) p->body + partial->done, n);
    partial->done += n;
}

/* Takes the next step. True: there is more to do. */
static bool go_on(struct px_partial *partial, struct px_store *store,
                  const struct px_store_entry *entry, size_t most)
{
    size_t end = partial->payload.body_len;

    if (!partial->differs) {
        compare(partial, store, entry, most * READY_SHARE);
        if (!partial->differs) {
            return partial->done < end;
        }
    }
    if (!partial->place) {
        return take_place(partial, store, most) || partial->place;
    }
    copy(partial, most * READY_SHARE);
    return partial->done < end;
}

bool px_partial_go_on(struct px_store *store, const struct px_store_entry *entry, size_t most)
{
    struct px_partial *partial = store->partial;

    px_assert(store->seg.writer && !entry->n_quals && entry->value && most > 0);
    if (store->next || (partial && partial->source != source_of(entry->value))) {
        return true;
    }
    if (!partial) {
        store->partial = begin(entry->value);
    }
    return store->partial && go_on(store->partial, store, entry, most);
}

void px_partial_drop(struct px_store *store, const pmix_value_t *value)
{
    const struct px_partial *partial = store->partial;

    if (partial && (!value || partial->source == source_of(value))) {
        if (partial->place) {
            const struct px_store_header *h = px_store_header(store);

            /* pairs with px_store_info */
            px_publish(&h->dead, h->dead + px_round8(size_of(&partial->payload)));
        }
        px_partial_fini(store);
    }
}

/* --- for the publication --- */

/* True if the datum is of the partial value. */
static bool is_source(const struct px_partial *partial, const struct px_datum *datum)
{
    return datum->kind == PX_DATUM_TEXT
               ? datum->text == partial->source
               : datum->kind == PX_DATUM_VALUE && source_of(datum->value) == partial->source;
}

int px_partial_payload(const struct px_store *store, const struct px_datum *datum,
                       struct px_payload *ret)
{
    pmix_value_t room;

    if (store->partial && is_source(store->partial, datum)) {
        *ret = store->partial->payload;
        ret->buf = (struct px_buf){0}; /* borrowed */
        return 0;
    }
    return px_payload_encode(px_datum_value(datum, &room), ret);
}

/* The partial value, if the payload is its own. */
static const struct px_partial *of_payload(const struct px_store *store,
                                           const struct px_payload *payload)
{
    const struct px_partial *partial = store->partial;

    return partial && payload->body == partial->payload.body ? partial : NULL;
}

bool px_partial_compared(const struct px_store *store, const struct px_payload *payload,
                         const struct px_slice *slice, bool *ret_same)
{
    const struct px_partial *partial = of_payload(store, payload);

    if (!partial || !partial->present || partial->present != slice->payload ||
        !(partial->differs || partial->done == payload->body_len)) {
        return false;
    }
    *ret_same = !partial->differs;
    return true;
}

void *px_partial_place(const struct px_store *store, const struct px_payload *payload,
                       uint64_t above)
{
    const struct px_partial *partial = of_payload(store, payload);

    return partial && partial->place && partial->done == payload->body_len &&
                   px_bump_locator(&store->bump, partial->place) > above
               ? partial->place
               : NULL;
}

void px_partial_published(struct px_store *store)
{
    px_assert(store->partial && store->partial->place);
    store->partial->place = NULL;
}

void px_partial_fini(struct px_store *store)
{
    if (store->partial) {
        px_payload_fini(&store->partial->payload);
        free(store->partial);
        store->partial = NULL;
    }
}
