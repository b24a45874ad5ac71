#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pquery and pps in all their forms, at jobs on one node and on two; what they have in common with the other commands.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"

# --- what all have
for command in palloc pattrs pctrl pevent plookup pps pquery; do
    run "$tools/$command" --help
    same "$command --help" "0 1 1" "$code $(grep -c "^usage: $command " "$SCRATCH/out") $(grep -c '^Exit code: 0;' "$SCRATCH/out")"
    run "$tools/$command" --version
    same 'version' "0 1" "$code $(grep -c '^shmix [0-9]' "$SCRATCH/out")"
    run "$tools/$command" --no-such-option
    same 'an unknown option' "2 $command: unrecognized option '--no-such-option'
$command --help says more" "$code $err"
    run "$tools/$command" --pid 0x10
    same 'no process id' "2 1" "$code $(grep -c 'process id or file:FILE, not "0x10"' "$SCRATCH/err")"
    run "$tools/$command" --pid "file:$SCRATCH/nothing"
    same 'no file with one' 2 "$code"
    "$tools/$command" --help >&- 2>"$SCRATCH/err"
    same 'a closed output' "1 1" "$? $(grep -c "^$command: cannot write" "$SCRATCH/err")"
done
run "$tools/pquery" --pid 1 pmix.qry.ns
same 'no server' '3 pquery: connecting to a server: no server answers: PMIX_ERR_UNREACH' "$code $err"
run "$tools/pquery" --pid 1 --num-connect-retries 2 --wait-to-connect 0 pmix.qry.ns
same 'nor after three attempts' 3 "$code"
for words in '' '[a=b]' 'key[a=b' 'key,,key'; do
    run "$tools/pquery" --pid 1 ${words:+"$words"}
    same "no key: $words" 2 "$code"
done
run "$tools/pquery" --pid 1 'PMIX_JOB_SIZE[PMIX_RANK=x]'
same 'a value of a wrong type' '2 pquery: the value of PMIX_RANK is a PMIX_PROC_RANK, not "x"' "$code $(head -n 1 "$SCRATCH/err")"
run "$tools/pquery" --pid 1 "$(printf 'a\033b[c')"
same 'no control character comes back' '2 pquery: a key is KEY or KEY[QUALIFIER=VALUE;...], not "a\x1bb[c"' "$code $(head -n 1 "$SCRATCH/err")"

# --- a job
# A program whose name is hostile.
evil="$SCRATCH/$(printf 'e\nvil "\033')"
cp "$PX_TOP_BUILDDIR/test/t/field_job" "$evil"
for nodes in 1 2; do
    begin $nodes "$evil"
    [ $nodes = 1 ] && here=$(uname -n) || here=node1
    code "pquery, with $nodes nodes" 0 pquery PMIX_QUERY_NAMESPACES
    same 'plain' 'PMIX_QUERY_NAMESPACES: "job"' "$out"
    code 'by its string' 0 pquery --parsable pmix.qry.ns
    same 'for scripts' 'status:PMIX_SUCCESS
