/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_FIELDS_H
#define PX_REQUEST_FIELDS_H

#include "schema.h"

/* What can be done with the fields of a structure at `base`. Any thread. */

/* Has the application given what it must, and no number without an array? */
bool px_field_valid(const struct px_field *field, const void *base);

/* 0 or what px_pack says; buf is failed then. */
int px_fields_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_field *fields,
                   size_t n, const void *base);

/* Into zeroed members. `reply`: whatever is not required may be missing at the end. 0,
 * PMIX_ERR_BAD_PARAM (a required one is empty), or what px_unpack says; what has been read stays
 * the structure's. */
int px_fields_unpack(struct px_in *in, const struct px_field *fields, size_t n, bool reply,
                     void *base);

/* Deep copies into zeroed members. 0, PMIX_ERR_NOMEM, or what is wrong with a value. */
int px_fields_copy(const struct px_field *fields, size_t n, void *to, const void *from);

/* Frees what the members own and makes them empty. */
void px_fields_fini(const struct px_field *fields, size_t n, void *base);

#endif
