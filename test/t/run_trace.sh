#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun --trace: a timeline that is JSON whatever is in names, has every process, and tells what each waited for.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
command -v python3 >/dev/null 2>&1 || skip_all 'python3 is not here'
shm=$PX_TOP_BUILDDIR/src/tools/pmix-shm
hang=$PX_TOP_BUILDDIR/test/t/hang
trace=$SCRATCH/trace
numbers=0

is() { # is WHAT CHECK...: the trace is sound, and the checks hold (trace.py)
    what=$1
    shift
    check "$what" python3 "$PX_TOP_SRCDIR/test/t/trace.py" "$trace" "$@"
}

# start OPTION... -- CAUSE: a job of which rank 2 waits to be told; leaves $runner, $job and $told
start() {
    numbers=$((numbers + 1))
    job=trace-$$-$numbers
    told=$SCRATCH/told.$numbers
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    mkfifo "$told"
    : >"$SCRATCH/out"
    # shellcheck disable=SC2086
    "$pmixrun" --nspace $job -n 3 --timeout 110 --verbose --trace "$trace" $options "$hang" "$2" "$told" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null &
    runner=$!
}
trap 'stop $runner; rm -rf "$SCRATCH"' EXIT

# wait_in WHAT: the two others have said that the first fence is over, so that the one that shows is the second
wait_in() {
    until_lines 2 "$SCRATCH/out" && until_true "$1" shows "$1"
}
shows() { "$shm" waits $job | grep -q -- "$1"; }
started() { sed -n "s/^pmixrun: started $job rank $1 as process //p" "$SCRATCH/err"; }

# --- one node: the last to come is told apart
start -- last
check 'two of three wait' wait_in '2 of 3 of this node have come'
echo >"$told"
check 'the job ends' gone $runner
wait $runner
same 'well' 0 $?
is 'a row for each process, and the steps of its life in order' \
    "sorted(rows) == ['$job:%d' % r for r in range(3)]" "len(nodes) == 1" \
    "all(order(r) == ['fork', 'start', 'connect', 'init', 'fence', 'fence', 'finalize'] for r in rows)" \
    "all(life(r) == {'pid': p, 'program': '$hang', 'exit_code': 0} for r, p in zip(sorted(rows), [$(started 0), $(started 1), $(started 2)]))"
is 'in a fence each waits for the last to come' \
    "[s['args']['last'] for r in rows for s in of(r, 'fence')][1::2] == ['$job:2'] * 3" \
    "all(s['args']['number'] == i + 1 and s['args']['come'] == 3 and s['args']['status'] == 'PMIX_SUCCESS' for r in rows for i, s in enumerate(of(r, 'fence')))" \
    "all(abs(end(of('$job:%d' % r, 'waits for $job:2')[-1]) - of('$job:2', 'last to come')[-1]['ts']) < 0.01 for r in (0, 1))" \
    "not of('$job:2', 'waits for $job:2')" \
    "all(abs(of('$job:%d' % r, 'fence')[1]['args']['waited_us'] - of('$job:%d' % r, 'waits for $job:2')[-1]['dur']) < 0.01 for r in (0, 1))"
is 'the server has what it did, and its collectives' \
    "[s['name'] for s in list(servers.values())[0]] == ['PMIx_server_init', 'register $job', 'launch $job']" \
    "len(colls) == 2" "all(c[2]['come'] == 3 for c in colls)"

# --- two nodes: it is the last of all
start --nodes 2 -- last
check 'all of node0 are there' wait_in 'fence of .*, 2 of 2 of this node'
echo >"$told"
check 'the job ends' gone $runner
wait $runner
is 'rows under their nodes' "sorted(nodes.values()) == ['node0', 'node1']" "len(rows) == 3" \
    "sorted({(e['pid'], names[e['pid'], e['tid']]) for e in events if names[e['pid'], e['tid']] in rows}) == [(1, '$job:0'), (1, '$job:1'), (2, '$job:2')]" \
    "all(order(r) == ['fork', 'start', 'connect', 'init', 'fence', 'fence', 'finalize'] for r in rows)"
