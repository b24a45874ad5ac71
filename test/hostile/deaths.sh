#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A server, a tool or a process dies in the middle of what a tool asks for, at each step of each operation; with PX_LONG 20 times at each,
# and a tool attaches and detaches 3,600 times. The others go on, and keep nothing of who has died. The program says which statuses its calls had.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
by_messages && skip_all 'both forms are tried'
own_tmpdir
if [ -n "$PX_LONG" ]; then
    seconds=1800 times=20 cycles=3600
else
    seconds=300 times=1 cycles=300
fi

# all FORM - what the program says of each operation.
all() {
    limit $seconds "$PX_TOP_BUILDDIR/test/hostile/deaths" 0 $times $cycles >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
    grep '^#' "$SCRATCH/out"
    while read -r result what; do
        [ "$result" = ok ]
        report $? "$1: ${what#* - }"
    done <<EOF2
$(sed -n '/^#/!s/^not ok/not_ok/p; /^ok/p' "$SCRATCH/out")
EOF2
    same "$1: it ends, and says nothing of it" '0 ' "$code $(cat "$SCRATCH/err")"
}
all 'with segments'
PMIX_MCA_gds=hash
export PMIX_MCA_gds
all 'by messages'
finish
