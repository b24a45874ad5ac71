#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Groups with added members and by bootstrap, on one node and across several.
# Covers: GRP-001 GRP-016 GRP-019 GRP-046 GRP-047 GRP-054 GRP-057 GRP-061 GRP-062 GRP-087 GRP-089 GRP-090 GRP-100
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

for nodes in 1 2 3; do
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
    same "one that is added and ends before it comes, on $nodes nodes" '0 PMIX_GROUP_CONSTRUCT_ABORT
3 PMIX_GROUP_CONSTRUCT_ABORT' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" timeout
    same "a leader that does not come, on $nodes nodes" '0 PMIX_ERR_TIMEOUT' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" order
    same "an order that one asks for, on $nodes nodes" '0 2 0 3 1
1 2 0 3 1
2 2 0 3 1
3 2 0 3 1' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" contradict
    same "two orders, on $nodes nodes" '0 PMIX_ERR_BAD_PARAM
1 PMIX_ERR_BAD_PARAM
2 PMIX_ERR_BAD_PARAM
3 PMIX_ERR_BAD_PARAM' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" bootorder
    same "an order that a leader by itself asks for, on $nodes nodes" '0 PMIX_SUCCESS 3 2 1 0
1 PMIX_SUCCESS 3 2 1 0
2 PMIX_SUCCESS 3 2 1 0
3 PMIX_SUCCESS 3 2 1 0' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" wildcard
    order=$(sed -n 's/^1 //p' "$SCRATCH/out")
    case $order in 'PMIX_SUCCESS 0 1 2 3' | 'PMIX_SUCCESS 1 0 2 3') ;; *) order="one of two orders" ;; esac
    same "leaders that add all of the job, on $nodes nodes" "0 $order
1 $order
2 $order
3 $order" "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" nested
    same "a leader that adds a group, on $nodes nodes" '0 PMIX_SUCCESS 0 1 2 3
1 PMIX_SUCCESS 0 1 2 3
2 PMIX_SUCCESS 0 1 2 3
3 PMIX_SUCCESS 0 1 2 3' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 "$PX_TOP_BUILDDIR/test/t/groups" jobname
    same "a group with the name of a job, on $nodes nodes" '0 PMIX_ERR_EXISTS
1 PMIX_ERR_EXISTS
2 PMIX_ERR_EXISTS
3 PMIX_ERR_EXISTS' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 --keep-going "$PX_TOP_BUILDDIR/test/t/groups" ends
    same "ends of processes, on $nodes nodes" '0 PMIX_ERR_PROC_ABORTED_BY_SIG 1
0 PMIX_EVENT_PROC_TERMINATED 2
3 PMIX_ERR_PROC_ABORTED_BY_SIG 1
3 PMIX_EVENT_PROC_TERMINATED 2' "$(lines)"

    run "$pmixrun" --nodes $nodes -n 4 --keep-going "$PX_TOP_BUILDDIR/test/t/groups" succeeded
    same "a group of the name of one that somebody was lost of, on $nodes nodes" '0 PMIX_ERR_LOST_CONNECTION
0 PMIX_SUCCESS
1 PMIX_ERR_LOST_CONNECTION
1 PMIX_SUCCESS
2 PMIX_SUCCESS' "$(lines)"

    for wants in construct destruct; do # the last one has neighbours, or not
        run "$pmixrun" --nodes $((nodes == 3 ? 4 : nodes)) -n 4 --keep-going "$PX_TOP_BUILDDIR/test/t/groups" succeeded $wants
        same "a $wants that wants ends to be announced, on $((nodes == 3 ? 4 : nodes)) nodes" '0 PMIX_SUCCESS
0 PMIX_SUCCESS
1 PMIX_SUCCESS
1 PMIX_SUCCESS
2 PMIX_SUCCESS' "$(lines)"
    done

    # In two rounds; by node, so that the one that leaves has neighbours, or not.
    run "$pmixrun" --nodes $((nodes == 3 ? 4 : nodes)) -n 4 "$PX_TOP_BUILDDIR/test/t/groups" left
    same "one leaves while the others take the group apart, on $((nodes == 3 ? 4 : nodes)) nodes" '1 PMIX_SUCCESS 0
1 PMIX_SUCCESS 0
2 PMIX_SUCCESS 0
2 PMIX_SUCCESS 0
3 PMIX_SUCCESS 0
3 PMIX_SUCCESS 0' "$(lines)"
done

# One that is added ends, and the leaders want to be told: who has called is asked at once.
for nodes in 1 2 3; do
    for leaders in together alone; do
        for how in go abort nobody; do
            run "$pmixrun" --nodes $nodes -n 4 --map-by node --keep-going "$PX_TOP_BUILDDIR/test/t/group_asked" $leaders $how
            case $how in
            go) want=$(sed -n '1s/^[0-9]* //p' "$SCRATCH/out") ;;
            abort) want='PMIX_GROUP_CONSTRUCT_ABORT, asked 1' ;;
            nobody) want='PMIX_GROUP_CONSTRUCT_ABORT, asked 0' ;;
            esac
            case $how-$want in go-'PMIX_SUCCESS 0 3 2, asked 1' | go-'PMIX_SUCCESS 3 0 2, asked 1') ;; go-*) want="one of two orders" ;; esac
            same "an added member ends, leaders $leaders, $how, on $nodes nodes" "0 $want
2 $want
3 $want" "$(lines)"
        done
    done
done
finish
