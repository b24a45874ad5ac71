/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_QUOTE_H
#define PX_TOOLS_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the bytes between double quotes. */
void px_quote(FILE *to, const char *value, size_t len, bool as_json);

#endif
