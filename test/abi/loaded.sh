#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A program that loads the library, uses it as a server and unloads it, 23 times, is left as it was; one that unloads it too
# early as well.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'a sanitizer keeps what was unloaded'
library=$PX_TOP_BUILDDIR/.libs/libpmix.so.2
[ -e "$library" ] || skip_all 'no shared library was built'

limit 110 "$PX_TOP_BUILDDIR/test/abi/loaded" "$library" >"$SCRATCH/out" 2>"$SCRATCH/err"
same 'to the end' '0 ' "$? $(cat "$SCRATCH/err")"
same 'nothing is left' 'descriptors 0 mappings 0 threads 1 left 0' "$(cat "$SCRATCH/out")"
limit 110 "$PX_TOP_BUILDDIR/test/abi/loaded" "$library" up >"$SCRATCH/out" 2>"$SCRATCH/err"
same 'closed while it is up it stays, and goes when it is not' '0 mappings 0' "$? $(cat "$SCRATCH/err" "$SCRATCH/out")"
finish
