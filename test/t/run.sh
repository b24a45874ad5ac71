# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# For the tests of pmixrun: source it after nothing else.

. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
pmixrun=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmixrun
actor=$PX_TOP_BUILDDIR/test/t/actor
examples=$PX_TOP_BUILDDIR/examples
unset PMIX_NAMESPACE PMIX_RANK OMPI_MCA_schizo OMPI_MCA_mpi_oversubscribe

# run NAME COMMAND...: at most two minutes; leaves $out, $err and $code.
run() {
    limit 120 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    code=$?
    out=$(cat "$SCRATCH/out")
    err=$(cat "$SCRATCH/err")
}

# sorted lines of standard output
lines() { sort "$SCRATCH/out"; }

has_lines() { [ "$(cat "$2" 2>/dev/null | wc -l)" -ge "$1" ]; }

# until_lines N FILE: until the file has N lines; gives up after a minute.
until_lines() { until_true "$2 has $1 lines" has_lines "$1" "$2"; }

# until_state PID LETTER: until the process is in that state; gives up after a minute.
in_state() { [ "$(sed 's/.*) \(.\) .*/\1/' "/proc/$1/stat")" = "$2" ]; }
until_state() { until_true "process $1 is in state $2" in_state "$1" "$2"; }

# own_tmpdir: rendezvous files of the test go to $SCRATCH/tmp, and no others are found.
own_tmpdir() {
    TMPDIR=$SCRATCH/tmp
    export TMPDIR
    mkdir "$TMPDIR"
    unset PMIX_SERVER_TMPDIR TEMPDIR TEMP TMP
}
