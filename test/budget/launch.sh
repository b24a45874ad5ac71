#!/bin/sh
# If a job has more processes than processors, pmixrun stops each process but the last one in its first instructions, and continues
# all of them at the end. Other jobs are not stopped.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "the leak sanitizer does not work under strace"
strace -o /dev/null true 2>/dev/null || skip_all "strace is not here, or may not trace"

pmixrun=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmixrun
n_cpus=$(nproc)

# launched N WORD...: a traced job of N processes; then $holds has the signals that hold processes and let them go, in their order.
launched() {
    n=$1
    shift
    limit 100 strace -f -o "$SCRATCH/trace" -e trace=kill -e signal=none "$pmixrun" -n "$n" "$@" >"$SCRATCH/out" 2>&1
    same "$n processes: the job ends well" 0 $?
    holds=$(sed -n 's/^.* kill(\([0-9]*\), \(SIGTTOU\|SIGCONT\)).*/\2 \1/p' "$SCRATCH/trace")
}

# pids SIGNAL: who got it.
pids() {
    printf '%s\n' "$holds" | sed -n "s/^$1 //p" | sort
}

many=$((n_cpus + 2))
launched $many sh -c 'exit 0'
same "all but the last are held" $((many - 1)) "$(pids SIGTTOU | uniq | wc -l | tr -d ' ')"
same "they are let go, and the last is none the worse" "$many $((many - 1))" \
    "$(pids SIGCONT | uniq | wc -l | tr -d ' ') $(printf '%s\n%s\n' "$(pids SIGTTOU)" "$(pids SIGCONT)" | sort | uniq -d | wc -l | tr -d ' ')"
same "once all are started" "SIGTTOU SIGCONT" "$(printf '%s\n' "$holds" | sed 's/ .*//' | uniq | tr '\n' ' ' | sed 's/ $//')"

launched 1 true
same "one process runs at once" "" "$holds"
if [ "$n_cpus" -gt 1 ]; then
    launched "$n_cpus" true
    same "so do those that have a processor each" "" "$holds"
else
    skip "so do those that have a processor each" "one processor"
fi

# The signals of pmixrun come late here, so that rank 0 has stopped by itself before it is held.
strace -o "$SCRATCH/trace" -e trace=kill -e inject=kill:delay_enter=100000 "$pmixrun" -n $many \
    sh -c '[ $PMIX_RANK != 0 ] || { echo $$ >"$1/pid"; kill -STOP $$; }' sh "$SCRATCH" >"$SCRATCH/out" 2>&1 &
runner=$!
others_go() { [ "$(grep -c 'SIGCONT) *= 0' "$SCRATCH/trace")" = $((many - 1)) ]; }
check 'the others are let go' until_true 'the others are let go' others_go
same 'who has stopped by itself is not' T "$(sed 's/.*) \(.\) .*/\1/' "/proc/$(cat "$SCRATCH/pid")/stat")"
kill -CONT "$(cat "$SCRATCH/pid")"
wait $runner
same 'until somebody else has it go on' 0 $?
finish
