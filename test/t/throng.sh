#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Many at once: 128 processes (with PX_LONG, make check-long, 512) that connect to a server which is stopped meanwhile (for five
# seconds then), by its AF_UNIX socket, by TCP, and by messages; 96 processes on eight nodes that fence over random sets of their node, 100 rounds
# (with PX_LONG 10,000). Repeat the fences with SEED.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
own_tmpdir
throng=$PX_TOP_BUILDDIR/test/t/throng
n=128
stopped_s=1
rounds=100
forms=unix
if [ -n "${PX_LONG:-}" ]; then
    n=512
    stopped_s=5
    rounds=10000
    forms='unix tcp messages'
fi
[ -z "${PX_SANITIZED:-}" ] || n=96
[ "$(ulimit -H -n)" = unlimited ] || [ "$(ulimit -H -n)" -ge $((4 * n)) ] || n=96
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "# SEED=$SEED"

has_bytes() { [ "$(wc -c <"$2" 2>/dev/null || echo 0)" -ge "$1" ]; }
left() { find "$TMPDIR" -mindepth 1; }

for form in $forms; do
    case $form in
    unix) parameter=PMIX_MCA_shmix_inherit=0 ;;
    tcp) parameter=PMIX_MCA_shmix_door_unix=0 ;;
    messages) parameter=PMIX_MCA_gds=hash ;;
    esac
    rm -f "$SCRATCH/ready" "$SCRATCH/gate" "$SCRATCH/tried"
    mkfifo "$SCRATCH/gate"
    env PMIX_MCA_shmix_inherit=0 $parameter "$pmixrun" -n $n "$throng" start "$SCRATCH/ready" "$SCRATCH/gate" "$SCRATCH/tried" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null &
    runner=$!
    check "$form: $n processes are there" until_true 'they are' has_bytes $n "$SCRATCH/ready"
    kill -STOP $runner
    until_state $runner T
    exec 3>"$SCRATCH/gate"
    check "$form: they begin at a stopped server" until_true 'they do' has_bytes $n "$SCRATCH/tried"
    sleep $stopped_s # no event: the longest time for which a server is expected not to answer
    kill -CONT $runner
    wait $runner
    same "$form: all come, and find each other's data" "0 $n" "$? $(grep -c right "$SCRATCH/out")"
    exec 3>&-
    head -n 20 "$SCRATCH/err" | sed 's/^/# /'
    same "$form: nothing is left" '' "$(left)"
done

limit 1200 "$pmixrun" --nodes 8 -n 96 "$throng" fences $rounds "$SEED" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
same "96 processes, $rounds fences of subsets" '0 96' "$? $(grep -c 'right$' "$SCRATCH/out")"
head -n 20 "$SCRATCH/err" | sed 's/^/# /'
same 'nothing is left' '' "$(left)"
finish
