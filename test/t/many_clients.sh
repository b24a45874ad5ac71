#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Many jobs of real processes that a process starts, eight at a time: what the server has at the end is what it had after the
# first ten. With PX_LONG (make check-long) a thousand of them.
# Covers: SHM-009 SHM-024
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
jobs=100
[ -z "${PX_LONG:-}" ] || jobs=1000
mkdir "$SCRATCH/tmp"
: >"$SCRATCH/start"
left() { find "$SCRATCH/tmp" /dev/shm -newer "$SCRATCH/start" ! -type d 2>/dev/null | grep -e "$SCRATCH/tmp" -e shmix -e pmix; }

# throng JOBS [OPTION...]
throng() {
    n=$1
    shift
    limit 600 env TMPDIR="$SCRATCH/tmp" PMIX_MCA_pmix_max_events=8 "$pmixrun" -n 1 "$@" "$PX_TOP_BUILDDIR/test/t/many_clients" "$n" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$n jobs, one after the other $*" "0 $n jobs, 0 failed" "$? $(sed -n 1p "$SCRATCH/out")"
    head -n 20 "$SCRATCH/err" | sed 's/^/# /'
    same 'leave no descriptor and no segment' 'descriptors +0 segments +0' "$(sed -n 2p "$SCRATCH/out")"
    same 'and nothing in a file system' '' "$(left)"
    # A job's record stays, for queries. What a sanitizer keeps is not ours.
    kib=$(sed -n 's/^kib //p' "$SCRATCH/out")
    if [ -z "${PX_SANITIZED:-}" ]; then
        [ "${kib:-999999}" -le $((n + 1024)) ]
        report $? "and a KiB each of memory, at most (in all $kib)"
    fi
}

throng $jobs
throng $((jobs / 2)) --nodes 2
finish
