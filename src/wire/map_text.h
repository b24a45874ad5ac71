/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_MAP_TEXT_H
#define PX_WIRE_MAP_TEXT_H

#include "regex.h"

/* The type that the parser (regex.c) and the writer (regex_make.c) of node and process maps share.
 * The functions on it are px_map_cut and px_map_number in regex.h. */

/* A piece of a text that somebody else owns, without a NUL at its end. NULL in `at` marks a text
 * that px_map_cut has used up. */
struct px_piece {
    const char *at;
    const char *end;
};

#endif
