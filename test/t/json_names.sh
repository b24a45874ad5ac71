#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Names in what commands print for programs: of one form in all of them, and all in docs/tools.md (json_names.py). The names in the
# sources are looked at, too, for what no job here makes a command print.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"
command -v python3 >/dev/null 2>&1 || skip_all 'python3 is not here'
! by_messages || skip_all 'looks into segments; there are none'
hang=$PX_TOP_BUILDDIR/test/t/hang
page=$PX_TOP_SRCDIR/docs/tools.md
mkdir "$SCRATCH/json"
holders=
runner=
trap '[ -z "$runner$holders" ] || stop $runner $holders; rm -rf "$SCRATCH"' EXIT

# names WHAT LEAST FILE...: the files have so many names at least, and all are well-formed
names() {
    what=$1
    least=$2
    shift 2
    check "$what" python3 "$PX_TOP_SRCDIR/test/t/json_names.py" "$page" "$@"
    n=$(python3 "$PX_TOP_SRCDIR/test/t/json_names.py" "$page" "$@" | tail -n 1)
    check "$what: at least $least" [ "$n" -ge "$least" ]
}
# print FILE COMMAND ARGUMENT...: what the command prints goes to that file
print() {
    to=$SCRATCH/json/$1
    shift
    limit 120 "$@" >"$to" 2>"$SCRATCH/err" </dev/null
}
# ask FILE COMMAND ARGUMENT...: a command of the field, at the job's server
ask() {
    to=$1
    command=$2
    shift 2
    print "$to" "$tools/$command" --pid "$runner" --json "$@"
}

# --- a job on two nodes, which the commands look at; what its host is asked; what happened
begin 2 "$PX_TOP_BUILDDIR/test/t/field_job" --record "$SCRATCH/json/record" --trace "$SCRATCH/json/trace" \
    --script allocate=inside --script job_control=inside
ask pquery pquery 'PMIX_QUERY_NAMESPACES,PMIX_QUERY_NAMESPACE_INFO' 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=job]'
ask pps pps
ask pps-nodes pps --nodes
ask plookup plookup port number nobody
ask pevent pevent --targets 'job:*' -- -3001
ask pctrl pctrl --targets 'job:*' --signal 18
ask palloc palloc --nodes 4
ask pattrs pattrs --client PMIx_Get --server --host all
names 'the commands of the field' 20 "$SCRATCH"/json/p*
print shm-list "$tools/pmix-shm" list --json
server=$("$tools/pmix-shm" list | awk '$8 == "\"job\"" { print $1; exit }')
for command in show verify stats; do
    print shm-$command "$tools/pmix-shm" $command job --pid "$server" --json
done
print shm-top "$tools/pmix-shm" top --once --json
print shm-top-on timeout -s TERM 3 "$tools/pmix-shm" top --json # with rates
print doctor "$tools/pmix_info" --doctor --json
print doctor-dead env PMIX_NAMESPACE=gone PMIX_RANK=0 'PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:1' \
    "$tools/pmix_info" --doctor --json
end
runner=
names 'a live segment' 50 "$SCRATCH"/json/shm-list "$SCRATCH"/json/shm-show "$SCRATCH"/json/shm-verify "$SCRATCH"/json/shm-stats
names 'top' 18 "$SCRATCH"/json/shm-top "$SCRATCH"/json/shm-top-on
check 'with rates' grep -q '"requests_per_second": ' "$SCRATCH/json/shm-top-on"
names 'the doctor' 9 "$SCRATCH"/json/doctor*
names 'the record' 10 "$SCRATCH/json/record"
names 'the trace' 10 "$SCRATCH/json/trace"

# --- what hangs: a get, a fence across nodes of which one lost a message; what is no server's
holder=0
hold() { # hold FILE PATTERN OPTION... -- WORD...: pmix-shm waits has the pattern; what it prints for programs goes to the file
    to=$1
    pattern=$2
    shift 2
    job=json-$$-$((holder += 1))
    "$pmixrun" --nspace $job --timeout 110 "$@" >"$SCRATCH/job.out" 2>&1 </dev/null &
    holders="$holders $!"
    check "$to" until_true "it waits: $pattern" shows "$pattern"
    print "waits-$to" "$tools/pmix-shm" waits --json $job
}
shows() { "$tools/pmix-shm" waits $job | grep -q -- "$1"; }
hold get 'get of key ' -n 3 "$hang" key
hold far 'all servers here have asked' -n 3 --nodes 2 --script fence@0=never "$hang" fence
hold list 'is in a fence of ' -n 3 "$hang" other-list
for kind in orphan server; do
    "$hang" $kind &
    holders="$holders $!"
done
unreadable() { "$tools/pmix-shm" waits | grep 'unreadable: not sealed' && "$tools/pmix-shm" waits | grep 'whose server has gone'; }
check 'what is no server' until_true 'it shows' unreadable
print waits-all "$tools/pmix-shm" waits --json
names 'waits' 25 "$SCRATCH"/json/waits-*
check 'with culprits' grep -q '"server_pid": ' "$SCRATCH/json/waits-get"
# shellcheck disable=SC2086
stop $holders
holders=

# --- damaged segments
for file in "$PX_TOP_SRCDIR"/test/fuzz/corpus/segment/* "$PX_TOP_SRCDIR"/test/golden/segment-1.0; do
    for command in show verify stats; do
        print "damaged-$command-${file##*/}" "$tools/pmix-shm" $command "$file" --json
    done
done
find "$SCRATCH/json" -name 'damaged-*' -empty -exec rm {} + # not even a header
names 'damaged segments' 50 "$SCRATCH"/json/damaged-*
check 'which are damaged' grep -qE '"damaged": (true|")|"what": ' "$SCRATCH"/json/damaged-*

# --- names that no output here has
literal() { sed -n 's/.*px_out_[a-z_]*("\([^"]*\)".*/\1/p' "$PX_TOP_SRCDIR"/src/tools/*/*.c | sort -u; }
documented() { sed -n '/^## Output for programs/,/^## [^O]/p' "$page" | grep -o '`[a-z0-9_]*`' | tr -d '`' | sort -u; }
literal >"$SCRATCH/literal"
check 'names in the sources' [ "$(wc -l <"$SCRATCH/literal")" -gt 50 ]
documented >"$SCRATCH/documented"
same 'are in the page, too' '' "$(comm -23 "$SCRATCH/literal" "$SCRATCH/documented")"

# --- a name that is none, and one that the page does not have, are found
printf '{"two words": 1}' >"$SCRATCH/bad"
printf '{"a": {"pid": 1, "pid": 2}}' >"$SCRATCH/worse"
same 'what is wrong is found' "'a' is not in $page
'two words' is not in $page
$SCRATCH/bad: 'two words' is no name
$SCRATCH/worse: 'pid' is there twice" "$(python3 "$PX_TOP_SRCDIR/test/t/json_names.py" "$page" "$SCRATCH/bad" "$SCRATCH/worse")"
finish
