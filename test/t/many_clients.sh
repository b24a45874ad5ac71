#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# One process starts 1,000 jobs of four processes, one after the other. At the end the server has no more descriptors, segments or
# files than after the first ten, and at most 2 KiB of memory for each job. The same of 300 jobs on two nodes, eight at a time, and
# when each process of 100 is killed in the middle of a read. With PX_LONG (make check-long) ten times as many, and
# test/hostile/killed_servers.sh kills 1,000 servers. Repeat the kills with SEED.
# Covers: SHM-009 SHM-024
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
times=1
[ -z "${PX_LONG:-}" ] || times=10
jobs=1000
[ -z "${PX_SANITIZED:-}" ] || jobs=300
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "# SEED=$SEED"
mkdir "$SCRATCH/tmp"
: >"$SCRATCH/start"
left() { find "$SCRATCH/tmp" /dev/shm -newer "$SCRATCH/start" ! -type d ! -path '/dev/shm/pmixrun-*' 2>/dev/null | grep -e "$SCRATCH/tmp" -e shmix -e pmix; }

# throng JOBS AT_ONCE KIND FAILED CODE [OPTION...]
throng() {
    n=$1
    at_once=$2
    kind=$3
    n_failed=$4
    code=$5
    shift 5
    limit $((620 + n / 5)) env TMPDIR="$SCRATCH/tmp" PMIX_MCA_pmix_max_events=8 "$pmixrun" -n 1 "$@" "$PX_TOP_BUILDDIR/test/t/many_clients" "$n" "$kind" "$SEED" "$at_once" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$n jobs of a $kind, $at_once at a time $*" "$code $n jobs, $n_failed failed" "$? $(sed -n 1p "$SCRATCH/out")"
    grep -v 'rank [0-3] was ended by signal 9' "$SCRATCH/err" | head -n 20 | sed 's/^/# /'
    same 'leave no descriptor and no segment' 'descriptors +0 segments +0' "$(sed -n 2p "$SCRATCH/out")"
    same 'and nothing in a file system' '' "$(left)"
    # A job's record stays, for queries. What a sanitizer keeps is not ours.
    kib=$(sed -n 's/^kib //p' "$SCRATCH/out")
    if [ -z "${PX_SANITIZED:-}" ]; then
        [ "${kib:-999999}" -le $((2 * n + 1024)) ]
        report $? "and two KiB each of memory, at most (in all $kib)"
    fi
}

throng $((times * jobs)) 1 child 0 0
throng $((times * jobs * 3 / 10)) 8 child 0 0 --nodes 2
killed=$((times * jobs / 10))
throng $killed 8 reader $killed 137 --keep-going
throng $((killed / 2)) 8 reader $((killed / 2)) 137 --keep-going --nodes 2
finish
