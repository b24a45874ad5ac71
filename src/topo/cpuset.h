/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_CPUSET_H
#define PX_TOPO_CPUSET_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct hwloc_bitmap_s;

/* PMIX_ERR_BAD_PARAM when malformed or without a source, PMIX_ERR_NOT_SUPPORTED for another source.
 * The bitmap is released by px_topo_cpuset_destruct(). */
int px_topo_cpuset_parse(const char *string, pmix_cpuset_t *ret_cpuset);
int px_topo_cpuset_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* Where the calling process or thread is bound. PMIX_ERR_NOT_FOUND when the system cannot tell. */
int px_topo_cpuset_get(pmix_bind_envelope_t envelope, pmix_cpuset_t *ret_cpuset);

/* A list such as "0-3,7" or "" or, at the end only, "4-": digits bounded, so that hwloc's parser
 * cannot be made to allocate much. len bytes, which need no terminator. */
bool px_topo_list_is_sane(const char *list, size_t len);

/* Sets `bitmap` from a sane list. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
int px_topo_list_parse(const char *list, size_t len, struct hwloc_bitmap_s *bitmap);

#endif
