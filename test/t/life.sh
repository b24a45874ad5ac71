#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What outlives a server, and what a server outlives.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
mkdir "$SCRATCH/tmp"
: >"$SCRATCH/start"
segments() { find "$SCRATCH/tmp" /dev/shm -size +3k -newer "$SCRATCH/start" 2>/dev/null | grep -i shmix; }
said_by '' env TMPDIR="$SCRATCH/tmp" "$PX_TOP_BUILDDIR/test/t/life" 1000
same 'everything was tried' 19 "$TAP_COUNT"
same 'no segment is left in a file system' '' "$(segments)"
finish
