#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# docs/tutorial.md is typed as it stands, in one shell, but for the build, which is done, and prints what is shown.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
. "$PX_TOP_SRCDIR/test/lib/page.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'programs that are built here would need the sanitizer'
! by_messages || skip_all 'the page looks into segments; there are none'
page=$PX_TOP_SRCDIR/docs/tutorial.md
command -v bash >/dev/null 2>&1 || skip_all 'no bash on this machine'
unset MAKEFLAGS MFLAGS PMIX_NAMESPACE PMIX_RANK LD_LIBRARY_PATH
at=$(sed -n 's/^prefix = //p' "$PX_TOP_BUILDDIR/Makefile")

mkdir "$SCRATCH/home" "$SCRATCH/build" "$SCRATCH/tmp"
for name in Makefile bench examples; do ln -s "$PX_TOP_BUILDDIR/$name" "$SCRATCH/build/$name"; done
for name in examples test; do ln -s "$(cd "$PX_TOP_SRCDIR" && pwd)/$name" "$SCRATCH/$name"; done

# `make` works in the build tree; the rest beside a copy of its names.
without=
command -v mpicc >/dev/null 2>&1 || without='mpicc|/ring'
grep -v -E -e '\$ \./autogen' ${without:+-e} ${without:+"$without"} "$page" |
    sed "s|/usr/local|$at|g; s|\$ make |\$ make -C $PX_TOP_BUILDDIR |" >"$SCRATCH/page"
sed -n 's/^    \$ //p' "$SCRATCH/page" >"$SCRATCH/lines"
HOME=$SCRATCH/home TMPDIR=$SCRATCH/tmp
export HOME TMPDIR
type_lines "$SCRATCH/build"
shown_by "$SCRATCH/page"
[ -n "$without" ] || same 'a ring over three nodes' 6 "$(printed 'pmixrun --nodes 3' | grep -c 'right$')"
same 'four processes read in memory' 4 "$(printed 'pmixrun -n 4 --report ./hello' | grep -c 'none took a message')"
same 'two figures' 2 "$(printed 'BENCH_QUICK' | grep -c '^metric ')"
same 'nothing is left' '' "$(printed 'find ')"
finish
