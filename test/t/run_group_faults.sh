#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Groups by collective, bootstrap, with added members and by invitation of 2 to 16 processes, on one to three nodes, in both forms, while some of these
# are killed, stopped for a while, or finalize, at moments chosen by a seed. Nothing hangs, all who were told that the group is made
# were told the same members, and each of these was told so or is gone; the servers, which see all jobs, do not grow.
# usage: [KIND [SEED]]; the long form has 2,000 jobs of each kind.
# Covers: GRP-086 GRP-089 GRP-094
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

count=3
if [ -n "${PX_LONG:-}" ]; then count=${CHAOS_JOBS:-334}; fi
first=${2:-$(($(od -An -N2 -tu2 /dev/urandom | tr -d ' ') * 1000))}
[ -z "${2:-}" ] || count=1

# Says the memory and the descriptors of all servers: their number of kB in total, and of open files.
cat >"$SCRATCH/measure" <<'END'
for dir in /proc/[0-9]*; do
    case $(cat "$dir/comm" 2>/dev/null) in
    *pmixrun*) tr '\0' '\n' <"$dir/environ" 2>/dev/null | grep -q "^GROUP_ROUNDS_MEASURE=.*$1\$" || continue
        echo "$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "$dir/status") $(ls "$dir/fd" | wc -l)" ;;
    esac
done | ${AWK:-awk} '{ kb += $1; fds += $2 } END { print kb, fds }' >>"$1/figures"
END
export GROUP_ROUNDS_MEASURE="sh $SCRATCH/measure $SCRATCH"

# What is wrong with the lines of all jobs, and of how many a group was made.
judge() {
    sort -n -s -k1,1 "$1" | ${AWK:-awk} '
        function close_job(  i, m, n) {
            n = split(list, m, " ")
            for (i = 1; i <= n; i++) {
                if (!(m[i] in told) && !(m[i] in gone)) { print "seed " seed ": member " m[i] " was not told" }
            }
            made += list != ""
            split("", told); split("", gone); list = ""
        }
        $1 == "done" { next }
        $1 !~ /^[0-9]+$/ || $2 !~ /^[0-9]+$/ { print "line: " $0; next }
        $1 != seed { close_job(); seed = $1 }
        $3 == "kill" || $3 == "leave" { gone[$2] = 1; next }
        $3 == "PMIX_SUCCESS" || $3 == "PMIX_ERR_PARTIAL_SUCCESS" {
            rank = $2; $1 = ""; $2 = ""; $3 = ""; told[rank] = $0
            if (list == "") { list = $0 }
            if (list != $0) { print "seed " seed ": rank " rank " has" $0 ", another one" list }
        }
        END { close_job(); print made + 0 >made_file }' made_file="$SCRATCH/made"
}

# flat FILE: from the third of ten figures to the last. Kept events have reached their bound by then (it is 64 here, and jobs raise
# some two each). What still grows is pmixrun's own: each of its processes, one per node, has a record of each job until it ends,
# and nothing else is left of most jobs; 4 kB allow for the allocator. A
# megabyte is what the largest jobs need at once.
PMIX_MCA_pmix_max_events=64
export PMIX_MCA_pmix_max_events
flat() {
    ${AWK:-awk} -v jobs="$count" -v nodes="$nodes" '
        NR == 3 { kb = $1; fds = $2 }
        END { exit !($2 <= fds && $1 <= kb + jobs * 0.7 * 4 * nodes + 1024 * nodes) }' "$1"
}

for kind in ${1:-collective bootstrap added invite}; do
    program=$PX_TOP_BUILDDIR/test/t/group_chaos
    [ "$kind" != invite ] || program=$PX_TOP_BUILDDIR/test/t/invited
    for nodes in 1 2 3; do
        for gds in shmix hash; do
            : >"$SCRATCH/figures"
            limit 3000 "$pmixrun" --keep-going --nodes $nodes -n 1 -x PMIX_MCA_gds=$gds -x GROUP_ROUNDS_MEASURE \
                "$PX_TOP_BUILDDIR/test/t/group_rounds" "$first" $count "$program" $kind >"$SCRATCH/out" 2>"$SCRATCH/err"
            bad=$(judge "$SCRATCH/out" | head -5)
            [ -z "$bad" ] || grep "^$(echo "$bad" | sed -n '1s/seed \([0-9]*\).*/\1/p') " "$SCRATCH/out"
            bad="$bad$(grep -e 'ended with exit code' -e 'was ended by signal 14 ' "$SCRATCH/err" | head -n 3)"
            grep -q '^done$' "$SCRATCH/out" || bad="$bad $(tail -n 1 "$SCRATCH/out") $(tail -n 3 "$SCRATCH/err")"
            same "$kind, $nodes nodes, $gds: $count jobs from seed $first" '' "$bad"
            echo "# $(cat "$SCRATCH/made") groups; kB and descriptors of the servers: $(tr '\n' ';' <"$SCRATCH/figures")"
            if [ $count -ge 100 ]; then
                check "$kind, $nodes nodes, $gds: the servers do not grow" flat "$SCRATCH/figures"
            fi
            first=$((first + count))
        done
    done
done
finish
