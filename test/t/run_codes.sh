#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun's options and exit codes.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

code_is() { # code_is WHAT CODE COMMAND...
    what=$1
    want=$2
    shift 2
    run "$@"
    same "$what" "$want" "$code"
}

code_is 'success is 0' 0 "$pmixrun" -n 2 true
code_is 'a process fails' 7 "$pmixrun" -n 3 sh -c '[ $PMIX_RANK != 1 ] || exit 7'
code_is 'the others end when one fails' 7 "$pmixrun" -n 3 sh -c '[ $PMIX_RANK != 1 ] || exit 7; exec sleep 1000'
code_is 'a process dies of a signal' 139 "$pmixrun" sh -c 'kill -SEGV $$'
same 'which is said' 1 "$(printf '%s\n' "$err" | grep -c 'rank 0 was ended by signal 11')"

# complaint WHAT PATTERN: it is the only line on standard error.
complaint() {
    same "$1" 1 "$(grep -c -- "$2" "$SCRATCH/err")"
    same 'and nothing else' 1 "$(wc -l <"$SCRATCH/err" | tr -d ' ')"
}

# A process that fails is named, with its node and its exit code; those that are ended then are not.
host=$(uname -n)
run "$pmixrun" -n 3 --nspace named sh -c '[ $PMIX_RANK != 1 ] || exit 7; exec sleep 1000'
complaint 'who has failed' "^pmixrun: named rank 1 ended with exit code 7 on $host\$"
run "$pmixrun" --nodes 3 -n 3 --nspace named sh -c '[ $PMIX_RANK != 2 ] || exit 7; exec sleep 1000'
complaint 'who has failed, of several nodes' '^pmixrun: named rank 2 ended with exit code 7 on node2$'
run "$pmixrun" -n 3 --keep-going --nspace named sh -c 'exit $PMIX_RANK'
same 'each of them' 'pmixrun: named rank 1 ended with exit code 1 on host
pmixrun: named rank 2 ended with exit code 2 on host' "$(sed "s/ on $host\$/ on host/" "$SCRATCH/err" | sort)"

# The others fail when they are told that the first one has.
for first in 0 1 2 3; do
    # shellcheck disable=SC2016
    code_is "the first that fails decides, of four nodes: $first" 3 "$pmixrun" --nodes 4 -n 4 --keep-going --nspace named sh -c \
        '[ $PMIX_RANK != $1 ] || exit 3; until grep -q "rank $1 ended" "$2"; do sleep 0.1; done; exit 5' sh $first "$SCRATCH/err"
done

# One that its peers would wait for is a failure as well.
for form in '' hash; do
    for nodes in 1 2; do
        code_is "a process ends without PMIx_Finalize, on $nodes nodes${form:+, by messages}" 1 \
            "$pmixrun" ${form:+-x PMIX_MCA_gds=$form} --keep-going --nodes $nodes -n 4 --nspace named "$actor" quit
        complaint 'and is named' '^pmixrun: named rank 3 ended on .* after PMIx_Init without PMIx_Finalize$'
    done
done
code_is 'another program of the same process may call both' 0 "$pmixrun" -n 2 sh -c '"$1" job; "$1" job >&2' sh "$actor"
code_is 'what a script takes away is not counted' 0 "$pmixrun" -n 2 --script client_finalized=missing "$actor" job

# A parent may leave SIGCHLD ignored. (Not through libtool's wrapper: a shell resets it.)
program=$PX_TOP_BUILDDIR/src/tools/.libs/pmixrun
[ -x "$program" ] || program=$pmixrun
if command -v perl >/dev/null 2>&1; then
    # shellcheck disable=SC2016
    LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        code_is 'SIGCHLD was ignored' 0 timeout 20 perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$program" -n 2 true
else
    skip 'SIGCHLD was ignored' 'no perl'
