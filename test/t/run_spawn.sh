#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What a tool can ask of pmixrun when it spawns: where processes are, their input and output, what is told of
# them, and a debugger's whole life.
# Covers: SPN-002 SPN-005 SPN-006 SPN-012
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
attend=$PX_TOP_BUILDDIR/test/t/attend
own_tmpdir

# begin NODES: a job that only waits until finish_job; leaves $runner.
begin() {
    rm -f "$SCRATCH/gate" "$SCRATCH/job.out"
    mkfifo "$SCRATCH/gate"
    "$pmixrun" --nodes "$1" --nspace job ${form:+-x PMIX_MCA_gds=$form} sh -c 'echo here; exec cat >/dev/null' \
        <"$SCRATCH/gate" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" &
    runner=$!
    exec 3>"$SCRATCH/gate"
    until_lines 1 "$SCRATCH/job.out"
}

finish_job() {
    exec 3>&-
    wait $runner
    same "the job itself ends well, $with" 0 $?
}

# tool COMMAND...: leaves what run leaves.
tool() { run "$attend" --pid $runner "$@"; }

# where DIRECTIVE... N PROGRAM: "0 node0,1 node0": where the processes of a job are.
where() {
    tool spawn "$@" , query PMIX_QUERY_PROC_TABLE @
    sed -n 's/^rank \([0-9]*\) on \([^:]*\):.*/\1 \2/p' "$SCRATCH/out" | tr '\n' ',' | sed 's/,$//'
}

# outcome DIRECTIVE... N PROGRAM: the status alone.
outcome() {
    tool spawn "$@"
    sed 's/^spawn: \([A-Z_]*\).*/\1/' "$SCRATCH/out"
}

form=''
with='on 3 nodes'
begin 3
same 'by slot' '0 node0,1 node0,2 node1,3 node2' "$(where PMIX_MAPBY=slot 4 true)"
same 'by node' '0 node0,1 node1,2 node2,3 node0' "$(where PMIX_MAPBY=node 4 true)"
same 'so many on each node' '0 node0,1 node0,2 node1,3 node1,4 node2,5 node2' "$(where PMIX_MAPBY=ppr:2:node 0 true)"
same 'and not more than are asked for' '0 node0,1 node1' "$(where PMIX_PPR=1:node 2 true)"
same 'on some nodes, in their order' '0 node2,1 node2,2 node0' "$(where PMIX_HOST=node2,node0 3 true)"
same 'a node that is named twice is one' '0 node2,1 node2,2 node0' "$(where PMIX_HOST=node2,node2,node0,node2 3 true)"
same 'in turn, also with another order behind that is not known' '0 node0,1 node1,2 node2,3 node0' \
    "$(where PMIX_RANKBY=node PMIX_RANKBY=socket 4 true)"
same 'each application where it wants to be' '0 node1,1 node2,2 node2' \
    "$(where PMIX_HOST=node1 1 true / PMIX_HOST=node2 2 true)"
tool spawn PMIX_MAPBY=ppr:1:node 0 true , get @ '*' PMIX_JOB_SIZE , get @ '*' PMIX_NUM_NODES , get @ 2 PMIX_HOSTNAME , get @ '*' PMIX_MAPBY
same 'which the job knows' 1 "$(grep -c 'node2$' "$SCRATCH/out")"
same 'no such node' PMIX_ERR_JOB_FAILED_TO_MAP "$(outcome PMIX_HOST=node9 1 true)"
same 'one of several that is not known' PMIX_ERR_JOB_FAILED_TO_MAP "$(outcome PMIX_HOST=node0,node9 1 true)"
same 'no node' PMIX_ERR_JOB_FAILED_TO_MAP "$(outcome PMIX_HOST= 1 true)"
same 'not so many on each node' PMIX_ERR_JOB_FAILED_TO_MAP "$(outcome PMIX_MAPBY=ppr:1:node 4 true)"
same 'a number that is none' PMIX_ERR_BAD_PARAM "$(outcome PMIX_MAPBY=ppr:x:node 4 true)"
same 'a value of another type' PMIX_ERR_BAD_PARAM "$(outcome PMIX_MAPBY=i:4 4 true)"
same 'a parent that is no process' PMIX_ERR_BAD_PARAM "$(outcome PMIX_PARENT_ID=i:4 1 true)"
same 'what is not known, required' PMIX_ERR_NOT_SUPPORTED "$(outcome '!PMIX_MAPBY=socket' 1 true)"
same 'and not required' PMIX_SUCCESS "$(outcome PMIX_MAPBY=socket 1 true)"
same 'a directive that is not known, required' PMIX_ERR_NOT_SUPPORTED "$(outcome '!PMIX_HOSTFILE=x' 1 true)"
same 'and not required' PMIX_SUCCESS "$(outcome PMIX_HOSTFILE=x 1 true)"
same 'no such program' PMIX_ERR_JOB_EXE_NOT_FOUND "$(outcome PMIX_MAPBY=node 3 /nonexistent)"
same 'no such directory' PMIX_ERR_JOB_WDIR_NOT_FOUND "$(outcome PMIX_WDIR=/nonexistent 3 true)"
tool spawn PMIX_FWD_STDOUT 1 /bin/sh as:other -c 'echo $0' , query PMIX_QUERY_PROC_TABLE @ , pull @ '*' out , until 1
same 'a program sees its first argument, whatever is executed' '/bin/sh, 0 out: other,' \
    "$(sed -n 's/^rank 0 on node0: \([^,]*\).*/\1/p; /out: /p' "$SCRATCH/out" | tr '\n' ',' | sed 's/,/, /')"
