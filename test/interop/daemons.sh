#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A host of the shape of PRRTE, by the public interface: two daemons joined by TCP, of which the first launches and shows output
# itself (prterun), or stays for launcher tools and others that find it (prte, prun).
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
interop=$PX_TOP_BUILDDIR/test/interop
tools=$PX_TOP_BUILDDIR/src/tools
host=$interop/host
daemon=
end() {
    [ -z "$daemon" ] || stop $daemon
    rm -rf "$SCRATCH"
}
trap end EXIT

# job WHAT CODE LINES: what it wrote, sorted, and how it ended.
ended() {
    same "$1" "$2 $3" "$code $(sorted out)"
    [ "$code" = "$2" ] || sed 's/^/# /' "$SCRATCH/err"
}

# --- one that launches itself: the library shows what is delivered, and reads its standard input for rank 0
. "$PX_TOP_SRCDIR/test/lib/words.sh"
limit 60 "$host" --nodes 2 --local-output --push-stdin 4 "$SCRATCH/words" <"$SCRATCH/in" >"$SCRATCH/out" 2>"$SCRATCH/err"
code=$?
ended 'a launcher that is the host itself' 0 "$lines"
same 'errors go to standard error' "$errors" "$(sorted err)"
limit 60 "$host" --nodes 2 --local-output 4 "$PX_TOP_BUILDDIR/examples/put_get" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
same 'values cross the nodes when they are asked for' '0 4' "$? $(grep -c 'has read the values of 4' "$SCRATCH/out")"
limit 60 "$host" --nodes 2 --local-output 4 "$interop/peer" exchange >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
same 'and with fences, but for those of the other node only' 'not ok interop-local 8' \
    "$(failures)"
limit 60 "$host" --nodes 2 4 "$interop/peer" abort >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
same 'an abort ends both nodes' 43 $?

# --- one that stays, and is found
tmp=$SCRATCH/tmp
mkdir -p "$tmp/session" "$SCRATCH/own"
TMPDIR=$tmp
export TMPDIR
"$host" --nodes 2 --tools --tmpdir "$tmp/session" --system-tmpdir "$tmp" --report-uri "$SCRATCH/uri" --stays \
    >"$SCRATCH/host.out" 2>&1 </dev/null &
daemon=$!
until_true 'the daemon says where it is' test -s "$SCRATCH/uri"
# launch ARGUMENT...: a launcher tool with a session directory of its own
launch() {
    limit 60 "$interop/launcher" "$SCRATCH/own" "$@" <"$SCRATCH/in" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
}
launch 4 "$SCRATCH/words"
ended 'a launcher tool finds it in the tree of the system directory' 0 "$lines"
same 'and has the errors of its job' "$errors" "$(sorted err)"
launch --uri "$SCRATCH/uri" --forward yes 4 "$SCRATCH/words"
ended 'or by the file that it has written' 0 "$lines"
same 'it may ask for the output' "$errors" "$(sorted err)"
launch --forward no 4 "$SCRATCH/words"
same 'or say that it wants none' '0 ' "$code $(cat "$SCRATCH/out" "$SCRATCH/err")"
launch 4 "$SCRATCH/words" 7
ended 'it learns that its job has failed' 3 "$lines"
launch 3 "$PX_TOP_BUILDDIR/examples/put_get"
same 'processes of a job that was spawned work' '0 3' "$code $(grep -c 'has read the values of 3' "$SCRATCH/out")"
"$tools/pquery" PMIX_QUERY_NAMESPACES >"$SCRATCH/out" 2>"$SCRATCH/err"
same 'another tool finds it, too' '0 PMIX_QUERY_NAMESPACES: "interop-spawned.1"' "$? $(cat "$SCRATCH/out")"
kill -TERM $daemon
check 'it ends when it is told to' gone $daemon
wait $daemon
same 'well' 0 $?
daemon=
same 'and leaves nothing' '' "$(find "$tmp" -type f; cat "$SCRATCH/host.out")"
finish
