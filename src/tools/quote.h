/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_QUOTE_H
#define PX_TOOLS_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the bytes with a backslash before each quote and backslash; control characters and bytes
 * that are not UTF-8 become \xHH, in JSON \uHHHH. */
void px_escape(FILE *to, const char *value, size_t len, bool as_json);

/* The same, between double quotes. */
void px_quote(FILE *to, const char *value, size_t len, bool as_json);

#endif
