#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Open MPI over two emulated nodes, with the transports that it chooses.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
command -v mpicc >/dev/null 2>&1 || skip_all "no mpicc on this machine"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"

check "build the ring" mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
want=$(for r in 0 1 2 3; do echo "ring rank $r of 4, 2 on this node, right"; done)
run=$PX_TOP_BUILDDIR/src/tools/pmixrun

# ring WHAT: two ranks on each of two nodes.
ring() {
    limit 120 "$run" --nodes 2 -n 4 "$SCRATCH/ring" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "$1: exit code" 0 $?
    same "$1: every rank" "$want" "$(grep '^ring' "$SCRATCH/out" | sort)"
    tail -n 20 "$SCRATCH/err" | sed 's/^/# /'
}

ring "the distribution's client library"
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs
export LD_LIBRARY_PATH
ring "our client library"
finish
