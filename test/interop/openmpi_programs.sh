#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What MPI programs do beside sending: they spawn, meet by a published port, put into each other's memory, abort and die. Ours and
# those of packages, under pmixrun and under Open MPI's own launcher, each with our library.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
command -v mpicc >/dev/null 2>&1 && command -v mpirun >/dev/null 2>&1 || skip_all "no Open MPI on this machine"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"

OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl_vader_single_copy_mechanism
sources=$PX_TOP_SRCDIR/test/interop
check 'build the program' mpicc -O1 -o "$SCRATCH/calls" "$sources/mpi_calls.c"

# The mpirun of Open MPI 5 needs private functions of OpenPMIx, and keeps its library. A server of OpenPMIx 5.0.7 crashes on a spawn by
# any client that reads by messages, unless it is told that there is nothing else.
mpirun --version | grep -q ' 4\.' && mpirun_keeps= || mpirun_keeps=yes

# launch LAUNCHER N PROGRAM...: leaves $code, $SCRATCH/out and $SCRATCH/err.
launch() {
    for_launcher=$library
    case $1$mpirun_keeps in
    mpirun) with='mpirun --oversubscribe' ;;
    mpirunyes) with="env PMIX_MCA_gds=hash mpirun --map-by :oversubscribe -x LD_LIBRARY_PATH=$library" for_launcher= ;;
    *) with="$PX_TOP_BUILDDIR/src/tools/pmixrun --nodes $1" ;;
    esac
    n=$2
    shift 2
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$for_launcher limit 120 $with -n "$n" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    code=$?
}
# right WHAT LINES: exit code 0, and as many lines that say so, none that says otherwise.
right() {
    same "$1" "0 $2 0" "$code $(grep -c 'right$' "$SCRATCH/out") $(grep -c 'wrong$' "$SCRATCH/out")"
    [ "$code" -eq 0 ] || tail -n 20 "$SCRATCH/err" | sed 's/^/# /'
}

for library in "$PX_TOP_BUILDDIR/.libs" ''; do
    whose=${library:+our library}
    for launcher in 1 2 mpirun; do
        [ "$launcher$library" != mpirun ] || continue # nothing of ours
        case $launcher in
        mpirun) where="under mpirun, ${whose:-its library}" ;;
        *) where="$launcher nodes, ${whose:-its library}" ;;
        esac
        launch $launcher 3 "$SCRATCH/calls" spawn
        right "processes are spawned, $where" 5
        launch $launcher 4 "$SCRATCH/calls" meet
        right 'meet by a published name' 4
        launch $launcher 4 "$SCRATCH/calls" put
        right 'and put into windows' 4
        launch $launcher 3 "$SCRATCH/calls" abort
        same 'one aborts all' 9 "$code"
        launch $launcher 3 "$SCRATCH/calls" signal
        same 'one that dies of a signal ends all' 134 "$code"
    done
done

library=$PX_TOP_BUILDDIR/.libs
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
    for launcher in 1 2 mpirun; do
        launch $launcher 2 /usr/bin/python3 "$sources/mpi_spawn.py"
        right "mpi4py ($launcher)" 4
    done
else
    skip 'mpi4py' 'no python3-mpi4py'
fi
if command -v oshcc >/dev/null 2>&1; then
    check 'build the OpenSHMEM program' oshcc -O1 -o "$SCRATCH/shmem" "$sources/shmem_calls.c"
    # Open MPI 5 needs one address that is free in every process.
    launch 1 4 setarch -R "$SCRATCH/shmem"
    same 'OpenSHMEM: put, get, atomics' 4 "$(grep -c 'right$' "$SCRATCH/out")"
    tail -n 5 "$SCRATCH/err" | sed 's/^/# /'
else
    skip 'OpenSHMEM' 'no oshcc'
fi
if command -v hpcc >/dev/null 2>&1; then
    sed 's/^1000 /100 /' /usr/share/doc/hpcc/examples/_hpccinf.txt >"$SCRATCH/hpccinf.txt"
    for launcher in 1 mpirun; do
        (
            cd "$SCRATCH" || exit 1
            rm -f hpccoutf.txt
            launch $launcher 4 hpcc
            [ "$code" -eq 0 ] && grep -q '^Success=1' hpccoutf.txt
        )
        report $? "hpcc ($launcher)"
    done
else
    skip 'hpcc' 'no hpcc'
fi
if command -v NPopenmpi >/dev/null 2>&1; then
    (
        cd "$SCRATCH" || exit 1
        launch 1 2 NPopenmpi -l 1 -u 4096 -n 50 # as many of each size, not half a second of them
        [ "$code" -eq 0 ]
    )
    report $? 'netpipe'
else
    skip 'netpipe' 'no netpipe-openmpi'
fi
finish
