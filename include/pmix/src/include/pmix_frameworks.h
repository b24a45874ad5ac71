/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Open MPI 5 reads this list when it translates OMPI_MCA_* settings into PMIX_MCA_* ones. */
#ifndef PMIX_FRAMEWORKS_H
#define PMIX_FRAMEWORKS_H

#include <pmix_common.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The names under which groups of parameters are known, ended by NULL. Never to be changed. */
PMIX_EXPORT extern char *pmix_framework_names[];

#if defined(__cplusplus)
}
#endif

#endif
