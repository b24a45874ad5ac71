#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun's applications: several programs in one job, where their processes are, and who reads its input.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
attend=$PX_TOP_BUILDDIR/test/t/attend
own_tmpdir

# placed OPTION...: "0 node0,1 node1": where each process is.
placed() {
    run "$pmixrun" "$@"
    lines | tr '\n' ',' | sed 's/,$//'
}
# refused WHAT CODE MESSAGE OPTION...: it is the first line that is said.
refused() {
    what=$1 want="$2 $3"
    shift 3
    run "$pmixrun" "$@"
    same "$what" "$want" "$code $(head -n 1 "$SCRATCH/err")"
}
# shellcheck disable=SC2016
say='echo "$PMIX_RANK $PMIX_HOSTNAME"'

same 'one after the other, over all nodes' '0 node0,1 node0,2 node1,3 node1' \
    "$(placed --nodes 2 sh -c "$say" : -n 3 sh -c "$say")"
same 'each where it is to be' '0 node1,1 node2,2 node0' \
    "$(placed --nodes 3 --host node1,node2 -n 2 sh -c "$say" : --host node0 sh -c "$say")"
same 'so many on each node' '0 node0,1 node0,2 node1,3 node1' "$(placed --nodes 2 --map-by ppr:2:node sh -c "$say")"
same 'and not more than are asked for' '0 node0,1 node0,2 node1' "$(placed --nodes 2 --map-by ppr:2:node -n 3 sh -c "$say")"
same 'in turn, one of them' '0 node0,1 node1,2 node0,3 node1,4 node0' \
    "$(placed --nodes 2 --map-by ppr:1:node --host node0 sh -c "$say" : -n 4 --map-by node sh -c "$say")"
same 'ranks in turn over what the mapping has placed' '0 node0,1 node1,2 node0,3 node1' \
    "$(placed --nodes 2 --map-by ppr:2:node --rank-by node sh -c "$say")"
same 'as long as there is room' '0 node1,1 node0,2 node1,3 node1' \
    "$(placed --nodes 2 --host node1,node0 --rank-by node -n 2 sh -c "$say" : --host node1 --rank-by node -n 2 sh -c "$say")"
same 'where the mapping is uneven' '0 node0,1 node1,2 node0' "$(placed --nodes 2 --rank-by node -n 3 sh -c "$say")"
same 'or in its order' '0 node0,1 node0,2 node1' "$(placed --nodes 2 --rank-by slot -n 3 sh -c "$say")"
printf '# nodes\n\n  node2 slots=4 # the first\nnode0\t max_slots=2\r\n' >"$SCRATCH/hosts"
same 'nodes of a file' '0 node2,1 node0' "$(placed --nodes 3 --hostfile "$SCRATCH/hosts" -n 2 sh -c "$say")"
printf 'ONE=1\n# TWO=2\n  THREE=a b=c  \nFOUR=\n' >"$SCRATCH/env"
run "$pmixrun" --env-file "$SCRATCH/env" sh -c 'echo "$ONE,$TWO,$THREE,${FOUR-unset}"' : -x ONE=own sh -c 'echo "$ONE,$THREE"'
same 'variables of a file' '1,,a b=c,
own,a b=c' "$(LC_ALL=C sort "$SCRATCH/out")"
run "$pmixrun" --host "$(uname -n)" sh -c 'echo one' : --host localhost sh -c 'echo two'
same 'the only node has two names' 'one
two' "$(lines)"

mkdir "$SCRATCH/elsewhere"
run "$pmixrun" -x ALL=all --wdir "$SCRATCH/elsewhere" sh -c 'echo "$PMIX_RANK $(pwd) $ALL $OWN"' \
    : -x OWN=own -x ALL=mine --wdir . sh -c 'echo "$PMIX_RANK $(pwd) $ALL $OWN"' : sh -c 'echo "$PMIX_RANK $(pwd) $ALL $OWN"'
same 'directories and variables are those of an application' "0 $SCRATCH/elsewhere all 
1 $(pwd) mine own
2 $(pwd) all " "$(lines)"
run "$pmixrun" sh -c 'exit 3' : --wdir / sh -c 'exec sleep 1000'
same 'one that fails ends the others' 3 "$code"

