#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What processes write and read under pmixrun, and their environment.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

run "$pmixrun" -n 3 --nspace tagged --tag-output sh -c 'echo out; echo err >&2; printf rest'
same 'tagged output' '[tagged,0]<stdout>: out
[tagged,0]<stdout>: rest
[tagged,1]<stdout>: out
[tagged,1]<stdout>: rest
[tagged,2]<stdout>: out
[tagged,2]<stdout>: rest' "$(lines)"
same 'tagged errors' '[tagged,0]<stderr>: err
[tagged,1]<stderr>: err
[tagged,2]<stderr>: err' "$(sort "$SCRATCH/err")"

# Lines of several pages' total size from four processes: each must come whole, and none may be lost.
run "$pmixrun" -n 4 sh -c 'i=0; while [ $i -lt 2000 ]; do
    echo "$PMIX_RANK $i aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa z"
    i=$((i + 1)); done'
same 'no line is lost or mixed' 8000 "$(grep -c '^[0-3] [0-9]* aaaaaaaa*a z$' "$SCRATCH/out")"
same 'and there is nothing else' 8000 "$(wc -l <"$SCRATCH/out" | tr -d ' ')"
same 'lines of a rank stay in order' '' "$(for r in 0 1 2 3; do
    grep "^$r " "$SCRATCH/out" | awk '$2 != NR - 1 { print "wrong" }'
done)"

run "$pmixrun" sh -c 'head -c 200000 /dev/zero | tr "\0" x'
same 'a line without end' 200000 "$(wc -c <"$SCRATCH/out" | tr -d ' ')"

printf 'one\ntwo\n' | limit 60 "$pmixrun" -n 2 sh -c 'sed "s/^/$PMIX_RANK /"' >"$SCRATCH/out"
same 'standard input goes to rank 0 alone' '0 one
0 two' "$(cat "$SCRATCH/out")"
head -c 300000 /dev/zero | limit 60 "$pmixrun" -n 2 sh -c 'wc -c' >"$SCRATCH/out"
same 'much of it, too' '0
300000' "$(sort -n "$SCRATCH/out" | tr -d ' ')"
head -c 300000 /dev/zero | limit 60 "$pmixrun" -n 2 true
same 'a program need not read it' 0 $?

limit 60 "$pmixrun" -n 2 sh -c 'while echo y; do :; done' 2>/dev/null | head -n 2 >"$SCRATCH/out"
same 'the job ends when nobody reads its output' 'y
y' "$(cat "$SCRATCH/out")"

GIVEN=mine run "$pmixrun" -n 1 -x GIVEN -x NEW=value=2 -x GIVEN2= sh -c 'echo "$GIVEN,$NEW,${GIVEN2-unset}"'
same 'variables' 'mine,value=2,' "$out"
run "$pmixrun" sh -c 'echo $OMPI_MCA_schizo'
same 'Open MPI 4 is told that it is launched' '^orte' "$out"
OMPI_MCA_schizo=orte run "$pmixrun" sh -c 'echo $OMPI_MCA_schizo'
same 'unless the user says otherwise' 'orte' "$out"
PMIX_RANK=7 PMIX_SERVER_URI61=outer.0 run "$pmixrun" sh -c 'echo $PMIX_RANK ${PMIX_SERVER_URI61:-unset}'
same 'an outer job is not seen' 0 "$(case $out in *outer*) echo 1 ;; *) echo 0 ;; esac)"
run "$pmixrun" --nspace chosen -n 2 sh -c 'echo $PMIX_NAMESPACE $PMIX_RANK'
same 'names of processes' 'chosen 0
chosen 1' "$(lines)"
run "$pmixrun" -n 2 --verbose true
same 'verbose says what is done' 2 "$(printf '%s\n' "$err" | grep -c 'started .* as process')"
run "$pmixrun" -n 2 true
same 'and without it nothing is said' '' "$err"

run "$pmixrun" -n 2 --bind-to core grep -h Cpus_allowed_list /proc/self/status
same 'bound to a core' 0 "$code"
if [ "$(nproc)" -ge 2 ]; then
    same 'each to its own' 2 "$(lines | uniq | wc -l | tr -d ' ')"
else
    skip 'each to its own' 'one CPU'
fi
finish
