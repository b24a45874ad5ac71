#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# configure where something is missing: it fails, and its last words name Debian's package.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ -z "$PX_SANITIZED" ] || skip_all 'nothing of this build is looked at'
command -v pkg-config >/dev/null 2>&1 || skip_all 'no pkg-config on this machine'
unset CFLAGS CPPFLAGS LDFLAGS CONFIG_SITE PKG_CONFIG_PATH
mkdir "$SCRATCH/nothing" "$SCRATCH/build" "$SCRATCH/include"
echo '#error no such library' >"$SCRATCH/include/atomic_ops.h"
cd "$SCRATCH/build" || exit 99

# refused WHAT PACKAGE ARGUMENT...: of configure
refused() {
    what=$1
    package=$2
    shift 2
    run "$PX_TOP_SRCDIR/configure" CC="$CC" PKG_CONFIG_LIBDIR="$SCRATCH/nothing" "$@"
    same "$what: configure fails" 1 "$code"
    same 'and names the package' 1 "$(grep -c "^configure: error: .*(.*package $package)" "$SCRATCH/err")"
}
here() { pkg-config --libs "$1"; }
hwloc="HWLOC_LIBS=$(here hwloc)"
zlib="ZLIB_LIBS=$(here zlib)"
refused 'no hwloc' libhwloc-dev
refused 'no zlib' zlib1g-dev HWLOC_CFLAGS=-DHERE "$hwloc"
refused 'no jemalloc, which was asked for' libjemalloc-dev HWLOC_CFLAGS=-DHERE "$hwloc" ZLIB_CFLAGS=-DHERE "$zlib" --with-jemalloc=yes
refused 'no libatomic_ops' libatomic-ops-dev HWLOC_CFLAGS=-DHERE "$hwloc" ZLIB_CFLAGS=-DHERE "$zlib" CPPFLAGS="-I$SCRATCH/include"
refused 'no pkg-config' pkg-config PKG_CONFIG=
finish