# What the job knows of its applications.
mkfifo "$SCRATCH/gate"
for nodes in 1 2; do
    rm -f "$SCRATCH/job.out"
    "$pmixrun" --nodes $nodes --nspace job -n 2 sh -c 'echo here; exec cat' : --wdir "$SCRATCH/elsewhere" sh -c 'echo here; exec cat' \
        : -n 2 --map-by ppr:2:node sh -c 'echo here; exec cat >/dev/null' <"$SCRATCH/gate" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" &
    runner=$!
    exec 3>"$SCRATCH/gate"
    until_lines 5 "$SCRATCH/job.out"
    run "$attend" --pid $runner get job '*' PMIX_JOB_NUM_APPS , get job 2 PMIX_APPNUM , get job 4 PMIX_APPNUM , get job 4 PMIX_APP_RANK , get job 3 PMIX_APPLDR
    same "three applications, $nodes nodes" '3 1 2 1 3' "$(sed 's/.* //' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
    exec 3>&-
    wait $runner
    same 'which end together' 0 $?
done

refused 'a colon with nothing before it' 2 'pmixrun: which program?' : true
refused 'a colon with nothing behind it' 2 'pmixrun: which program?' true :
refused 'options of the job behind a colon' 2 "pmixrun: unrecognized option '--nodes'" true : --nodes 2 true
refused 'a place that does not exist' 1 'pmixrun: --host names a node that is not there, or more processes are asked for than --map-by has room for' \
    --nodes 2 --host node2 true
refused 'too many for their places' 1 'pmixrun: --host names a node that is not there, or more processes are asked for than --map-by has room for' \
    --nodes 2 -n 3 --map-by ppr:1:node true
refused 'a policy that is none' 2 'pmixrun: --map-by cannot be "ppr:1:core"' --map-by ppr:1:core true
refused 'a rank of none' 2 'pmixrun: --rank-by cannot be "core"' --rank-by core true
refused 'no such file of nodes' 2 "pmixrun: --hostfile: $SCRATCH/none: No such file or directory" --hostfile "$SCRATCH/none" true
refused 'a file without nodes' 2 'pmixrun: --hostfile: /dev/null names no node' --hostfile /dev/null true
printf 'node0 cpus=4\n' >"$SCRATCH/hosts"
refused 'a word of none' 2 'pmixrun: --hostfile: what is "cpus=4", behind node0?' --hostfile "$SCRATCH/hosts" true
printf 'ONE\n' >"$SCRATCH/env"
refused 'a line of none' 2 'pmixrun: --env-file: not of the form VAR=VALUE: ONE' --env-file "$SCRATCH/env" true
refused 'a directory for a file' 2 "pmixrun: --env-file: $SCRATCH cannot be read" --env-file "$SCRATCH" true
refused 'no such directory' 2 "pmixrun: --wdir: $SCRATCH/none: No such file or directory" --wdir "$SCRATCH/none" true
refused 'a file for a directory' 2 'pmixrun: --wdir: /dev/null: Not a directory' --wdir /dev/null true

# ---- our input

head -c 1000000 /dev/urandom >"$SCRATCH/bytes"
all=$(cksum <"$SCRATCH/bytes")
none=$(cksum </dev/null)
# readers OPTION...: "0=all 1=none ...": what each of four processes has read.
readers() {
    limit 60 "$pmixrun" "$@" -n 4 sh -c 'sum=$(cksum); echo "$PMIX_RANK=$sum"' <"$SCRATCH/bytes" 2>&1 |
        sort | sed "s/$all/all/; s/$none/none/" | tr '\n' ' '
}
for nodes in 1 3; do
    same "rank 0 reads, $nodes nodes" '0=all 1=none 2=none 3=none ' "$(readers --nodes $nodes)"
    same 'or another one' '0=none 1=none 2=none 3=all ' "$(readers --nodes $nodes --stdin 3)"
    same 'or all, each everything' '0=all 1=all 2=all 3=all ' "$(readers --nodes $nodes --stdin all)"
    same 'or none' '0=none 1=none 2=none 3=none ' "$(readers --nodes $nodes --stdin none)"
    same 'rank 0 wherever it is' '0=all 1=none 2=none 3=none ' "$(readers --nodes $nodes $([ $nodes = 1 ] || echo --host node2))"
done
# One that reads no more does not keep the others from it.
for nodes in 1 2; do
    got=$(limit 60 "$pmixrun" --nodes $nodes --stdin all -n 4 sh -c '[ $PMIX_RANK != 1 ] || exit 0; cksum' <"$SCRATCH/bytes" | uniq -c | sed 's/^ *//')
    same "the others read on, $nodes nodes" "3 $all" "$got"
done
got=$(printf 'one\ntwo\n' | while read -r line; do
    "$pmixrun" --stdin none true
    echo "$line"
done)
same 'what nobody is to read stays' 'one
two' "$got"
refused 'no such rank' 1 'pmixrun: --stdin: there is no rank 4' --stdin 4 -n 4 true
refused 'no reader' 2 'pmixrun: --stdin must be a rank, all or none, not "some"' --stdin some true
finish
