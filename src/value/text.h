/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_TEXT_H
#define PX_VALUE_TEXT_H

#include <pmix.h>

/* The order of strings. */

/* Orders strings as strcmp() does, NULL first. */
pmix_value_cmp_t px_string_compare(const char *a, const char *b);

#endif
