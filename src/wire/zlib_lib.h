/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_ZLIB_LIB_H
#define PX_WIRE_ZLIB_LIB_H

/* zlib, opened when something is first compressed or decompressed: most processes never do, and
 * loading it takes a fifth of what the library adds to the start of a program. The door of zlib:
 * its header is included here, with the functions that we use under names of ours, which pass their
 * arguments on. If zlib cannot be opened they return Z_VERSION_ERROR, and the next call tries
 * again, since it may have been for want of memory. Any thread. */

#define inflateInit_ px_zlib_inflateInit_
#define inflate      px_zlib_inflate
#define inflateEnd   px_zlib_inflateEnd
#define compress2    px_zlib_compress2

#include <zlib.h>

#endif
