/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_RECORD_WRITER_H
#define PX_GDS_RECORD_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_qual_digest;
struct px_writer;

/* The sums of qualifiers; false when a value cannot be summed. */
bool px_quals_digest(const pmix_info_t *quals, size_t n, struct px_qual_digest *ret);

/* Writes the records of stage->items. */
int px_writer_records(struct px_writer *writer);

#endif
