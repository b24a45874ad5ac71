#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix-shm on a job that holds still, on what it has saved, and on files that are no segments.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
shm=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmix-shm
job=shm-test-$$
! by_messages || skip_all 'looks into segments; there are none'

code_is() { # code_is WHAT CODE COMMAND...
    what=$1
    want=$2
    shift 2
    run "$@"
    same "$what" "$want" "$code"
}

has() { # has WHAT PATTERN: in the last output
    same "$1" yes "$(grep -q -- "$2" "$SCRATCH/out" && echo yes || echo no)"
}

said() { # said WHAT PATTERN: in the last complaint
    same "$1" yes "$(grep -q -- "$2" "$SCRATCH/err" && echo yes || echo no)"
}

all_counted() { # the parts are together what is in use
    same "$1" "$(sed -n 's/^bytes: //p' "$SCRATCH/out")" "$(awk '/^bytes_by_part/ { on = 1; next }
        /^[^ ]/ { on = 0 } on { sum += $NF } END { print sum }' "$SCRATCH/out")"
}

json() { # the last output is JSON
    command -v python3 >/dev/null 2>&1 || { skip "$1" 'python3 is not here'; return; }
    check "$1" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$SCRATCH/out"
}

code_is 'help' 0 "$shm" --help
code_is 'version' 0 "$shm" --version
code_is 'nothing asked' 2 "$shm"
code_is 'an unknown command' 2 "$shm" sing
said 'is named' '^pmix-shm: there is no command "sing"$'
code_is 'an unknown option' 2 "$shm" list --no-such-option
said 'in the name of the program' '^pmix-shm: .*no-such-option'
code_is 'a rank that is none' 2 "$shm" show --rank x
said 'and why' '^pmix-shm: --rank must be a number .* not "x"$'
code_is 'a level that is none' 2 "$shm" verify --level 3
said 'and why' '^pmix-shm: --level must be a number from 0 to 2, not "3"$'
code_is 'a server that is none' 2 "$shm" list --pid 0
said 'and why' '^pmix-shm: --pid must be a number from 1 to '
code_is 'too many words' 2 "$shm" show a b
said 'and why' '^pmix-shm: show needs fewer words$'
code_is 'far too many words' 2 "$shm" save a b c
said 'and why' 'word too many'
code_is 'too few words' 2 "$shm" save a
said 'and why' '^pmix-shm: save needs more words$'
if [ -c /dev/full ]; then
    "$shm" --help >/dev/full 2>"$SCRATCH/err"
    same 'no room for the output' 1 $?
    said 'which is said' '^pmix-shm: cannot write to standard output: No space left'
else
    skip 'no room for the output' 'no /dev/full'
fi
"$shm" --help >&- 2>"$SCRATCH/err"
same 'a closed output' 1 $?
said 'which is said' '^pmix-shm: cannot write to standard output'
code_is 'no such namespace' 1 "$shm" show "no-$job"
code_is 'list' 0 "$shm" list

# --- a live job
mkfifo "$SCRATCH/go"
"$pmixrun" --nspace "$job" -n 3 "$actor" hold "$SCRATCH/go" >"$SCRATCH/lines" 2>"$SCRATCH/job.err" </dev/null &
pid=$!
exec 9<>"$SCRATCH/go" # opens for both, so that nobody waits; closed below
until_lines 3 "$SCRATCH/lines" || { kill "$pid"; cat "$SCRATCH/job.err"; exit 99; }
run "$shm" list
same 'the job is listed with its readers' "$pid 3 1 3" \
    "$(awk -v j="\"$job\"" '$8 == j { print $1, $3, $4, $7 }' "$SCRATCH/out")"
code_is 'list for programs' 0 "$shm" list --json
json 'is JSON'
has 'with readers' '"readers": 3'
code_is 'list of one server' 0 "$shm" list --pid $pid
same 'and of no other' "$pid" "$(sed 1d "$SCRATCH/out" | awk '{ print $1 }')"
code_is 'the server by its process' 0 "$shm" show "$job" --pid $pid --key posted
code_is 'another process serves nothing' 1 "$shm" show "$job" --pid $$
code_is 'show' 0 "$shm" show "$job"
has 'a value of the job' '"pmix.job.size" = 3 type "PMIX_UINT32" constant "PMIX_JOB_SIZE"$'
has 'a posted value, whose key no constant stands for' '"posted" = 72 type "PMIX_UINT32" scope "[A-Z ]*"$'
has 'the ranks of a node' 'ranks: "0-2"'
code_is 'one rank, one key' 0 "$shm" show "$job" --rank 1 --key posted
same 'and nothing else' 1 "$(grep -c ' = ' "$SCRATCH/out")"
code_is 'a key of one process' 0 "$shm" show "$job" --key pmix.lrank --rank 1
cp "$SCRATCH/out" "$SCRATCH/by-string"
code_is 'by the name of its constant' 0 "$shm" show "$job" --key PMIX_LOCAL_RANK --rank 1
has 'the same key' '"pmix.lrank" = 1 '
check 'and nothing else' cmp "$SCRATCH/out" "$SCRATCH/by-string"
code_is 'a key of the job' 0 "$shm" show "$job" --key PMIX_JOB_SIZE
same 'is shown without the processes that do not have it' 0 "$(grep -c 'rank: ' "$SCRATCH/out")"
for form in '' --json; do
    code_is 'a rank that is not there' 1 "$shm" show "$job" --rank 99 $form
    said 'is named' "^pmix-shm: \"$job\": rank 99 is not in the namespace\$"
    code_is 'a key that is not there' 1 "$shm" show "$job" --key nope $form
    said 'is named' "^pmix-shm: \"$job\" has no value of the key \"nope\"\$"
