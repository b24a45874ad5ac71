#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# contrib/oss-fuzz/build.sh, run in a copy of the sources with the variables of OSS-Fuzz: every target is built, comes with a
# corpus and a dictionary, and accepts its corpus. Long: only with PX_LONG, and only where clang is.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -n "${PX_LONG:-}" ] || skip_all 'builds the library: only in make check-long'
[ -z "$PX_SANITIZED" ] || skip_all 'builds without this build'
by_messages && skip_all 'not about segments'
for CC in clang clang-14 none; do
    [ "$CC" != none ] || skip_all 'clang is not here'
    CXX=$(echo "$CC" | sed 's/clang/clang++/')
    command -v "$CC" >/dev/null && command -v "$CXX" >/dev/null && break
done
command -v zip >/dev/null && command -v unzip >/dev/null || skip_all 'zip is not here'
files=$(cd "$PX_TOP_SRCDIR" && git ls-files 2>/dev/null)
[ -n "$files" ] || skip_all 'the sources are no checkout'

build_it() {
    mkdir "$SCRATCH/src" "$SCRATCH/out" "$SCRATCH/work" &&
        (cd "$PX_TOP_SRCDIR" && git ls-files -z | tar -c --null -T - -f -) | tar -x -C "$SCRATCH/src" &&
        (cd "$SCRATCH/src" && unset MAKEFLAGS MFLAGS MAKELEVEL &&
            CC=$CC CXX=$CXX CFLAGS='-O1 -g -fsanitize=address,fuzzer-no-link' LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
                OUT=$SCRATCH/out WORK=$SCRATCH/work sh contrib/oss-fuzz/build.sh) >"$SCRATCH/log" 2>&1 || {
        tail -n 5 "$SCRATCH/log"
        return 1
    }
}

# Each program of OUT, and nothing else, is a target.
is_whole() {
    for corpus in "$PX_TOP_SRCDIR"/test/fuzz/corpus/*; do
        t=$(basename "$corpus")_fuzz
        [ -x "$SCRATCH/out/$t" ] && [ -s "$SCRATCH/out/$t.dict" ] && [ -s "$SCRATCH/out/${t}_seed_corpus.zip" ] || {
            echo "$t is not there, or has no dictionary or corpus"
            return 1
        }
    done
    [ "$(ls "$SCRATCH/out" | grep -cv -e '_fuzz$' -e '_fuzz\.dict$' -e '_seed_corpus\.zip$')" = 0 ]
}

accepts() { # accepts TARGET
    mkdir "$SCRATCH/$1" && unzip -q "$SCRATCH/out/$1_seed_corpus.zip" -d "$SCRATCH/$1" &&
        (cd "$SCRATCH" && "out/$1" -runs=0 -dict="out/$1.dict" -rss_limit_mb=4096 -close_fd_mask=2 "$SCRATCH/$1") >"$SCRATCH/log" 2>&1 || {
        tail -n 5 "$SCRATCH/log"
        return 1
    }
}

check 'the script builds' build_it
check 'every target, with its corpus and a dictionary' is_whole
for program in "$SCRATCH"/out/*_fuzz; do
    check "$(basename "$program") accepts its corpus" accepts "$(basename "$program")"
done
finish
