#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# No honest job meets a quota. What a user may have is cut down from 100,000 processes at one server to those of the
# test, and the default is what pmix_info says; each process posts 32 KiB and has 12 open requests, one has them for all.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
by_messages && skip_all 'both forms are tried'

ranks=40
per_rank=16384
pmixrun=$PX_TOP_BUILDDIR/src/tools/pmixrun
honest=$PX_TOP_BUILDDIR/test/hostile/honest

# default NAME: of a parameter, from the source
default() {
    sed -n "/\"$1\"/s/.*SIZE, \"\([0-9]*\)\".*/\1/p" "$PX_TOP_SRCDIR/src/base/param.def"
}

for name in shmix_user_posted shmix_user_requests; do
    share=$(($(default $name) * ranks / 100000))
    echo "# $name: $share"
    eval "PMIX_MCA_$name=$share && export PMIX_MCA_$name"
done
for form in shared hash; do
    [ $form = hash ] && PMIX_MCA_gds=hash && export PMIX_MCA_gds
    limit 200 "$pmixrun" -n $ranks "$honest" $per_rank >"$SCRATCH/out" 2>&1
    code=$?
    same "$form: one node" "0 " "$code $(head -n 3 "$SCRATCH/out")"
    limit 200 "$pmixrun" --nodes 2 -n $ranks "$honest" $per_rank >"$SCRATCH/out" 2>&1
    code=$?
    same "$form: two nodes" "0 " "$code $(head -n 3 "$SCRATCH/out")"
done
PMIX_MCA_shmix_user_posted=$((ranks * 2 * per_rank)) # not what it takes besides
limit 200 "$pmixrun" -n $ranks "$honest" $per_rank >"$SCRATCH/out" 2>&1
code=$?
[ $code -ne 0 ] && [ $code -lt 124 ]
report $? "the test sees a quota that is too small"
finish
