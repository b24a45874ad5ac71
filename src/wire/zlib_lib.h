/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_ZLIB_LIB_H
#define PX_WIRE_ZLIB_LIB_H

/* zlib, opened at the first compression or decompression: few processes need it, and loading it
 * took a tenth of the time that the library adds to the start of a program. This header is the only
 * one that includes zlib.h. It renames the functions that we use; the definitions in zlib_lib.c
 * pass their arguments to zlib. If zlib cannot be opened they return Z_VERSION_ERROR; the next call
 * tries again, because a lack of memory may have been the cause. Any thread. */

#define inflateInit_ px_zlib_inflateInit_
#define inflate      px_zlib_inflate
#define inflateEnd   px_zlib_inflateEnd
#define compress2    px_zlib_compress2

#include <zlib.h>

#endif
