#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun as a host of tools: they find it, ask, read output, write input, control processes.
# Covers: TOOL-001 TOOL-014 TOOL-020 TOOL-036 TOOL-044 IOF-001 IOF-002 IOF-014 JOB-001
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
attend=$PX_TOP_BUILDDIR/test/t/attend
own_tmpdir

files() { ls "$SCRATCH/tmp"; }

# begin NODES COMMAND: a job of four in the background, whose rank R waits until gate.R is opened;
# leaves $runner. It can be found when this returns.
begin() {
    rm -f "$SCRATCH"/gate.* "$SCRATCH"/*.out
    mkfifo "$SCRATCH/gate.0" "$SCRATCH/gate.1" "$SCRATCH/gate.2" "$SCRATCH/gate.3" "$SCRATCH/gate.in"
    GATE=$SCRATCH/gate "$pmixrun" --nodes "$1" -n 4 --nspace job --keep-going ${form:+-x PMIX_MCA_gds=$form} ${script:+--script "$script"} \
        sh -c "$2" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" <"$SCRATCH/gate.in" &
    runner=$!
    exec 3>"$SCRATCH/gate.in"
    until_lines 4 "$SCRATCH/job.out"
}

# tool COMMAND...: leaves what run leaves.
tool() { run "$attend" --pid $runner "$@"; }

# Its ranks say that they are there, then wait.
speak='echo here; read -r word <$GATE.$PMIX_RANK; echo "$word to $PMIX_RANK"; echo "oh $PMIX_RANK" >&2'

for nodes in 1 2 3; do
    for form in '' hash; do
        [ $nodes = 2 ] || [ -z "$form" ] || continue
        with="on $nodes nodes${form:+, by messages}"
        begin $nodes "$speak"
        tool who
        same "a tool is named by the host, $with" 'job.tool0.0 0' "$out"
        run "$attend" --nspace "pmixrun-server.$runner" who
        same 'it is found by the name of the servers, too' 'job.tool0.1 0' "$out"
        tool query PMIX_QUERY_NAMESPACES , query PMIX_QUERY_JOB_STATUS job , query PMIX_QUERY_JOB_STATUS none
        same 'namespaces and the state of jobs' 'job
PMIX_SUCCESS
pmix.qry.jst: PMIX_ERR_NOT_FOUND' "$out"
        tool query PMIX_QUERY_PROC_TABLE job
        same "the table of all processes, $with" '0 1 2 3' "$(sed -n 's/^rank \(.\) on .*: sh, .*EXECUTING, .*/\1/p' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
        pids=$(sed -n 's/.* pid \([0-9]*\), .*/\1/p' "$SCRATCH/out")
        # shellcheck disable=SC2086
        same 'with their process ids' '0 1 2 3' "$(for pid in $pids; do tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^PMIX_RANK=//p'; done | tr '\n' ' ' | sed 's/ $//')"
        tool query PMIX_QUERY_LOCAL_PROC_TABLE job
        same 'the table of the node' $(((4 + nodes - 1) / nodes)) "$(wc -l <"$SCRATCH/out")"

        "$attend" --pid $runner pull job '*' both , say ready , until 8 >"$SCRATCH/all.out" 2>&1 </dev/null &
        all=$!
        "$attend" --pid $runner pull job 3 err , say ready , until 1 >"$SCRATCH/one.out" 2>&1 </dev/null &
        one=$!
        until_lines 2 "$SCRATCH/all.out"
        until_lines 2 "$SCRATCH/one.out"
        for rank in 0 1 2 3; do
            exec 4>"$SCRATCH/gate.$rank"
            printf 'this\n' >&4
            exec 4>&-
        done
        wait $all
        same "a tool reads all outputs, $with" '0 err: oh 0
0 out: this to 0
1 err: oh 1
1 out: this to 1
2 err: oh 2
2 out: this to 2
3 err: oh 3
3 out: this to 3' "$(grep : "$SCRATCH/all.out" | grep -v pull | sort)"
        wait $one
        same 'and one output of one process' '3 err: oh 3' "$(tail -n 1 "$SCRATCH/one.out")"
        exec 3>&-
        wait $runner
        same 'and they are shown as ever' 4 "$(grep -c 'this to' "$SCRATCH/job.out")"
        same 'no file is left' '' "$(files)"
    done
done

# Output that two tools have asked for is nobody's when both have left: the next one does not find it kept. One leaves while the
# other is still there; who asks for the job is answered behind what the server says of their end.
for nodes in 1 2; do
    begin $nodes 'echo here; while read -r word; do echo "$word"; done <$GATE.$PMIX_RANK'
    exec 4>"$SCRATCH/gate.0"
    mkfifo "$SCRATCH/stay"
    "$attend" --pid $runner pull job '*' out , say ready , read >"$SCRATCH/all.out" 2>&1 <"$SCRATCH/stay" 4>&- &
    all=$!
    exec 5>"$SCRATCH/stay"
    until_lines 2 "$SCRATCH/all.out"
    tool pull job '*' out
    exec 5>&-
    wait $all
    rm "$SCRATCH/stay"
    tool query PMIX_QUERY_JOB_STATUS job
    echo unheard >&4
    until_lines 5 "$SCRATCH/job.out"
    "$attend" --pid $runner pull job '*' out , say ready , until 4 >"$SCRATCH/next.out" 2>&1 </dev/null 4>&- &
    all=$!
    check "output is asked for again, on $nodes nodes" until_true 'the tool is ready' grep -q ready "$SCRATCH/next.out"
    echo heard >&4
    exec 4>&-
    for rank in 1 2 3; do
        exec 4>"$SCRATCH/gate.$rank"
        exec 4>&-
    done
    wait $all
    same 'and what nobody wanted is not there' '0 out: heard' "$(grep heard "$SCRATCH/next.out")"
    exec 3>&-
    wait $runner
done

# What a tool writes is what the processes read, to the last byte, also on another node; 64 MiB in the long form.
head -c $([ -n "$PX_LONG" ] && echo 67108864 || echo 3000000) /dev/urandom >"$SCRATCH/bytes"
for nodes in 1 2; do
    begin $nodes 'echo here; [ $PMIX_RANK = 0 ] && exec cksum; read -r word <$GATE.$PMIX_RANK'
    same "a tool writes a process's input, on $nodes nodes" 'push: PMIX_SUCCESS' \
        "$(limit 60 "$attend" --pid $runner push job 0 <"$SCRATCH/bytes" 2>&1)"
    until_lines 5 "$SCRATCH/job.out"
    same 'all of it' "$(cksum <"$SCRATCH/bytes")" "$(tail -n 1 "$SCRATCH/job.out")"
    limit 90 "$attend" --pid $runner spawn PMIX_FWD_STDOUT "PMIX_STDIN_TGT=r:*" PMIX_MAPBY=node 4 sh -c "cmp - '$SCRATCH/bytes' && echo equal" \
        , pull @ '*' out , push @ '*' , until 4 <"$SCRATCH/bytes" >"$SCRATCH/out" 2>&1
    same 'and that of all processes' '0 out: equal 1 out: equal 2 out: equal 3 out: equal ' "$(grep equal "$SCRATCH/out" | sort | tr '\n' ' ')"
    tool push job 0 more , push job 2 more , push job 9 more , push none 0 more
    same 'what nobody reads is refused' 'push: PMIX_ERR_IOF_COMPLETE
push: PMIX_ERR_IOF_COMPLETE
push: PMIX_ERR_NOT_FOUND
push: PMIX_ERR_NOT_FOUND' "$out"
    tool pull job 9 out , pull none '*' out
    same 'output of nobody, too' 'pull: PMIX_ERR_NOT_FOUND
pull: PMIX_ERR_NOT_FOUND' "$out"
    for rank in 1 2 3; do
        exec 4>"$SCRATCH/gate.$rank"
        exec 4>&-
    done
    exec 3>&-
    wait $runner
done

# The same from a host that is slow to take it.
script=push_stdin=late:20
begin 1 'echo here; [ $PMIX_RANK = 0 ] && exec cksum; read -r word <$GATE.$PMIX_RANK'
script=
same 'a host that takes input late' 'push: PMIX_SUCCESS' \
    "$(limit 60 "$attend" --pid $runner push job 0 <"$SCRATCH/bytes" 2>&1)"
until_lines 5 "$SCRATCH/job.out"
same 'takes all of it' "$(cksum <"$SCRATCH/bytes")" "$(tail -n 1 "$SCRATCH/job.out")"
for rank in 1 2 3; do
    echo go >"$SCRATCH/gate.$rank"
done
exec 3>&-
wait $runner
same 'and ends well' 0 $?

# What is written last comes before the end.
for nodes in 1 2; do
    begin $nodes 'echo here; read -r word <$GATE.$PMIX_RANK; seq 200000; exit 0'
    "$attend" --pid $runner pull job '*' out , say ready , until 4 >"$SCRATCH/all.out" 2>&1 </dev/null &
    all=$!
    until_lines 2 "$SCRATCH/all.out"
    for rank in 0 1 2 3; do
        exec 4>"$SCRATCH/gate.$rank"
        exec 4>&-
    done
    exec 3>&-
    wait $all
    same "a tool reads to the end, on $nodes nodes" 0 $?
    same 'every line of every process' 800000 "$(grep -c 'out: ' "$SCRATCH/all.out")"
    wait $runner
done

says_ended() {
    tool query PMIX_QUERY_PROC_TABLE job
    grep -q '^rank 3 .*TERMINATED' "$SCRATCH/out"
}
for nodes in 1 2; do
    # A shell that reads from a file that nobody writes hears signals, and has nothing to leave behind.
    begin $nodes 'trap "echo heard" USR1; echo here; while :; do read -r word <$GATE.$PMIX_RANK && break; done; exit 0'
    tool query PMIX_QUERY_PROC_TABLE job
    last=$(sed -n 's/^rank 3 .* pid \([0-9]*\), .*/\1/p' "$SCRATCH/out")
    tool control job 3 PMIX_JOB_CTRL_PAUSE=true
    check "a tool stops a process, on $nodes nodes" until_state "$last" T
    tool control job 3 PMIX_JOB_CTRL_RESUME
    check 'and lets it go on' until_state "$last" S
    tool control job 3 PMIX_JOB_CTRL_SIGNAL=i:10
    until_lines 5 "$SCRATCH/job.out"
    same 'signals it' heard "$(tail -n 1 "$SCRATCH/job.out")"
    tool control job 3 PMIX_JOB_CTRL_KILL
    check 'kills it' gone "$last"
    check 'which the table says' until_true 'it is noted' says_ended
    tool control none '*' PMIX_JOB_CTRL_KILL
    same 'nobody is not controlled' 'PMIX_JOB_CTRL_KILL: PMIX_ERR_NOT_FOUND' "$out"
    tool control job 9 PMIX_JOB_CTRL_KILL
    same 'nor a rank that there is not' 'PMIX_JOB_CTRL_KILL: PMIX_ERR_NOT_FOUND' "$out"
    tool log 'a word' , control job '*' PMIX_JOB_CTRL_TERMINATE
    same 'logs, and ends all' 'log: PMIX_SUCCESS
PMIX_JOB_CTRL_TERMINATE: PMIX_SUCCESS' "$out"
    exec 3>&-
    wait $runner
    same 'which is what was wanted' '0 1' "$? $(grep -c '^a word$' "$SCRATCH/job.out")"
done

no_files() { [ -z "$(files)" ]; }

for nodes in 1 3; do
    begin $nodes 'echo here; read -r word <$GATE.$PMIX_RANK'
    kill -KILL $runner
    wait $runner 2>/dev/null
    exec 3>&-
    check "no file stays when pmixrun is killed, with $nodes nodes" until_true 'no rendezvous file is left' no_files
done

for node in 0 1; do
    begin 2 'echo here; read -r word <$GATE.$PMIX_RANK'
    kill -KILL "$(files | sed -n "s/^pmix\.node$node\.tool\.\([0-9]*\)\$/\1/p")"
    wait $runner
    same "nor when the server of node $node is" '137 ' "$? $(files)"
    exec 3>&-
done

# Servers, tools and pmixrun agree about the directory, whichever variable names it.
unset TMPDIR
TEMPDIR=$SCRATCH/tmp
export TEMPDIR
begin 2 'echo here; read -r word <$GATE.$PMIX_RANK'
tool who
same 'a job is found in the directory that TEMPDIR names' '0 job.tool0.0 0' "$code $out"
kill -KILL $runner
wait $runner 2>/dev/null
exec 3>&-
check 'and leaves no file there' until_true 'no rendezvous file is left' no_files
unset TEMPDIR
TMPDIR=$SCRATCH/tmp
export TMPDIR

run env TMPDIR=/nonexistent "$pmixrun" -n 2 true
same 'a job needs no directory for tools' '0 ' "$code $err"

# The file that a tool names is of the first node's server. Each process goes on when the other one is there, so both servers are.
# shellcheck disable=SC2016
meet='if [ $PMIX_RANK = 0 ]; then read -r word <"$1"; echo >"$2"; else echo >"$1"; read -r word <"$2"; fi
    echo "$PMIX_RANK ${PMIX_LAUNCHER_RNDZ_FILE-none} ${PMIX_LAUNCHER_RNDZ_URI-none} $(sed "s/;.*//; q" "$3")"'
mkfifo "$SCRATCH/meet.1" "$SCRATCH/meet.2"
PMIX_LAUNCHER_RNDZ_FILE=$SCRATCH/tmp/by/variable PMIX_LAUNCHER_RNDZ_URI=nobody run "$pmixrun" --nodes 2 -n 2 sh -c "$meet" sh \
    "$SCRATCH/meet.1" "$SCRATCH/meet.2" "$SCRATCH/tmp/by/variable"
same 'a file for who has started pmixrun is written once, and its processes do not know' '0 none none pmixrun-server.PID.0
1 none none pmixrun-server.PID.0' "$(lines | sed 's/server\.[0-9]*\./server.PID./')"
same 'and goes with it' '' "$(files)"
PMIX_LAUNCHER_RNDZ_FILE='' run "$pmixrun" true
same 'an empty name is none' '0 ' "$code $err"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    begin 1 'echo here; read -r word <$GATE.$PMIX_RANK'
    chmod 755 "$SCRATCH" "$TMPDIR"
    chmod 644 "$TMPDIR"/pmix.*
    run setpriv --reuid 65534 --regid 65534 --clear-groups "$attend" --pid $runner who
    same 'a tool of another user is refused' '1 attend: tool_init: PMIX_ERR_NO_PERMISSIONS' "$code $err"
    kill -KILL $runner
    wait $runner 2>/dev/null
    exec 3>&-
else
    skip 'a tool of another user is refused' 'only root can be another user'
fi
finish
