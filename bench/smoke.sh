#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The benchmarks run and read what is right, few times; nothing is said about time.
# Covers: SHM-021 SHM-022
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

bench=$PX_TOP_BUILDDIR/bench/bench
scale=$PX_TOP_BUILDDIR/bench/scale
job=$PX_TOP_BUILDDIR/bench/job
BENCH_QUICK=1
export BENCH_QUICK
# Fence data belong to the host, and these hosts end without giving back what they were given.
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

for form in shared hash; do
    [ $form = hash ] && PMIX_MCA_gds=hash && export PMIX_MCA_gds
    check "$form: bench ends well" limit 120 "$bench"
    limit 120 "$bench" >"$SCRATCH/out" 2>&1
    same "$form: every metric is there" 28 "$(grep -c '^metric ' "$SCRATCH/out")"
    same "$form: every answer is right" "" "$(grep -v '^metric [a-z0-9_]* [0-9.]*$' "$SCRATCH/out")"
    check "$form: scale ends well" limit 120 "$scale" 1000 --post
    limit 120 "$scale" 1000 --post >"$SCRATCH/out" 2>&1
    same "$form: scale reads what is right" 1 "$(grep -c '"valid": true' "$SCRATCH/out")"
    check "$form: job ends well" limit 120 "$job" 3 4 "${job}_rank" 1024 pointer
    limit 120 "$job" 3 4 "${job}_rank" 1024 copy >"$SCRATCH/out" 2>&1
    same "$form: every process of it tells what it took" 12 "$(grep -c '^rank .* finalize_ns ' "$SCRATCH/out")"
done
unset PMIX_MCA_gds
limit 120 "$scale" 1000 --move >"$SCRATCH/out" 2>&1
same 'the segment moves twenty times under a reader' 1 "$(grep -c '"moves": 20, .*"valid": true' "$SCRATCH/out")"

# A figure of a wrong value is none: what reads it fails, whatever its speed.
BENCH_CORRUPT=1
export BENCH_CORRUPT
limit 120 "$bench" >"$SCRATCH/out" 2>&1
same 'corrupt: what reads something else fails' 'get_miss' \
    "$(sed -n 's/^metric \(get_[a-z0-9_]*\) [0-9.]*$/\1/p' "$SCRATCH/out" | sort | paste -sd' ')"
limit 120 "$scale" 1000 >"$SCRATCH/out" 2>&1
same 'corrupt: scale fails' 1 "$?"
same 'corrupt: and says so' 1 "$(grep -c '"valid": false' "$SCRATCH/out")"
unset BENCH_CORRUPT

check 'the floor of the machine' limit 120 "$bench" floor
limit 120 "$bench" floor >"$SCRATCH/out" 2>&1
same 'every floor is there' 12 "$(grep -c '^metric floor_[a-z0-9_]* [0-9.]*$' "$SCRATCH/out")"
if command -v python3 >/dev/null 2>&1 && [ -d "$PX_TOP_SRCDIR/bench/results" ]; then
    check 'the page is what the results say' "$PX_TOP_SRCDIR/bench/report" --check
else
    skip 'the page is what the results say' 'no python3, or no results in this tree'
fi
finish
