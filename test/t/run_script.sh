#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun --script and --record: what processes see of a host that does not answer as it should.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

# asked WHAT RULE WANT REQUEST...: one process asks; what it is told, joined by blanks.
asked() {
    what=$1
    rule=$2
    want=$3
    shift 3
    run "$pmixrun" --script "$rule" "$actor" ask "$@"
    same "$what ($rule)" "$want" "$(sed 's/^0 [a-z0-9]* //' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
}

asked 'refused by name' publish=PMIX_ERR_NO_PERMISSIONS PMIX_ERR_NO_PERMISSIONS publish
asked 'refused by number' lookup=-46 PMIX_ERR_NOT_FOUND lookup
asked 'done at once, nothing kept' publish=PMIX_OPERATION_SUCCEEDED 'PMIX_SUCCESS PMIX_ERR_NOT_FOUND' publish lookup
asked 'no such entry' publish=missing PMIX_ERR_NOT_SUPPORTED publish
asked 'by callback, before the upcall returns' lookup=inside:PMIX_ERR_TIMEOUT PMIX_ERR_TIMEOUT lookup
asked 'by callback, from another thread' lookup=thread:PMIX_ERR_TIMEOUT PMIX_ERR_TIMEOUT lookup
asked 'late, with a status' publish=late:20:PMIX_ERR_TIMEOUT PMIX_ERR_TIMEOUT publish
asked "late, pmixrun's own answer" publish=late:20 'PMIX_SUCCESS PMIX_SUCCESS' publish lookup
asked "pmixrun's own answer from another thread" lookup=thread 'PMIX_SUCCESS PMIX_SUCCESS' publish lookup
asked 'the second only' publish#2=PMIX_ERR_NO_PERMISSIONS 'PMIX_SUCCESS PMIX_ERR_NO_PERMISSIONS PMIX_SUCCESS' \
    publish publish2 publish3
asked 'an entry that pmixrun does not have' get_credential=thread:PMIX_ERR_NO_PERMISSIONS PMIX_ERR_NO_PERMISSIONS \
    credential
asked 'a success with nothing in it' lookup=inside PMIX_ERR_NOT_FOUND lookup

begin=$(date +%s%N)
asked 'half a second late' publish=late:500 PMIX_SUCCESS publish
check 'and not earlier' [ $((($(date +%s%N) - begin) / 1000000)) -ge 500 ]

over() { grep -c 'the job has run for [0-9]* s and is ended$' "$SCRATCH/err"; }
run "$pmixrun" --timeout 5 --script lookup=never "$actor" ask publish lookup
same 'a request that is never answered' '124 1 0 publish PMIX_SUCCESS' "$code $(over) $out"
run "$pmixrun" --timeout 1 --script publish=late:3600000 --script lookup=after:query "$actor" ask publish
same 'what is still to be answered keeps pmixrun from nothing' '124 1' "$code $(over)"

# Rank 0 asks first and is answered last: rank 1 begins when rank 0 has asked.
mkfifo "$SCRATCH/turn"
{ until_true 'rank 0 has asked' grep lookup "$SCRATCH/record" >&2 && echo go >"$SCRATCH/turn"; } &
turn=$!
run "$pmixrun" -n 2 --record "$SCRATCH/record" --script lookup=after:unpublish sh -c '
    if [ "$PMIX_RANK" = 0 ]; then exec "$1" ask lookup; fi
    read -r word <"$2"
    exec "$1" ask publish unpublish' sh "$actor" "$SCRATCH/turn"
stop $turn
same 'an answer that waits for another request' '0 lookup PMIX_SUCCESS
1 publish PMIX_SUCCESS
1 unpublish PMIX_SUCCESS' "$(lines)"

# ---- several nodes
fences() { # fences WHAT WANT OPTION...: a fence of two nodes
    what=$1
    want=$2
    shift 2
    run "$pmixrun" --nodes 2 -n 2 "$@" "$actor" ask fence
    same "a fence of two nodes $what" "0 fence $want
1 fence $want" "$(lines)"
}
fences 'is refused' PMIX_ERR_NOT_SUPPORTED --script fence=PMIX_ERR_NOT_SUPPORTED
fences 'fails by callback' PMIX_ERR_TIMEOUT --script fence_nb=thread:PMIX_ERR_TIMEOUT
fences 'is late on one of them' PMIX_SUCCESS --script fence@1=late:100
fences 'is answered from other threads' PMIX_SUCCESS --script fence=thread
fences 'goes through when another rule comes first' PMIX_SUCCESS --script fence#1=thread \
    --script fence=PMIX_ERR_NOT_SUPPORTED
run "$pmixrun" --nodes 2 -n 2 --timeout 1 --script fence@1=never "$actor" ask fence
same 'a node that never answers' '124 1 ' "$code $(over) $out"
run "$pmixrun" --nodes 2 -n 2 --script publish@1=missing "$actor" ask publish
same 'an entry that one node lacks' '0 publish PMIX_SUCCESS
1 publish PMIX_ERR_NOT_SUPPORTED' "$(lines)"

