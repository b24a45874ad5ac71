/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_MAP_TEXT_H
#define PX_WIRE_MAP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "regex.h"

/* What the parser and the writer of maps share. */

/* A borrowed piece of text. */
struct px_piece {
    const char *at;
    const char *end;
};

/* Cuts the piece up to `mark` (or all) off the front of rest; false when rest is used up (at ==
 * NULL). A text that ends with the mark has an empty last piece. */
bool px_map_cut(struct px_piece *rest, char mark, struct px_piece *ret_piece);

/* A decimal number, digits only, that is at most max. */
bool px_map_number(struct px_piece text, uint32_t max, uint32_t *ret);

/* "a" or "a-b", a <= b. */
bool px_map_range(struct px_piece text, uint32_t max, uint32_t *ret_first, uint32_t *ret_last);

#endif