done
code_is 'a key that another process has not' 1 "$shm" show "$job" --rank 1 --key PMIX_JOB_SIZE
said 'which is said' 'rank 1 has no value of the key "pmix.job.size"$'
code_is 'all for people' 0 "$shm" show "$job"
same 'on lines that can be read' 0 "$(grep -c '.\{1000\}' "$SCRATCH/out")"
code_is 'one key in full' 0 "$shm" show "$job" --key PMIX_HWLOC_XML_V2
has 'to its end' '</topology>'
code_is 'show for programs' 0 "$shm" show "$job" --json
has 'in full, too' '</topology>'
json 'is JSON'
for level in 0 1 2; do
    code_is "verify, level $level" 0 "$shm" verify "$job" --level $level
done
has 'sound' '^sound: true$'
code_is 'verify for programs' 0 "$shm" verify "$job" --json
json 'is JSON'
code_is 'stats' 0 "$shm" stats "$job"
has 'nothing is damaged' '^damaged: false$'
all_counted 'every byte is of some part'
for table in keys records node_names node_numbers; do
    has "the table of $table is there" "^  *$table:\$"
done
same 'everything lies where it is looked for' 0 "$(grep -c 'longest_probe: [0-9][0-9][0-9]' "$SCRATCH/out")"
code_is 'stats for programs' 0 "$shm" stats "$job" --json
json 'is JSON'
code_is 'save' 0 "$shm" save "$job" "$SCRATCH/saved"
code_is 'never over what is there' 1 "$shm" save "$job" "$SCRATCH/saved"
run "$shm" show "$job"
mv "$SCRATCH/out" "$SCRATCH/live"
exec 9>&-
wait "$pid"
same 'the job was not disturbed' '0 ' "$? $(cat "$SCRATCH/job.err")"

# --- several servers have the namespace: nobody guesses
choices() { sed -n 's/^  --pid \([0-9]*\).*/\1/p' "$SCRATCH/err" | sort | tr '\n' ' ' | sed 's/ $//'; }
rm -f "$SCRATCH/lines"
"$pmixrun" --nspace "$job-2" --nodes 2 -n 2 "$actor" hold "$SCRATCH/go" >"$SCRATCH/lines" 2>"$SCRATCH/job.err" </dev/null &
pid=$!
exec 9<>"$SCRATCH/go"
until_lines 2 "$SCRATCH/lines" || { kill "$pid"; cat "$SCRATCH/job.err"; exit 99; }
run "$shm" list
servers=$(awk -v j="\"$job-2\"" '$8 == j { print $1 }' "$SCRATCH/out" | sort)
same 'a job on two nodes has two' 2 "$(printf '%s\n' "$servers" | wc -l)"
for command in show verify stats; do
    code_is "$command does not choose one" 2 "$shm" $command "$job-2"
    said 'says so' "^pmix-shm: several servers have the namespace \"$job-2\"; choose one of them:\$"
    same 'and names them' "$(echo $servers)" "$(choices)"
    same 'and shows none' '' "$out"
done
same 'with their nodes' 'node0 node1' "$(sed -n 's/^  --pid [0-9]*  on //p' "$SCRATCH/err" | sort | tr '\n' ' ' | sed 's/ $//')"
code_is 'nor does save' 2 "$shm" save "$job-2" "$SCRATCH/one-of-two"
check 'which makes no file' [ ! -e "$SCRATCH/one-of-two" ]
for server in $servers; do
    code_is 'one that is chosen' 0 "$shm" show "$job-2" --pid "$server" --key PMIX_JOB_SIZE
done
code_is 'no namespace, of those there are' 2 "$shm" show
said 'is asked for' '^pmix-shm: there are several namespaces or servers; choose one of them:$'
same 'with what chooses it' 2 "$(grep -c "^  \"$job-2\" --pid [0-9]*  on node[01]\$" "$SCRATCH/err")"
exec 9>&-
wait "$pid"

