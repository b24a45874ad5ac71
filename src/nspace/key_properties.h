/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_KEY_PROPERTIES_H
#define PX_NSPACE_KEY_PROPERTIES_H

#include <pmix.h>

struct px_job_key;

/* key_properties.c: fills in what is to be known about the key of an info; NULL when it is empty or
 * does not end. */
struct px_job_key *px_job_key_fill(struct px_job_key *known, const pmix_info_t *info);

#endif
