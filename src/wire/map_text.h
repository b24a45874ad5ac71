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

#endif
