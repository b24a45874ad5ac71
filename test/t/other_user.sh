#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A segment against another user, and against what its own readers can do to it.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'
by_messages && skip_all 'there are no segments'
run "$PX_TOP_BUILDDIR/test/t/other_user"
while read -r result what; do
    [ "$result" = ok ]
    report $? "${what#- }"
done <<EOF2
$(sed 's/^not ok/not_ok/' "$SCRATCH/out")
EOF2
same 'every attempt was made' 24 "$TAP_COUNT"
same 'nothing is wrong' '0 ' "$code $err"
finish
