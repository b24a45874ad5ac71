#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Servers that are killed at random moments while their clients read: 50 in each form, with PX_LONG 500. Repeat with SEED.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
by_messages && skip_all 'both forms are tried'
own_tmpdir
n=${PX_LONG:+500}
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "# SEED=$SEED"
said_by 'with segments' "$PX_TOP_BUILDDIR/test/hostile/killed_servers" "${n:-50}" "$SEED"
PMIX_MCA_gds=hash
export PMIX_MCA_gds
said_by 'by messages' "$PX_TOP_BUILDDIR/test/hostile/killed_servers" "${n:-50}" "$SEED"
same 'nothing is left in /dev/shm' '' "$(find /dev/shm -newer "$SCRATCH" -name '*shmix*' 2>/dev/null)"
finish
