#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What docs/tools.md, and README.md under "Try it" and "Use", show to be typed is typed, and prints what is shown.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
. "$PX_TOP_SRCDIR/test/lib/page.sh"
! by_messages || skip_all 'the pages show what is in segments'
command -v bash >/dev/null 2>&1 || skip_all 'no bash on this machine'
own_tmpdir
unset MAKEFLAGS MFLAGS
PATH=$PX_TOP_BUILDDIR/src/tools:$PATH
mkdir "$SCRATCH/top"
ln -s "$PX_TOP_BUILDDIR/examples" "$SCRATCH/top/examples"
ln -s "$PX_TOP_BUILDDIR" "$SCRATCH/top/build"

# What has no end by itself gets one.
typed() { sed -n 's/^ *\$ //p' | sed 's/^pmix-shm top$/timeout 5 pmix-shm top  # exit code 124/'; }
typed <"$PX_TOP_SRCDIR/docs/tools.md" >"$SCRATCH/lines"
type_lines "$SCRATCH/top"
shown_by "$PX_TOP_SRCDIR/docs/tools.md"
check 'the timeline is there' grep -q '"ring:0"' "$SCRATCH/top/trace.json"

# The job into which README.md looks; MPI programs are the matter of test/interop.
sed '/^## Build and install/,/^## Use/d' "$PX_TOP_SRCDIR/README.md" | grep -v -e '\$ mpicc' -e '\./ring' >"$SCRATCH/README.md"
typed <"$SCRATCH/README.md" >"$SCRATCH/lines"
"$pmixrun" -n 3 --nspace ring --timeout 200 "$PX_TOP_BUILDDIR/test/t/hang" stopped >"$SCRATCH/ring" 2>&1 </dev/null &
runner=$!
trap 'stop $runner; rm -rf "$SCRATCH"' EXIT
until_true 'rank 2 is all that is missing' sh -c 'pmix-shm waits ring | grep "2 of 3 .*: ring:2$" && pmix-shm waits ring | grep "T (stopped"'
type_lines "$SCRATCH/top"
shown_by "$SCRATCH/README.md"
finish
