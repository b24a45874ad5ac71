#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Each benchmark runs with few repetitions, and every value that it reads is the expected one. Times are not looked at.
# Covers: SHM-021 SHM-022
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

bench=$PX_TOP_BUILDDIR/bench/bench
scale=$PX_TOP_BUILDDIR/bench/scale
job=$PX_TOP_BUILDDIR/bench/job
BENCH_QUICK=1
export BENCH_QUICK
# fence_nb hands its data to the host, and these hosts exit without freeing them.
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

# With a sanitizer, which takes several times as long, one form is tried.
forms='shared hash'
[ -z "${PX_SANITIZED:-}" ] || forms=shared
for form in $forms; do
    [ $form = hash ] && PMIX_MCA_gds=hash && export PMIX_MCA_gds
    limit 120 "$bench" >"$SCRATCH/out" 2>&1
    same "$form: bench ends well" 0 $?
    same "$form: every metric is there" 44 "$(grep -c '^metric ' "$SCRATCH/out")"
    same "$form: every answer is right" "" "$(grep -v '^metric [a-z0-9_]* [0-9.]*$' "$SCRATCH/out")"
    limit 120 "$scale" 1000 --post >"$SCRATCH/out" 2>&1
    same "$form: scale ends well" 0 $?
    same "$form: scale reads what is right" 1 "$(grep -c '"valid": true' "$SCRATCH/out")"
    for way in pointer copy; do
        limit 120 "$job" 3 4 "${job}_rank" 1024 $way >"$SCRATCH/out" 2>&1
        same "$form, $way: job ends well" 0 $?
        same "$form, $way: every process of it tells what it took" 12 "$(grep -c '^rank .* finalize_ns .* client_cpu_ns [1-9]' "$SCRATCH/out")"
        same "$form, $way: and every host" 3 "$(grep -c '^host . server_cpu_ns [1-9][0-9]*$' "$SCRATCH/out")"
    done
done
unset PMIX_MCA_gds

# smoke FAMILY METRICS NODES PER_NODE [ARGUMENT...]: it exits with 0 and prints so many metrics at least, each with a number.
smoke() {
    name=$1 metrics=$2 nodes=$3 each=$4
    shift 4
    limit 120 "$job" "$nodes" "$each" "${job%/*}/family" "$name" "$@" >"$SCRATCH/out" 2>&1
    same "family $name, $nodes x $each${*:+, $*}: ends well" 0 $?
    same "family $name, $nodes x $each${*:+, $*}: every answer is right" '' \
        "$(grep '^metric ' "$SCRATCH/out" | grep -v '^metric [a-z0-9_]* [0-9.]* [0-9.]*$')"
    check "family $name, $nodes x $each${*:+, $*}: nothing is missing" \
        [ "$(grep -c '^metric ' "$SCRATCH/out")" -ge "$metrics" ]
}

for form in $forms; do
    [ $form = hash ] && PMIX_MCA_gds=hash && export PMIX_MCA_gds
    smoke event 2 1 2
    smoke event 4 2 2
    smoke group 6 1 3
    smoke group 4 2 2
    smoke connect 2 1 2
    smoke fence 4 1 2 8 64
    smoke fence 8 2 2 1 65536
    smoke allgather 3 2 2 64
    smoke spawn 3 1 1
    smoke publish 3 1 1
    smoke publish 3 2 1
    smoke query 1 1 1
    smoke query 1 2 1
    BENCH_TOOLS=1 && export BENCH_TOOLS
    smoke attach 2 1 1
    smoke pull 2 1 1 64
    smoke pull 2 1 1 4096
    unset BENCH_TOOLS
done
unset PMIX_MCA_gds

# wrong FAMILY METRIC [ARGUMENT...]: with wrong values sent (BENCH_CORRUPT_SENT) the metric is "failed"
wrong() {
    name=$1 metric=$2
    shift 2
    BENCH_CORRUPT_SENT=1 limit 120 "$job" 1 2 "${job%/*}/family" "$name" "$@" >"$SCRATCH/out" 2>&1
    same "family $name: a wrong answer is no figure" "metric $metric failed" "$(grep "^metric $metric " "$SCRATCH/out" | sort -u)"
}

wrong event event_one
wrong connect connect
wrong group group_construct_id_info
wrong fence fence_first 1 64
wrong allgather allgather_20 64
wrong publish lookup
BENCH_TOOLS=1 && export BENCH_TOOLS
wrong pull pull_bytes_per_s 64
unset BENCH_TOOLS
limit 120 "$scale" 1000 --move >"$SCRATCH/out" 2>&1
same 'the segment moves twenty times under a reader' 1 "$(grep -c '"moves": 20, .*"valid": true' "$SCRATCH/out")"

