/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_FIELDS_H
#define PX_REQUEST_FIELDS_H

/* Operations on the fields of a structure: check, pack, unpack, deep copy, free. A field list
 * (struct px_field, schema.h) describes members of the structure at `base`: the arguments of a
 * request, or a struct px_reply. Used by schema.c and reply.c only. Any thread; one structure is
 * used by one thread at a time. */

#include "schema.h"

/* True if the field may be sent: an array that has a count is not NULL, and a field that must be
 * given (PX_GIVEN, PX_REQUIRED) is not empty. */
bool px_field_valid(const struct px_field *field, const void *base);

/* Appends the fields to buf in the order of the list. A failure is left in buf. */
void px_fields_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_field *fields,
                    size_t n, const void *base);

/* Reads the fields into zeroed members. At the end of the message, fields of PX_MAY_TRAIL may be
 * missing; if `reply`, so may all that are not PX_REQUIRED. 0, PMIX_ERR_BAD_PARAM (a required
 * field is empty), or the status of px_unpack. On error the structure owns what was read before:
 * px_fields_fini has to follow. */
int px_fields_unpack(struct px_in *in, const struct px_field *fields, size_t n, bool reply,
                     void *base);

/* Deep copies the fields into zeroed members of `to`. 0, PMIX_ERR_NOMEM, or the status of
 * copying a value (an unknown type, for example). On error `to` owns what was copied before. */
int px_fields_copy(const struct px_field *fields, size_t n, void *to, const void *from);

/* Frees what the members own and sets them to NULL and 0. Fields without a member are passed
 * over. */
void px_fields_fini(const struct px_field *fields, size_t n, void *base);

#endif
