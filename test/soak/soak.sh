#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Processes in 256 slots that come, work, finalize or die, for a minute; with PX_LONG (make check-long) for ten, and with
# less of a pause. Repeat one with SOAK_SEED.
# Covers: SHM-009 SHM-024
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
length=20
pace=200
if [ -n "${PX_LONG:-}" ]; then
    length=290
    pace=30
fi
# Without the caches of libc's allocator, or of jemalloc, what is in use is what is counted; the sanitizers' have no
# count.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0
MALLOC_CONF=tcache:false
TMPDIR=$SCRATCH/tmp
# Few events are kept for late comers, and few names of former groups, so that their number is soon constant.
PMIX_MCA_pmix_max_events=32
PMIX_MCA_shmix_group_names=32
# Some processes end without giving anything back.
ASAN_OPTIONS=detect_leaks=0
export GLIBC_TUNABLES MALLOC_CONF TMPDIR PMIX_MCA_pmix_max_events PMIX_MCA_shmix_group_names ASAN_OPTIONS
[ -z "${PX_SANITIZED:-}" ] || pace=1000

# soak WHAT: the same lines of TAP as the program, told apart by WHAT.
soak() {
    seed=${SOAK_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
    rm -rf "$TMPDIR"
    mkdir "$TMPDIR" || exit 99
    limit $((length + 300)) "$PX_TOP_BUILDDIR/test/soak/soak" $length $pace "$seed" ${PX_SANITIZED:+nomemory} \
        >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
    grep '^#' "$SCRATCH/out"
    head -n 40 "$SCRATCH/err" | sed 's/^/# /'
    while read -r line; do
        case $line in
            ok*) report 0 "$1: ${line#*- }" ;;
            not*) report 1 "$1: ${line#*- }" ;;
        esac
    done <"$SCRATCH/out"
    same "$1: to the end" 0 $code
}

soak 'fences stay here'
PMIX_MCA_pmix_server_fence_localonly_opt=0
export PMIX_MCA_pmix_server_fence_localonly_opt
soak 'fences go to the host'
finish
