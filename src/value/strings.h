/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_STRINGS_H
#define PX_VALUE_STRINGS_H

#include <stdint.h>

#include <pmix.h>

/* Names of enumerated values, from the tables in strings_gen.c. Any thread, also before
 * PMIx_Init. */

/* The name of a value of an enumerated type, constant; the type's text for unknown values if it
 * has no such value. NULL if the type has no names. The number is printed then. */
const char *px_name_of(pmix_data_type_t type, uint64_t value);

#endif
