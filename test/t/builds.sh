#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Builds with other options, each without a warning: a static library beside the shared one, with programs that `pkg-config --static`
# and pmixcc link with it; a static library alone; clang. Long: only with PX_LONG (make check-long).
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ -n "${PX_LONG:-}" ] || skip_all 'builds the library: only in make check-long'
[ -z "$PX_SANITIZED" ] || skip_all 'nothing of this build is looked at'
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR TESTS CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
jobs=$(nproc 2>/dev/null || echo 2)

# build FOLDER ARGUMENT...: configures in the folder with the arguments, then builds library, tools and examples.
build() {
    folder=$SCRATCH/$1
    shift
    mkdir "$folder" && cd "$folder" && limit 300 "$PX_TOP_SRCDIR/configure" --enable-devel "$@" >configure.out 2>&1 &&
        limit 1500 make -j"$jobs" all >make.out 2>&1
    result=$?
    [ $result = 0 ] || tail -n 20 make.out configure.out
    return $result
}
warned() { grep -c 'warning:' "$folder/make.out"; }
# runs_job: two processes of an example under the build's pmixrun
runs_job() {
    run "$folder/src/tools/pmixrun" -n 2 "$folder/examples/hello"
    same 'it runs a job' '0 2' "$code $(grep -c '^rank [01] of 2 on ' "$SCRATCH/out")"
}

check 'with a static library, too' build static CC="$CC" --enable-static
same 'without a warning' 0 "$(warned)"
check 'which is there' [ -e "$folder/.libs/libpmix.a" ]
runs_job
PX_TOP_BUILDDIR=$folder limit 600 sh "$PX_TOP_SRCDIR/test/t/install.sh" >"$folder/install.out" 2>&1
same 'programs are linked with it, by what is installed' '0 4 0' \
    "$? $(grep -cE '^ok [0-9]* - (with libpmix.a alone, by |it runs$|that runs, too$)' "$folder/install.out") $(grep -c '^not ok' "$folder/install.out")"
grep -A 10 '^not ok' "$folder/install.out" | sed 's/^/# /'
rm -rf "$folder"

check 'with a static library alone' build alone CC="$CC" --enable-static --disable-shared
same 'without a warning' 0 "$(warned)"
runs_job
rm -rf "$folder"

if command -v clang >/dev/null 2>&1 && command -v clang++ >/dev/null 2>&1; then
    check 'by clang' build clang CC=clang CXX=clang++
    tests() { make -s print-programs >programs && limit 1500 make -j"$jobs" $(cat programs) >>make.out 2>&1 || { tail -n 20 make.out; return 1; }; }
    check 'and all tests' tests
    same 'without a warning' 0 "$(warned)"
    runs_job
else
    skip 'by clang' 'no clang on this machine'
fi
finish
