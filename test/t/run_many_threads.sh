#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Processes with many threads at work at once; clients, tools and servers that finalize meanwhile.
# Covers: SHM-004
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
own_tmpdir
many_threads=$PX_TOP_BUILDDIR/test/t/many_threads
rounds=${PX_LONG:+1000}

# threads WHAT ARGUMENT...: pmixrun with the arguments and a program
threads() {
    what=$1
    shift
    run "$pmixrun" "$@"
    same "$what" 0 "$code"
    [ "$code" -eq 0 ] || printf '%s\n' "$err" | head -n 20 | sed 's/^/# /'
}

threads 'one process' -n 1 "$many_threads" "${rounds:-30}"
threads 'three processes' -n 3 "$many_threads" "${rounds:-30}"
threads 'two nodes' --nodes 2 -n 4 "$many_threads" "${rounds:-30}"
threads 'by messages' -n 3 -x PMIX_MCA_gds=hash "$many_threads" "${rounds:-30}"
leave=$PX_TOP_BUILDDIR/test/t/leave
threads 'finalize beside busy threads' -n 2 "$leave" "${rounds:-8}"
threads 'finalize beside busy threads, by messages' -n 2 -x PMIX_MCA_gds=hash "$leave" "${rounds:-8}"
run "$leave" server "${rounds:-8}"
same 'a server' '0 ' "$code $err"

mkfifo "$SCRATCH/gate"
"$pmixrun" --nspace job sh -c 'echo here; read -r word <"$1"' sh "$SCRATCH/gate" >"$SCRATCH/job.out" 2>&1 &
runner=$!
until_lines 1 "$SCRATCH/job.out"
run "$leave" tool $runner "${rounds:-8}"
same 'a tool' '0 ' "$code $err"
run env PMIX_MCA_gds=hash "$leave" tool $runner "${rounds:-8}"
same 'a tool, by messages' '0 ' "$code $err"
echo >"$SCRATCH/gate"
wait $runner
same 'the job of the tools ends' 0 $?
finish
