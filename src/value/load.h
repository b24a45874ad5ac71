/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_LOAD_H
#define PX_VALUE_LOAD_H

#include <stddef.h>

/* Bytes of a regex as hosts pass it: text with its NUL, or the "blob:" form with binary content. */
size_t px_regex_len(const char *regex);

#endif
