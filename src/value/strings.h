/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_STRINGS_H
#define PX_VALUE_STRINGS_H

#include <stdint.h>

#include <pmix.h>

/* strings.c: the name of an enumerated value, or NULL when the type has no names. */
const char *px_name_of(pmix_data_type_t type, uint64_t value);

#endif
