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

run "$pmixrun" -n 2 --nspace stamped --timestamp-output sh -c 'echo out; echo err >&2'
same 'output with the time' 2 "$(grep -cE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9](:[0-5][0-9]){2}<stdout>: out$' "$SCRATCH/out")"
same 'and errors' 2 "$(grep -c 'T.*<stderr>: err$' "$SCRATCH/err")"
run "$pmixrun" -n 2 --nspace stamped --timestamp-output --tag-output echo out
same 'before the process' 2 "$(grep -c '^20.*T.*\[stamped,[01]\]<stdout>: out$' "$SCRATCH/out")"
run "$pmixrun" --merge-stderr sh -c 'for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done'
same 'errors where they were written among output' 'out 1 err 1 out 2 err 2 out 3 err 3 ' "$(tr '\n' ' ' <"$SCRATCH/out")$err"

run "$pmixrun" -n 1 --nspace raw --raw-output --tag-output sh -c 'printf a; echo b; printf c'
same 'raw output with a tag has one for each line' '[raw,0]<stdout>: ab
[raw,0]<stdout>: c' "$out"
for nodes in 1 2; do
    mkfifo "$SCRATCH/answer.$nodes"
    # shellcheck disable=SC2016
    "$pmixrun" --nodes $nodes --raw-output sh -c 'printf "who? "; read -r name; echo "hello $name"' \
        <"$SCRATCH/answer.$nodes" >"$SCRATCH/prompt" 2>&1 &
    runner=$!
    exec 5>"$SCRATCH/answer.$nodes"
    check "a prompt does not wait for the end of its line, $nodes nodes" until_true 'there is a prompt' grep -q 'who? ' "$SCRATCH/prompt"
    echo you >&5
    exec 5>&-
    wait $runner
    same 'and the rest follows' '0 who? hello you' "$? $(cat "$SCRATCH/prompt")"
done

# contents DIRECTORY: each file with its lines.
contents() { (cd "$1" && find . -type f | sort | xargs grep -H '' | tr '\n' ';'); }
speak='echo "out $PMIX_RANK"; echo err >&2; printf rest'
for nodes in 1 2; do
    dir=$SCRATCH/files.$nodes/deep
    run "$pmixrun" --nodes $nodes -n 2 --nspace .j/b --output "$dir" sh -c "$speak"
    same "output in files as well, $nodes nodes" 'out 0 out 1 rest rest err err ' "$(grep -oE 'out [01]|rest' "$SCRATCH/out" | sort | tr '\n' ' ')$(tr '\n' ' ' <"$SCRATCH/err")"
    same 'a file for each' './_j_b/rank.0/stderr:err;./_j_b/rank.0/stdout:out 0;./_j_b/rank.0/stdout:rest;./_j_b/rank.1/stderr:err;./_j_b/rank.1/stdout:out 1;./_j_b/rank.1/stdout:rest;' \
        "$(contents "$dir")"
    run "$pmixrun" --nodes $nodes -n 2 --nspace .j/b --output-only "$dir" --tag-output --merge-stderr sh -c "$speak"
    same 'or only there, and anew' "./_j_b/rank.0/stderr:err;./_j_b/rank.0/stdout:[.j/b,0]<stdout>: out 0;./_j_b/rank.0/stdout:[.j/b,0]<stdout>: err;./_j_b/rank.0/stdout:[.j/b,0]<stdout>: rest;" \
        "$(contents "$dir" | sed 's|./_j_b/rank.1.*||')$out$err"
done
run "$pmixrun" -n 2 --nspace big --output-only "$SCRATCH/big" sh -c 'seq 200000; head -c 200000 /dev/zero | tr "\0" x'
same 'much of it' "$( (seq 200000; head -c 200000 /dev/zero | tr '\0' x) | cksum) " "$(cksum <"$SCRATCH/big/big/rank.1/stdout") $out"
for nodes in 1 2; do
    run "$pmixrun" --nodes $nodes -n 2 --nspace bad --output /dev/null/here sh -c 'echo out; exec sleep 1000'
    same "a file that cannot be written ends the job, $nodes nodes" '1 pmixrun: cannot write to /dev/null/here/bad/rank.R/stdout: Not a directory' \
        "$code $(sed 's/rank.[01]/rank.R/' "$SCRATCH/err" | uniq)"
done

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

{
    limit 60 "$pmixrun" -n 2 sh -c 'while echo y; do :; done' 2>/dev/null
    echo $? >"$SCRATCH/code"
} | head -n 2 >"$SCRATCH/out"
same 'the job ends when nobody reads its output' 'y
y
1' "$(cat "$SCRATCH/out" "$SCRATCH/code")"

