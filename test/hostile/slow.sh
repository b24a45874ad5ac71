#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Who does not read, and who comes late, at one server with others who raise many events, in both forms.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

# all FORM - what the program says of each attempt.
all() {
    limit 300 "$PX_TOP_BUILDDIR/test/hostile/slow" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
    while read -r result what; do
        [ "$result" = ok ]
        report $? "$1: ${what#- }"
    done <<EOF2
$(sed 's/^not ok/not_ok/' "$SCRATCH/out")
EOF2
    same "$1: it ends, and says nothing of it" '0 ' "$code $(cat "$SCRATCH/err")"
}
all 'with segments'
PMIX_MCA_gds=hash
export PMIX_MCA_gds
all 'by messages'
finish