is 'the last to come is that of another node' "[s['args']['last'] for r in rows for s in of(r, 'fence')][1::2] == ['$job:2'] * 3" \
    "all(end(of('$job:%d' % r, 'waits for $job:2')[-1]) < end(of('$job:%d' % r, 'fence')[1]) for r in (0, 1))" \
    "sorted((c[0], c[2]['number']) for c in colls) == [('node0', 1), ('node0', 2), ('node1', 1), ('node1', 2)]" \
    "all(c[2]['come'] == 3 and c[2]['host_us'] >= 0 for c in colls)"

# --- ended by a signal, within a fence
start -- last
check 'two of three wait' wait_in '2 of 3 of this node have come'
kill -9 "$(started 0)"
check 'the job ends' gone $runner
wait $runner
same 'as the process' 137 $?
is 'a signal, and a fence that its death has ended' "life('$job:0')['signal'] == 9" "set(life('$job:2')) & {'signal', 'exit_code'}" \
    "all(order('$job:%d' % r)[:6] == ['fork', 'start', 'connect', 'init', 'fence', 'fence'] for r in (0, 1))" "len(rows) == 3"
runner=

# --- names
name=$(printf 'a"b\\c\nd\001e\377f')
odd=$SCRATCH/$(printf 'p"q\\\n\001\377')
ln -s "$hang" "$odd"
run "$pmixrun" -n 3 --nspace 'j"\' --trace "$trace" "$odd" name "$name"
is 'names of anything' "'j\"\\\\:2' in rows" "life('j\"\\\\:0')['program'].endswith('p\"q\\\\\\n\\x01\\ufffd')" \
    "[n for n in order('j\"\\\\:1')[6:8]] == ['group construct a\"b\\\\c\\nd\\x01e\\ufffdf', 'group destruct a\"b\\\\c\\nd\\x01e\\ufffdf']"

# --- commits, several applications, jobs that are spawned
run "$pmixrun" -n 2 --nspace apps --trace "$trace" "$hang" commit : -n 1 "$odd" commit
is 'commits, and two programs' "len(rows) == 3" "all('commit' in order(r) for r in rows)" "life('apps:1')['program'] == '$hang'" \
    "life('apps:2')['program'] != '$hang'" "all(order(r)[5] == 'commit' for r in rows)"
for nodes in 1 2; do
    run "$pmixrun" -n 2 --nodes $nodes --nspace parents --trace "$trace" "$actor" spawn "$actor"
    same "spawn, on $nodes nodes" 0 "$code"
    is 'the children have rows' "sorted(rows) == ['parents.1:0', 'parents.1:1', 'parents:0', 'parents:1']" \
        "any(s['name'] == 'launch parents.1' for n in servers for s in servers[n])" "order('parents.1:0')[:4] == ['fork', 'start', 'connect', 'init']"
done

# --- no PMIx at all; what the processes see of it
run "$pmixrun" -n 2 --nspace plain --trace "$trace" env
is 'processes without PMIx' "all(order(r) == ['fork'] and life(r)['exit_code'] == 0 for r in rows)" "len(rows) == 2"
same 'they are told of no trace' '' "$(grep -i trace_fd "$SCRATCH/out")"
run env PMIX_MCA_shmix_trace_fd=1 "$pmixrun" env
same 'nor of that of an outer job' '' "$(grep -i trace_fd "$SCRATCH/out")"

# --- the file
run "$pmixrun" --trace /nonexistent/trace true
same 'a trace that cannot be written' '1 pmixrun: cannot write /nonexistent/trace: No such file or directory' "$code $err"
run "$pmixrun" --trace /dev/full true
same 'nor at the end' '1 pmixrun: cannot write /dev/full: No space left on device' "$code $err"
finish
