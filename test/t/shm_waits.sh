#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix-shm waits names the culprit of each of twelve hangs, and what it is doing; in both forms, on one node and across two.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
shm=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmix-shm
hang=$PX_TOP_BUILDDIR/test/t/hang
numbers=0
runner=

end_job() {
    [ -z "$runner" ] && return
    kill -CONT $runner 2>/dev/null
    stop $runner
    runner=
}
trap 'end_job; rm -rf "$SCRATCH"' EXIT

# start N [OPTION...] -- CAUSE [WORD...]: leaves $runner and $job
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
    runner=$!
}

# shows WHAT PATTERN...: until each pattern is on a line of what pmix-shm says of the job; gives up after a minute.
shows() {
    what=$1
    shift
    if until_true "$what" says "$@" >"$SCRATCH/why"; then
        report 0 "$what"
    else
        report 1 "$what"
        printf '# %s\n' 'wanted:' "$@" 'got:'
        sed 's/^/# /' "$SCRATCH/why" "$SCRATCH/waits" "$SCRATCH/job.err"
    fi
}
says() {
    "$shm" waits $job >"$SCRATCH/waits" 2>&1
    for pattern in "$@"; do
        grep -q -- "$pattern" "$SCRATCH/waits" || return 1
    done
}

# The process of a node's server.
server_of() { "$shm" waits | sed -n "s/^server pmixrun-server\.$runner:$1 on .*: pid \([0-9]*\),.*/\1/p"; }

