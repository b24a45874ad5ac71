/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_KEY_PROPERTIES_H
#define PX_NSPACE_KEY_PROPERTIES_H

/* The properties of a key that the reading of job information depends on.
 *
 * They are the role in reading, the realm, the declared type, and whether each node has its own
 * value (struct px_job_key in job.h). */

#include <pmix.h>

struct px_job_key;

/* Fills `known` with the properties of the info's key and returns it. NULL: the key is empty or has
 * no NUL in PMIX_MAX_KEYLEN bytes. */
struct px_job_key *px_job_key_fill(struct px_job_key *known, const pmix_info_t *info);

#endif
