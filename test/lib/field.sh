# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# For the tests of the commands of the field: a job that they look at. Source it after nothing else.

. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
tools=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}
own_tmpdir

# begin NODES PROGRAM [OPTION...]: four processes of job "job" in the background, with those options of pmixrun, which
# live until `end`. Leaves $runner; they all are there when it returns.
begin() {
    rm -f "$SCRATCH/gate" "$SCRATCH/job.out"
    mkfifo "$SCRATCH/gate"
    nodes=$1
    program=$2
    shift 2
    "$pmixrun" --nodes "$nodes" -n 4 --nspace job --keep-going "$@" "$program" "$SCRATCH/gate" \
        >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
    runner=$!
    exec 9<>"$SCRATCH/gate"
    until_lines 4 "$SCRATCH/job.out" || cat "$SCRATCH/job.err"
}

end() {
    exec 9>&-
    kill $runner 2>/dev/null
    wait $runner 2>/dev/null
}

# field COMMAND ARGUMENT...: of the job's server; leaves what run leaves.
field() {
    command=$1
    shift
    run "$tools/$command" --pid "$runner" "$@"
}

# code WHAT CODE COMMAND...: as field, and its exit code.
code() {
    what=$1
    want=$2
    shift 2
    field "$@"
    same "$what" "$want" "$code"
}

# said WHAT TEXT: what it complained of.
said() { same "$1" "$2" "$err"; }

# python WHAT EXPRESSION WANT: what is in the last output, d, which is JSON.
python() {
    command -v python3 >/dev/null 2>&1 || { skip "$1" 'python3 is not here'; return; }
    same "$1" "$3" "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$SCRATCH/out" "$2" 2>&1)"
}

# has WHAT TEXT: a line of the last output.
has() {
    same "$1" yes "$(grep -qxF -- "$2" "$SCRATCH/out" && echo yes || { echo no; cat "$SCRATCH/out"; })"
}
