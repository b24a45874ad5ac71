#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# OSS-Fuzz's build script: $CC, $CXX, $CFLAGS, $LIB_FUZZING_ENGINE, $OUT and $WORK are its variables, and the present folder is
# that of the sources. Each target comes with its corpus and the dictionary. To be copied with the two files beside it into
# projects/shmix of OSS-Fuzz; test/t/oss_fuzz.sh runs it as it would be run there.
set -eu
top=$PWD
work=${WORK:?}/shmix
mkdir -p "$OUT" "$work"
./autogen.sh
cd "$work"
# The library is not linked by libtool here: the flags are for the targets only.
env -u CFLAGS -u CXXFLAGS "$top/configure" CC="$CC" --disable-hardening
# The engine is of C++, so that compiler links.
make fuzz-targets FUZZ_CC="$CC" FUZZ_CXX="$CXX" FUZZ_CFLAGS="$CFLAGS" FUZZ_ENGINE="$LIB_FUZZING_ENGINE" FUZZ_OUT="$OUT"
for corpus in "$top"/test/fuzz/corpus/*; do
    t=$(basename "$corpus")
    (cd "$corpus" && zip -q -r "$OUT/${t}_fuzz_seed_corpus.zip" .)
    cp "$OUT/fuzz.dict" "$OUT/${t}_fuzz.dict"
done
rm -rf "$OUT/objects" "$OUT/fuzz.dict"
