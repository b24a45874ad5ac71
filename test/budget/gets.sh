#!/bin/sh
# Budgets of a read: no system call, no context switch, no allocation but for the result; for a tool, too, that has the job's
# segment.
# Covers: SHM-002
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own calls would be counted"

host=$PX_TOP_BUILDDIR/test/interop/host
gets=$PX_TOP_BUILDDIR/test/budget/gets
for form in shared tool hash; do
    what=
    [ $form = tool ] && what=tool && HOST_TOOLS=1 && export HOST_TOOLS
    [ $form = hash ] && unset HOST_TOOLS && PMIX_MCA_gds=hash && export PMIX_MCA_gds
    limit 100 "$host" 1 "$gets" $what >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "$form: every read is right" 0 $?
    same "$form: allocations per read" "scalar 1 process 1 string 2 static 0 pointer 0 miss 0" \
        "$(grep -v 'switches\|^host:' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
    same "$form: voluntary context switches in 100,000 reads" "switches 0" "$(grep switches "$SCRATCH/out")"
    if command -v strace >/dev/null 2>&1 && strace -o /dev/null true 2>/dev/null; then
        limit 100 "$host" 1 "$(command -v strace)" -o "$SCRATCH/trace" "$gets" $what >/dev/null 2>&1
        same "$form: system calls between the marks" "" \
            "$(sed -n '/budget-begin/,/budget-end/p' "$SCRATCH/trace" | grep -v budget-)"
        same "$form: system calls of the first reads of the process" "" \
            "$(sed -n '/budget-first/,/budget-read/p' "$SCRATCH/trace" | grep -v budget-)"
        # The kernel takes ten milliseconds for it; it is for who frees what a second thread may be reading.
        same "$form: nothing is registered for membarrier" 0 "$(grep -c membarrier "$SCRATCH/trace")"
        same "$form: all marks were seen" 4 "$(grep -c budget- "$SCRATCH/trace")"
    else
        skip "$form: system calls between the marks" "no strace here"
    fi
done
finish
