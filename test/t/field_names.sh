#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# plookup and pevent in all their forms, at jobs on one node and on two.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"
evil=$(printf 'evil\n"key')

run "$tools/plookup" --pid 1
same 'no key' '2 plookup: needs a "KEY"' "$code $(head -n 1 "$SCRATCH/err")"
run "$tools/plookup" --pid 1 --range nowhere key
same 'no range' 2 "$code"
run "$tools/plookup" --pid 1 ''
same 'an empty key' 2 "$code"
run "$tools/pevent" --pid 1
same 'no event' '2 pevent: needs an "EVENT"' "$code $(head -n 1 "$SCRATCH/err")"
run "$tools/pevent" --pid 1 PMIX_NO_SUCH_EVENT
same 'an unknown event' '2 pevent: no status is called "PMIX_NO_SUCH_EVENT"' "$code $(head -n 1 "$SCRATCH/err")"
for words in '--targets job PMIX_ERROR' '--targets job:x PMIX_ERROR' '--targets :1 PMIX_ERROR' '--event ERROR ERROR' 'ERROR ERROR' \
    '--info =3 ERROR' '--info a:uint16=65536 ERROR' '--info a:bool=maybe ERROR' '--info a:data_array=1 ERROR' '--range x ERROR' \
    '--info a:double=1x ERROR' '--info a:int=99999999999 ERROR' '--info a:status=none ERROR' '--info a:proc=x ERROR'; do
    # shellcheck disable=SC2086
    run "$tools/pevent" --pid 1 $words
    same "pevent $words" 2 "$code"
done

for nodes in 1 2; do
    begin $nodes "$PX_TOP_BUILDDIR/test/t/field_job"
    code "plookup, with $nodes nodes" 0 plookup port,number
    same 'plain' 'port: "one"
  published by: "job:0"
number: 4242
  published by: "job:0"' "$out"
    code 'hostile names and values' 0 plookup "$evil"
    same 'plain' 'evil\x0a\"key: "a\x0ab\"c\\d\x1b[31m\xff"
  published by: "job:0"' "$out"
    code 'for scripts' 0 plookup --parsable number "$evil"
    same 'a fact is a line' 'status:PMIX_SUCCESS
results:0:key:number
results:0:proc:job:0
results:0:type:PMIX_UINT32
results:0:value:4242
results:1:key:evil\x0a\"key
results:1:proc:job:0
results:1:type:PMIX_STRING
results:1:value:a\x0ab\"c\\d\x1b[31m\xff' "$out"
    code 'as JSON' 0 plookup --json "$evil"
    python 'is JSON' '[(r["key"], r["proc"], ascii(r["value"])) for r in d["results"]]' \
        "[('evil\\n\"key', {'nspace': 'job', 'rank': 0}, '\\'a\\\\nb\"c\\\\\\\\d\\\\x1b[31m\\\\ufffd\\'')]"
    code 'one of two' 5 plookup --json nobody port
    said 'the other is named' 'plookup: nobody: not found: PMIX_ERR_NOT_FOUND'
    python 'and the one is there' '[d["status"]] + [r["key"] for r in d["results"]]' "['PMIX_ERR_PARTIAL_SUCCESS', 'port']"
    code 'none of one' 5 plookup nobody
    same 'is nothing' '' "$out"
    code 'what nobody publishes' 6 plookup --wait --timeout 1 nobody
    code 'waiting for what is there' 0 plookup --wait --range session port

    code "pevent, with $nodes nodes" 0 pevent --info my.number:uint32=17 --info 'my.text=two words' -- -3001
    same 'says nothing' '' "$out$err"
    until_lines 8 "$SCRATCH/job.out"
    same 'tells all' '4 4' "$(grep -c '^event -3001 number 17 text two words$' "$SCRATCH/job.out") $(grep -c ^event "$SCRATCH/job.out")"
    code 'by name' 0 pevent --event event_node_down --targets 'job:1,job:2' --json
    python 'as JSON' 'd' "{'status': 'PMIX_SUCCESS', 'event': 'PMIX_EVENT_NODE_DOWN'}"
    until_lines 10 "$SCRATCH/job.out"
    code 'and then all' 0 pevent --parsable --targets 'job:*' --range session --info my.text=last PMIX_EVENT_NODE_DOWN
    same 'for scripts' 'status:PMIX_SUCCESS
event:PMIX_EVENT_NODE_DOWN' "$out"
    until_lines 14 "$SCRATCH/job.out"
    same 'only those who were meant' '2 4' "$(grep -c '^event -231$' "$SCRATCH/job.out") $(grep -c '^event -231 text last$' "$SCRATCH/job.out")"
    end
done

begin 1 "$PX_TOP_BUILDDIR/test/t/field_job" --script lookup=PMIX_ERR_NOT_SUPPORTED --script notify_event=PMIX_ERR_NOT_SUPPORTED
code 'a host without names' 4 plookup port
said 'which is said' 'plookup: the lookup: not supported by the server or its host: PMIX_ERR_NOT_SUPPORTED'
end
begin 1 "$PX_TOP_BUILDDIR/test/t/field_job" --script lookup=never
code 'a host that does not answer' 6 plookup --timeout 1 port
end
finish
