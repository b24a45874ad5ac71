#!/bin/sh
# A job whose processes have to share processors begins when all of them are started: pmixrun holds each in its first instructions,
# and lets them go at the end. Others run at once.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
strace -o /dev/null true 2>/dev/null || skip_all "strace is not here, or may not trace"

pmixrun=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmixrun
n_cpus=$(nproc)

# launched N WORD...: a traced job of N processes; then $holds has the signals that hold processes and let them go, in their order.
launched() {
    n=$1
    shift
    limit 100 strace -f -o "$SCRATCH/trace" -e trace=kill -e signal=none "$pmixrun" -n "$n" "$@" >"$SCRATCH/out" 2>&1
    same "$n processes: the job ends well" 0 $?
    holds=$(sed -n 's/^.* kill(\([0-9]*\), \(SIGSTOP\|SIGCONT\)).*/\2 \1/p' "$SCRATCH/trace")
}

# pids SIGNAL: who got it.
pids() {
    printf '%s\n' "$holds" | sed -n "s/^$1 //p" | sort
}

n=$((n_cpus + 2))
launched $n sh -c 'exit 0'
same "as many are held" $n "$(pids SIGSTOP | uniq | wc -l | tr -d ' ')"
same "the same are let go" "$(pids SIGSTOP)" "$(pids SIGCONT)"
same "once all are started" "SIGSTOP SIGCONT" "$(printf '%s\n' "$holds" | sed 's/ .*//' | uniq | tr '\n' ' ' | sed 's/ $//')"

launched 1 true
same "one process runs at once" "" "$holds"
if [ "$n_cpus" -gt 1 ]; then
    launched "$n_cpus" true
    same "so do those that have a processor each" "" "$holds"
else
    skip "so do those that have a processor each" "one processor"
fi
finish