# With wrong values registered and posted (BENCH_CORRUPT) every metric that reads one is "failed", however fast it was.
BENCH_CORRUPT=1
export BENCH_CORRUPT
limit 120 "$bench" >"$SCRATCH/out" 2>&1
same 'corrupt: what reads something else fails' 'fair_miss get_miss' \
    "$(sed -n 's/^metric \(\(get\|fair\|first\|second\)_[a-z0-9_]*\) [0-9.]*$/\1/p' "$SCRATCH/out" | sort | paste -sd' ')"
limit 120 "$scale" 1000 >"$SCRATCH/out" 2>&1
same 'corrupt: scale fails' 1 "$?"
same 'corrupt: and says so' 1 "$(grep -c '"valid": false' "$SCRATCH/out")"
unset BENCH_CORRUPT

configured() { nm "$1" | grep -q ' malloc_conf$'; }
if configured "$PX_TOP_BUILDDIR/src/tools/.libs/pmixrun"; then
    check 'hosts of bench/job have the allocator as pmixrun has it' configured "$job"
else
    skip 'the allocator of hosts' 'pmixrun has no other than the C library'
fi
check 'the floor of the machine' limit 120 "$bench" floor
limit 120 "$bench" floor >"$SCRATCH/out" 2>&1
same 'every floor is there' 12 "$(grep -c '^metric floor_[a-z0-9_]* [0-9.]*$' "$SCRATCH/out")"
"${job%/*}/family" write 3 64 >"$SCRATCH/out" 2>&1
same 'a program that writes wants a rank' 2 $?
PMIX_RANK=5 "${job%/*}/family" write 1000 64 >"$SCRATCH/lines"
same 'its lines' '005 00000999' "$(tail -1 "$SCRATCH/lines" | cut -c1-12)"
same 'a program that reads says how much' '64000 ' "$("${job%/*}/family" read <"$SCRATCH/lines" | sed 's/[0-9]*$//')"
if command -v python3 >/dev/null 2>&1 && [ -d "$PX_TOP_SRCDIR/bench/results" ]; then
    check 'the pages are what the results say' "$PX_TOP_SRCDIR/bench/report" --check
    # Each figure of README.md, and its sentence, in a copy.
    mkdir "$SCRATCH/top"
    (cd "$PX_TOP_SRCDIR" && tar cf - bench/report bench/families.py bench/results docs/benchmarking.md docs/img README.md) |
        tar xf - -C "$SCRATCH/top"
    stale() { # stale WHAT SED COMPLAINT: README.md, changed so, is refused
        sed "$2" "$PX_TOP_SRCDIR/README.md" >"$SCRATCH/top/README.md"
        if cmp -s "$PX_TOP_SRCDIR/README.md" "$SCRATCH/top/README.md"; then
            report 1 "$1: README.md was changed"
            return
        fi
        said=$("$SCRATCH/top/bench/report" --check 2>&1)
        same "$1" '1 1' "$? $(printf '%s\n' "$said" | grep -c "$3")"
    }
    stale 'ours, at random' 's/[0-9.]* ns for a random key/7.5 ms for a random key/' 'not up to date: .*/README.md$'
    stale 'theirs, at random' 's/in the same run: [0-9.]*/&1/' 'not up to date: .*/README.md$'
    stale 'ours, again' 's/and [0-9.]* ns where the same/and 9 us where the same/' 'not up to date: .*/README.md$'
    stale 'theirs, again' 's/^([0-9.]* us;/(9 us;/' 'not up to date: .*/README.md$'
    stale 'another sentence' 's/That takes$/That needs/' 'README.md has no place for the figures'
    "$SCRATCH/top/bench/report" >/dev/null 2>&1
    same 'without its sentence nothing is written' 1 $?
    sed 's/in the same run: [0-9.]*/&1/' "$PX_TOP_SRCDIR/README.md" >"$SCRATCH/top/README.md"
    same 'figures are renewed' README.md "$("$SCRATCH/top/bench/report")"
    check 'as they were' cmp "$SCRATCH/top/README.md" "$PX_TOP_SRCDIR/README.md"
    for program in compare report; do # an option without a text has nothing behind it, nor more blanks below it
        same "$program --help has a text for each option" '' "$("$PX_TOP_SRCDIR/bench/$program" --help |
            sed -n '/^options:/,/^$/p' | awk '/^  -/ { if (name != "") { print name } name = $1; if (/[^ ]  +[^ ]/) { name = "" } next }
                /^      / { name = "" } END { if (name != "") { print name } }')"
    done
else
    skip 'the pages are what the results say' 'no python3, or no results in this tree'
fi
finish
