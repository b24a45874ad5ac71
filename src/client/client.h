/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_CLIENT_H
#define PX_CLIENT_CLIENT_H

/* The public types and the context, for files that need no more of the client than that. */

#include <pmix.h>

struct px_ctx;

#endif
