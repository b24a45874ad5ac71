#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A large job on eight nodes: every process posts 1 KiB, and reads and compares what all have posted. With
# PX_LONG (make check-long) it has 4,096 processes.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
rank=$PX_TOP_BUILDDIR/bench/job_rank
# A soft limit that would not do, as most systems have it.
ulimit -S -n 256

# job RANKS HOW [OPTION...]
job() {
    ranks=$1
    how=$2
    shift 2
    limit 600 "$pmixrun" --nodes 8 --map-by node -n "$ranks" "$@" "$rank" 1024 "$how" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$ranks processes, read by $how $*" 0 $?
    head -n 20 "$SCRATCH/err" | sed 's/^/# /'
    same 'each has found what every other posted' "$ranks" "$(awk '/^rank /{print $2}' "$SCRATCH/out" | sort -u | wc -l)"
    same 'on its node' "$(seq 0 7 | sed "s|^|$((ranks / 8)) |")" \
        "$(awk '/^rank /{print $4}' "$SCRATCH/out" | sort | uniq -c | sed 's/^ *//')"
}

if [ -n "${PX_LONG:-}" ]; then
    job 4096 pointer
    job 4096 copy
    job 512 copy -x PMIX_MCA_gds=hash
else
    job 128 pointer
    job 128 copy -x PMIX_MCA_gds=hash
fi

run sh -c "ulimit -S -n 200; '$pmixrun' -n 100 sh -c 'ulimit -S -n'"
same 'processes get the limit that pmixrun was given' 100 "$(grep -cx 200 "$SCRATCH/out")"
run sh -c "ulimit -n 200; '$pmixrun' -n 100 true"
same 'more processes than there may be descriptors are refused' 1 "$code"
same 'with the numbers' 1 "$(printf '%s\n' "$err" | grep -c '100 processes on a node take 364 descriptors')"
run sh -c "ulimit -n 380; '$pmixrun' --stdin all -n 100 true"
same 'an input for each takes one more' '1 1' "$code $(printf '%s\n' "$err" | grep -c '100 processes on a node take 464 descriptors')"
same 'and nothing else' 1 "$(printf '%s\n' "$err" | wc -l | tr -d ' ')"
finish
