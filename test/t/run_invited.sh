#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Invitations whose processes are killed, stopped or finalize at random moments. Nothing hangs, all who were told that the group
# is made were told the same members, and each of these was told so or is gone.
# With a number as argument, only that seed.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

ranks=6
if [ -n "${PX_LONG:-}" ]; then rounds=3000; else rounds=40; fi
first=${1:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
[ -z "${1:-}" ] || rounds=1

# Reads the lines of one round, and says what is wrong with them.
judge() {
    ${AWK:-awk} '
        $2 == "kill" || $2 == "leave" { gone[$1] = 1; next }
        $2 == "PMIX_SUCCESS" || $2 == "PMIX_ERR_PARTIAL_SUCCESS" {
            rank = $1; $1 = ""; $2 = ""; told[rank] = $0; n++
            if (list == "") { list = $0 }
            if (list != $0) { print "rank " rank " has" $0 ", another one" list }
        }
        END {
            n = split(list, members, " ")
            for (i = 1; i <= n; i++) {
                if (!(members[i] in told) && !(members[i] in gone)) { print "member " members[i] " was not told" }
            }
        }' "$1"
}

bad=
round=0
made=0
while [ $round -lt $rounds ] && [ -z "$bad" ]; do
    seed=$((first + round))
    nodes=$((seed % 3 + 1))
    round=$((round + 1))
    limit 60 "$pmixrun" --keep-going --nodes $nodes -n $ranks "$PX_TOP_BUILDDIR/test/t/invited" $seed \
        >"$SCRATCH/out" 2>"$SCRATCH/err"
    [ $? -ne 124 ] || bad="seed $seed: no end"
    [ -n "$bad" ] || bad=$(judge "$SCRATCH/out")
    [ -z "$bad" ] || bad="seed $seed: $bad: $(tr '\n' ';' <"$SCRATCH/out")"
    ! grep -q SUCCESS "$SCRATCH/out" || made=$((made + 1))
done
echo "# seeds from $first on, $round rounds, $made groups"
same "invitations with faults at random" '' "$bad"
finish
