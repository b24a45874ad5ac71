/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_RECORD_WRITER_H
#define PX_GDS_RECORD_WRITER_H

/* Writing the records of a publication, and the digest by which qualified values are found. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_qual_digest;
struct px_writer;

/* Computes the digest of a set of qualifiers. False, *ret untouched: a value cannot be encoded. Any
 * thread; may allocate for qualifiers that are not scalars, strings or bytes. */
bool px_quals_digest(const pmix_info_t *quals, size_t n, struct px_qual_digest *ret);

/* Writes the pending records of the writer (writer->items, which it sorts). Becomes visible with
 * the publication. Writer's thread. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, or the status of a
 * value that cannot be encoded. */
int px_writer_records(struct px_writer *writer);

#endif
