/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The names that every part of the interface shares: constants, keys, types, macros. */
#ifndef PMIX_COMMON_H
#define PMIX_COMMON_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmix_constants.h"
#include "pmix_deprecated.h"
#include "pmix_keys.h"
#include "pmix_macros.h"
#include "pmix_status.h"
#include "pmix_types.h"
#include "pmix_version.h"

/* Programs written for the 4.2 series count on finding it here. */
#if !defined(_GNU_SOURCE)
#if defined(__cplusplus)
extern "C" {
#endif
extern char **environ;
#if defined(__cplusplus)
}
#endif
#endif

#endif
