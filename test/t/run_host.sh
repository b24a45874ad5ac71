#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What pmixrun answers as the host of its processes.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

run "$pmixrun" -n 3 --nspace jobname "$actor" job
same 'the job is described' 'rank 0: job jobname
rank 1: job jobname
rank 2: job jobname' "$(lines)"
same 'to the end' 0 "$code"

# A key that begins with "pmix" is reserved, so the namespace that pmixrun chooses may not.
for nodes in 1 2; do
    run "$pmixrun" --nodes $nodes -n 2 "$actor" keyed
    same "keys made of the namespace, on $nodes nodes" 'rank 0 has read 2 keys
rank 1 has read 2 keys' "$(lines)"
done
# shellcheck disable=SC2016
run "$pmixrun" sh -c 'echo "$PMIX_NAMESPACE"; exec "$1" sh -c "echo \$PMIX_NAMESPACE"' sh "$pmixrun"
same 'two pmixruns have two namespaces' 2 "$(lines | uniq | grep -c "^job-$(uname -n)-[0-9]*\$")"

run "$pmixrun" -n 2 --bind-to core "$actor" bound
same 'where a bound process is' 2 "$(grep -c '^rank [01]: hwloc:[0-9,-]* hwloc:.*CR[0-9]' "$SCRATCH/out")"

run "$pmixrun" -n 3 "$actor" abort
same 'abort gives its status' 42 "$code"
same 'and its message' 1 "$(printf '%s\n' "$err" | grep -c 'rank 2 aborts with status 42: had enough')"

run "$pmixrun" -n 3 "$actor" die
same 'a process that is killed ends the job' 137 "$code"

run "$pmixrun" -n 2 --nspace parent "$actor" spawn
same 'spawn' 0 "$code"
same 'and the children' 'child 0 of 2, parent rank 0
child 1 of 2, parent rank 0
spawned parent.1' "$(lines)"

run "$pmixrun" -n 1 "$actor" notice
same 'the parent hears of the end of its job' 'told that the job has ended' "$out"

run "$pmixrun" -n 2 "$actor" query
same 'queries' 'rank 0: queries answered
rank 1: queries answered' "$(lines)"

run "$pmixrun" -n 2 "$actor" control
same 'job control' 'rank 1 was told to end' "$out"
same 'which is no failure' 0 "$code"

run "$pmixrun" -n 1 "$actor" log
same 'log' 'a line for the log' "$out"

# Who reads the log is waited for by those who write it, and by nobody else.
limit 100 "$pmixrun" -n 2 "$PX_TOP_BUILDDIR/test/t/logs" "$SCRATCH/served" 2>"$SCRATCH/err" | {
    until_true 'a get is answered' test -e "$SCRATCH/served" && echo served
    cat
} >"$SCRATCH/out"
same 'who asks is served while nobody reads the log' 'served 200 0' \
    "$(head -n 1 "$SCRATCH/out") $(grep -cx 'x\{2000\}' "$SCRATCH/out") $(wc -l <"$SCRATCH/err" | tr -d ' ')"
limit 60 "$pmixrun" --tag-output --nspace tagged "$actor" log >"$SCRATCH/out" 2>&1
same 'a tagged log' '[tagged,0]<log>: a line for the log' "$(cat "$SCRATCH/out")"

run "$pmixrun" -n 3 "$actor" group
same 'groups' 'rank 0: group made and undone
rank 1: group made and undone
rank 2: group made and undone' "$(lines)"

run "$pmixrun" -n 1 "$actor" lookup
same 'a lookup that waits in vain ends' 'rank 0: nothing found, in time' "$out"

run "$pmixrun" -n 3 --report "$actor" job
same 'a report for each process' 3 "$(printf '%s\n' "$err" | grep -c '^pmixrun: rank [0-2]: [0-9]* reads from memory')"
if by_messages; then
    skip 'and for the job' 'there is no segment'
else
    same 'and for the job' 1 "$(printf '%s\n' "$err" | grep -c '3 ranks registered, 3 reported, segment of [1-9][0-9]* bytes')"
fi
# However much there is to report, nobody waits for room.
# shellcheck disable=SC2016
run "$pmixrun" -n 2 --report sh -c 'head -c 2000000 /dev/zero | tr "\0" "\n" >"/proc/self/fd/$PMIX_MCA_shmix_report_fd"; exec "$1" job' sh "$actor"
same 'a report behind much else' '0 2' "$code $(printf '%s\n' "$err" | grep -c '^pmixrun: rank [01]: [0-9]* reads from memory')"
# A munge daemon that does not answer holds whoever asks it for ten seconds: it is asked only where its credentials
# are to be used.
cat >"$SCRATCH/munge.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int munge_encode(char **cred, void *ctx, const void *payload, int len);
int munge_decode(const char *cred, void *ctx, void **payload, int *len, unsigned *uid, unsigned *gid);
int munge_encode(char **cred, void *ctx, const void *payload, int len)
{
    FILE *f = fopen(getenv("MUNGE_ASKED"), "a");
    (void) cred, (void) ctx, (void) payload, (void) len;
    fputs("asked\n", f);
    fclose(f);
    return 1;
}
int munge_decode(const char *cred, void *ctx, void **payload, int *len, unsigned *uid, unsigned *gid)
{
    (void) cred, (void) ctx, (void) payload, (void) len, (void) uid, (void) gid;
    return 1;
}
END
check 'a munge library that says when it is asked' $CC -shared -fPIC -o "$SCRATCH/libmunge.so.2" "$SCRATCH/munge.c"
MUNGE_ASKED=$SCRATCH/asked
LD_LIBRARY_PATH=$SCRATCH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export MUNGE_ASKED LD_LIBRARY_PATH
run "$pmixrun" -n 2 true
same 'a job that needs no munge' 0 "$code"
check 'starts without asking it' [ ! -e "$MUNGE_ASKED" ]
run env PMIX_MCA_psec=munge,native "$pmixrun" -n 2 true
same 'a job that may use it' 0 "$code"
check 'asks' [ -s "$MUNGE_ASKED" ]
finish
