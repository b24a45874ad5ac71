/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_LOAD_H
#define PX_VALUE_LOAD_H

#include <stddef.h>

/* Loading of regexes into values. Hosts pass a regex as a pointer without a length,
 * and one of its forms has NULs inside. */

/* The number of bytes of a regex: a text with its NUL, or the "blob:" form, which has binary
 * content and declares its size. The caller trusts the text: it is read until it ends by itself. A
 * map from a peer is measured by px_regex_length instead. */
size_t px_regex_len(const char *regex);

#endif