# Into a pipe lines are whole as well.
limit 60 "$pmixrun" -n 4 sh -c 'for i in 1 2 3 4 5 6 7 8 9; do printf "%s %020000d\n" "$PMIX_RANK" "$i"; done' | awk '
    length($0) != 20002 || $2 + 0 != ++last[$1] { wrong++ } END { print NR + 0, wrong + 0 }' >"$SCRATCH/out"
same 'long lines into a pipe' '36 0' "$(cat "$SCRATCH/out")"

# A file takes what was read at once.
if command -v strace >/dev/null 2>&1 && [ -z "$PX_SANITIZED" ]; then
    limit 60 strace -qq -e trace=read,write -o "$SCRATCH/trace" "$pmixrun" head -c 4000000 /dev/zero >"$SCRATCH/out"
    same 'all of it' 4000000 "$(wc -c <"$SCRATCH/out" | tr -d ' ')"
    writes=$(grep -c '^write(1, ' "$SCRATCH/trace")
    reads=$(grep -c '^read(.* = [1-9]' "$SCRATCH/trace")
    [ "$writes" -gt 0 ] && [ "$writes" -le "$reads" ]
    report $? "as many writes as reads ($writes, $reads)"
else
    skip 'as many writes as reads' 'no strace here, or a sanitizer'
fi

# What cannot be written ends the job, with words.
if [ -c /dev/full ]; then
    limit 60 "$pmixrun" -n 2 echo lost >/dev/full 2>"$SCRATCH/err"
    same 'no room for the output' 1 $?
    same 'which is said' 1 "$(grep -c '^pmixrun: cannot write to standard output: No space left' "$SCRATCH/err")"
    limit 60 "$pmixrun" --nodes 2 -n 2 echo lost >/dev/full 2>"$SCRATCH/err"
    same 'with several nodes' 1 $?
    same 'by one of them' 1 "$(grep -c 'cannot write to standard output' "$SCRATCH/err")"
    limit 60 "$pmixrun" --help >/dev/full 2>"$SCRATCH/err"
    same 'no room for the help' 1 $?
    same 'which is said, too' 1 "$(grep -c '^pmixrun: cannot write to standard output: No space left' "$SCRATCH/err")"
else
    skip 'no room for the output' 'no /dev/full'
fi
limit 60 "$pmixrun" -n 2 echo lost >&- 2>"$SCRATCH/err"
same 'a closed output' 1 $?
same 'is said' 1 "$(grep -c '^pmixrun: cannot write to standard output' "$SCRATCH/err")"
limit 60 "$pmixrun" -n 2 cat <&- >"$SCRATCH/out" 2>"$SCRATCH/err"
same 'a closed input is an empty one' '0 ' "$? $(cat "$SCRATCH/err")"

if command -v python3 >/dev/null 2>&1; then
    check 'a job in the background reads when it gets the terminal' python3 "$PX_TOP_SRCDIR/test/t/terminal.py" "$pmixrun" sh -c 'echo up; exec cat'
else
    skip 'a job in the background reads when it gets the terminal' 'no python3'
fi

GIVEN=mine run "$pmixrun" -n 1 -x GIVEN -x NEW=value=2 -x GIVEN2= sh -c 'echo "$GIVEN,$NEW,${GIVEN2-unset}"'
same 'variables' 'mine,value=2,' "$out"
run "$pmixrun" sh -c 'echo $OMPI_MCA_schizo'
same 'Open MPI 4 is told that it is launched' '^orte' "$out"
OMPI_MCA_schizo=orte run "$pmixrun" sh -c 'echo $OMPI_MCA_schizo'
same 'unless the user says otherwise' 'orte' "$out"
n_cpus=$(nproc)
# shellcheck disable=SC2016
say_shared='echo ${OMPI_MCA_mpi_oversubscribe-unset}'
run "$pmixrun" -n $((n_cpus + 1)) sh -c "$say_shared"
same 'and that its processes share CPUs' 1 "$(lines | uniq)"
run "$pmixrun" --nodes 2 -n $((n_cpus + 1)) sh -c "$say_shared"
same 'on several nodes, too' 1 "$(lines | uniq)"
run "$pmixrun" -n "$n_cpus" sh -c "$say_shared"
same 'when they do' unset "$(lines | uniq)"
OMPI_MCA_mpi_oversubscribe=0 run "$pmixrun" -n $((n_cpus + 1)) sh -c "$say_shared"
same 'if the user has not said it' 0 "$(lines | uniq)"
if command -v taskset >/dev/null 2>&1; then
    run taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$pmixrun" -n 2 sh -c "$say_shared"
    same 'CPUs that we may use' 1 "$(lines | uniq)"
else
    skip 'CPUs that we may use' 'no taskset'