results:0:key:pmix.qry.ns
results:0:name:PMIX_QUERY_NAMESPACES
results:0:type:PMIX_STRING
results:0:value:job' "$out"
    code 'as JSON' 0 pquery --json 'PMIX_JOB_SIZE[PMIX_NSPACE=job;PMIX_RANK=*]'
    python 'is JSON' '[d["status"]] + [(r["key"], r["name"], r["type"], r["value"]) for r in d["results"]]' \
        "['PMIX_SUCCESS', ('pmix.job.size', 'PMIX_JOB_SIZE', 'PMIX_UINT32', 4)]"
    code 'a type by hand' 0 pquery 'PMIX_LOCAL_RANK[pmix.nspace:string=job;PMIX_RANK:proc_rank=1]'
    same 'is understood' "PMIX_LOCAL_RANK: 1" "$out"
    code 'two keys' 0 pquery --json 'PMIX_QUERY_NAMESPACES,PMIX_JOB_SIZE[PMIX_NSPACE=job;PMIX_RANK=*]'
    python 'in two groups' '[[v["name"] for v in r["value"]] for r in d["results"]]' \
        "[['PMIX_QUERY_NAMESPACES'], ['PMIX_QUERY_QUALIFIERS', 'PMIX_JOB_SIZE']]"
    code 'a key that nobody knows' 4 pquery --json no.such.key
    said 'which is said' 'pquery: no.such.key: not supported by the server or its host: PMIX_ERR_NOT_SUPPORTED'
    python 'and is in the output' 'd' "{'status': 'PMIX_ERR_NOT_SUPPORTED', 'results': []}"
    code 'a job that is not there' 5 pquery 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=none]'
    said 'which is said' 'pquery: PMIX_QUERY_PROC_TABLE: not found: PMIX_ERR_NOT_FOUND'
    code 'one of two' 5 pquery PMIX_QUERY_NAMESPACES 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=none]'
    same 'gives that one' 1 "$(grep -c 'PMIX_QUERY_NAMESPACES: "job"' "$SCRATCH/out")"
    code 'the server is named' 0 pquery -v PMIX_QUERY_NAMESPACES
    same 'when it is asked for' "pquery: connected to pmixrun-server.$runner:0" "$(tail -n 1 "$SCRATCH/err")"
    run "$tools/pquery" --nspace "pmixrun-server.$runner" PMIX_QUERY_NAMESPACES
    same 'by the name of the server' 'PMIX_QUERY_NAMESPACES: "job"' "$out"
    for other in '--pid 1' '--nspace none' '--uri none.0;tcp4://127.0.0.1:1' --system-server; do
        # shellcheck disable=SC2086
        run "$tools/pquery" $other PMIX_QUERY_NAMESPACES
        same "no other server: $other" 3 "$code"
    done
    echo $runner >"$SCRATCH/pid"
    run env -u TMPDIR "$tools/pquery" --tmpdir "$TMPDIR" --pid "file:$SCRATCH/pid" PMIX_QUERY_NAMESPACES
    same 'by a file, in a directory' 'PMIX_QUERY_NAMESPACES: "job"' "$out"
    field pquery --parsable PMIX_SERVER_URI
    uri=$(sed -n 's/^results:0:value://p' "$SCRATCH/out")
    run "$tools/pquery" --uri "$uri" PMIX_QUERY_NAMESPACES
    same 'by its address' 'PMIX_QUERY_NAMESPACES: "job"' "$out"
    run "$tools/pquery" PMIX_QUERY_NAMESPACES
    [ $nodes -gt 1 ] || same 'the only one' 'PMIX_QUERY_NAMESPACES: "job"' "$out"

    code "pps, with $nodes nodes" 0 pps
    same 'its head' "job: 4 processes on $nodes node$([ $nodes = 1 ] || echo s)" "$(head -n 1 "$SCRATCH/out")"
    same 'a line for each process' '0 1 2 3' "$(sed 1,2d "$SCRATCH/out" | awk '{ print $1 }' | tr '\n' ' ' | sed 's/ $//')"
    same 'with its process id' '0 1 2 3' "$(sed 1,2d "$SCRATCH/out" | awk '{ print $2 }' | while read -r pid; do
        tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^PMIX_RANK=//p'; done | tr '\n' ' ' | sed 's/ $//')"
    same 'no control characters' 6 "$(wc -l <"$SCRATCH/out")"
    same 'and the name' 4 "$(grep -cF 'e\x0avil \"\x1b' "$SCRATCH/out")"
    code 'as JSON' 0 pps --json job
    python 'with all names as they are' '[d["status"]] + [(j["nspace"], j["job_status"], len(j["processes"]), {p["executable"].split("/")[-1] for p in j["processes"]}) for j in d["jobs"]]' \
        "['PMIX_SUCCESS', ('job', 'PMIX_SUCCESS', 4, {'e\\nvil \"\\x1b'})]"
    code 'for scripts' 0 pps --parsable
    has 'a rank' jobs:0:processes:2:rank:2
    has 'a node' "jobs:0:processes:3:hostname:$here"
    same 'a fact is a line' 0 "$(grep -cv '^status:\|^jobs:0:' "$SCRATCH/out")"
    code 'nodes' 0 pps --nodes
    same 'in order' "$([ $nodes = 1 ] && echo "4 $here 0-3" || echo '2 node0 0-1
