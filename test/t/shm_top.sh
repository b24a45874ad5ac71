#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix-shm top: what a server does, also when it is stopped; tables that follow servers; a terminal that is given back.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
command -v python3 >/dev/null 2>&1 || skip_all 'python3 is not here'
shm=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmix-shm
hang=$PX_TOP_BUILDDIR/test/t/hang
runner=
other=
trap 'end; rm -rf "$SCRATCH"' EXIT

end() {
    for each in $runner $other; do
        kill -CONT "$each" 2>/dev/null
        stop "$each"
    done
    runner=
}
start() { # start CAUSE [WORD...]: a job of three; leaves $runner
    end
    "$pmixrun" -n 3 --timeout 300 "$hang" "$@" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
    runner=$!
}
# shows EXPRESSION: it is true of what JSON says of the server, x
shows() {
    "$shm" top --once --json --pid $runner >"$SCRATCH/json" && python3 -c 'import json, sys
x = json.load(open(sys.argv[1]))["servers"][0]
print(x)
sys.exit(not eval(sys.argv[2]))' "$SCRATCH/json" "$1"
}

mkfifo "$SCRATCH/told"
start last "$SCRATCH/told"
check 'a job whose second fence is open' until_lines 2 "$SCRATCH/job.out"
check 'is counted: collectives' until_true 'two wait' shows 'x["open_collectives"] == 1 and x["collectives"] == 1 and x["requests"] >= 5'
check 'processes and namespaces' shows 'x["nspaces"] == 1 and x["processes"] == 3 and x["connections"] == 3 and x["pid"] == '$runner
check 'bytes' shows 'x["bytes_in"] > 0 and x["bytes_out"] > 0 and x["other_waits"] == 0'
check 'who it is' shows 'x["nspace"] == "pmixrun-server.'$runner'" and x["rank"] == 0 and x["state"] == "sleeping"'
kill -STOP $runner
check 'a server that is stopped' until_true 'it is shown' shows 'x["state"] == "stopped" and x["processes"] == 3'
kill -CONT $runner
run "$shm" top --once --pid $runner
same 'the table' "1 $runner" "$(sed 1d "$SCRATCH/out" | wc -l) $(sed 1d "$SCRATCH/out" | awk '{ print $1 }')"
same 'has the same numbers' '1 3 3 1 1 0' "$(sed 1d "$SCRATCH/out" | awk '{ print $3, $4, $5, $9, $11, $12 }')"
run "$shm" top --once --parsable --pid $runner
same 'so have lines for programs' 3 "$(sed -n 's/^servers:0:processes://p' "$SCRATCH/out")"
check 'on a terminal' python3 "$PX_TOP_SRCDIR/test/t/top.py" "$shm" $runner 40 - -
check 'without one' python3 "$PX_TOP_SRCDIR/test/t/top.py" "$shm" $runner 0 - -

# --- servers come and go
follow() {
    rm -f "$SCRATCH/made" "$SCRATCH/made.pid" "$SCRATCH/gone"
    python3 "$PX_TOP_SRCDIR/test/t/top.py" "$shm" $runner "$1" "$SCRATCH/made" "$SCRATCH/gone" &
    follower=$!
    until_true 'top shows the first server' test -e "$SCRATCH/made" || return 1
    "$pmixrun" -n 1 sleep 300 &
    other=$!
    echo $other >"$SCRATCH/made.new"
    mv "$SCRATCH/made.new" "$SCRATCH/made.pid"
    until_true 'top shows the second server' test -e "$SCRATCH/gone"
    stop $other
    other=
    wait $follower
}
check 'it follows servers, on a terminal' follow 40
check 'and without one' follow 0

# --- those that leave
start finalized
check 'a process that has finalized has no connection' until_true 'it has finalized' shows 'x["connections"] == 2 and x["processes"] == 3'
end
run "$shm" top --once --pid $$
same 'a process that is no server' '1 pmix-shm: top: this process is no server that one may look into' "$code $err"
run "$shm" top --interval 0
same 'an interval of nothing' 2 "$code"
finish
