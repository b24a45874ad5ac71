/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PAYLOAD_H
#define PX_GDS_PAYLOAD_H

/* Payloads: values on their way into a cell, and cells on their way back to a slice. Writing is the
 * writer's thread; everything about slices is for any thread. */

#include <string.h>

#include "gds/format.h"
#include "src/base/assert.h"
#include "src/base/buf.h"
#include "slice.h"

struct px_bump;

/* A value on its way into a segment: its form there, and its bytes in two parts, which follow each
 * other in the cell. On the stack of the writer; px_payload_fini releases it. */
struct px_payload {
    pmix_data_type_t type;
    uint8_t form;  /* enum px_form, PX_CELL_HIDDEN, PX_CELL_TOMB */
    uint64_t word; /* PX_FORM_WORD: the value */
    size_t head_len;
    unsigned char head[16];
    size_t body_len;
    const void *body; /* borrowed from the value, or in buf */
    struct px_buf buf;
};

/* Bytes of a scalar by its type; 0 for types that are not stored as a word. */
enum { PX_N_WORD_SIZES = PMIX_RESBLOCK_DIRECTIVE + 1 };
extern const uint8_t px_word_sizes[PX_N_WORD_SIZES];

/* The size of a scalar type; 0 for all other types, known or not. */
static inline size_t px_word_size(pmix_data_type_t type)
{
    return type < PX_N_WORD_SIZES ? px_word_sizes[type] : 0;
}

/* The word of a scalar: the bits of its C value, zero-extended. The type must be a scalar. */
static inline uint64_t px_word_of(const pmix_value_t *value)
{
    px_assert(px_word_size(value->type) != 0);
    switch (px_word_size(value->type)) {
    case 1:
        return value->type == PMIX_BOOL ? (uint64_t) value->data.flag
                                        : (uint64_t) value->data.uint8;
    case 2:
        return value->data.uint16;
    case 4:
        return value->data.uint32;
    default:
        return value->data.uint64;
    }
}

/* The opposite: sets *ret, whatever it held, to the scalar of this type. A boolean becomes 0 or 1,
 * because a damaged segment may hold any bits. */
static inline void px_word_value(pmix_data_type_t type, uint64_t word, pmix_value_t *ret)
{
    if (type == PMIX_BOOL) {
        word = word != 0;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word <<= 64 - 8 * px_word_size(type);
#endif
    *ret = (pmix_value_t){.type = type, .data.uint64 = word};
}

/* The value of an entry that deletes: compared by its address. */
extern const pmix_value_t px_deleted;

/* Makes the payload of a value, which may be encoded already (PX_TYPE_ENCODED); NULL: of a hidden
 * one; &px_deleted: of a deleted one. It borrows what the value points at. px_payload_fini releases
 * it, after a failure there is nothing to release. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNKNOWN_DATA_TYPE,
 * PMIX_ERR_BAD_PARAM (over 4 GiB, or a namespace without an end), or another status of px_pack_raw.
 */
int px_payload_encode(const pmix_value_t *value, struct px_payload *ret);
static inline void px_payload_fini(struct px_payload *payload)
{
    if (payload->buf.data) {
        px_buf_fini(&payload->buf);
    }
}

/* The length of the payload in its cell. */
static inline size_t px_payload_len(const struct px_payload *payload)
{
    return payload->head_len + payload->body_len;
}

/* A hash of type, form, scope and bytes, for the writer's dictionaries. */
uint64_t px_payload_hash(const struct px_payload *payload, pmix_scope_t scope);

/* True if the slice has this value, with this type and scope; a hidden payload equals a hidden
 * slice. */
bool px_payload_is(const struct px_payload *payload, pmix_scope_t scope,
                   const struct px_slice *slice);

/* Writes the cell at `at`: sizeof(struct px_cell) + px_payload_len bytes, rounded up to 8, that no
 * reader can reach. */
void px_payload_put(const struct px_payload *payload, pmix_scope_t scope, void *at);
/* The same but for the body, which is there already. */
void px_payload_put_frame(const struct px_payload *payload, pmix_scope_t scope, void *at);

/* Takes space for a cell and writes it; *ret_loc is its locator. 0, PMIX_ERR_OUT_OF_RESOURCE. */
int px_payload_cell(const struct px_payload *payload, pmix_scope_t scope, struct px_bump *bump,
                    uint64_t *ret_loc);

/* True if a payload of this form (enum px_form without flags) is a scalar, a string or bytes, and
 * type and length fit the form; as px_payload_fits, and inline, since most values are. */
static inline bool px_payload_is_usual(uint8_t form, pmix_data_type_t type,
                                       const unsigned char *payload, size_t len)
{
    if (form == PX_FORM_WORD) {
        return len == 8 && px_word_size(type) != 0;
    }
    if (form == PX_FORM_TEXT) {
        return type == PMIX_STRING && (len == 0 || payload[len - 1] == '\0');
    }
    return form == PX_FORM_BYTES && type == PMIX_BYTE_OBJECT;
}

/* True if type and length of a payload, which is inside, fit its form. Then it can be used without
 * further checks: strings end with NUL, arrays have all their elements. */
bool px_payload_fits(uint8_t form, pmix_data_type_t type, const unsigned char *payload, size_t len);

/* True, with *ret, if the cell holds a scalar. Its head and 8 bytes behind it are known to be
 * inside. */
static inline bool px_cell_word(const struct px_cell *cell, uint64_t *ret)
{
    if (cell->form != PX_FORM_WORD || cell->len != 8 || px_word_size(cell->type) == 0) {
        return false;
    }
    memcpy(ret, cell->payload, sizeof(*ret));
    return true;
}

/* True for a scalar, a string or bytes: nothing but want of memory keeps such a value from being
 * published. */
bool px_value_is_simple(const pmix_value_t *value);

#endif
