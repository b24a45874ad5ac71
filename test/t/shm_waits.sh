#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix-shm waits names the culprit of each of twelve hangs, and what it is doing; in both forms, on one node and across two.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
shm=$PX_TOP_BUILDDIR/src/tools/pmix-shm
hang=$PX_TOP_BUILDDIR/test/t/hang
numbers=0
pid=

end_job() {
    [ -z "$pid" ] && return
    kill -CONT $pid 2>/dev/null
    stop $pid
    pid=
}
trap 'end_job; rm -rf "$SCRATCH"' EXIT

# start N [OPTION...] -- CAUSE [WORD...]: leaves $pid and $job
start() {
    end_job
    numbers=$((numbers + 1))
    job=hang-$$-$numbers
    n=$1
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086
    "$pmixrun" --nspace $job -n "$n" --timeout 110 $options "$hang" "$@" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
    pid=$!
}

# shows WHAT PATTERN...: until each pattern is on a line of what pmix-shm says of the job; gives up after half a minute.
shows() {
    what=$1
    shift
    tries=0
    while ! says "$@"; do
        tries=$((tries + 1))
        if [ $tries -gt 300 ]; then
            report 1 "$what"
            printf '# %s\n' 'wanted:' "$@" 'got:'
            sed 's/^/# /' "$SCRATCH/waits" "$SCRATCH/job.err"
            return 0
        fi
        sleep 0.1
    done
    report 0 "$what"
}
says() {
    "$shm" waits $job >"$SCRATCH/waits" 2>&1
    for pattern in "$@"; do
        grep -q -- "$pattern" "$SCRATCH/waits" || return 1
    done
}

# The process of a node's server.
server_of() { "$shm" waits | sed -n "s/^server pmixrun-server\.$pid:$1 on .*: pid \([0-9]*\),.*/\1/p"; }

# until_stopped PID: all its threads
until_stopped() {
    tries=0
    while grep -h '^State:' "/proc/$1"/task/*/status | grep -qv 'T (stopped)'; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

causes() { # causes FORM
    form=$1
    start 3 -- stopped
    shows "$form: a rank that is stopped" "^  fence of $job:\* .*, 2 of 3 of this node have come; .*: $job:2\$" \
        "^    $job:2 on .*: pid [0-9]*, T (stopped"

    n_before=$numbers
    end_job
    job=hang-$$-dead-$n_before
    mkfifo "$SCRATCH/never.$n_before"
    # shellcheck disable=SC2016
    "$pmixrun" --nspace $job -n 3 --timeout 110 sh -c '"$1" dead; exec cat "$2"' sh "$hang" "$SCRATCH/never.$n_before" \
        >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
    pid=$!
    shows "$form: a rank that has died, and its connection lives on" "^    $job:2 on .*: pid [0-9]*, gone; "

    start 4 -- other-fence
    shows "$form: a rank in another fence" "of $job:\* .* 2 of 4 of this node" "^    $job:2 .*; is in a fence of $job:2-3\$" \
        "^  fence of $job:2-3 .*: $job:3\$"

    start 3 -- other-list
    shows "$form: a rank with another list" "^  fence of $job:\* .*: $job:2\$" "^    $job:2 .*; is in a fence of $job:0,2\$"

    start 3 -- loop
    shows "$form: a rank in a loop" "^    $job:2 on .*: pid [0-9]*, R (running); is in no call that its server knows of\$"

    start 3 -- key
    shows "$form: a key that nobody posts" \
        "^  get of key nobody.posts.this of $job:2 by $job:0 for .*; waits for a commit of the key\$" \
        "^    $job:2 on .*: pid [0-9]*, S (sleeping, .*; is in no call that its server knows of\$"

    start 3 --nodes 2 --script fence@0=never -- fence
    # The first fence is lost already: rank 2 is not special here.
    shows "$form: a relay that loses a message" "on node0: pid" "on node1: pid" \
        "^    all servers here have asked their hosts, and no host has answered\$"

    start 3 -- group
    shows "$form: a group construct to which one does not come" "^  group construct ring of $job:.*: $job:2\$" \
        "^    $job:2 on .*: pid [0-9]*, S (sleeping"

    start 3 -- connect
    shows "$form: a connect to which one does not come" "^  connect of $job:.*: $job:2\$" "^    $job:2 on .*: pid [0-9]*, S ("

    start 3 -- finalized
    shows "$form: a rank that has finalized" "^  fence of $job:\* .*: $job:2\$" "^    $job:2 on .*; has finalized\$"

    start 4 --nodes 2 -- other-fence
    shows "$form: on another node, a rank that is in another list" \
        "^server .* on node0: .*; 1 wait\$" \
        "^  fence of $job:\* .*, 2 of 2 of this node have come; waits for the host's answer\$" \
        "^    $job:2 on node1: .*; is in a fence of $job:2-3\$" \
        "^    processes of other servers of this node have not come\$"

    mkfifo "$SCRATCH/go.$numbers"
    fifo=$SCRATCH/go.$numbers
    start 3 --nodes 2 -- late "$fifo"
    until_lines 1 "$SCRATCH/job.out"
    shows "$form: a rank that is late, across nodes" "^    $job:2 on node1: pid [0-9]*, S ("
    server=$(server_of 1)
    kill -STOP "$server"
    check "$form: all of it" until_stopped "$server"
    echo >"$fifo"
    shows "$form: a server that is stopped" "^server .* on node1: pid $server, T (stopped" \
        "^    $job:2 on node1: pid [0-9]*, S (" "^    the server of node1, pid $server, is stopped\$"
    kill -CONT "$server"
}

by_messages || causes 'shared'
export PMIX_MCA_gds=hash
causes 'by messages'
finish
