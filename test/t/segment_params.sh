#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The parameters of segments, in a job: whatever they say, readers read the same; nonsense is the default.
# Covers: SHM-019 SHM-020
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
info=$PX_TOP_BUILDDIR/src/tools/pmix_info
PMIX_MCA_shmix_param_verbose=1
export PMIX_MCA_shmix_param_verbose

run "$pmixrun" -n 2 --nspace params "$actor" job
same 'with the defaults' 0 "$code"
want=$(lines)

# try NAME VALUE: the same answers; leaves what was said in $err
try() {
    run env "PMIX_MCA_$1=$2" "$pmixrun" -n 2 --nspace params "$actor" job
    same "$1=$2" "0 $want" "$code $(lines)"
}

for set in segment_size=1M segment_first=4096 segment_first=32M segment_ahead=4096 segment_ahead=64M \
    numa_interleave=1 huge_pages=1 prefault=4096 prefault=1G; do
    try "shmix_${set%=*}" "${set#*=}"
    same 'without complaint' '' "$err"
done
for name in segment_size segment_first segment_ahead numa_interleave huge_pages prefault; do
    default=$("$info" --param all all --parsable | sed -n "s/^mca:[a-z]*:base:param:shmix_$name:default://p")
    for bad in abc -1 99999999999999999999; do
        try "shmix_$name" "$bad"
        same 'is said to be nonsense' yes "$(printf '%s' "$err" | grep -q "shmix_$name" && echo yes || echo no)"
        run env "PMIX_MCA_shmix_$name=$bad" "$info" --param all all --parsable
        same 'and means the default' "$default" "$(sed -n "s/^mca:[a-z]*:base:param:shmix_$name:value://p" "$SCRATCH/out")"
    done
done
finish