same 'no program' PMIX_ERR_JOB_NO_EXE_SPECIFIED "$(outcome 1 '')"
tool query PMIX_QUERY_SPAWN_SUPPORT
same 'what is known is told' 1 "$(grep -c 'pmix.mapby,pmix.ppr,.*pmix.dbg.exec' "$SCRATCH/out")"
finish_job

# Rank 0 has closed its input, says so, and stays until rank 1 has read a line.
mkfifo "$SCRATCH/closed" "$SCRATCH/others"
one_closes="case \$PMIX_RANK in
0) exec <&-; echo >$SCRATCH/closed; cat <$SCRATCH/others ;;
*) read -r line; echo \$line ;;
esac
[ \$PMIX_RANK != 1 ] || : >$SCRATCH/others"
for nodes in 1 2 3; do
    for form in '' hash; do
        [ $nodes = 2 ] || [ -z "$form" ] || continue
        with="on $nodes nodes${form:+, by messages}"
        begin $nodes

        tool spawn PMIX_FWD_STDOUT PMIX_FWD_STDERR PMIX_WDIR=/usr PMIX_PREFIX=/opt/x 2 sh -c 'pwd; echo "${PATH%%:*}" >&2' \
            , pull @ '*' both , until 4
        same "a tool has the output of its job, $with" '0 err: /opt/x/bin
0 out: /usr
1 err: /opt/x/bin
1 out: /usr' "$(grep ': /' "$SCRATCH/out" | sort)"
        same 'and nobody else' 1 "$(wc -l <"$SCRATCH/job.out")"

        run "$attend" --pid $runner spawn PMIX_FWD_STDOUT PMIX_STDIN_TGT=r:2 3 cat , pull @ '*' out \
            , push @ 0 nobody , push @ 2 somebody , push @ 2 , until 3
        same "the chosen process is given input, $with" 'push: PMIX_ERR_IOF_COMPLETE
push: PMIX_SUCCESS
push: PMIX_SUCCESS
2 out: somebody' "$(grep -e ^push -e somebody "$SCRATCH/out" | sort | sed '/^2/{h;d;};$G')"
        for wish in PMIX_FWD_STDIN=r:1 'PMIX_STDIN_TGT=r:1 PMIX_FWD_STDIN' 'PMIX_FWD_STDIN PMIX_STDIN_TGT=r:1'; do
            # shellcheck disable=SC2086
            run "$attend" --pid $runner spawn PMIX_FWD_STDOUT $wish 3 cat , pull @ '*' out , push @ 1 one , push @ 1 , until 3
            same "or another one, by $wish" '1 out: one' "$(grep -e 'out: ' "$SCRATCH/out")"
        done
        run "$attend" --pid $runner spawn PMIX_FWD_STDOUT "PMIX_STDIN_TGT=r:*" 3 cat , pull @ '*' out \
            , push @ '*' everybody , push @ '*' , until 3
        same 'or all of them' 3 "$(grep -c 'out: everybody' "$SCRATCH/out")"
        run "$attend" --pid $runner spawn PMIX_FWD_STDOUT "PMIX_STDIN_TGT=r:*" 3 cat , pull @ '*' out \
            , push @ '0,*,2,0' once , push @ '0,*' , until 3
        same 'once, however often they are meant' '0 out: once
