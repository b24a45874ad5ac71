#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# docs/tutorial.md is typed as it stands, in one shell, but for the build, which is done. A line that fails fails the test; of some
# it is known what they print.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'programs that are built here would need the sanitizer'
! by_messages || skip_all 'the page looks into segments; there are none'
page=$PX_TOP_SRCDIR/docs/tutorial.md
command -v bash >/dev/null 2>&1 || skip_all 'no bash on this machine'
unset MAKEFLAGS MFLAGS PMIX_NAMESPACE PMIX_RANK LD_LIBRARY_PATH
at=$(sed -n 's/^prefix = //p' "$PX_TOP_BUILDDIR/Makefile")

mkdir "$SCRATCH/home" "$SCRATCH/build" "$SCRATCH/tmp"
for name in Makefile bench examples; do ln -s "$PX_TOP_BUILDDIR/$name" "$SCRATCH/build/$name"; done
for name in examples test; do ln -s "$(cd "$PX_TOP_SRCDIR" && pwd)/$name" "$SCRATCH/$name"; done

# The lines, with marks between what they print. `make` works in the build tree; the rest beside a copy of its names.
without=
command -v mpicc >/dev/null 2>&1 || without='mpicc|/ring'
sed -n 's/^    \$ //p' "$page" | grep -v -e '^\./autogen' ${without:+-e} ${without:+"$without"} |
    sed "s|/usr/local|$at|g; s|^make |make -C $PX_TOP_BUILDDIR |" >"$SCRATCH/lines"
{
    echo 'set -e'
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        printf '%s\necho "== %d is done"\n' "$line" $n
    done <"$SCRATCH/lines"
} >"$SCRATCH/script"
(
    cd "$SCRATCH/build" && HOME=$SCRATCH/home TMPDIR=$SCRATCH/tmp limit 200 bash "$SCRATCH/script" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
)
code=$?
n=0
while IFS= read -r line; do
    n=$((n + 1))
    grep -qx "== $n is done" "$SCRATCH/out"
    report $? "$line"
done <"$SCRATCH/lines"
same 'it ends well' 0 $code
[ $code = 0 ] || tail -n 20 "$SCRATCH/err" | sed 's/^/# /'

# printed LINE: what the line of the page that begins so has printed.
printed() {
    n=$(grep -n -m 1 "^$1" "$SCRATCH/lines" | cut -d: -f1)
    sed -n "/^== $((n - 1)) is done\$/,/^== $n is done\$/p" "$SCRATCH/out" | sed '1d;$d'
}
same 'four ranks' 4 "$(printed "pmixrun -n 4 sh -c" | grep -c '^I am rank [0-3] of ')"
same 'which read in memory' 4 "$(printed 'pmixrun -n 4 --report ./hello' | grep -c 'none took a message')"
[ -n "$without" ] || same 'a ring over three nodes' 6 "$(printed 'pmixrun --nodes 3' | grep -c 'right$')"
same 'a hang is explained' 1 "$(printed 'pmix-shm waits stuck' | grep -c 'stuck:3 .*T (stopped')"
same 'two figures' 2 "$(printed 'BENCH_QUICK' | grep -c '^metric ')"
same 'nothing is left' '' "$(printed 'find ')"
finish
