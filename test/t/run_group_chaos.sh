#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Groups whose members are killed, stopped or gone at random: every process that lives has an answer, and all who have the
# group have the same members. CHAOS_SEED chooses the first seed; the long form tries more.
# Covers: GRP-086 GRP-089 GRP-094
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

seed=${CHAOS_SEED:-$(($(date +%s) % 100000))}
count=${PX_LONG:+300}
last=$((seed + ${count:-8}))
echo "# seeds from $seed"
while [ "$seed" -lt "$last" ]; do
    nodes=$((seed % 3 + 1))
    for gds in shmix hash; do
        run "$pmixrun" --nodes $nodes -n 6 --keep-going --timeout 60 -x PMIX_MCA_gds=$gds "$PX_TOP_BUILDDIR/test/t/group_chaos" $seed
        lists=$(sed -n 's/^[0-9]* PMIX_SUCCESS//p' "$SCRATCH/out" | sort -u | wc -l)
        same "seed $seed, $nodes nodes, $gds: an end" '' "$(grep 'has run for\|group_chaos:' "$SCRATCH/err")"
        [ "$lists" -le 1 ] || cat "$SCRATCH/out"
        same "seed $seed, $nodes nodes, $gds: one list" 1 $((lists <= 1))
    done
    seed=$((seed + 1))
done
finish