1 out: once
2 out: once' "$(grep 'out: ' "$SCRATCH/out" | sort)"
        limit 60 "$attend" --pid $runner spawn PMIX_FWD_STDOUT "PMIX_STDIN_TGT=r:*" 3 sh -c "$one_closes" , pull @ '*' out \
            , read , push @ '*' others , until 3 <>"$SCRATCH/closed" >"$SCRATCH/out" 2>&1
        same 'also when one of them has closed its input' '1 out: others
2 out: others
push: PMIX_SUCCESS' "$(grep -e ^push -e others "$SCRATCH/out" | sort)"

        run "$attend" --pid $runner spawn PMIX_FWD_STDOUT 2 true / '!PMIX_FWD_STDIN' 2 cat , pull @ '*' out , push @ 2 app , push @ 2 , until 4
        same "an application's first process is given input, $with" '2 out: app' "$(grep 'out: ' "$SCRATCH/out")"
        tool hear PMIX_EVENT_JOB_END , spawn PMIX_NOTIFY_COMPLETION 1 true / '!PMIX_FWD_STDOUT' 1 echo of-an-app \
            , await PMIX_EVENT_JOB_END
        same 'what an application wants of the output is the job'"'"'s wish' 0 "$(grep -c of-an-app "$SCRATCH/job.out")"

        tool hear PMIX_EVENT_JOB_END , spawn PMIX_FWD_STDOUT PMIX_NOTIFY_COMPLETION 2 echo early \
            , await PMIX_EVENT_JOB_END , pull @ '*' out , until 2
        same 'also if it asks when the job is over' 2 "$(grep -c 'out: early' "$SCRATCH/out")"

        tool hear PMIX_EVENT_JOB_END , spawn "PMIX_IOF_OUTPUT_TO_FILE=$SCRATCH/files/rank-%r" PMIX_IOF_FILE_PATTERN PMIX_IOF_FILE_ONLY \
            PMIX_IOF_RANK_OUTPUT PMIX_IOF_MERGE_STDERR_STDOUT PMIX_NOTIFY_COMPLETION 2 sh -c 'echo out; echo err >&2' \
            , await PMIX_EVENT_JOB_END
        same "output of a job goes to files, $with" 'rank-0.stdout:[0]<stdout>: out rank-0.stdout:[0]<stdout>: err rank-1.stdout:[1]<stdout>: out rank-1.stdout:[1]<stdout>: err ' \
            "$( (cd "$SCRATCH/files" && grep -r '' . | sed 's|^\./||' | sort -s -t: -k1,1 | tr '\n' ' ') )"
        same 'and nowhere else' 1 "$(wc -l <"$SCRATCH/job.out")"
        rm -r "$SCRATCH/files"
        tool hear PMIX_EVENT_JOB_END , spawn "PMIX_OUTPUT_TO_DIRECTORY=/dev/null" PMIX_NOTIFY_COMPLETION 1 echo shown , await PMIX_EVENT_JOB_END
        same 'where no file can be made, that is said' 1 "$(grep -c 'pmixrun: cannot write to /dev/null/job.*/rank.0/stdout: Not a directory' "$SCRATCH/job.err")"
        same 'a file and a directory are not both' PMIX_ERR_BAD_PARAM "$(outcome PMIX_IOF_OUTPUT_TO_FILE=a PMIX_IOF_OUTPUT_TO_DIRECTORY=b 1 true)"
        tool spawn PMIX_TAG_OUTPUT PMIX_NOTIFY_COMPLETION 1 echo word
        until_lines 3 "$SCRATCH/job.out"
        same 'lines of a job say whose they are' 'word' \
            "$(sed -n 's/^\[job\.[0-9]*,0\]<stdout>: //p' "$SCRATCH/job.out")"
        tool hear PMIX_EVENT_JOB_END , spawn PMIX_IOF_TAG_DETAILED_OUTPUT PMIX_NOTIFY_COMPLETION 1 sh -c 'echo "pid $$"' , await PMIX_EVENT_JOB_END
        check 'or also where they are from' until_true 'the line is there' grep -q 'pid [0-9]' "$SCRATCH/job.out"
        same 'with the process id' 1 "$(sed -n 's/^\[job\.[0-9]*,0\]\[[^:]*:\([0-9]*\)\]<stdout>: pid \1$/yes/p' "$SCRATCH/job.out" | grep -c yes)"
        same 'raw output is for one node, else by option' "$([ $nodes = 1 ] && echo PMIX_SUCCESS || echo PMIX_ERR_NOT_SUPPORTED)" "$(outcome '!PMIX_IOF_OUTPUT_RAW' 1 true)"

        tool hear PMIX_EVENT_JOB_END PMIX_EVENT_JOB_START PMIX_ERR_EXIT_NONZERO_TERM PMIX_ERR_PROC_ABORTED_BY_SIG \
            , spawn PMIX_NOTIFY_JOB_EVENTS PMIX_FWD_STDOUT 3 sh -c '[ $PMIX_RANK = 1 ] && exit 7; exit 0' \
            , await PMIX_EVENT_JOB_START , await PMIX_EVENT_JOB_END , await PMIX_ERR_EXIT_NONZERO_TERM \
            , query PMIX_QUERY_JOB_STATUS @ \
            , spawn PMIX_NOTIFY_COMPLETION 1 sh -c 'kill -9 $$' , await PMIX_EVENT_JOB_END \
            , spawn PMIX_NOTIFY_COMPLETION 1 true , await PMIX_EVENT_JOB_END
        # fields EVENT NTH: what came with it, one a line, the name of the job as JOB
        fields() {
            grep "^$1:" "$SCRATCH/out" | sed -n "$2p" | tr ' ' '\n' | sed -n '/=/p' | sed 's/=job\.[0-9]*/=JOB/' | sort
        }
        same "who has spawned a job hears of its start, $with" 'PMIX_EVENT_AFFECTED_PROC=JOB/*