fi

# Emulated nodes have one host name, after which Open MPI names the files that it shares on a node.
# shellcheck disable=SC2016
say_dirs='for d in "$OMPI_MCA_btl_vader_backing_directory" "$OMPI_MCA_btl_sm_backing_directory" \
    "$OMPI_MCA_osc_sm_backing_directory" "$OMPI_MCA_osc_rdma_backing_directory"; do
    echo "$PMIX_HOSTNAME $d"; : >"$d/file.$PMIX_RANK" || echo "no $d"; done'
run "$pmixrun" --nodes 2 -n 4 sh -c "$say_dirs"
same 'a directory for each node' 'node0
node1' "$(lines | uniq | cut -d' ' -f1)"
dirs=$(lines | uniq | cut -d' ' -f2)
same 'which are two' 2 "$(printf '%s\n' "$dirs" | grep -c ^/)"
for d in $dirs; do
    check 'and gone at the end' [ ! -e "$(dirname "$d")" ]
done
OMPI_MCA_btl_vader_backing_directory=$SCRATCH run "$pmixrun" --nodes 2 -n 2 sh -c 'echo $OMPI_MCA_btl_vader_backing_directory'
same 'unless the user has chosen one' "$SCRATCH" "$(lines | uniq)"
run "$pmixrun" -n 2 sh -c 'echo "${OMPI_MCA_btl_vader_backing_directory-none}${OMPI_MCA_btl_tcp_if_include-none}"'
same 'and none on one node' nonenone "$(lines | uniq)"
run "$pmixrun" --nodes 2 -n 2 sh -c 'echo "$OMPI_MCA_btl_tcp_if_include"'
same 'nodes talk by the loopback interface' lo "$(lines | uniq)"
OMPI_MCA_btl_tcp_if_exclude=eth7 run "$pmixrun" --nodes 2 -n 2 sh -c 'echo "${OMPI_MCA_btl_tcp_if_include-none}"'
same 'unless the user has chosen interfaces' none "$(lines | uniq)"

PMIX_RANK=7 PMIX_SERVER_URI61=outer.0 run "$pmixrun" sh -c 'echo $PMIX_RANK ${PMIX_SERVER_URI61:-unset}'
same 'an outer job is not seen' 0 "$(case $out in *outer*) echo 1 ;; *) echo 0 ;; esac)"
run "$pmixrun" --nspace chosen -n 2 sh -c 'echo $PMIX_NAMESPACE $PMIX_RANK'
same 'names of processes' 'chosen 0
chosen 1' "$(lines)"
run "$pmixrun" -n 2 --verbose true
same 'verbose says what is done' 2 "$(printf '%s\n' "$err" | grep -c 'started .* as process')"
run "$pmixrun" -n 2 true
same 'and without it nothing is said' '' "$err"

run "$pmixrun" -n 2 --nspace bound --bind-to core --report-bindings true
same 'bindings are reported' 2 "$(printf '%s\n' "$err" | grep -cE "^pmixrun: bound rank [01] on $(uname -n) is bound to CPUs [0-9,-]+\$")"
run "$pmixrun" --nodes 2 -n 2 --nspace free --report-bindings true
same 'or that there are none' 'pmixrun: free rank 0 on node0 is not bound
pmixrun: free rank 1 on node1 is not bound' "$(sort "$SCRATCH/err")"
run "$pmixrun" --nodes 2 -n $(($(nproc) + 1)) --bind-to core true
same 'more processes than cores' '0 pmixrun: --bind-to core: there are more processes than cores, so some share one' "$code $err"
if [ -z "${PX_SANITIZED:-}" ]; then
    printf '%s\n' '#define _GNU_SOURCE' '#include <errno.h>' '#include <sched.h>' \
        'int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *set) { (void) pid, (void) n, (void) set; errno = EPERM; return -1; }' \
        >"$SCRATCH/affinity.c"
    check 'a kernel that does not say which cores there are' $CC -shared -fPIC -o "$SCRATCH/affinity.so" "$SCRATCH/affinity.c"
    LD_PRELOAD=$SCRATCH/affinity.so run "$pmixrun" --bind-to core true
    same 'there is no binding without that' '1 pmixrun: cannot make the job: PMIX_ERR_NOT_SUPPORTED' "$code $err"
else
    skip 'there is no binding without that' 'a sanitizer'
fi
run "$pmixrun" -n 2 --bind-to core grep -h Cpus_allowed_list /proc/self/status
same 'bound to a core' 0 "$code"
if [ "$(nproc)" -ge 2 ]; then
    same 'each to its own' 2 "$(lines | uniq | wc -l | tr -d ' ')"
else
    skip 'each to its own' 'one CPU'
fi
finish
