#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Scenario S36: where there is no shared memory to be had, or little, or where it must not be trusted, scenarios S01, S08,
# S15 and S29 end as everywhere, without a word; with a raised verbosity it is said why. The worlds are in
# test/conform/lib/world.c.
# Covers: S36 SHM-010 SHM-017
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
conform=$PX_TOP_BUILDDIR/test/conform
unset PMIX_MCA_gds # each form is asked for below

# scenarios ARGUMENT...: all cases of the four
scenarios() {
    for of in resolve:S01 put:S08 group:S15 query:S29; do
        limit 100 "$conform/${of%:*}.t" "$@" "${of#*:}" || echo "${of#*:} returned $?"
    done >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
}
results() { sed -n 's/ # .*//; /^ok\|^not ok\|returned/p' "$SCRATCH/out"; }

scenarios --form messages
want=$(results)
same 'each scenario has a case, and there are no segments in the form of messages' 16 \
    "$(printf '%s\n' "$want" | grep -c '^ok .* S\(01\|08\|15\|29\) ')"
"$conform/put.t" --worlds >"$SCRATCH/worlds"
check 'there are worlds' [ -s "$SCRATCH/worlds" ]
while read -r world reading; do
    if "$conform/put.t" --world "$world" --list S08 | grep -q SKIP; then
        skip "$world" 'the kernel or its administrator does not allow to make it'
        continue
    fi
    scenarios --form shared --world "$world"
    same "$world: the same results" "$want" "$(results)"
    sed -n '/^# /p' "$SCRATCH/out"
    same "$world: nothing is said" '' "$(cat "$SCRATCH/err")"
    # through a pipe: there may be a limit of files
    PMIX_MCA_gds_base_verbose=1 limit 100 "$conform/put.t" --form shared --world "$world" S08 2>&1 >"$SCRATCH/out" |
        cat >"$SCRATCH/err"
    same "$world: the same with words" 1 "$(grep -c '^ok ' "$SCRATCH/out")"
    case $reading in
    messages) same "$world: who asks is told" 4 "$(grep -c 'no segment of A: what it holds comes by messages' "$SCRATCH/err")" ;;
    mapped) same "$world: there is nothing to tell" '' "$(cat "$SCRATCH/err")" ;;
    esac
done <"$SCRATCH/worlds"
finish