# --- generations of one server are one: the present one, whatever else it holds
hold_generations() { # hold_generations NAME: leaves $holder, which ends with the end of $SCRATCH/NAME
    mkfifo "$SCRATCH/$1"
    "$PX_TOP_BUILDDIR/test/t/generations" "$job-g" <"$SCRATCH/$1" >"$SCRATCH/$1.out" 2>&1 &
    holder=$!
}
hold_generations one
exec 8>"$SCRATCH/one"
first=$holder
check 'a server with three generations' until_true 'it is ready' grep -qx ready "$SCRATCH/one.out"
run "$shm" list --pid "$first"
same 'all of which are there' '1 2 3' "$(awk -v j="\"$job-g\"" '$8 == j { print $5 }' "$SCRATCH/out" | sort | tr '\n' ' ' | sed 's/ $//')"
code_is 'its namespace' 0 "$shm" show "$job-g" --key mark
has 'is that of the present one' '"mark" = "second"'
has 'the second' '^generation: 2$'
code_is 'without the name' 0 "$shm" show --pid "$first"
hold_generations two
exec 7>"$SCRATCH/two"
check 'another server' until_true 'it is ready' grep -qx ready "$SCRATCH/two.out"
code_is 'which has the namespace, too' 2 "$shm" show "$job-g"
same 'each counts once' "$(printf '%s\n' "$first" "$holder" | sort | tr '\n' ' ' | sed 's/ $//')" "$(choices)"
exec 8>&- 7>&-
wait "$first" "$holder"

# --- what was saved
code_is 'the job is gone' 1 "$shm" verify "$job"
code_is 'what was saved' 0 "$shm" show "$SCRATCH/saved"
check 'says the same' cmp "$SCRATCH/out" "$SCRATCH/live"
code_is 'is sound' 0 "$shm" verify "$SCRATCH/saved"
code_is 'and counted' 0 "$shm" stats "$SCRATCH/saved"
all_counted 'in full'

# --- pmixrun --report counts with the same code
run "$pmixrun" --nspace "$job" -n 2 --report --verbose "$actor" job
same 'the parts are in the report' "0 $(sed -n 's/.*segment of \([0-9]*\) bytes/\1/p' "$SCRATCH/err")" \
    "$code $(sed -n 's/^pmixrun: .*: bytes: //p' "$SCRATCH/err" | tr ',' '\n' | awk '{ sum += $1 } END { print sum + 0 }')"
more=yes
[ -z "$PX_SANITIZED" ] || more=no # nothing is counted
same 'the heap at each step, and more of it with a server, and with a job' "4 $more" "$(
    sed -n 's/^pmixrun: heap (.*: \([0-9]*\) bytes in use, [0-9]* held$/\1/p' "$SCRATCH/err" |
        awk 'NR == 2 || NR == 3 { more += $1 > last } { last = $1 } END { print NR, more == 2 ? "yes" : "no" }'
)"
run env PMIX_MCA_gds=hash "$pmixrun" --nspace "$job" -n 2 --report --verbose "$actor" job
same 'none without a segment' "0 2" "$(grep -c ': bytes: ' "$SCRATCH/err") $(grep -c '^pmixrun: rank' "$SCRATCH/err")"

# --- the seeds of the fuzzer, and the segment that is kept for ever, are of the present format
for file in "$PX_TOP_SRCDIR"/test/fuzz/corpus/segment/seed-* "$PX_TOP_SRCDIR"/test/golden/segment-1.0; do
    code_is "${file##*/} is sound" 0 "$shm" verify "$file"
done

# --- and what it has made of them: whatever is said, it is said soon
crashed=
for file in "$PX_TOP_SRCDIR"/test/fuzz/corpus/segment/*; do
    for command in show verify stats; do
        limit 60 "$shm" $command "$file" --json >"$SCRATCH/out" 2>&1
        code=$?
        [ $code -le 1 ] || crashed="$crashed $command:${file##*/}:$code"
    done
done
same 'no file of the corpus is a crash' '' "$crashed"

# --- what is no segment, or a damaged one
code_is 'no such file' 1 "$shm" verify "$SCRATCH/none"
code_is 'a folder' 1 "$shm" show "$SCRATCH/"
: >"$SCRATCH/bad"
code_is 'an empty file' 1 "$shm" show "$SCRATCH/bad"
head -c 5000 "$SCRATCH/saved" >"$SCRATCH/bad"
code_is 'a short one' 1 "$shm" stats "$SCRATCH/bad"
head -c 9000 /dev/zero | tr '\0' x >"$SCRATCH/bad"
code_is 'something else' 1 "$shm" verify "$SCRATCH/bad"
size=$(wc -c <"$SCRATCH/saved")
crashed=
at=4096
while [ $at -lt "$size" ]; do # each word in turn says something else
    cp "$SCRATCH/saved" "$SCRATCH/bad"
    printf '\377\001\377\000\000\000\000\000' | dd of="$SCRATCH/bad" bs=1 seek=$at conv=notrunc 2>/dev/null
    for command in show verify stats; do
        limit 60 "$shm" $command "$SCRATCH/bad" >"$SCRATCH/out" 2>&1
        code=$?
        [ $code -le 1 ] || crashed="$crashed $command:$at:$code"
    done
    at=$((at + 248))
done
same 'damage is no crash' '' "$crashed"
finish
