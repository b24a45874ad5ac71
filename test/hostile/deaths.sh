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
    said_seconds=1800 times=20 cycles=3600
else
    said_seconds=300 times=1 cycles=300
fi

said_by 'with segments' "$PX_TOP_BUILDDIR/test/hostile/deaths" 0 $times $cycles
PMIX_MCA_gds=hash
export PMIX_MCA_gds
said_by 'by messages' "$PX_TOP_BUILDDIR/test/hostile/deaths" 0 $times $cycles
finish