# all_stopped PID: all its threads
all_stopped() { ! grep -h '^State:' "/proc/$1"/task/*/status | grep -qv 'T (stopped)'; }

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
    runner=$!
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

    start 3 -- lookup
    shows "$form: a lookup of what nobody publishes" "^  request PMIx_Lookup by $job:2 for .*; waits for the host's answer\$"

    start 3 --script spawn=never -- spawn
    shows "$form: a spawn that the host does not answer" "^  request PMIx_Spawn by $job:2 for .*; waits for the host's answer\$"

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
    check "$form: all of it" until_true "server $server is stopped" all_stopped "$server"
    echo >"$fifo"
    shows "$form: a server that is stopped" "^server .* on node1: pid $server, T (stopped" \
        "^    $job:2 on node1: pid [0-9]*, S (" "^    the server of node1, pid $server, is stopped\$"
    kill -CONT "$server"
}

by_messages || causes 'shared'
kept=${PMIX_MCA_gds-}
PMIX_MCA_gds=hash
export PMIX_MCA_gds
causes 'by messages'
[ -n "$kept" ] || unset PMIX_MCA_gds

# --- in words: at a time limit, and on a signal
# until_said PATTERN: in what the job has said
until_said() { until_true "the job has said $1" grep -q -- "$1" "$SCRATCH/job.err" || { cat "$SCRATCH/job.err"; return 1; }; }
PMIX_MCA_pmix_server_base_verbose=1
export PMIX_MCA_pmix_server_base_verbose
start 3 -- time-out
check 'a fence that runs out of time says for whom it has waited' \
    until_said "out of time: fence of $job:\* for [0-9.]* s, 2 of 3 of this node have come; .*: $job:2\$"
unset PMIX_MCA_pmix_server_base_verbose
start 3 -- time-out
check 'and ends' until_lines 2 "$SCRATCH/job.out"
same 'without a word unless one is asked for' '' "$(cat "$SCRATCH/job.err")"
start 3 --nodes 2 --waits-signal -- other-list
shows 'a rank with another list, across nodes' "waits for the host's answer" " in a fence of $job:0,2\$"
kill -USR2 $runner
check 'a node says on SIGUSR2 what it waits for' until_said "^pmixrun: node0: fence of $job:\* for .*; waits for the host's answer\$"
check 'and so does the other' until_said "^pmixrun: node1: fence of $job:0,2 for .*; waits for the host's answer\$"
check 'and the processes have not got it' alive $runner

# --- the forms for programs, and what is not there
start 3 -- stopped
shows 'a rank that is stopped' "T (stopped"
"$shm" waits --json $job >"$SCRATCH/out"
if command -v python3 >/dev/null 2>&1; then
    check 'the form for programs' python3 -c 'import json, sys
server = [s for s in json.load(open(sys.argv[1]))["servers"] if s["pid"] == int(sys.argv[3])][0]
wait = server["waits"][0]
assert wait["kind"] == "fence" and wait["of"] == sys.argv[2] + ":*" and wait["missing"] == sys.argv[2] + ":2"
assert wait["expected_here"] == 3 and wait["come_here"] == 2 and wait["come"] == sys.argv[2] + ":0-1"
assert [(c["rank"], c["state"]) for c in wait["culprits"]] == [(2, "T")]' "$SCRATCH/out" $job $runner
else
    skip 'the form for programs' 'python3 is not here'
fi
"$shm" waits --parsable --pid $runner >"$SCRATCH/out"
same 'the form for scripts' "$job 2 T" "$(sed -n 's/^servers:0:waits:0:culprits:0:\(nspace\|rank\|state\)://p' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
run "$shm" waits --pid $$
same 'a process that is no server' "1 pmix-shm: waits: this process is no server that one may look into" "$code $err"
run "$shm" waits "no-$job"
same 'a namespace that nobody has heard of' '0 ' "$code $out"

# --- what others have in memory
has_line() { "$shm" waits | grep -q "^$1\$"; }
shows_line() { until_true "pmix-shm waits has the line $1" has_line "$1"; }
"$hang" orphan &
others=$!
check 'a process that has lost its server' shows_line "process $others maps a segment whose server has gone or has closed it"
"$hang" server &
others="$others $!"
check 'an area that can still be changed' shows_line "server with pid $!: unreadable: not sealed"
"$hang" server-sealed &
others="$others $!"
check 'an area of random bytes' shows_line "server with pid $!: unreadable: of another version, or damaged"
# shellcheck disable=SC2086
stop $others

# --- who has not connected is found by its environment
numbers=$((numbers + 1))
end_job
job=hang-$$-$numbers
# shellcheck disable=SC2016
"$pmixrun" --nspace $job -n 3 --timeout 110 sh -c '[ $PMIX_RANK != 2 ] || kill -STOP $$; exec "$1" fence' sh "$hang" \
    >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
runner=$!
shows 'a rank that has not begun' "^    $job:2 on .*: pid [0-9]*, T (stopped, .*); has not called PMIx_Init\$"
end_job

mkfifo "$SCRATCH/off"
PMIX_MCA_shmix_waits=0
export PMIX_MCA_shmix_waits
start 3 -- late "$SCRATCH/off"
check 'a job without an area' until_lines 1 "$SCRATCH/job.out"
run "$shm" waits --pid $runner
same 'says nothing' 1 "$code"
unset PMIX_MCA_shmix_waits
echo >"$SCRATCH/off"
wait $runner
same 'and goes on' 0 $?
runner=

# --- who came last
mkfifo "$SCRATCH/last"
start 3 --report -- last "$SCRATCH/last"
check 'the first fence is over' until_lines 2 "$SCRATCH/job.out"
shows 'all but one have come' "2 of 3 of this node"
echo >"$SCRATCH/last"
check 'the job ends' gone $runner
runner=
check 'the report has who came last, and by how much' \
    until_said "^pmixrun: .*: fence 2: $job:2 came last of 3, [0-9.]* ms after the one before, [0-9.]* ms after the first; it ended [0-9.]* ms later\$"
check 'and what was before' until_said "^pmixrun: .*: fence 1: $job:[0-2] came last of 3"
run "$pmixrun" -n 2 --nodes 2 --report "$hang" none
same 'across nodes, with one process on each' 2 "$(grep -c '^pmixrun: node[01]: fence 1: .* came alone; it ended [0-9.]* ms later$' "$SCRATCH/err")"
finish
