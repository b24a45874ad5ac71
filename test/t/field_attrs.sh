#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pattrs in all its forms, with and without a server.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"

run "$tools/pattrs" --pid 1
same 'no level' '2 pattrs: needs a level: "--client, --server, --tool, --host"' "$code $(head -n 1 "$SCRATCH/err")"
run "$tools/pattrs" --pid 1 --client PMIx_Get PMIx_Put
same 'a word too many' '2 pattrs: what is "PMIx_Put"' "$code $(head -n 1 "$SCRATCH/err")"
run "$tools/pattrs" --pid 1 --client
same 'no server' 3 "$code"
run "$tools/pattrs" --do-not-connect --client --tool
same 'calls without a server' 0 "$code"
has 'those of a client' '  PMIx_Fence'
has 'and those of a tool' '  PMIx_tool_init'
same 'under their levels' 'client: tool: ' "$(grep '^[a-z]' "$SCRATCH/out" | tr '\n' ' ')"
run "$tools/pattrs" --do-not-connect --client=PMIx_Fence
same 'attributes of one' 'client PMIx_Fence:' "$(head -n 1 "$SCRATCH/out")"
has 'with their types' '  PMIX_TIMEOUT  pmix.timeout  PMIX_INT'
has 'and meanings' '      seconds that the call may take; 0: no limit'
run "$tools/pattrs" --do-not-connect --client PMIx_Nope
same 'a call that this library does not have' '3 pattrs: client: no server answers: PMIX_ERR_UNREACH' "$code $err"
run "$tools/pattrs" --do-not-connect --client all --json
same 'all' 0 "$code"
python 'are many' 'len(d["levels"][0]["calls"]) > 40 and len(set(c["call"] for c in d["levels"][0]["calls"])) == len(d["levels"][0]["calls"])' True

begin 1 "$PX_TOP_BUILDDIR/test/t/field_job"
code 'the server' 0 pattrs --server
has 'has its calls' '  PMIx_Query_info'
code 'two levels' 0 pattrs --server PMIx_Query_info --client PMIx_Get,PMIx_Fence --json
python 'as JSON' '[(l["level"], l["status"], [(c["call"], c["supported"]) for c in l["calls"]]) for l in d["levels"]]' \
    "[('client', 'PMIX_SUCCESS', [('PMIx_Get', True), ('PMIx_Fence', True)]), ('server', 'PMIX_SUCCESS', [('PMIx_Query_info', True)])]"
python 'with attributes' '[a for a in d["levels"][0]["calls"][1]["attributes"] if a["name"] == "PMIX_TIMEOUT"]' \
    "[{'name': 'PMIX_TIMEOUT', 'key': 'pmix.timeout', 'type': 'PMIX_INT', 'description': ['seconds that the call may take; 0: no limit']}]"
code 'for scripts' 0 pattrs --parsable --client PMIx_Fence
has 'a fact is a line' levels:0:calls:0:attributes:0:name:PMIX_TIMEOUT
code 'one of two' 5 pattrs --server PMIx_Query_info,PMIx_Nope
said 'which is said' 'pattrs: server: not all of it was found: PMIX_ERR_PARTIAL_SUCCESS'
has 'and the one is there' 'server PMIx_Query_info:'
code 'a host that has not said' 5 pattrs --host
said 'is said' 'pattrs: host: not found: PMIX_ERR_NOT_FOUND'
end
finish
