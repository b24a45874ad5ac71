#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Segments that move under their readers, and every way to do without a segment: the answers are the same.
# Covers: SHM-006 SHM-007 SHM-017
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
moves=$PX_TOP_BUILDDIR/test/t/moves

job() { # job WHAT COMMAND...: the job says what it always says
    what=$1
    shift
    run "$@"
    same "$what" 'rank 0 of 4: 60 rounds
rank 1 of 4: 60 rounds
rank 2 of 4: 60 rounds
rank 3 of 4: 60 rounds' "$(printf '%s\n' "$out" | sort)"
    same "$what: nothing is wrong" '0 ' "$code $err"
}

job 'the segment stays' "$pmixrun" -n 4 "$moves" 60 fork
job 'the segment moves' env PMIX_MCA_shmix_segment_dead=16384 "$pmixrun" -n 4 "$moves" 60 fork
job 'the segment moves, in pieces' "$pmixrun" -n 4 "$moves" 60 large
run env PMIX_MCA_shmix_segment_dead=16384 "$pmixrun" --report -n 4 "$moves" 200
size=$(printf '%s\n' "$err" | sed -n 's/.*segment of \([0-9]*\) bytes.*/\1/p')
[ "$code" -eq 0 ] && [ "${size:-1000000}" -lt 200000 ]
report $? "of three million bytes that were posted a tenth stays, at most${size:+: $size}"
job 'the segment moves, and one has no descriptor left for it' \
    env PMIX_MCA_shmix_segment_dead=16384 "$pmixrun" -n 4 "$moves" 60 starve
job 'the segment moves, on two nodes' env PMIX_MCA_shmix_segment_dead=16384 "$pmixrun" -n 4 --nodes 2 "$moves" 60
job 'the segment is small and grows' env PMIX_MCA_shmix_segment_size=1048576 "$pmixrun" -n 4 "$moves" 60
job 'no segment in the server' env PMIX_MCA_shmix_shared=0 "$pmixrun" -n 4 "$moves" 60
job 'no segment in the clients' "$pmixrun" -n 4 env PMIX_MCA_gds=hash "$moves" 60
no_memfd=$PX_TOP_BUILDDIR/test/t/no_memfd
if "$no_memfd" 1 true; then
    job 'memfd_create is not allowed in the server' "$no_memfd" 1 "$pmixrun" -n 4 "$moves" 60
    job 'memfd_create is unknown in the server' "$no_memfd" 38 "$pmixrun" -n 4 "$moves" 60
else
    skip 'memfd_create fails in the server' 'system calls cannot be filtered here'
fi
job 'gds=hash' env PMIX_MCA_gds=hash "$pmixrun" -n 4 "$moves" 60
job 'TCP only' env PMIX_MCA_shmix_door_unix=0 "$pmixrun" -n 4 "$moves" 60
if [ -z "$PX_SANITIZED" ]; then # a sanitizer wants all of the address space for itself
    job 'clients without address space' "$pmixrun" -n 4 sh -c 'ulimit -v 1000000; exec "$@"' -- "$moves" 60
    job 'one client without address space' "$pmixrun" -n 4 \
        sh -c '[ $PMIX_RANK != 1 ] || ulimit -v 1000000; exec "$@"' -- "$moves" 60
    job 'a server with little address space' sh -c 'ulimit -v 2000000; exec "$@"' -- "$pmixrun" -n 4 "$moves" 60
fi
job 'a server that may write no files' sh -c 'ulimit -f 100; exec "$@"' -- "$pmixrun" -n 4 "$moves" 60
job 'a server that may write small files' sh -c 'ulimit -f 1000; exec "$@"' -- "$pmixrun" -n 4 "$moves" 60

# Segments that clients have and that cannot grow: by messages there would be room.
if ! by_messages; then
    run sh -c 'ulimit -f 1000; exec "$@"' -- "$pmixrun" -n 2 "$PX_TOP_BUILDDIR/test/t/refused" 4000000
    same 'who posts too much learns of it, and of nothing else' 'rank 0: put: PMIX_SUCCESS
rank 0: fence: PMIX_ERR_OUT_OF_RESOURCE
rank 0: large: PMIX_SUCCESS
rank 0: put: PMIX_SUCCESS
rank 0: fence: PMIX_SUCCESS
rank 0: small: PMIX_SUCCESS' "$(grep '^rank 0' "$SCRATCH/out")"
    same 'the others go on' 'rank 1: fence: PMIX_SUCCESS
rank 1: large: PMIX_ERR_NOT_FOUND
rank 1: fence: PMIX_SUCCESS
rank 1: small: PMIX_SUCCESS' "$(grep '^rank 1' "$SCRATCH/out")"
    same 'and nothing is wrong' '0 ' "$code $err"
    for nodes in 1 2; do
        run env PMIX_MCA_shmix_missing_key_wait=1 sh -c 'ulimit -f 1000; exec "$@"' -- \
            "$pmixrun" -n 2 --nodes $nodes "$PX_TOP_BUILDDIR/test/t/refused" 4000000 wait
        same "who waits for what was refused does not wait for ever, on $nodes nodes" 'rank 1: get: PMIX_SUCCESS
rank 1: waited before: PMIX_ERR_NOT_FOUND
rank 1: waited after: PMIX_ERR_NOT_FOUND
rank 1: waited for less: PMIX_SUCCESS
rank 1: fence: PMIX_SUCCESS' "$(grep '^rank 1' "$SCRATCH/out")"
        same 'who posted it learns of that once' 1 "$(grep -c OUT_OF_RESOURCE "$SCRATCH/out")"
    done
fi
finish
