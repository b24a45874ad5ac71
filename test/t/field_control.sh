#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pctrl and palloc in all their forms: what processes notice, and what the host is asked.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"

for words in '' '--targets job:0' '--pause' '--targets job:0 --pause --resume' '--targets job:0 --kill now' '--targets job --kill' \
    '--targets job:-1 --kill' '--targets job:4294967295 --kill' '--targets job:0 --signal 0' '--targets job:0 --signal 9999' \
    '--targets job:0 --signal none' '--targets job:0 --info PMIX_JOB_CTRL_KILL=perhaps'; do
    # shellcheck disable=SC2086
    run "$tools/pctrl" --pid 1 $words
    same "pctrl $words" 2 "$code"
done
for words in '' '--nodes x' '--nodes -1' '--extend 1 --release 1' '--nodes 1 word' '--memory much' '--immediate 0'; do
    # shellcheck disable=SC2086
    run "$tools/palloc" --pid 1 $words
    same "palloc $words" 2 "$code"
done

cat >"$SCRATCH/job" <<'E2'
#!/bin/sh
trap 'echo heard' USR1
echo here
while :; do read -r word <"$1" && break; done
E2
chmod +x "$SCRATCH/job"
for nodes in 1 2; do
    begin $nodes "$SCRATCH/job"
    field pps --parsable job
    pid_of() { sed -n "s/^jobs:0:processes:$1:pid://p" "$SCRATCH/pids"; }
    cp "$SCRATCH/out" "$SCRATCH/pids"
    code "pause, with $nodes nodes" 0 pctrl --targets job:0,job:3 --pause
    same 'says nothing' '' "$out$err"
    check 'stops one' until_state "$(pid_of 0)" T
    check 'and the other' until_state "$(pid_of 3)" T
    code 'resume' 0 pctrl --json --targets 'job:*' --resume
    python 'as JSON' 'd' "{'status': 'PMIX_SUCCESS', 'results': []}"
    check 'lets them go on' until_state "$(pid_of 3)" S
    check 'both' until_state "$(pid_of 0)" S
    n=4
    for signal in SIGUSR1 usr1 10 -10; do
        code "signal $signal" 0 pctrl --targets job:2 --signal "$signal"
        n=$((n + 1))
        check 'is heard' until_lines $n "$SCRATCH/job.out"
    done
    code 'a directive by name' 0 pctrl --targets job:2 --info '!PMIX_JOB_CTRL_SIGNAL=10'
    check 'is heard, too' until_lines 9 "$SCRATCH/job.out"
    for words in '--checkpoint one' '--restart one' '--pset some'; do
        # shellcheck disable=SC2086
        code "$words" 4 pctrl --targets job:1 $words
        said 'is refused' 'pctrl: job control: not supported by the server or its host: PMIX_ERR_NOT_SUPPORTED'
    done
    code 'cancel' 4 pctrl --cancel all --parsable
    same 'is refused in the output, too' 'status:PMIX_ERR_NOT_SUPPORTED' "$out"
    code 'a job that is not there' 5 pctrl --targets 'none:*' --kill
    said 'which is said' 'pctrl: job control: not found: PMIX_ERR_NOT_FOUND'
    code 'terminate' 0 pctrl --targets job:1 --terminate
    check 'ends it' gone "$(pid_of 1)"
    code 'kill' 0 pctrl --targets job:0,job:2 --kill
    check 'ends both' gone "$(pid_of 0)" "$(pid_of 2)"
    same 'but not the last' yes "$(alive "$(pid_of 3)" && echo yes)"
    end
done

# --- what the host is asked
asked() { # asked WHAT EXPRESSION WANT: of the last request that was recorded, r
    command -v python3 >/dev/null 2>&1 || { skip "$1" 'python3 is not here'; return; }
    same "$1" "$3" "$(python3 -c 'import json, sys
r = [json.loads(l) for l in open(sys.argv[1])]
r = [x for x in r if x["entry"] in ("allocate", "job_control")][-1]
i = {x["key"]: (x["type"], x["value"], x.get("flags")) for x in r["info"]}
print(eval(sys.argv[2]))' "$SCRATCH/record" "$2" 2>&1)"
}
begin 1 "$SCRATCH/job" --record "$SCRATCH/record" --script allocate#4=never --script allocate=inside \
    --script job_control=inside
code 'an allocation' 0 palloc --nodes 4 -t 1:00:00 -q night --request-id mine --share --memory 1.5 --exclude 'a,b[1-3]' --info 'my.extra:int8=-3'
same 'says nothing' '' "$out$err"
asked 'with its attributes' '[i[k][:2] for k in ("pmix.alloc.nnodes", "pmix.alloc.time", "pmix.alloc.queue", "pmix.alloc.reqid", "pmix.alloc.share", "pmix.alloc.msize", "pmix.alloc.exclude", "my.extra")]' \
    "[('PMIX_UINT64', 4), ('PMIX_STRING', '1:00:00'), ('PMIX_STRING', 'night'), ('PMIX_STRING', 'mine'), ('PMIX_BOOL', True), ('PMIX_FLOAT', '1.5'), ('PMIX_STRING', 'a,b[1-3]'), ('PMIX_INT8', -3)]"
code 'more of it' 0 palloc --extend 9 --nodes 1 --json
python 'as JSON' 'd' "{'status': 'PMIX_SUCCESS', 'results': []}"
asked 'names it' '(r["directive"], i["pmix.alloc.id"][1])' "(2, '9')"
code 'the end of it' 0 palloc --release 9 --parsable
same 'for scripts' 'status:PMIX_SUCCESS' "$out"
asked 'is another request' '(r["directive"], i["pmix.alloc.id"][1])' "(3, '9')"
code 'no answer' 6 palloc --nodes 1 --immediate 1
said 'in time' 'palloc: the allocation: no answer in time: PMIX_ERR_TIMEOUT'
asked 'the host knows the limit' 'i["pmix.timeout"]' "('PMIX_INT', 1, None)"
code 'control with a name' 0 pctrl --targets job:0 --checkpoint one --request-id two
asked 'the action is required, the name is not' '[i["pmix.jctrl.ckpt"], i["pmix.jctrl.id"]]' \
    "[('PMIX_STRING', 'one', 1), ('PMIX_STRING', 'two', None)]"
code 'cancel one' 0 pctrl --cancel two
asked 'names it' 'i["pmix.jctrl.cancel"][1]' two
end
begin 1 "$SCRATCH/job"
code 'a host without a scheduler' 4 palloc --nodes 1
said 'says so' 'palloc: the allocation: not supported by the server or its host: PMIX_ERR_NOT_SUPPORTED'
end
finish