PMIX_EVENT_TIMESTAMP=now' "$(fields PMIX_EVENT_JOB_START 1 | grep -v CUSTOM)"
        same 'of its end, and who has failed' 'PMIX_EVENT_AFFECTED_PROC=JOB/*
PMIX_EVENT_TIMESTAMP=now
PMIX_EXIT_CODE=7
PMIX_JOB_TERM_STATUS=PMIX_ERR_JOB_NON_ZERO_TERM
PMIX_PROCID=JOB/1' "$(fields PMIX_EVENT_JOB_END 1 | grep -v CUSTOM)"
        same 'of the end of a process' 'PMIX_EVENT_AFFECTED_PROC=JOB/1
PMIX_EVENT_TIMESTAMP=now
PMIX_EXIT_CODE=7
PMIX_PROC_TERM_STATUS=PMIX_ERR_EXIT_NONZERO_TERM' "$(fields PMIX_ERR_EXIT_NONZERO_TERM 1)"
        same 'of a signal' 'PMIX_EXIT_CODE=137
PMIX_JOB_TERM_STATUS=PMIX_ERR_JOB_ABORTED_BY_SIG' "$(fields PMIX_EVENT_JOB_END 2 | grep -e CODE -e TERM)"
        same 'and of an end without failure' 'PMIX_JOB_TERM_STATUS=PMIX_SUCCESS' \
            "$(fields PMIX_EVENT_JOB_END 3 | grep -e CODE -e TERM -e PROCID)"
        same 'the state of a job says why' 1 "$(grep -c '^PMIX_ERR_JOB_NON_ZERO_TERM$' "$SCRATCH/out")"
        if [ $nodes != 1 ]; then
            tool hear PMIX_EVENT_JOB_END , spawn PMIX_NOTIFY_COMPLETION PMIX_HOST=node1 1 /nonexistent \
                , spawn PMIX_NOTIFY_COMPLETION 1 true , await PMIX_EVENT_JOB_END
            same "nobody hears of the end of a job that could not be started elsewhere, $with" \
                "$(sed -n 's/^spawn: PMIX_SUCCESS //p' "$SCRATCH/out")" \
                "$(sed -n 's,^PMIX_EVENT_JOB_END:.*PMIX_EVENT_AFFECTED_PROC=\([^/]*\)/.*,\1,p' "$SCRATCH/out")"
        fi
        tool hear PMIX_EVENT_JOB_END , spawn PMIX_NOTIFY_COMPLETION 1 echo not-forwarded , await PMIX_EVENT_JOB_END , pull @ '*' out
        same "output that is not forwarded is pmixrun's, $with" '1 0' "$(grep -c '^not-forwarded$' "$SCRATCH/job.out") $(grep -c 'out: not-forwarded' "$SCRATCH/out")"
        finish_job

        # A debugger: a job that is stopped before it runs, a daemon beside its processes on each node, who look
        # at them, the output of both, the release, the end.
        begin $nodes
        mkfifo "$SCRATCH/go"
        "$attend" --pid $runner hear PMIX_READY_FOR_DEBUG PMIX_EVENT_JOB_END \
            , spawn PMIX_DEBUG_STOP_ON_EXEC PMIX_NOTIFY_COMPLETION PMIX_MAPBY=node PMIX_FWD_STDOUT 4 sh -c 'echo ran $PMIX_RANK' \
            , await PMIX_READY_FOR_DEBUG , pull job.1 '*' out , query PMIX_QUERY_PROC_TABLE job.1 \
            , spawn PMIX_DEBUGGER_DAEMONS 'PMIX_DEBUG_TARGET=p:job.1/*' PMIX_DEBUG_DAEMONS_PER_NODE=h:1 PMIX_NOTIFY_COMPLETION \
            PMIX_FWD_STDOUT 0 "$attend" --job get . '*' PMIX_DEBUG_TARGET + query PMIX_QUERY_LOCAL_PROC_TABLE job.1 \
            / 0 "$attend" --job who \
            , pull job.2 '*' out , await PMIX_EVENT_JOB_END job.2 , say looked , read \
            , control job.1 '*' PMIX_JOB_CTRL_RESUME , await PMIX_EVENT_JOB_END job.1 , until 4 \
            >"$SCRATCH/debug.out" 2>&1 <"$SCRATCH/go" &
        debugger=$!
        exec 4>"$SCRATCH/go"
        until_true 'the debugger has looked' grep '^looked$' "$SCRATCH/debug.out"
        same "a job is ready for a debugger, $with" 1 "$(grep -c '^PMIX_READY_FOR_DEBUG:.*PMIX_BREAKPOINT=exec' "$SCRATCH/debug.out")"
        pids=$(sed -n 's/^rank . on .*, pid \([0-9]*\), .*/\1/p' "$SCRATCH/debug.out")
        # shellcheck disable=SC2086
        same 'its processes are stopped' 'T T T T' "$(for pid in $pids; do sed 's/.*) \(.\) .*/\1/' "/proc/$pid/stat"; done | tr '\n' ' ' | sed 's/ $//')"
        # shellcheck disable=SC2086
        same 'in the program' 4 "$(for pid in $pids; do readlink "/proc/$pid/exe"; done | grep -c -v pmixrun)"
        same 'and have done nothing' 0 "$(grep -c 'ran ' "$SCRATCH/debug.out")"
        same 'a daemon beside them on each node sees those of its node' 4 \
            "$(grep -c 'out: rank . on .*: sh, ' "$SCRATCH/debug.out")"
        same 'and knows whom it is for' $nodes "$(grep -c 'out: .*job\.1' "$SCRATCH/debug.out")"
        exec 4>&-
        wait $debugger
        same 'they are let go' 'ran 0 ran 1 ran 2 ran 3' \
            "$(sed -n 's/.* out: \(ran .\)$/\1/p' "$SCRATCH/debug.out" | sort | tr '\n' ' ' | sed 's/ $//')"
        same 'and end' 1 "$(grep '^PMIX_EVENT_JOB_END:' "$SCRATCH/debug.out" | grep job.1 | grep -c PMIX_JOB_TERM_STATUS=PMIX_SUCCESS)"
        rm -f "$SCRATCH/go"
        finish_job

        # One that is lost: what it has let stop goes on, wherever it waits, or begins to wait later, as rank 1 of the second job.
        begin $nodes
        mkfifo "$SCRATCH/go" "$SCRATCH/late"
        "$attend" --pid $runner hear PMIX_READY_FOR_DEBUG \
            , spawn PMIX_DEBUG_STOP_ON_EXEC PMIX_MAPBY=node 4 sh -c 'echo ran $PMIX_RANK' , await PMIX_READY_FOR_DEBUG job.1 \
            , spawn PMIX_DEBUG_STOP_IN_INIT PMIX_MAPBY=node 2 sh -c '[ $PMIX_RANK = 0 ] || read -r word <$1; exec "$2" keyed' \
            sh "$SCRATCH/late" "$actor" , say stopped , read >"$SCRATCH/debug.out" 2>&1 <"$SCRATCH/go" &
        debugger=$!
        exec 4>"$SCRATCH/go"
        until_true 'two jobs are stopped' grep '^stopped$' "$SCRATCH/debug.out"
        same "nobody runs under a debugger, $with" 1 "$(wc -l <"$SCRATCH/job.out" | tr -d ' ')"
        kill -KILL $debugger
        exec 4>&-
        until_lines 5 "$SCRATCH/job.out"
        echo >"$SCRATCH/late"
        until_lines 7 "$SCRATCH/job.out"
        same 'all go on when it is lost' 'ran 0 ran 1 ran 2 ran 3 rank 0 has read 2 keys rank 1 has read 2 keys' \
            "$(grep -v here "$SCRATCH/job.out" | sort | tr '\n' ' ' | sed 's/ $//')"
        rm -f "$SCRATCH/go" "$SCRATCH/late"
        finish_job
    done
