/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_CLIENT_H
#define PX_CLIENT_CLIENT_H

#include <pmix.h>

struct px_ctx;

#endif
