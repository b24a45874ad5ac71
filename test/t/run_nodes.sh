#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun --nodes: what processes of different nodes see of each other.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
across=$PX_TOP_BUILDDIR/test/t/across

# act NODES NAME [OPTION...]: two processes on each node; nothing may be complained about.
act() {
    nodes=$1
    name=$2
    shift 2
    run "$pmixrun" --nodes "$nodes" -n $((2 * nodes)) "$@" "$across" "$name" "$nodes"
    same "$name on $nodes nodes" 0 "$code"
    [ "$code" -eq 0 ] || printf '%s\n' "$err" | head -n 20 | sed 's/^/# /'
}

act 1 monitor
act 2 monitor
for nodes in 2 3; do
    for name in layout scopes fences plain late events publish group timeout; do
        act $nodes $name
    done
done
act 2 connect
same 'both jobs are connected, to the last process' 8 "$(grep -c connected "$SCRATCH/out")"

# Nobody waits for a job that is over.
for nodes in 2 3; do
    run "$pmixrun" --nodes $nodes --nspace first "$across" over $nodes
    same "a job of another node that has ended is not waited for, on $nodes nodes" '0 ' "$code $err"
done

# Where the processes read from memory and where not, the answers are the same.
for name in scopes plain late group; do
    act 2 $name -x PMIX_MCA_gds=hash
done

for nodes in 2 3; do
    run "$pmixrun" --nodes $nodes -n $((2 * nodes)) --keep-going "$across" lost $nodes
    same "those that are left hear of a dead process, on $nodes nodes" 137 "$code"
    same 'and complain about nothing' 0 "$(printf '%s\n' "$err" | grep -c across:)"
done

# Whatever node it was on, also if that has nobody else, and whether it says that it failed.
for code_of_last in 0 3; do
    for nodes in 1 2 4; do
        # shellcheck disable=SC2016
        run "$pmixrun" --nodes $nodes -n 4 --keep-going sh -c '[ "$PMIX_RANK" != 3 ] || exit $2; exec "$1" absent' \
            sh "$actor" $code_of_last
        same "a process that ends with $code_of_last before it comes, on $nodes nodes" $code_of_last "$code"
        same 'is waited for by nobody' 3 "$(grep -c 'the last is not waited for' "$SCRATCH/out")"
    done
done

run "$pmixrun" --nodes 3 -n 4 --map-by node --nspace turns sh -c 'echo $PMIX_RANK $PMIX_HOSTNAME'
same 'ranks in turn' '0 node0
1 node1
2 node2
3 node0' "$(lines)"
run "$pmixrun" --nodes 4 -n 2 "$actor" group
same 'nodes without processes' 0 "$code"
for form in '' hash; do
    run "$pmixrun" --nodes 2 -n 4 ${form:+-x PMIX_MCA_gds=$form} "$actor" names
    same "groups that share a name${form:+, by messages}" 0 "$code"
    same 'an order that the members disagree on is one' 1 "$(grep '^disagree . . .$' "$SCRATCH/out" | sort -u | wc -l)"
    same 'two groups of one name' 'half 2 0 half 2 0 half 3 1 half 3 1' \
        "$(grep ^half "$SCRATCH/out" | sort | tr '\n' ' ' | sed 's/ $//')"
    same 'a name that is taken' 'started 1 PMIX_SUCCESS taken 0 2 taken 3: PMIX_ERR_EXISTS' \
        "$(grep -e ^started -e ^taken "$SCRATCH/out" | sort | tr '\n' ' ' | sed 's/ $//')"
done
run "$pmixrun" --nodes 2 -n 2 "$actor" control
same 'a process of another node is told to end' 'rank 1 was told to end' "$out"
run "$pmixrun" --nodes 2 -n 4 "$actor" query
same 'queries' 4 "$(grep -c 'queries answered' "$SCRATCH/out")"
run "$pmixrun" --nodes 2 -n 4 "$actor" abort
same 'abort' 42 "$code"
run "$pmixrun" --nodes 3 -n 3 "$actor" die
same 'a process that is killed ends the job' 137 "$code"
run "$pmixrun" --nodes 2 -n 2 /nonexistent/program
same 'no such program' 127 "$code"
run "$pmixrun" --nodes 2 -n 4 --timeout 1 sleep 1000
same 'the time is over, as is said' '124 1' "$code $(grep -c 'the job has run for 1 s and is ended$' "$SCRATCH/err")"
printf 'a line\n' >"$SCRATCH/in"
same 'input goes to rank 0' 'a line' "$(limit 60 "$pmixrun" --nodes 2 -n 2 cat <"$SCRATCH/in")"

# start: a job of four in the background; leaves $runner, $nodes (pids of the node processes) and $pids.
start() {
    rm -f "$SCRATCH/out"
    "$pmixrun" --nodes 2 -n 4 "$across" stay 2 >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null &
    runner=$!
    until_lines 4 "$SCRATCH/out"
    pids=$(cat "$SCRATCH/out")
    nodes=$(for pid in $pids; do sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status"; done | sort -u)
}

start
same 'two node processes' 2 "$(printf '%s\n' "$nodes" | wc -l)"
kill -KILL "$(printf '%s\n' "$nodes" | tail -n 1)"
wait $runner
same 'a node that is killed ends the job' 137 $?
check 'and nothing stays' gone $pids $nodes

start
stopped=$(printf '%s\n' "$nodes" | tail -n 1)
kill -STOP "$stopped"
for pid in $pids; do # a process of the other node: the job is to end
    grep -q "^PPid:[[:space:]]*$stopped\$" "/proc/$pid/status" || { kill -TERM "$pid"; break; }
done
wait $runner
check 'a node that is stopped keeps nobody from ending' gone $pids $nodes

start
kill -KILL $runner
wait $runner 2>/dev/null
check 'nothing stays when pmixrun is killed' gone $pids $nodes

start
kill -TERM $runner
wait $runner
same 'SIGTERM is passed on' 143 $?
check 'and nothing stays after it' gone $pids $nodes
finish
