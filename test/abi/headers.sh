#!/bin/sh
# The same sources compiled against the system's PMIx headers (4.2 or later) and against ours: they
# print the same sizes, offsets, values and strings, as C and as C++; and each of our headers compiles
# alone, without a warning, as C99, C11 and C++17.
# Covers: MAC-001 MAC-015 MAC-016 RES-001
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
top=${PX_TOP_SRCDIR:-.}
build=${PX_TOP_BUILDDIR:-.}
cc=${CC:-cc}
cxx=${CXX:-c++}
ours="-I$build/include -I$top/include"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
: >"$scratch/log"
: >"$scratch/ours.txt"
echo 1..9

number=0
# verdict STATUS TEXT
verdict() {
    number=$((number + 1))
    if [ "$1" -ne 0 ]; then
        sed 's/^/# /' "$scratch/log"
        printf 'not '
    fi
    echo "ok $number - $2"
    : >"$scratch/log"
}

# alone STANDARD COMPILER - each header by itself
alone() {
    bad=0
    for header in pmix.h pmix_common.h pmix_constants.h pmix_deprecated.h pmix_keys.h pmix_macros.h \
        pmix_server.h pmix_status.h pmix_tool.h pmix_types.h pmix_version.h \
        pmix/src/include/pmix_frameworks.h; do
        case $2 in
        "$cxx") source=$scratch/alone.cc ;;
        *) source=$scratch/alone.c ;;
        esac
        printf '#include <%s>\nextern int px_alone;\n' $header >"$source"
        # shellcheck disable=SC2086
        $2 -std=$1 -pedantic -Wall -Wextra -Wshadow -Wundef -Wredundant-decls -Werror $ours \
            -fsyntax-only "$source" >>"$scratch/log" 2>&1 || bad=1
    done
    verdict $bad "each header compiles alone as $1"
}

system=
for dir in $(pkg-config --variable=includedir pmix 2>/dev/null) \
    /usr/lib/*/pmix2/include /usr/include/pmix /usr/include; do
    if [ -e "$dir/pmix_server.h" ] && grep -q PMIX_VERSION_MAJOR "$dir/pmix_version.h" 2>/dev/null; then
        system=$dir
        break
    fi
done

# compare COMPILER EXTENSION
compare() {
    if [ -z "$system" ]; then
        number=$((number + 2))
        echo "ok $((number - 1)) # SKIP libpmix-dev is absent"
        echo "ok $number # SKIP libpmix-dev is absent"
        return
    fi
    cp "$top/test/abi/facts.c" "$scratch/facts.$2"
    bad=0
    # shellcheck disable=SC2086
    {
        $1 -w -D_GNU_SOURCE -DPX_LEVEL=42 "-I$system" "-I$top/test/abi" "$scratch/facts.$2" \
            -o "$scratch/theirs" &&
            $1 -w -D_GNU_SOURCE -DPX_LEVEL=42 -DPMIX_SERVER_MODULE_LEVEL=42 $ours "-I$top/test/abi" \
                "$scratch/facts.$2" -o "$scratch/ours"
    } >>"$scratch/log" 2>&1 || bad=1
    verdict $bad "prototypes are those of $system ($2)"
    if [ $bad = 0 ]; then
        "$scratch/theirs" --print >"$scratch/theirs.txt" || bad=1
        "$scratch/ours" --print >"$scratch/ours.txt" || bad=1
        diff "$scratch/theirs.txt" "$scratch/ours.txt" >>"$scratch/log" 2>&1 || bad=1
    fi
    verdict $bad "$(wc -l <"$scratch/ours.txt") facts print alike ($2)"
}

# levels - the layouts that the declared series have
levels() {
    bad=0
    for level in 42 50 61; do
        # shellcheck disable=SC2086
        if $cc -w -D_GNU_SOURCE -DPMIX_SERVER_MODULE_LEVEL=$level $ours "-I$top/test/abi" \
            "$top/test/abi/facts.c" -o "$scratch/level" >>"$scratch/log" 2>&1; then
            "$scratch/level" >>"$scratch/log" || bad=1
        else
            bad=1
        fi
    done
    grep -q '^not ok' "$scratch/log" && bad=1
    verdict $bad "the server module has the length of its series"
}

alone c99 "$cc"
alone c11 "$cc"
alone c++17 "$cxx"
levels
compare "$cc" c
compare "$cxx" cc
if [ -z "$system" ]; then
    echo "ok 9 # SKIP libpmix-dev is absent"
else
    # shellcheck disable=SC2086
    $cc -w -D_GNU_SOURCE -DPX_SYSTEM_HEADERS "-I$system" -fsyntax-only "$top/test/abi/macros.c" \
        >>"$scratch/log" 2>&1
    verdict $? "test/abi/macros.c is a program for the system's headers too"
fi