done

form=''
with='on 2 nodes'
begin 2
tool spawn PMIX_DEBUG_STOP_ON_EXEC=r:1 PMIX_FWD_STDOUT 2 sleep 1000 , query PMIX_QUERY_PROC_TABLE @ \
    , spawn PMIX_DEBUGGER_DAEMONS 'PMIX_DEBUG_TARGET=p:job.1/1' PMIX_DEBUG_DAEMONS_PER_PROC=h:2 0 true \
    , query PMIX_QUERY_PROC_TABLE @ \
    , spawn PMIX_DEBUGGER_DAEMONS 'PMIX_DEBUG_TARGET=p:none/*' PMIX_DEBUG_DAEMONS_PER_NODE=h:1 0 true
# shellcheck disable=SC2046
set -- $(sed -n 's/^rank . on .*: sleep, .*pid \([0-9]*\), .*/\1/p' "$SCRATCH/out")
check 'one process runs' until_state "${1:-none}" S
check 'and one is stopped' until_state "${2:-none}" T
same 'daemons for one process are beside it' 2 "$(grep -c '^rank . on node1: true' "$SCRATCH/out")"
same 'nobody is not debugged' 'spawn: PMIX_ERR_NOT_FOUND' "$(tail -n 1 "$SCRATCH/out")"
same 'nor whoever is where a daemon may not be' PMIX_ERR_JOB_FAILED_TO_MAP \
    "$(outcome PMIX_DEBUGGER_DAEMONS 'PMIX_DEBUG_TARGET=p:job.1/*' PMIX_DEBUG_DAEMONS_PER_PROC=h:1 PMIX_HOST=node0 PMIX_RANKBY=node 0 true)"