2 node1 2-3')" "$(sed 1,2d "$SCRATCH/out" | awk '{ print $1, $2, $3 }')"
    code 'nodes as JSON' 0 pps --nodes --json
    python 'with ranks' '[(n["hostname"], n["processes"], n["ranks"]) for n in d["jobs"][0]["nodes"]][-1]' \
        "$([ $nodes = 1 ] && echo "('$here', 4, '0-3')" || echo "('node1', 2, '2-3')")"
    code 'a job that is not there' 5 pps none job
    said 'which is said' 'pps: none: not found: PMIX_ERR_NOT_FOUND'
    same 'and the other is shown' 1 "$(grep -c '^job: 4' "$SCRATCH/out")"
    code 'in JSON, too' 5 pps --json job none
    python 'with the status of the request that failed' '[d["status"]] + [j["nspace"] for j in d["jobs"]]' "['PMIX_ERR_NOT_FOUND', 'job']"
    end
done

# --- a server that does not answer, or not well
begin 1 "$PX_TOP_BUILDDIR/test/t/field_job" --script query=never
code 'no answer' 6 pquery --timeout 1 --json PMIX_QUERY_NAMESPACES
said 'in time' 'pquery: PMIX_QUERY_NAMESPACES: no answer in time: PMIX_ERR_TIMEOUT'
python 'which is in the output' 'd["status"]' PMIX_ERR_TIMEOUT
code 'nor a job' 6 pps --timeout 1
end
begin 1 "$PX_TOP_BUILDDIR/test/t/field_job" --script query=PMIX_ERR_NO_PERMISSIONS
code 'not permitted' 7 pquery 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=job]'
said 'which is said' 'pquery: PMIX_QUERY_PROC_TABLE: not permitted: PMIX_ERR_NO_PERMISSIONS'
end
begin 1 "$PX_TOP_BUILDDIR/test/t/field_job" --script query=PMIX_ERR_OUT_OF_RESOURCE
code 'any other failure' 1 pquery 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=job]'
said 'has its name' 'pquery: PMIX_QUERY_PROC_TABLE: failed: PMIX_ERR_OUT_OF_RESOURCE'
end

# --- a launcher, whose server is another one than that of its own server
begin 1 "$PX_TOP_BUILDDIR/test/t/field_job"
mkfifo "$SCRATCH/hold"
"$PX_TOP_BUILDDIR/test/interop/launcher" "$TMPDIR" --forward yes 1 sh -c "echo up; cat '$SCRATCH/hold'" \
    >"$SCRATCH/launched" </dev/null &
launcher=$!
until_lines 1 "$SCRATCH/launched"
for command in 'pquery PMIX_QUERY_NAMESPACES' pps; do
    # shellcheck disable=SC2086
    run $tools/$command
    same "${command%% *} with several servers" "3 ${command%% *}: several servers are on this node; choose one of them: 1 1 3" \
        "$code $(head -n 1 "$SCRATCH/err") $(grep -c "^  --pid $runner  --nspace [^ ]*$" "$SCRATCH/err") $(
            grep -c "^  --pid $launcher  --nspace [^ ]*$" "$SCRATCH/err") $(wc -l <"$SCRATCH/err")"
done
code 'the one that is chosen' 0 pps
run "$tools/pps" --pid "$launcher"
same 'or the other' 0 "$code"
echo >"$SCRATCH/hold"
wait $launcher
same 'the launcher ends' 0 $?
run "$tools/pps"
same 'there is one left' 0 "$code"
end
finish