fi
# A file that may not grow: the write fails, and the command says so. What it starts dies of the signal, as without it.
full=$SCRATCH/full
# shellcheck disable=SC2016
limited='ulimit -f 8 && exec "$@"'
code_is 'output into a file that is full' 1 sh -c "$limited >$full" sh "$pmixrun" seq 100000
complaint 'is said' '^pmixrun: cannot write to standard output: File too large$'
code_is 'a timeline that is too long' 1 sh -c "$limited" sh "$pmixrun" -n 40 --trace "$full" "$actor" job
same 'is said, too' 1 "$(grep -c "^pmixrun: cannot write $full: File too large\$" "$SCRATCH/err")"
code_is 'and of pmix_info' 1 sh -c "$limited >$full" sh "${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmix_info" --all
code_is 'a process is not spared' 153 sh -c "$limited" sh "$pmixrun" sh -c "exec seq 100000 >$full"

code_is 'no such program' 127 "$pmixrun" -n 2 /nonexistent/program
code_is 'no program at all' 126 "$pmixrun" "$SCRATCH"
code_is 'the time is over' 124 "$pmixrun" --timeout 1 sleep 1000
complaint 'as is said' '^pmixrun: the job has run for 1 s and is ended$'
code_is 'help' 0 "$pmixrun" --help
code_is 'help, short' 0 "$pmixrun" -h
for option in --version -V; do
    code_is "$option" 0 "$pmixrun" $option
    same 'the version' 1 "$(grep -c '^shmix [0-9]' "$SCRATCH/out")"
done
code_is 'as users of mpirun type it' 0 "$pmixrun" -np 3 echo one
same 'three processes' 3 "$(grep -c one "$SCRATCH/out")"
code_is 'with two dashes' 0 "$pmixrun" --np 3 --script lookup=PMIX_ERROR echo one
same 'three processes again' 3 "$(grep -c one "$SCRATCH/out")"
code_is 'no number' 2 "$pmixrun" -np
code_is 'no number, but a word' 2 "$pmixrun" -np true
same 'which is said as it is' 1 "$(grep -c 'not "true"' "$SCRATCH/err")"
code_is 'no program given' 2 "$pmixrun" -n 2
code_is 'zero processes' 2 "$pmixrun" -n 0 true
code_is 'a number that is none' 2 "$pmixrun" -n 4x true
code_is 'an unknown option' 2 "$pmixrun" --no-such-option true
same 'in the name of the program' 1 "$(grep -c '^pmixrun: .*no-such-option' "$SCRATCH/err")"
code_is 'an unknown binding' 2 "$pmixrun" --bind-to moon true
code_is 'a variable that is not there' 2 "$pmixrun" -x NO_SUCH_VARIABLE_HERE true
code_is 'a bad namespace' 2 "$pmixrun" --nspace 'a b' true
code_is 'options of the program are its own' 3 "$pmixrun" -n 1 sh -c 'exit $1' -- 3
mkfifo "$SCRATCH/ignores" # written when rank 1 ignores the signal
code_is 'a process that ignores SIGTERM is killed in the end' 5 "$pmixrun" -n 2 \
    sh -c 'if [ $PMIX_RANK = 0 ]; then read -r word <"$1"; exit 5; fi
        trap "" TERM; echo >"$1"; exec tail -f /dev/null' sh "$SCRATCH/ignores"

code_is 'more processes than a job may have' 1 "$pmixrun" -n 65536 true : true
complaint 'is said' '^pmixrun: a job has at most 65536 processes, those of all programs together$'

# Progress of a long start: on a terminal only.
run "$pmixrun" -n 256 true
same 'no progress in a pipe' '0 ' "$code $err"
if command -v script >/dev/null 2>&1 && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    limit 120 script -qec "'$pmixrun' -n 256 true" /dev/null >"$SCRATCH/out" 2>&1 </dev/null
    same 'progress on a terminal' '0 4' "$? $(tr '\r' '\n' <"$SCRATCH/out" | grep -c '^pmixrun: [0-9]* of 256 processes started$')"
    same 'the line goes' 1 "$(tr '\r' '\n' <"$SCRATCH/out" | grep -c "^$(printf '\033')\[K")"
    limit 120 script -qec "'$pmixrun' -n 2 true" /dev/null >"$SCRATCH/out" 2>&1 </dev/null
    same 'a short start has none' '0 0' "$? $(grep -c started "$SCRATCH/out")"
else
    skip 'progress on a terminal' 'there is no script(1), or no terminal'
fi
finish
