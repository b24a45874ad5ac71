/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_INFO_ATTRIBUTES_H
#define PX_TOOLS_INFO_ATTRIBUTES_H

#include <stdbool.h>

/* Prints the attributes that this library honours in a call ("PMIx_Get"): name, key, type, roles
 * that have it, and what it means; for scripts a line for each, fields between colons. 0; 1 after a
 * complaint: there is no such call, or the library does not start. */
int px_info_attributes(const char *call, bool parsable);

#endif
