#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The k-th allocation of the library, and the k-th call of each kind that the kernel can refuse, fails: in a client, a server
# and a tool. Each ends, with whatever status, and nobody crashes or hangs; a server whose client was hit keeps no
# descriptor, and when the library is down whoever was hit has freed as many of its allocations as without the fault. Every 16th k, other ones each day; with PX_LONG every one.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ -z "$PX_SANITIZED" ] || skip_all 'a sanitizer has allocations of its own'
by_messages && skip_all 'both forms are tried'
own_tmpdir
host=$PX_TOP_BUILDDIR/test/interop/host
faults=$PX_TOP_BUILDDIR/test/hostile/.libs/libfaults.so
hello=$examples/hello
step=${PX_LONG:+1}
step=${step:-16}
first=$(($(date +%j | sed 's/^0*//') % step + 1))
echo "# every ${step}th, from $first"

# The three, each run as RUN FAULT COUNTS; they leave the exit status of who was hit in $SCRATCH/hit.
cat >"$SCRATCH/rank" <<END
#!/bin/sh
LD_PRELOAD="$faults" "$hello"
echo \$? >"$SCRATCH/hit"
END
cat >"$SCRATCH/asking" <<END
#!/bin/sh
unset PMIX_NAMESPACE PMIX_RANK
LD_PRELOAD="$faults" "$PX_TOP_BUILDDIR/src/tools/pquery" --pid "\$PPID" pmix.qry.ns >/dev/null 2>&1
echo \$? >"$SCRATCH/hit"
END
chmod +x "$SCRATCH/rank" "$SCRATCH/asking"
client() { HOST_COUNT_FDS=1 limit 20 "$host" 1 "$SCRATCH/rank"; }
tool() { limit 20 "$pmixrun" -n 1 "$SCRATCH/asking"; }
server() {
    limit 20 env LD_LIBRARY_PATH="$PX_TOP_BUILDDIR/.libs" LD_PRELOAD="$faults" "$PX_TOP_BUILDDIR/src/tools/.libs/pmixrun" -n 1 "$hello"
    echo $? >"$SCRATCH/hit"
}

# hit WHO KIND K: once, with that fault.
hit() {
    rm -f "$SCRATCH/hit" "$SCRATCH/counts"
    SHMIX_FAULT="$2 $3" SHMIX_FAULT_COUNTS=$SCRATCH/counts "$1" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
    hit=$(cat "$SCRATCH/hit" 2>/dev/null)
    if [ "$code" -ge 124 ] || [ "${hit:-255}" -ge 124 ]; then
        echo "$1, $2 $3: ends with $code, who was hit with ${hit:-nothing}"
        tail -n 3 "$SCRATCH/err"
        return 1
    fi
    live=$(sed -n 's/^live //p' "$SCRATCH/counts" 2>/dev/null)
    if [ -s "$SCRATCH/all" ] && [ "${live:-0}" -gt "$(sed -n 's/^live //p' "$SCRATCH/all")" ]; then
        echo "$1, $2 $3: $live allocations are not freed, $(sed -n 's/^live //p' "$SCRATCH/all") without the fault"
        return 1
    fi
    if [ "$1" = client ] && ! grep -q '^host: 0 descriptors more' "$SCRATCH/out"; then
        echo "$1, $2 $3: $(grep descriptors "$SCRATCH/out")"
        return 1
    fi
}

# sweep WHO KIND CALLS
sweep() {
    k=$first
    # What is called a few times only fails each time.
    [ "$3" -ge 64 ] || { k=1; step_here=1; }
    while [ $k -le "$3" ]; do
        hit "$1" "$2" $k || bad=1
        k=$((k + ${step_here:-$step}))
    done
    unset step_here
}

all_of() {
    bad=0
    rm -f "$SCRATCH/all"
    hit "$1" none 0 || return 1
    grep -q '^live' "$SCRATCH/counts" || { echo "$1: it does not end"; return 1; }
    cp "$SCRATCH/counts" "$SCRATCH/all"
    while read -r kind n <&3; do
        [ "$kind" = live ] || sweep "$1" "$kind" "$n"
    done 3<"$SCRATCH/all"
    return $bad
}
for form in segments hash; do
    [ $form = segments ] || { PMIX_MCA_gds=hash; export PMIX_MCA_gds; }
    for who in client server tool; do
        [ "$who $form" != 'tool hash' ] || continue
        check "a $who, $form" all_of $who
        echo "# calls: $(tr '\n' ' ' <"$SCRATCH/all")"
    done
done
finish