# ---- what fences carry: those of whole jobs something, where hosts need that to wait (shmix_fence_piece)
carried() { # carried PIECE: of the fences of two nodes
    run env "PMIX_MCA_shmix_fence_piece=$1" "$pmixrun" --nodes 2 -n 4 --nspace job --record "$SCRATCH/fences" "$examples/fence"
    same "all fences are passed, with pieces $1" 0 "$code"
    grep '"fence_nb"' "$SCRATCH/fences" >"$SCRATCH/all"
    grep '"value": true' "$SCRATCH/all" >"$SCRATCH/collecting"
    check 'in some data is collected' [ -s "$SCRATCH/collecting" ]
    same 'where data is collected, always' "$(wc -l <"$SCRATCH/collecting")" "$(grep -c '"bytes"' "$SCRATCH/collecting")"
    same 'of listed processes, nothing' '2 0' \
        "$(grep -c '"procs": \["job:0"' "$SCRATCH/all") $(grep '"procs": \["job:0"' "$SCRATCH/all" | grep -c '"bytes"')"
    nothing=$(grep '"procs": \["job:\*"\]' "$SCRATCH/all" | grep -vc '"bytes"')
    said=$(grep -c '"pmix.collect", "type": "PMIX_BOOL", "value": false.*"bytes": 24,' "$SCRATCH/all")
}
carried auto
same 'otherwise nothing' '8 0' "$nothing $said"
carried yes
same 'otherwise a piece without data, and that it has none' '0 8' "$nothing $said"

# ---- a file of rules
printf '# what goes wrong\n\n  publish=missing  \nlookup=PMIX_ERR_TIMEOUT\n' >"$SCRATCH/rules"
asked 'rules in a file' "$SCRATCH/rules" 'PMIX_ERR_NOT_SUPPORTED PMIX_ERR_TIMEOUT' publish lookup

# ---- the record
run "$pmixrun" --nodes 2 -n 2 --nspace job --record "$SCRATCH/record" --script lookup=inside:PMIX_ERR_TIMEOUT \
    "$actor" ask fence publish lookup
same 'a line for each request of each node' '2 fence_nb
2 lookup
2 publish' "$(sed 's/^{"entry": "\([a-z_]*\)", "nth": 1, "node": [01], .*}$/\1/' "$SCRATCH/record" |
    LC_ALL=C sort | uniq -c | sed 's/^ *//')"
has() { grep -qF -- "$1" "$SCRATCH/record"; }
check 'who asks' has '"node": 1, "proc": "job:1"'
check 'whom it is about' has '"procs": ["job:*"]'
check 'what is given with it' has '{"key": "pmix.collect", "type": "PMIX_BOOL", "value": true}'
check 'text that is none' has '"value": "\u0001\"text"'
check 'names' has '"keys": "actor.publish"'
check 'data' grep -q '"bytes": [1-9][0-9]*, "data": "[0-9a-f][0-9a-f]*"' "$SCRATCH/record"
check 'the rule that it is answered by' has '"rule": "lookup=inside:PMIX_ERR_TIMEOUT"'
if command -v python3 >/dev/null; then
    check 'it is JSON' python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$SCRATCH/record"
else
    skip 'it is JSON' 'no python3'
fi
run "$pmixrun" --record /nonexistent/record true
same 'a record that cannot be written' '1 pmixrun: cannot write /nonexistent/record: No such file or directory' "$code $err"

# ---- nonsense
while read -r rule why; do
    run "$pmixrun" --nodes 2 --script "$rule" true
    check "$rule is refused" [ "$code" = 2 ]
    case $err in *"$why"*) report 0 'and it is said why' ;; *) report 1 "not $why but $err" ;; esac
done <<'END'
fence cannot read fence
/ cannot read /
moon=never no such entry
=never no such entry
f=never no such entry
fence= no such status
fence=PMIX_MOON no such status
fence=PMIX_SUCCESS promises an answer
fence=5 no such status
fence=-99999999999 no such status
fence=late: number of milliseconds
fence=late:-5 number of milliseconds
fence=late:99999999999 number of milliseconds
fence=after entry of the server module
fence=after:moon entry of the server module
fence=after:lookup:moon no such status
fence=never:PMIX_SUCCESS something behind
fence=inside:-1:-1 something behind
fence@2=never no such node
fence@=never no such node
fence@x=never no such node
fence#0=never counted from 1
fence#1x=never counted from 1
fence#1=missing for all
get_credential=late:5 no answer of its own
END
printf 'fence=never\nfence=nev\001r\n' >"$SCRATCH/rules"
run "$pmixrun" --script "$SCRATCH/rules" true
same 'a bad rule in a file' 2 "$code"
case $err in *'"fence=nev\x01r": there is no such status'*) report 0 'is shown' ;; *) report 1 "$err" ;; esac

# A rule that no request has met is named at the end, whichever node it is for.
for nodes in 1 2; do
    run "$pmixrun" --nodes $nodes -n 2 --script lookup=PMIX_ERROR --script fence=thread --script query=missing "$examples/fence"
    same "a rule that was never applied, on $nodes nodes" 1 "$(printf '%s\n' "$err" | grep -c '^pmixrun: --script lookup=PMIX_ERROR was never applied')"
    [ $nodes = 1 ] || same 'not one that was' 0 "$(printf '%s\n' "$err" | grep -c 'fence=thread was never')"
    same 'nor an entry that is missing' 0 "$(printf '%s\n' "$err" | grep -c 'query=missing')"
done
finish
