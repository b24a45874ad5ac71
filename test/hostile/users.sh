#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Two users and one server: nobody passes for somebody else, or keeps another from being served.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

chmod 755 "$SCRATCH"
limit 300 "$PX_TOP_BUILDDIR/test/hostile/users" "$SCRATCH" >"$SCRATCH/out" 2>"$SCRATCH/err"
code=$?
while read -r result what; do
    [ "$result" = ok ]
    report $? "${what#- }"
done <<EOF2
$(sed 's/^not ok/not_ok/' "$SCRATCH/out")
EOF2
same 'it ends, and says nothing of it' '0 ' "$code $(cat "$SCRATCH/err")"
finish
