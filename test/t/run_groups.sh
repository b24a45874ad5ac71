#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Groups with added members and by bootstrap, on one node and across several.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

for nodes in 1 2 4; do
    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" bootstrap
    # The leaders first, in the order in which they came; it is the same for all.
    order=$(sed -n '1s/^[0-3] //p' "$SCRATCH/out")
    case $order in 'PMIX_SUCCESS 0 3 1 2 with an id' | 'PMIX_SUCCESS 3 0 1 2 with an id') ;; *) order="one of two orders" ;; esac
    same "leaders that come by themselves, on $nodes nodes" "0 $order
1 $order
2 $order
3 $order" "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" added
    order='PMIX_SUCCESS 3 0 2 1 with an id'
    same "leaders that know each other add others, on $nodes nodes" "0 $order
1 $order
2 $order
3 $order" "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" stranger
    order='PMIX_SUCCESS 3 0 1'
    same "a process that nobody adds, on $nodes nodes" "0 $order
1 $order
2 PMIX_ERR_NOT_A_MEMBER
3 $order" "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" bootstranger
    order=$(sed -n 's/^1 //p' "$SCRATCH/out")
    case $order in 'PMIX_SUCCESS 0 3 1' | 'PMIX_SUCCESS 3 0 1') ;; *) order="one of two orders" ;; esac
    same "a process that no leader by itself adds, on $nodes nodes" "0 $order
1 $order
2 PMIX_ERR_NOT_A_MEMBER
3 $order" "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" disagree
    same "leaders that contradict each other, on $nodes nodes" '0 PMIX_ERR_BAD_PARAM
3 PMIX_ERR_BAD_PARAM' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 --map-by node "$PX_TOP_BUILDDIR/test/t/groups" absent
    same "one that is added and ends before it comes, on $nodes nodes" '0 PMIX_ERR_LOST_CONNECTION
3 PMIX_ERR_LOST_CONNECTION' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" timeout
    same "a leader that does not come, on $nodes nodes" '0 PMIX_ERR_TIMEOUT' "$(lines)"
done
finish
