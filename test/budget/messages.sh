#!/bin/sh
# Budgets of messages: how often a process sends and receives in each step of its life, and how many bytes a collecting fence
# carries between nodes for each rank.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own calls would be counted"
strace -o /dev/null true 2>/dev/null || skip_all "strace is not here, or may not trace"

pmixrun=$PX_TOP_BUILDDIR/src/tools/pmixrun
client=$PX_TOP_BUILDDIR/test/budget/messages
export SCRATCH client

# count STEP DIRECTION: calls of rank 1 in that step that moved bytes through a socket.
count() {
    sed -n "/budget-$1\"/,/budget-over\"/p" "$SCRATCH/trace.1" |
        grep -Ec "(^[0-9]+ +$2(to|from|msg)\(|<\.\.\. $2(to|from|msg) resumed>).* = [1-9][0-9]*\$"
}

# run_traced: a job of four processes on two nodes, each traced.
run_traced() {
    # shellcheck disable=SC2016
    limit 100 "$pmixrun" -n 4 --nodes 2 --record "$SCRATCH/record" \
        sh -c 'exec strace -f -o "$SCRATCH/trace.$PMIX_RANK" "$client"' >"$SCRATCH/out" 2>&1
}

# By messages a collecting fence is followed by a request for what it brought, and a read of a local peer's value asks whether it has changed.
for form in shared hash; do
    sent="0 0 1 10 1 0 1"
    [ $form = shared ] || { sent="2 0 1 10 2 1 1" PMIX_MCA_gds=hash && export PMIX_MCA_gds; }
    run_traced
    same "$form: the job ends well" 0 $?
    [ $form = hash ] || same "an inherited init makes no call that connects or sends" "" \
        "$(sed -n '/budget-init"/,/budget-over"/p' "$SCRATCH/trace.1" | grep -oE '[^a-z](socket|connect|sendto|sendmsg|sendmmsg)\(' | sort -u)"
    same "$form: sent by init, eight values, their commit, ten barriers, a collecting fence, two reads, finalize" \
        "$sent" \
        "$(for step in init put commit barriers collect get finalize; do count $step send; done | tr '\n' ' ' | sed 's/ $//')"
    # The reply to a commit may come with that to the first barrier.
    received=$(for step in commit barriers; do count $step recv; done | awk '{ n += $1 } END { print n }')
    check "$form: at most 11 receptions for a commit and ten barriers ($received)" \
        test "$received" -ge 10 -a "$received" -le 11
    # A thread's first allocation makes an arena. A thread that waits takes the connection out of
    # the progress thread's list and puts it back; where the other one has read, it rings a bell (write, read).
    sed -n '/budget-barriers"/,/budget-over"/p' "$SCRATCH/trace.1" | grep -v ' resumed>' | sed 's/^[0-9]* *//; s/(.*//' \
        >"$SCRATCH/calls"
    other=$(grep -vxE 'access|sendmsg|recvmsg|futex|epoll_wait|epoll_ctl|poll|sched_yield|read|write|mmap|munmap|mprotect|\+\+\+.*|---.*' "$SCRATCH/calls" |
        sort -u | tr '\n' ' ')
    same "$form: a barrier makes no system calls but to send, to receive and to sleep" "" "$other"
    bytes=$(sed -n 's/.*"fence_nb".*"bytes": \([0-9]*\),.*/\1/p' "$SCRATCH/record" | sort -n | tail -n 1)
    check "$form: at most 980 bytes of two ranks that post 512 each, of which half are alike ($bytes)" \
        test "${bytes:-0}" -ge 768 -a "${bytes:-0}" -le 980
done
unset PMIX_MCA_gds

# Without inheritance: the introduction, of whose reply status and index are read one after the other, and one request, whose
# reply brings the segment.
PMIX_MCA_shmix_inherit=0 && export PMIX_MCA_shmix_inherit
run_traced
same "ordinary start: the job ends well" 0 $?
same "ordinary start: sent and received by init" "2 3" "$(count init send) $(count init recv)"
finish