same 'more processes than a job may have' PMIX_ERR_OUT_OF_RESOURCE "$(outcome 65536 true / 1 true)"
tool spawn PMIX_SPAWN_TOOL PMIX_FWD_STDOUT 2 "$attend" --job who , pull @ '*' out , until 2
same 'a tool that is spawned is of its job' 'job.6 0 job.6 1' \
    "$(sed -n 's/.* out: //p' "$SCRATCH/out" | sort | tr '\n' ' ' | sed 's/ $//')"
tool control job.1 '*' PMIX_JOB_CTRL_KILL
finish_job

# Of a job that ended long ago its state is known, and no more.
for nodes in 1 2; do
    with="on $nodes nodes"
    begin $nodes
    set --
    while [ $# -lt 400 ]; do
        set -- "$@" , spawn PMIX_NOTIFY_COMPLETION 1 true , await PMIX_EVENT_JOB_END
    done
    tool hear PMIX_EVENT_JOB_END , spawn PMIX_NOTIFY_COMPLETION 2 sh -c 'exit 7' , await PMIX_EVENT_JOB_END "$@" \
        , query PMIX_QUERY_JOB_STATUS job.1 , query PMIX_QUERY_PROC_TABLE job.1 , push job.1 0 line , query PMIX_QUERY_PROC_TABLE @
    same "the state of a job that ended long ago, $with" 'PMIX_ERR_JOB_NON_ZERO_TERM PMIX_ERR_IOF_COMPLETE' \
        "$(grep -x PMIX_ERR_JOB_NON_ZERO_TERM "$SCRATCH/out") $(sed -n 's/^push: //p' "$SCRATCH/out")"
    same 'and processes of the one that ended last' 'PMIX_ERR_NOT_FOUND 1' \
        "$(sed -n 's/^[^ ]*: \(PMIX_ERR_NOT_FOUND\)$/\1/p' "$SCRATCH/out") $(grep -c '^rank ' "$SCRATCH/out")"
    finish_job
done

# A call that ends the caller does not return, also if others are to end as well.
for nodes in 1 2; do
    run "$pmixrun" --nodes $nodes -n 2 "$actor" abort stubborn
    same "abort gives its status and does not return, on $nodes nodes" '42 ' "$code $out"
done
finish
